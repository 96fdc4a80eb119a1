// The steps of a lesson: which one a moment stands at, and where a run stops.
import assert from "node:assert/strict";
import { test } from "node:test";
import { MINUTE } from "../../src/base/format.ts";
import { lessonOf, partsOf, stepAt, stepsOf, stopAt } from "../../src/model/lesson.ts";

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

test("of several steps at one moment the first is shown until another is chosen", () => {
  const twins = stepsOf({
    ...scenario,
    notes: [
      { at: "1m", text: "A" },
      { at: "1m", text: "B" },
      { at: "2m", text: "C" },
    ],
  });
  assert.equal(stepAt(twins, MINUTE), 0);
  assert.equal(stepAt(twins, 1.5 * MINUTE, 1), 1);
  assert.equal(stepAt(twins, 2 * MINUTE, 1), 2);
  assert.equal(stepAt(twins, MINUTE / 2, 1), -1);
});

test("another system or cluster than the gallery's has no lesson", () => {
  const bases = { one: { ...scenario } };
  assert.equal(lessonOf({ scenario, base: "one", bases }).length, 3);
  assert.equal(lessonOf({ scenario: { ...scenario, system: "b" }, base: "one", bases }).length, 0);
  assert.equal(lessonOf({ scenario, base: "", bases }).length, 3, "a document of one's own");
  const small = { ...scenario, cluster: { nodes: 300 } };
  assert.equal(lessonOf({ scenario: small, base: "one", bases }).length, 0, "its sentences count the nodes of another cluster");
});

test("a step's title is its first sentence", () => {
  assert.deepEqual(steps.map(partsOf), [
    ["One thing", "More of it."],
    ["Two", ""],
    ["Four", "and so on."],
  ]);
});
