// What a class may change of a scenario, and what was changed.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Scenario } from "../../src/base/scenario.ts";
import { changesOf, may, refusal } from "../../src/model/may.ts";

const exercise: Scenario = {
  v: 1,
  name: "Task",
  system: "a",
  settings: { fill: 0, group: { every: 5, other: 1 } },
  may_change: ["settings.fill", "settings.group"],
};

test("everything may change where the scenario says nothing, else what it names", () => {
  assert.ok(may(undefined, "seed"));
  assert.ok(may({ v: 1, system: "a" }, "settings.fill"));
  assert.ok(may(exercise, "settings.fill"));
  assert.ok(may(exercise, "settings.group.every"));
  assert.ok(!may(exercise, "settings.filler"));
  assert.ok(!may(exercise, "seed"));
});

test("changes are told by their paths, with what may change", () => {
  const handedIn = { ...exercise, name: "Ana", seed: 3, settings: { fill: 0.9, group: { other: 1, every: 5 } } };
  assert.deepEqual(changesOf(exercise, handedIn), [
    { path: "seed", from: undefined, to: 3, allowed: false },
    { path: "settings.fill", from: 0, to: 0.9, allowed: true },
  ]);
  assert.deepEqual(changesOf(exercise, { ...exercise, view: { fill: "memory" } }), []);
});

test("nothing is broken where faults may not change", () => {
  const fault = { type: "fault", kind: "node_down", target: "node.1" } as const;
  assert.match(refusal({ scenario: exercise }, fault), /You may change: fill, group\./);
  assert.equal(refusal({ scenario: { ...exercise, may_change: ["faults"] } }, fault), "");
  assert.equal(refusal({ scenario: { v: 1, system: "a" } }, fault), "");
  assert.equal(refusal({ scenario: exercise }, { type: "pause" }), "");
});
