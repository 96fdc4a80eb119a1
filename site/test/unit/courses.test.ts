import assert from "node:assert/strict";
import { test } from "node:test";
import { courseNames, forkOf, otherCourses } from "../../src/model/courses.ts";
import { emptyState } from "../../src/model/store.ts";

const scenario = { v: 1 as const, system: "central" };
const first = { parent: -1, at: 0, act: "", target: "", value: 0, shared: 0, head: 7_200_000_000, scenario };
const faults = [{ at: "6m", kind: "rack_down", target: "rack.137" }];
const fork = {
  parent: 0,
  at: 360_000_000,
  act: "rack_down",
  target: "rack.137",
  value: 0,
  shared: 0,
  head: 400_000_000,
  scenario: { ...scenario, faults },
};
const mended = { ...fork, act: "rack_up", at: 361_000_000 };

test("courses are named by the act that began them", () => {
  const state = { ...emptyState(), scenario };
  assert.deepEqual(courseNames({ ...state, branches: [first] }), [], "one course needs no name");
  assert.deepEqual(courseNames({ ...state, branches: [first, fork, mended, fork] }), [
    "original",
    "branch at 6m: rack 137 is down",
    "branch at 6m1s: rack 137: Restore",
    "branch at 6m: rack 137 is down, again",
  ]);
});

test("the other courses are compared as scenarios with their own faults", () => {
  const state = { ...emptyState(), scenario: { ...scenario, seed: 3, faults }, branches: [first, fork], branch: 1 };
  assert.deepEqual(otherCourses(state), [{ id: "course.0", name: "original", scenario: { ...scenario, seed: 3 } }]);
  assert.deepEqual(
    otherCourses({ ...state, branch: 0 }).map(({ id, scenario: { faults: own } }) => [id, own]),
    [["course.1", faults]],
  );
  assert.deepEqual(otherCourses({ ...state, branches: [first], branch: 0 }), []);
});

test("a fork is named by the act that began it; the original is none", () => {
  const branches = [first, { ...fork, shared: 2 }];
  assert.deepEqual(
    [forkOf({ branches, branch: 1 }), forkOf({ branches, branch: 0 }), forkOf({ branches: [], branch: 0 })],
    [3, undefined, undefined],
  );
});
