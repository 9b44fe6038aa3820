import { test } from "node:test";
import assert from "node:assert/strict";
import { DEAD_AFTER, Link, PING_EVERY } from "../../static/js/socket.js";

/** A clock that moves only when told, with timers on it. */
function fakeTime() {
  let now = 0;
  let timers = [];
  let serial = 0;
  return {
    now: () => now,
    setTimeout: (call, delay) => {
      timers.push({ id: (serial += 1), at: now + delay, call });
      return serial;
    },
    clearTimeout: (id) => {
      timers = timers.filter((timer) => timer.id !== id);
    },
    pass(ms) {
      const until = now + ms;
      for (;;) {
        const next = timers.filter((timer) => timer.at <= until).sort((a, b) => a.at - b.at)[0];
        if (!next) break;
        timers = timers.filter((timer) => timer !== next);
        now = next.at;
        next.call();
      }
      now = until;
    },
  };
}

class FakeSocket {
  readyState = 0;
  sent = [];

  open() {
    this.readyState = 1;
    this.onopen({});
  }

  send(text) {
    this.sent.push(JSON.parse(text));
  }

  hear(frame) {
    this.onmessage({ data: JSON.stringify(frame) });
  }

  fail(code) {
    this.readyState = 3;
    this.onclose({ code });
  }

  close() {
    this.readyState = 3;
  }

  commands() {
    return this.sent.filter((frame) => frame.do !== "ping");
  }
}

function setup() {
  const time = fakeTime();
  const sockets = [];
  const frames = [];
  const statuses = [];
  const open = () => {
    const socket = new FakeSocket();
    sockets.push(socket);
    return socket;
  };
  const link = new Link({
    url: "ws://x/", onFrame: (frame) => frames.push(frame), onStatus: ({ status }) => statuses.push(status),
    env: { ...time, open, random: () => 0.5 },
  });
  link.open();
  return { time, link, sockets, frames, statuses, last: () => sockets.at(-1) };
}

test("a command sent before the line is open goes out once it is", () => {
  const { link, last } = setup();
  link.send({ do: "ready", nonce: "00" });
  assert.equal(last().sent.length, 0);
  last().open();
  assert.deepEqual(last().commands().map((frame) => frame.do), ["ready"]);
});

test("unacknowledged commands are sent again with the same id, acknowledged ones are not", () => {
  const { link, time, last } = setup();
  last().open();
  const first = link.send({ do: "act", ask: "1", action: { do: "pass" } });
  const second = link.send({ do: "auto", on: true });
  last().hear({ on: "ack", id: first });
  last().fail(1006);
  time.pass(0);
  last().open();
  assert.deepEqual(last().commands().map((frame) => frame.id), [second]);
});

test("an error ends a command too, and brings it along", () => {
  const { link, frames, last } = setup();
  last().open();
  const id = link.send({ do: "act", ask: "1", action: { do: "win" } });
  last().hear({ on: "error", id, code: "stale", text: "…" });
  assert.ok(!link.isWaiting(id));
  assert.equal(frames.at(-1).command.action.do, "win");
});

test("a ping each 2.5 s; its pong gives the round trip", () => {
  const { time, link, last } = setup();
  last().open();
  time.pass(PING_EVERY);
  const pings = last().sent.filter((frame) => frame.do === "ping");
  assert.equal(pings.length, 2);
  time.pass(30);
  last().hear({ on: "pong", id: pings[1].id, now: 0, seq: 0 });
  assert.equal(link.rtt, 30);
});

test("nine silent seconds are a dead line: reconnected at once", () => {
  const { time, sockets, statuses, last } = setup();
  last().open();
  time.pass(DEAD_AFTER + PING_EVERY);
  assert.equal(sockets.length, 2);
  assert.ok(statuses.includes("weak"), "the silence is shown before");
  assert.equal(statuses.at(-1), "down");
});

test("the first retry is at once, then with growing pauses up to ten seconds", () => {
  const { time, sockets, last } = setup();
  const opened = [];
  last().open();
  for (let round = 0; round < 8; round += 1) {
    const from = time.now();
    last().fail(1006);
    const count = sockets.length;
    while (sockets.length === count) time.pass(50);
    opened.push(time.now() - from);
  }
  assert.ok(opened[0] <= 50);
  assert.ok(opened[1] >= 950 && opened[1] <= 1100);
  assert.ok(opened.every((pause) => pause <= 10_050));
  assert.ok(opened[7] >= 9_000);
});

test("a silent old socket says nothing any more", () => {
  const { time, frames, sockets, last } = setup();
  last().open();
  last().fail(1006);
  time.pass(0);
  sockets[0].onmessage({ data: '{"on":"pong","id":"x","now":1}' });
  assert.equal(frames.length, 0);
});

test("no seat, no room, signed out: no reconnecting", () => {
  for (const [code, status] of [[4403, "outside"], [4404, "missing"], [4401, "login"]]) {
    const { time, sockets, statuses, link, last } = setup();
    last().open();
    last().fail(code);
    time.pass(60_000);
    link.nudge();
    assert.equal(sockets.length, 1);
    assert.equal(statuses.at(-1), status);
  }
});

test("opened elsewhere: it only watches, says so until it is opened again, and never comes back by itself", () => {
  const { time, sockets, statuses, link, last } = setup();
  last().open();
  sockets[0].onmessage({ data: '{"on":"error","id":null,"code":"elsewhere","text":"…"}' });
  assert.equal(statuses.at(-1), "elsewhere");
  sockets[0].onmessage({ data: '{"on":"pong","id":"x","now":1}' });
  assert.equal(statuses.at(-1), "elsewhere");
  last().fail(1006);
  time.pass(60_000);
  link.nudge();
  assert.equal(sockets.length, 1);
  assert.equal(statuses.at(-1), "elsewhere");
  link.open();
  last().open();
  assert.equal(statuses.at(-1), "open");
});

test("the seat is this line's again when the server says so", () => {
  const { sockets, statuses, last } = setup();
  last().open();
  sockets[0].onmessage({ data: '{"on":"error","id":null,"code":"elsewhere","text":"…"}' });
  sockets[0].onmessage({ data: '{"on":"sync","watching":true}' });
  assert.equal(statuses.at(-1), "elsewhere");
  sockets[0].onmessage({ data: '{"on":"sync","watching":false}' });
  assert.equal(statuses.at(-1), "open");
});

test("waking up reconnects at once when the line is down", () => {
  const { time, link, sockets, last } = setup();
  last().open();
  last().fail(1006);
  time.pass(0);
  last().fail(1006);
  assert.equal(sockets.length, 2);
  link.nudge();
  assert.equal(sockets.length, 3);
});

test("what is not JSON is ignored", () => {
  const { frames, last } = setup();
  last().open();
  last().onmessage({ data: "<html>" });
  assert.deepEqual(frames, []);
});
