// The steps of a lesson: which one a moment stands at, and where a run stops.
import assert from "node:assert/strict";
import { test } from "node:test";
import { MINUTE } from "../../src/base/format.ts";
import { stepAt, stepsOf, stopAt, titleOf } from "../../src/model/lesson.ts";

const scenario = {
  v: 1,
  system: "a",
  notes: [
    { at: "1m", text: "One thing. More of it." },
    { at: "2m", text: "Two", pause: true },
    { at: "soon", text: "Never" },
    { at: "4m", text: "Four: and so on.", pause: true },
  ],
};
const steps = stepsOf(scenario);

test("steps have a moment, and a moment has the last step that came", () => {
  assert.deepEqual(
    steps.map(({ us }) => us / MINUTE),
    [1, 2, 4],
  );
  assert.deepEqual(
    [0, 1, 1.5, 2, 9].map((at) => stepAt(steps, at * MINUTE)),
    [-1, 0, 0, 1, 2],
  );
  assert.deepEqual(stepsOf(undefined), []);
});

test("a run stops at a step with a pause once, when it comes to it", () => {
  assert.equal(stopAt(steps, 0, 1.5 * MINUTE), -1, "no pause is asked for");
  assert.equal(stopAt(steps, 1.5 * MINUTE, 2.5 * MINUTE), 1);
  assert.equal(stopAt(steps, 2 * MINUTE, 3 * MINUTE), -1, "it goes on from there");
});

test("a step's title is its first sentence", () => {
  assert.deepEqual(steps.map(titleOf), ["One thing", "Two", "Four"]);
});
