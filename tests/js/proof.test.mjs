/** The browser's proof of a shuffle against walls that the engine built (walls.json) and against node's SHA-256. */

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { dealt, hex, seedOf, sha256, unhex, wallOf } from "../../static/js/proof.js";

const walls = JSON.parse(readFileSync(new URL("./walls.json", import.meta.url)));

test("SHA-256 agrees with node's for every length around a block", () => {
  for (let length = 0; length < 200; length += 1) {
    const bytes = Uint8Array.from({ length }, (_, n) => (n * 7 + length) % 256);
    assert.equal(hex(sha256(bytes)), createHash("sha256").update(bytes).digest("hex"));
  }
});

for (const one of walls) {
  test(`the wall of ${one.preset} ${JSON.stringify(one.options)}`, () => {
    const seed = seedOf(one.secret, one.nonces, one.hand);
    assert.equal(hex(seed), one.seed);
    const { tiles, dice } = wallOf(unhex(one.seed), one.preset, one.options);
    assert.deepEqual(dice, one.dice);
    assert.equal(tiles.join(""), one.wall);
  });
}

test("another secret, nonce or hand gives another wall", () => {
  const [one] = walls;
  const seeds = [
    seedOf(one.secret, one.nonces, one.hand),
    seedOf(one.secret.replace(/^../, "ff"), one.nonces, one.hand),
    seedOf(one.secret, ["", ...one.nonces.slice(1)], one.hand),
    seedOf(one.secret, one.nonces, one.hand + 1),
  ].map(hex);
  assert.equal(new Set(seeds).size, 4);
});

test("thirteen tiles each, the dealer's fourteenth apart", () => {
  const tiles = Array.from({ length: 60 }, (_, n) => `t${n}`);
  const { hands, drawn } = dealt(tiles, 2, 4);
  assert.deepEqual(hands.map((hand) => hand.length), [13, 13, 13, 13]);
  assert.deepEqual(hands[2].slice(0, 4), ["t0", "t1", "t2", "t3"]);
  assert.deepEqual(hands[1][12], "t51");
  assert.equal(drawn, "t52");
});
