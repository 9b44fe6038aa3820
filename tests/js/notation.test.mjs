import { test } from "node:test";
import assert from "node:assert/strict";
import { formatTiles, kindOf, parseTiles, tileName, tileOf, without, withoutAll } from "../../static/js/notation.js";

test("parsing keeps the written order, formatting sorts and groups", () => {
  assert.deepEqual(parseTiles("31m5z9p"), ["3m", "1m", "5z", "9p"]);
  assert.equal(formatTiles(["5z", "3m", "9p", "1m", "3m"]), "133m9p5z");
  assert.deepEqual(parseTiles(""), []);
  assert.deepEqual(parseTiles(null), []);
});

test("every kind goes there and back", () => {
  for (let kind = 0; kind < 34; kind += 1) {
    assert.equal(kindOf(tileOf(kind)), kind);
    assert.equal(formatTiles(parseTiles(tileOf(kind))), tileOf(kind));
  }
});

test("one copy is taken out, a missing tile takes nothing", () => {
  assert.deepEqual(without(["1m", "1m", "2m"], "1m"), ["1m", "2m"]);
  assert.deepEqual(without(["1m"], "9s"), ["1m"]);
  assert.deepEqual(withoutAll(["1m", "2m", "2m", "3m"], ["2m", "3m"]), ["1m", "2m"]);
});

test("tiles are called what players call them", () => {
  assert.deepEqual(["5m", "3s", "1p", "1z", "5z", "6z", "7z"].map(tileName), ["五万", "三条", "一筒", "东", "白板", "发财", "红中"]);
});
