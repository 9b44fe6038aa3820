/** The table's behaviour: commands to the server, what a player has picked or opened, and what news makes happen. */

import { fill, gettext } from "./i18n.js";
import * as store from "./store.js";
import { callOf, lineOf, questionOf } from "./log.js";
import { icon } from "./dom.js";
import { closedText } from "./coins.js";
import { callsOf, handTiles, refusal } from "./own.js";
import { outlook } from "./waits.js";
import { place } from "./words.js";
import { play, speak } from "./sound.js";
import { saidText } from "./chat.js";
import { turned } from "./quiet.js";

const LOG_KEPT = 120;
const FLASH_MS = 1500;
const SAID_MS = 3800;
const TOAST_MS = 3200;
const REVEAL_MS = 1100;
const DICE_MS = 2200;
export const SWITCHES = ["muted", "speech", "showWaits"];

export const initialUi = (kept) => ({
  selected: null, selectedTile: null, focus: null, panel: null, sideTab: "chat", chooser: null, armedPass: false, autoPass: false,
  settlementHidden: false, showFinal: false, diceUntil: 0, flashes: [], toast: null, escape: null, notice: null, sitting: false, log: [], unread: 0, outlook: null,
  muted: false, speech: false, showWaits: true, quiet: [], ...kept,
});

const FRESH_HAND = { selected: null, selectedTile: null, chooser: null, armedPass: false, settlementHidden: false, showFinal: false, sitting: false, log: [] };

let serial = 0;

export class App {
  /** page: {draw(app), announce(text, urgent), keep(ui), keepQuieted(names), nonce(), later(call, ms), now(), go(url), change()} */
  constructor({ boot, page, kept }) {
    this.state = { ...store.initial(boot), lobby: boot.lobby, coinLobby: boot.coinLobby, qr: boot.qr };
    this.ui = initialUi(kept);
    this.autoPassFirst = Boolean(kept.autoPass); // what the switch is at the start of each hand
    this.page = page;
    this.boot = boot;
    this.link = null;
  }

  /** The server's clock, by our own. */
  now() {
    return this.page.now() + this.state.offset;
  }

  receive(frame) {
    const before = this.state;
    this.state = { ...store.fold(before, frame, this.page.now()) };
    if (this.left(frame)) return this.depart();
    if (this.lostSeat()) return this.status({ status: "outside", rtt: null });
    for (const command of this.state.wants) this.link.send(command);
    if (this.state.hand !== before.hand) Object.assign(this.ui, FRESH_HAND, { autoPass: this.autoPassFirst });
    for (const event of this.state.news) this.hear(event);
    this.readyAtOnce();
    this.think();
    return this.page.draw(this);
  }

  /** Who sits down at a coin table is ready; after that, each hand is the player's own decision. */
  readyAtOnce() {
    const { room, you, stale } = this.state;
    if (this.greeted || !room || stale) return;
    this.greeted = true;
    if (!room.stake || room.status !== "waiting" || room.seats[you]?.ready !== false) return;
    this.ui.sitting = true;
    this.ready();
  }

  /** Whoever is not ready in time is taken from a coin table: the seat is empty, or somebody else's. */
  lostSeat() {
    const { room, you, link } = this.state;
    if (!room?.stake || you === null || link.status === "outside") return false;
    const mine = room.seats[you];
    this.number ??= mine?.number;
    if (mine && mine.number === this.number) return false;
    this.state = { ...this.state, unseated: true };
    this.link.close();
    return true;
  }

  /** The seat is given up: acknowledged, or the room closed with it. */
  left(frame) {
    if (frame.on === "error" && frame.command?.do === "leave") this.leaving = false;
    if (frame.on === "ack" && frame.command?.do === "leave") return true;
    return Boolean(this.leaving && frame.on === "room" && frame.room.status === "dissolved");
  }

  /** Off to another page, once, however many frames say that the seat is gone. */
  depart() {
    if (!this.departed) this.page.go(this.way());
    this.departed = true;
  }

  /** Where leaving leads. */
  way() {
    return this.exit ?? (this.state.room?.stake ? this.boot.coinLobby : this.boot.lobby);
  }

  status(link) {
    this.state = { ...store.linked(this.state, link) };
    if (this.leaving && link.status in { outside: 1, missing: 1 }) return this.depart();
    if (link.status === "login") this.page.go(`${this.boot.login}?next=${encodeURIComponent(`/r/${this.boot.code}/`)}`);
    return this.page.draw(this);
  }

  set(change) {
    Object.assign(this.ui, change);
    this.page.draw(this);
  }

  /** What the hand waits for, and a selection that still exists. */
  think() {
    const { view, answering } = this.state;
    const drawn = store.shown(this.state);
    if (view !== this.thought?.view || answering !== this.thought?.answering) {
      this.thought = { view, answering };
      this.ui.outlook = drawn && drawn.you !== null && drawn.phase !== "fish" && drawn.phase !== "over" ? outlook(drawn) : null;
    }
    const tiles = drawn && drawn.you !== null ? handTiles(drawn) : [];
    if (!tiles.some((one) => one.key === this.ui.selected)) Object.assign(this.ui, { selected: null, selectedTile: null });
    if (!this.state.ask) Object.assign(this.ui, { chooser: null, armedPass: false });
  }

  /** Log, sound, flashes and spoken words for one piece of news. */
  hear(event) {
    const { state, ui } = this;
    if (event.kind === "said" && ui.quiet.includes(event.said.name)) return;
    const view = state.view;
    const line = view && event.kind !== "asked" ? lineOf(event, view) : null;
    if (line) {
      ui.log = [...ui.log, { id: (serial += 1), text: line }].slice(-LOG_KEPT);
      if (event.kind !== "drew") this.page.announce(line, false);
    }
    const call = callOf(event);
    if (call) this.flash(call.seats, call.kind, call.word, FLASH_MS);
    if (call) speak(call.word, ui.speech && !ui.muted);
    const sound = this.soundOf(event);
    if (sound) play(sound, ui.muted);
    if (event.kind === "dealt") this.show("diceUntil", DICE_MS, 0);
    if (event.kind === "ended") this.reveal();
    if (event.kind === "asked") this.asked();
    if (event.kind === "said") this.heardSaying(event.said);
    if (event.kind === "closed") this.closed(event);
    if (event.kind === "refused") this.refused(event);
  }

  /** Leaving in mid-hand has its price: asked for before, not told afterwards. */
  refused(event) {
    if (event.command?.do === "ready") this.ui.sitting = false;
    if (event.code === "escape_price") this.ui.escape = event.text;
    else this.toast(event.text || gettext("操作没有成功"));
  }

  /** The hand was ended unsettled. A dissolved room says so itself. */
  closed(event) {
    const text = closedText(event, this.state);
    this.page.announce(text, true);
    this.ui.escape = null;
    if (event.why !== "dissolve" && event.seat !== this.state.you) this.ui.notice = text;
  }

  soundOf(event) {
    if (event.kind === "discarded") return event.seat === this.state.you ? null : "clack";
    if (event.kind === "answered") return event.action.do === "discard" ? "clack" : null;
    if (event.kind === "drew") return event.seat === this.state.you ? "draw" : null;
    if (event.kind === "melded") return event.meld.kind.endsWith("kong") ? "kong" : "call";
    if (event.kind === "won") return event.seats.includes(this.state.you) ? "win" : "lose";
    if (event.kind === "asked") return event.actions.some((action) => action.do === "discard") ? null : "turn";
    return event.kind === "said" ? "said" : null;
  }

  asked() {
    const { ask } = this.state;
    const pass = ask.actions.find((action) => action.do === "pass");
    if (this.ui.autoPass && pass && !ask.actions.some((action) => action.do === "win")) {
      this.act(pass);
      return;
    }
    const text = questionOf(ask, Math.max(0, Math.ceil((ask.deadline - (ask.reserve ?? 0) - this.now()) / 1000)));
    if (text) this.page.announce(text, true);
  }

  reveal() {
    this.ui.settlementHidden = true;
    this.page.later(() => this.state.view?.phase === "over" && this.set({ settlementHidden: false }), REVEAL_MS);
  }

  show(name, ms, after) {
    const until = this.page.now() + ms;
    this.ui[name] = until;
    this.page.later(() => this.ui[name] === until && this.set({ [name]: after }), ms);
  }

  flash(seats, kind, body, ms) {
    const players = this.state.room?.seats.length ?? 4;
    const added = seats.map((seat) => ({ id: `f${(serial += 1)}`, place: place(seat, this.state.you, players), kind, body }));
    this.ui.flashes = [...this.ui.flashes, ...added];
    const gone = new Set(added.map((one) => one.id));
    this.page.later(() => this.set({ flashes: this.ui.flashes.filter((one) => !gone.has(one.id)) }), ms);
  }

  heardSaying(said) {
    this.flash([said.seat], "said", said.emoji ? icon(said.emoji) : saidText(said), SAID_MS);
    if (this.ui.panel !== "chat") this.ui.unread += said.seat === this.state.you ? 0 : 1;
    this.page.announce(`${said.name}：${saidText(said)}`, false);
  }

  toast(text) {
    const id = (serial += 1);
    this.ui.toast = { id, text };
    this.page.later(() => this.ui.toast?.id === id && this.set({ toast: null }), TOAST_MS);
  }

  /* Commands */

  act(action) {
    if (!store.canAct(this.state)) return false;
    const id = this.link.send({ do: "act", ask: this.state.ask.ask, action });
    this.state = store.answering(this.state, id, action);
    for (const event of this.state.news) this.hear(event);
    Object.assign(this.ui, { chooser: null, armedPass: false });
    if (action.do === "discard") Object.assign(this.ui, { selected: null, selectedTile: null });
    this.think();
    this.page.draw(this);
    return true;
  }

  /** Tap on a tile: raise it; a raised one is thrown. */
  tile(key, name, { throwNow = false } = {}) {
    const { ui, state } = this;
    if (!throwNow && ui.selected !== key) return this.set({ selected: key, selectedTile: name, focus: key });
    const action = store.findAction(state, { do: "discard", tile: name });
    if (action && store.canAct(state)) return this.act(action);
    const view = state.view;
    const reason = view && view.turn === state.you && view.phase === "turn" ? refusal(state, view, name) : "";
    if (reason) this.toast(reason);
    return this.set(reason ? {} : { selected: null, selectedTile: null });
  }

  /** A call's button: at once, or by picture when there are several ways. */
  call(kind) {
    if (kind === "pass") return this.pass();
    const ways = callsOf(this.state.ask).filter((action) => action.do === kind);
    if (ways.length === 1) return this.act(ways[0]);
    return ways.length ? this.set({ chooser: kind }) : undefined;
  }

  choose(way) {
    const action = callsOf(this.state.ask).find((one) => one.do === this.ui.chooser && (one.tiles ?? one.tile) === way);
    if (action) this.act(action);
  }

  pass() {
    const action = store.findAction(this.state, { do: "pass" });
    if (action) this.act(action);
  }

  /** Esc passes; twice when a win is on offer. */
  passByKey() {
    if (!store.findAction(this.state, { do: "pass" })) return;
    if (store.findAction(this.state, { do: "win" }) && !this.ui.armedPass) this.set({ armedPass: true });
    else this.pass();
  }

  fish(slot) {
    const action = slot ? store.findAction(this.state, { do: "fish", slot }) : store.findAction(this.state, { do: "fish_done" });
    if (action) this.act(action);
  }

  ready() {
    this.link.send({ do: "ready", nonce: this.page.nonce() });
    this.page.draw(this);
  }

  auto() {
    this.link.send({ do: "auto", on: !this.state.room?.seats[this.state.you]?.auto });
    this.ui.panel = null;
    this.page.draw(this);
  }

  say(what) {
    this.link.send({ do: "say", ...what });
  }

  leave({ to = null, confirm = false } = {}) {
    this.exit = to;
    this.leaving = true;
    this.ui.escape = null;
    this.command("leave", confirm ? { confirm } : {});
  }

  /** 换桌: the page's form, because it leads to another page. */
  change() {
    this.set({ panel: null });
    this.page.change();
  }

  command(name, fields = {}) {
    this.link.send({ do: name, ...fields });
    this.set({ panel: null });
  }

  panel(name) {
    const open = this.ui.panel === name ? null : name;
    this.set({ panel: open, unread: open === "chat" ? 0 : this.ui.unread });
  }

  toggle(name) {
    this.set({ [name]: !this.ui[name] });
    this.page.keep(this.ui);
  }

  /** Mutes somebody's chat for this viewer, or hears them again. */
  quiet(name) {
    this.set({ quiet: turned(this.ui.quiet, name) });
    this.page.keepQuieted(this.ui.quiet);
  }

  autoPass() {
    this.set({ autoPass: !this.ui.autoPass });
    const pass = store.findAction(this.state, { do: "pass" });
    if (this.ui.autoPass && pass && !store.findAction(this.state, { do: "win" })) this.act(pass);
  }

  told(text) {
    this.toast(text);
    this.page.draw(this);
  }

  copied(done) {
    this.toast(done ? gettext("链接已复制，发给牌友吧") : fill(gettext("房号 %(code)s"), { code: this.boot.code }));
    this.page.draw(this);
  }
}
