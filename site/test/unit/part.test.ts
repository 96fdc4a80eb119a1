// A part of a big trace, as the scenario has it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { jobsOf, type Part, partScenario, wrongIn } from "../../src/model/part.ts";

const all: Part = { from: "", to: "", every: "", users: "", classes: ["production", "batch"] };

test("what is typed becomes workload.jobs, and nothing typed becomes nothing", () => {
  assert.equal(jobsOf(all), undefined);
  assert.equal(jobsOf({ ...all, every: "1" }), undefined);
  assert.deepEqual(jobsOf({ from: " 2d ", to: "200000", every: "10", users: "ann, bob,", classes: ["production"] }), {
    from: "2d",
    to: "200000s",
    every: 10,
    users: ["ann", "bob"],
    classes: ["production"],
  });
});

test("a part that cannot be read is refused in a sentence", () => {
  assert.equal(wrongIn({ ...all, from: "1d12h", to: "36h", every: "7" }), "");
  assert.match(wrongIn({ ...all, from: "soon" }), /^From is "soon": write a time/);
  assert.match(wrongIn({ ...all, to: "1.2.3d" }), /^To is "1.2.3d"/);
  assert.match(wrongIn({ ...all, every: "0" }), /^One job in is "0"/);
  assert.match(wrongIn({ ...all, classes: [] }), /^No class is chosen/);
});

test("the scenario keeps the system that runs now", () => {
  const present = { v: 1, system: "central", seed: 3, settings: { policy: "easy" }, workload: { preset: "none" } };
  assert.deepEqual(partScenario([{ name: "a.csv" }, { name: "b.csv" }], present, "other", { ...all, to: "1h" }), {
    v: 1,
    name: "a.csv and 1 more",
    system: "central",
    seed: 3,
    settings: { policy: "easy" },
    workload: { jobs: { to: "1h" } },
  });
  assert.deepEqual(partScenario([{ name: "a.csv" }], undefined, "other", all), { v: 1, name: "a.csv", system: "other" });
});
