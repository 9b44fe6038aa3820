import { test } from "node:test";
import assert from "node:assert/strict";
import { parseTiles } from "../../static/js/notation.js";
import { outlook, unseen, waits, wins } from "../../static/js/waits.js";

const waitsOf = (text, melds = 0, options = {}) => waits(parseTiles(text), melds, options).join(" ");

test("sequences, pairs, both ends and the middle", () => {
  assert.equal(waitsOf("23m55p", 3), "1m 4m");
  assert.equal(waitsOf("24m55p", 3), "3m");
  assert.equal(waitsOf("22m55p", 3), "2m 5p");
  assert.equal(waitsOf("7z", 4), "7z");
  assert.equal(waitsOf("1112345678999p"), "1p 2p 3p 4p 5p 6p 7p 8p 9p");
});

test("a hand that needs more than one tile waits for nothing", () => {
  assert.equal(waitsOf("1379m258p147s123z"), "");
});

test("seven pairs, four of a kind as two of them", () => {
  assert.equal(waitsOf("1122m3344p5566s7z"), "7z");
  assert.equal(waitsOf("1111m3344p5566s7z"), "7z");
  assert.ok(wins(parseTiles("1111m3344p5566s77z"), 0));
  assert.ok(!wins(parseTiles("1111m3344p"), 2), "no seven pairs with melds");
});

test("honours make no sequences, ranks do not run on into the next suit", () => {
  assert.ok(!wins(parseTiles("123z55m"), 3));
  assert.ok(!wins(parseTiles("89m1p55s"), 3));
});

test("wild 7z stands for anything; as an option only", () => {
  assert.ok(wins(parseTiles("13m7z55p"), 3, true));
  assert.ok(!wins(parseTiles("13m7z55p"), 3, false));
  assert.ok(wins(parseTiles("19m77z7z"), 3, true), "three wilds");
  assert.ok(!wins(parseTiles("135m2468p9s777z19s1z"), 0, true), "too far even for three");
  assert.ok(waitsOf("12m7z5p", 3, { wild_red: true }).split(" ").includes("5p"));
});

test("a lone wild waits for every kind in play", () => {
  assert.equal(waitsOf("7z", 4, { wild_red: true }).split(" ").length, 34);
  assert.equal(waitsOf("7z", 4, { wild_red: true, no_honors: true, no_dots: true }).split(" ").length, 19);
});

const empty = { hand: null, count: 13, drawn: null, has_drawn: false, melds: [], river: [], fish: 0, pond: null };
const table = (own) => ({ you: 0, options: {}, seats: [{ ...empty, ...own }, { ...empty }, { ...empty }, { ...empty }] });

test("unseen tiles: own hand, melds and rivers count, a claimed discard only once", () => {
  const view = table({ hand: "55m", river: [{ tile: "1z", drawn: false, taken: false }] });
  view.seats[1].melds = [{ kind: "pong", tiles: "555p", from: 0, tile: "5p" }, { kind: "concealed_kong", tiles: null, from: null, tile: null }];
  view.seats[0].river.push({ tile: "5p", drawn: false, taken: true });
  const left = unseen(view);
  assert.deepEqual([left["5m"], left["1z"], left["5p"], left["9s"]], [2, 3, 1, 4]);
});

test("outlook: waits of the hand at rest, and of each discard on the own turn", () => {
  const resting = table({ hand: "23m55p", melds: [1, 2, 3].map(() => ({ kind: "pong", tiles: "111z", from: 1, tile: "1z" })) });
  assert.deepEqual(outlook(resting).now, [{ tile: "1m", left: 4 }, { tile: "4m", left: 4 }]);
  const turn = table({ hand: "23m55p", drawn: "9s", melds: resting.seats[0].melds });
  assert.deepEqual(Object.keys(outlook(turn).after), ["9s"]);
  assert.deepEqual(outlook(turn).after["9s"].map((one) => one.tile), ["1m", "4m"]);
});

test("a hidden hand has no outlook", () => {
  assert.deepEqual(outlook(table({})), { now: [], after: {} });
});
