/** reduce.js must arrive at exactly the views the rules engine made: fixtures are whole hands (make_fixtures.py). */

import { test } from "node:test";
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { reduce } from "../../static/js/reduce.js";

const folder = new URL("./fixtures/", import.meta.url);
const hands = readdirSync(folder).map((name) => [name, JSON.parse(readFileSync(new URL(name, folder), "utf8"))]);

for (const [name, hand] of hands) {
  for (const { you, view: first, steps } of hand.viewers) {
    test(`${name}: seat ${you ?? "none"} sees what the engine says it sees`, () => {
      let view = first;
      for (const [number, step] of steps.entries()) {
        for (const event of step.events) view = reduce(view, event);
        if (step.view) assert.deepEqual(view, step.view, `after step ${number}`);
      }
      assert.equal(view.phase, "over");
    });
  }
}

test("the fixtures hold every kind of event and meld", () => {
  const text = JSON.stringify(hands);
  const kinds = ["fish_opened", "fished", "fish_ended", "dealt", "drew", "discarded", "melded", "kong_declared", "robbed", "passed", "won", "ended"];
  for (const kind of [...kinds.slice(1), "chow", "pong", "direct_kong", "added_kong", "concealed_kong"]) {
    assert.ok(text.includes(`"kind":"${kind}"`), kind);
  }
});

test("the given view is left as it is, and an unknown event changes nothing", () => {
  const [, hand] = hands[0];
  const { view, steps } = hand.viewers[0];
  const before = structuredClone(view);
  let now = view;
  for (const step of steps) for (const event of step.events) now = reduce(now, event);
  assert.deepEqual(view, before);
  assert.equal(reduce(now, { kind: "brand_new" }), now);
});
