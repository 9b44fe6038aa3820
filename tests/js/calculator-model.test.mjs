import { test } from "node:test";
import assert from "node:assert/strict";
import { capacity, empty, fits, following, full, left, meldTiles, put, read, suits, take, write } from "../../static/js/calculator-model.js";

const GAME = { players: 4, flips: 0, end: "discard", winners: [1], meldKind: "p", feeder: 3, options: {} };
const HAND = { at: "hand", seat: 1 };
const MELD = { at: "meld", seat: 1 };
const TILE = { at: "tile" };
const fill = (state, place, tiles, game = GAME) => tiles.reduce((now, tile) => put(now, place, tile, game), state);

test("text fields are read and written back", () => {
  const fields = { h1: "222888m55s66z", m1: "p999p2.c123m.k7777z", f2: "1z9s", tile: "5s", wall: "8s1p" };
  const state = read(fields);
  assert.deepEqual(state.seats[0].melds.map((meld) => meld.from), [2, null, null]);
  const written = write(state);
  for (const [name, text] of Object.entries(fields)) assert.equal(written[name], text);
  assert.equal(written.h4, "");
});

test("what cannot be read leaves the text alone", () => {
  for (const bad of [{ h1: "123" }, { h1: "8z" }, { m2: "p555" }, { m2: "x123m" }, { tile: "5" }, { wall: "m" }, { m1: "p888z1" }]) assert.equal(read(bad), null);
  assert.deepEqual(read({}), empty());
});

test("a hand shrinks by three for each meld and is sorted", () => {
  let state = fill(empty(), HAND, ["9s", "1m", "5z"]);
  assert.deepEqual(state.seats[0].hand, ["1m", "9s", "5z"]);
  assert.equal(capacity(state, HAND, GAME), 13);
  state = put(state, MELD, "2p", GAME);
  assert.equal(capacity(state, HAND, GAME), 10);
  assert.deepEqual(state.seats[0].melds[0], { kind: "p", tiles: ["2p", "2p", "2p"], from: 3 });
  assert.equal(take(state, MELD, 0).seats[0].melds.length, 0);
});

test("a chow begins with the tapped tile and ends at nine at the latest; honours make none", () => {
  assert.deepEqual(meldTiles("c", "3m"), ["3m", "4m", "5m"]);
  assert.deepEqual(meldTiles("c", "9s"), ["7s", "8s", "9s"]);
  assert.equal(meldTiles("c", "1z"), null);
  assert.equal(put(empty(), MELD, "1m", { ...GAME, meldKind: "c" }).seats[0].melds[0].from, 4);
  assert.equal(put(empty(), { at: "meld", seat: 2 }, "1m", { ...GAME, meldKind: "c" }).seats[1].melds[0].from, 1);
  assert.equal(put(empty(), MELD, "1m", { ...GAME, meldKind: "k" }).seats[0].melds[0].from, null);
});

test("no tile is there five times", () => {
  const state = fill(empty(), HAND, ["1m", "1m"]);
  assert.equal(left(state)("1m"), 2);
  assert.equal(fits(state, MELD, "1m", GAME), false);
  assert.equal(fits(state, MELD, "2m", { ...GAME, meldKind: "k" }), true);
  assert.equal(fits(state, { at: "fish", seat: 2 }, "1m", GAME), true);
  assert.equal(fits(fill(state, { at: "fish", seat: 2 }, ["1m", "1m"]), TILE, "1m", GAME), false);
});

test("after the hand comes the winning tile, then the turned ones, then nothing", () => {
  const game = { ...GAME, flips: 1 };
  let state = fill(empty(), HAND, [..."123456789"].map((rank) => `${rank}m`).concat(["1s", "2s", "5z"]));
  assert.equal(following(state, HAND, game), HAND);
  state = put(state, HAND, "5z", game);
  assert.equal(full(state, HAND, game), true);
  assert.deepEqual(following(state, HAND, game), TILE);
  state = put(state, TILE, "3s", game);
  assert.deepEqual(following(state, TILE, game), { at: "wall" });
  state = put(state, { at: "wall" }, "1p", game);
  assert.equal(following(state, { at: "wall" }, game), null);
});

test("the keys are those in play", () => {
  assert.deepEqual(suits({}).map((list) => list.length), [9, 9, 9, 7]);
  assert.deepEqual(suits({ no_dots: "1", no_honors: "1" }).map((list) => list.length), [9, 0, 9, 0]);
  assert.deepEqual(suits({ no_honors: "1", wild_red: "1" })[3], ["7z"]);
});
