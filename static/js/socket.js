/** The line to the server: ids and resending of commands, pings, dead-line detection, reconnecting with backoff. */

export const PING_EVERY = 2500;
export const DEAD_AFTER = 9000;
const WEAK_AFTER = 4000;
const SLOW = 400;
const FATAL = { 4401: "login", 4403: "outside", 4404: "missing" };

const randomId = () => [...crypto.getRandomValues(new Uint8Array(6))].map((byte) => byte.toString(16).padStart(2, "0")).join("");

/**
 * new Link({url, onFrame, onStatus, env}).open()
 * onStatus({status, rtt}): status is connecting | open | weak | down | login | outside | missing | elsewhere.
 * `env` carries WebSocket, the timers and the clock, so that tests own them.
 */
export class Link {
  constructor({ url, onFrame, onStatus, env = {} }) {
    this.url = url;
    this.onFrame = onFrame;
    this.onStatus = onStatus;
    this.env = {
      open: (address) => new WebSocket(address),
      setTimeout: (call, delay) => setTimeout(call, delay),
      clearTimeout: (timer) => clearTimeout(timer),
      now: () => Date.now(),
      random: () => Math.random(),
      ...env,
    };
    this.session = randomId();
    this.count = 0;
    this.waiting = new Map(); // id → frame sent or to be sent, until ack or error
    this.attempt = 0;
    this.rtt = null;
    this.status = "connecting";
    this.socket = null;
    this.watching = false; // the seat was opened elsewhere: this line only watches
    this.timers = { ping: null, retry: null };
    this.pingAt = null;
  }

  open() {
    this.env.clearTimeout(this.timers.retry);
    this.timers.retry = null;
    this.drop();
    this.watching = false;
    this.tell(this.attempt ? "down" : "connecting");
    const socket = this.env.open(this.url);
    this.socket = socket;
    this.heard = this.env.now();
    const mine = (call) => (event) => {
      if (this.socket === socket) call(event);
    };
    socket.onopen = mine(() => this.opened());
    socket.onmessage = mine((event) => this.received(event.data));
    socket.onclose = mine((event) => this.closed(event.code));
    socket.onerror = () => {};
    this.schedulePing();
  }

  /** At once when the phone wakes up or finds its network again. */
  nudge() {
    if (this.status in { login: 1, outside: 1, missing: 1 } || this.watching) return;
    if (this.socket && this.socket.readyState === 1) this.ping();
    else this.open();
  }

  close() {
    this.env.clearTimeout(this.timers.retry);
    this.drop();
  }

  /** Sends a command, again after each reconnect until it is acknowledged; answers its id. */
  send(command) {
    const id = this.nextId();
    const frame = { ...command, id };
    if (command.do !== "sync") this.waiting.set(id, frame); // a new line brings a sync by itself
    this.write(frame);
    return id;
  }

  isWaiting(id) {
    return this.waiting.has(id);
  }

  nextId() {
    this.count += 1;
    return `${this.session}-${this.count}`;
  }

  opened() {
    this.attempt = 0;
    this.heard = this.env.now();
    this.tell("open");
    for (const frame of this.waiting.values()) this.write(frame);
    this.ping();
  }

  received(text) {
    this.heard = this.env.now();
    let frame;
    try {
      frame = JSON.parse(text);
    } catch {
      return;
    }
    if (frame.on === "sync" && Boolean(frame.watching) !== this.watching) {
      this.watching = Boolean(frame.watching); // the newer line may be gone: then this one has the seat again
      this.tell(this.watching ? "elsewhere" : "open");
    }
    if (frame.on === "pong") this.ponged(frame);
    else if (frame.on === "ack" || (frame.on === "error" && frame.id)) {
      const command = this.waiting.get(frame.id);
      this.waiting.delete(frame.id);
      this.onFrame({ ...frame, command });
      return;
    } else if (frame.on === "error" && frame.code === "elsewhere") {
      this.watching = true;
      this.waiting.clear();
      this.tell("elsewhere");
      return;
    }
    this.onFrame(frame);
  }

  ponged(frame) {
    if (frame.id === this.pingId) {
      const trip = this.env.now() - this.pingAt;
      this.rtt = this.rtt === null ? trip : Math.round(this.rtt * 0.6 + trip * 0.4);
      frame.rtt = trip;
      this.pingId = null;
    }
    this.tell(this.rtt > SLOW ? "weak" : "open");
  }

  closed(code) {
    this.socket = null;
    this.env.clearTimeout(this.timers.ping);
    if (FATAL[code] || this.watching) {
      this.tell(FATAL[code] ?? "elsewhere"); // to come back by itself would take the seat from where it is played
      return;
    }
    this.tell("down");
    const wait = this.attempt === 0 ? 0 : Math.min(10_000, 1000 * 1.7 ** (this.attempt - 1)) * (0.75 + this.env.random() / 2);
    this.attempt += 1;
    this.timers.retry = this.env.setTimeout(() => this.open(), Math.min(10_000, wait));
  }

  ping() {
    this.pingId = `p${(this.count += 1)}`;
    this.pingAt = this.env.now();
    this.write({ do: "ping", id: this.pingId });
  }

  schedulePing() {
    this.env.clearTimeout(this.timers.ping);
    this.timers.ping = this.env.setTimeout(() => {
      const silence = this.env.now() - this.heard;
      if (silence >= DEAD_AFTER) {
        this.drop();
        this.closed(0);
        return;
      }
      if (this.socket?.readyState === 1) {
        if (silence >= WEAK_AFTER) this.tell("weak");
        this.ping();
      }
      this.schedulePing();
    }, PING_EVERY);
  }

  write(frame) {
    if (this.socket?.readyState === 1) this.socket.send(JSON.stringify(frame));
  }

  drop() {
    this.env.clearTimeout(this.timers.ping);
    const socket = this.socket;
    this.socket = null;
    if (socket) socket.close();
  }

  tell(status) {
    this.status = this.watching && status in { open: 1, weak: 1 } ? "elsewhere" : status;
    this.onStatus({ status: this.status, rtt: this.rtt });
  }
}
