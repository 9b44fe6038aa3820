/** How frames change the page's state: optimistic discards, refusals, gaps, claims that wait. */

import { test } from "node:test";
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import * as store from "../../static/js/store.js";
import { lines } from "../../static/js/settlement.js";
import { faceOf, render } from "../../static/js/render.js";
import { App, initialUi } from "../../static/js/app.js";
import { heardLines } from "../../static/js/chat.js";
import { bar } from "../../static/js/sheets.js";

const fixture = JSON.parse(readFileSync(new URL("./fixtures/classic.json", import.meta.url), "utf8"));
const own = fixture.viewers[0];
const views = own.steps.map((step) => step.view).filter(Boolean);
const TURN = {
  ...views[0], phase: "turn", turn: 0, pending: null,
  seats: views[0].seats.map((seat, index) => (index === 0 ? { ...seat, hand: "123m456p55s", drawn: "9s", has_drawn: true, count: 9, river: [] } : seat)),
};
const SEATS = ["东", "南", "西", "北"].map((name, seat) => ({ seat, name, color: "#2e7d5b", number: "1", bot: false, online: true, ready: false, auto: false, score: 0 }));
const ROOM = { code: "204680", status: "playing", practice: false, preset: "classic", options: {}, hands_total: 4, hands_played: 0, owner: 0, seats: SEATS, next_at: null, dissolve: null, history: [] };
const ASK = { ask: "5", actions: [{ do: "discard", tile: "9s" }, { do: "discard", tile: "1m" }], deadline: 20_000 };
const SYNC = { on: "sync", seq: 4, hand: 9, you: 0, now: 10_000, room: ROOM, view: TURN, clock: null, ask: ASK, said: [], settled: null };

const begin = (change = {}) => store.fold(store.initial({ you: 0, code: "204680" }), { ...SYNC, ...change }, 9_000);
const event = (seq, body) => ({ on: "event", hand: 9, seq, event: body, clock: null, now: 10_100 });
const discarded = (seq, tile = "9s") => event(seq, { kind: "discarded", seat: 0, tile, drawn: tile === "9s" });

test("a sync is the whole truth and gives the server's clock", () => {
  const state = begin();
  assert.equal(state.stale, false);
  assert.equal(state.offset, 1_000);
  assert.equal(state.ask.ask, "5");
});

test("an own discard lies in the river at once, and once only when the server says so", () => {
  let state = store.answering(begin(), "c1", { do: "discard", tile: "1m" });
  assert.equal(store.canAct(state), false);
  const shown = store.shown(state);
  assert.deepEqual(shown.seats[0].river.at(-1), { tile: "1m", drawn: false, taken: false, pending: true });
  assert.equal(shown.seats[0].hand, "23m456p559s");
  assert.equal(state.view.seats[0].river.length, 0);
  state = store.fold(state, { on: "ack", id: "c1" }, 9_050);
  assert.equal(state.ask, null);
  assert.equal(store.shown(state).seats[0].river.length, 1, "still shown between ack and event");
  state = store.fold(state, discarded(5, "1m"), 9_060);
  assert.equal(state.answering, null);
  assert.deepEqual(store.shown(state).seats[0].river, [{ tile: "1m", drawn: false, taken: false }]);
  assert.equal(state.last, 0);
});

test("a refused discard goes back, a stale one asks for the truth", () => {
  const state = store.answering(begin(), "c1", { do: "discard", tile: "1m" });
  const refused = store.fold(state, { on: "error", id: "c1", code: "illegal", text: "不行" }, 9_050);
  assert.equal(store.shown(refused), refused.view);
  assert.equal(refused.ask.ask, "5", "the question is still open");
  assert.deepEqual(refused.wants, []);
  assert.equal(refused.news[0].text, "不行");
  const stale = store.fold(state, { on: "error", id: "c1", code: "stale", text: "晚了" }, 9_050);
  assert.deepEqual(stale.wants, [{ do: "sync" }]);
});

test("claims change nothing before the server answers", () => {
  const claim = { ...TURN, phase: "claim", turn: 2, pending: { seat: 2, tile: "5s" } };
  const state = store.answering(begin({ view: claim, ask: { ...ASK, actions: [{ do: "pong" }, { do: "pass" }] } }), "c1", { do: "pong" });
  assert.equal(store.shown(state), state.view);
});

test("repeated events are dropped, a gap asks for one sync", () => {
  const state = store.fold(begin(), discarded(5), 9_050);
  assert.equal(store.fold(state, discarded(5), 9_060).view, state.view);
  const gap = store.fold(state, discarded(7), 9_070);
  assert.deepEqual(gap.wants, [{ do: "sync" }]);
  assert.equal(gap.view, state.view);
  assert.deepEqual(store.fold(gap, discarded(8), 9_080).wants, [], "not asked twice");
});

test("events of another hand ask for a sync too", () => {
  assert.deepEqual(store.fold(begin(), { ...discarded(1), hand: 10 }, 9_050).wants, [{ do: "sync" }]);
});

test("a question is withdrawn by empty actions, a newer one replaces it", () => {
  const state = begin();
  const ask = (id, actions) => ({ on: "ask", hand: 9, seq: 4, ask: id, actions, deadline: 1, now: 10_000 });
  assert.equal(store.fold(state, ask("5", []), 9_010).ask, null);
  assert.equal(store.fold(state, ask("4", []), 9_010).ask.ask, "5");
  assert.equal(store.fold(state, ask("6", [{ do: "pass" }]), 9_010).ask.ask, "6");
});

test("an older room frame does not undo a newer one", () => {
  const newer = store.fold(begin(), { on: "room", seq: 8, room: { ...ROOM, status: "between" } }, 9_010);
  assert.equal(store.fold(newer, { on: "room", seq: 7, room: ROOM }, 9_020).room.status, "between");
});

test("托管 is shown on the seat", () => {
  const state = store.fold(begin(), event(5, { kind: "auto", seat: 2, on: true }), 9_010);
  assert.equal(state.room.seats[2].auto, true);
});

test("who only watches is not asked, and cannot act", () => {
  const watching = store.linked(begin(), { status: "elsewhere", rtt: null });
  assert.equal(store.canAct(begin()), true);
  assert.equal(store.canAct(watching), false);
  assert.equal(watching.stale, false);
  assert.match(textOf(render(watching, initialUi({}))), /在此继续/);
});

test("a lost line freezes the table until the next sync", () => {
  const lost = store.linked(begin(), { status: "down", rtt: null });
  assert.equal(store.canAct(lost), false);
  assert.equal(store.fold(store.linked(lost, { status: "open", rtt: 5 }), SYNC, 9_500).stale, false);
});

test("a pong that counts more events than seen asks for a sync", () => {
  const pong = { on: "pong", id: "p", now: 10_000, seq: 6, rtt: 40 };
  assert.deepEqual(store.fold(begin(), pong, 9_000).wants, [{ do: "sync" }]);
  assert.deepEqual(store.fold(begin(), { ...pong, seq: 4 }, 9_000).wants, []);
  assert.equal(store.fold(begin(), { ...pong, seq: 4 }, 9_000).offset, 1_020);
});

test("settlement lines come in the rules' order, like ones added up", () => {
  const pay = (kind, from, to, points) => ({ kind, from, to, points });
  const result = { payments: [pay("fish", 1, 0, 1), pay("kong", 2, 0, 1), pay("win", 1, 0, 3), pay("fish", 1, 0, 2), pay("sanbi", 2, 0, 3)] };
  assert.deepEqual(lines(result).map((line) => [line.kind, line.points]), [["win", 3], ["sanbi", 3], ["kong", 1], ["fish", 3]]);
});

/** All the text of a description. */
const textOf = (node) => (Array.isArray(node) ? node.map(textOf).join("") : node?.tag ? textOf(node.children) : String(node ?? ""));

test("every view of a hand can be drawn, and the right face shows", () => {
  for (const view of [own.view, ...views]) {
    const state = begin({ view, ask: null });
    assert.equal(faceOf(state, initialUi({})), "table");
    assert.ok(textOf(render(state, initialUi({}))).length > 20);
  }
  const over = begin({ view: views.at(-1), ask: null, room: { ...ROOM, status: "between" } });
  assert.match(textOf(render(over, initialUi({}))), /准备/);
  assert.equal(faceOf(begin({ view: null, room: { ...ROOM, status: "waiting" } }), initialUi({})), "waiting");
  assert.equal(faceOf(begin({ view: null, room: { ...ROOM, status: "done" } }), initialUi({})), "final");
});

test("the bar says how the line is", () => {
  const says = (state) => textOf(bar(state, initialUi({})));
  assert.match(says(store.linked(begin(), { status: "open", rtt: 31 })), /已连接 31ms/);
  assert.match(says(store.linked(begin(), { status: "weak", rtt: 700 })), /信号弱/);
  assert.match(says(store.linked(begin(), { status: "down", rtt: null })), /重连中/);
  assert.match(says(store.linked(begin(), { status: "elsewhere", rtt: null })), /他处登录/);
});

test("who is muted is neither shown nor announced, and is heard again", () => {
  const kept = [];
  const spoken = [];
  const page = { draw: () => {}, announce: (text) => spoken.push(text), keepQuieted: (names) => kept.push(names), later: () => {}, now: () => 9_000 };
  const app = new App({ boot: { you: 0, code: "204680" }, page, kept: { muted: true } });
  app.link = { send: () => {} };
  app.receive(SYNC);
  app.quiet("南");
  const said = (seat, text) => app.receive({ on: "said", seat, name: ROOM.seats[seat].name, text, at: seat });
  said(1, "快点");
  said(2, "好牌");
  assert.deepEqual(spoken, ["西：好牌"]);
  assert.equal(app.ui.unread, 1);
  assert.equal(app.ui.flashes.length, 1);
  assert.deepEqual(heardLines(app.state.said, app.ui.quiet).map((line) => line.name), ["西"]);
  app.quiet("南");
  assert.deepEqual(kept, [["南"], []]);
  assert.equal(heardLines(app.state.said, app.ui.quiet).length, 2);
});
