// Programs of users: what runs, where an error is, what can be written next.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { SystemInfo } from "../../src/base/messages.ts";
import { completions, MOST_BYTES, type Programs, placeOf, sizeOf, withProgram } from "../../src/model/program.ts";

const systems = [{ id: "central" }, { id: "starlark", program: true }] as SystemInfo[];
const examples = [{ id: "one", name: "One", text: "# one" }];

test("a program takes the place of the scheduler and of its settings", () => {
  const before = { v: 1, system: "central", seed: 4, settings: { policy: "easy" } };
  assert.deepEqual(withProgram(before, systems, "x", examples), { v: 1, system: "starlark", seed: 4, program: "x" });
  assert.equal(withProgram(before, [], "x", examples), undefined);
});

test("a program that was changed keeps the settings, another example does not", () => {
  const before = { v: 1, system: "starlark", program: "x", settings: { fill: 0.5 } };
  assert.deepEqual(withProgram(before, systems, "y", examples)?.settings, { fill: 0.5 });
  assert.equal(withProgram(before, systems, "# one", examples)?.settings, undefined);
});

test("an error is marked where it is, in UTF-16 units", () => {
  assert.deepEqual(placeOf("a\nbc = cluster.plce(x)", 2, 6), { from: 7, to: 19 });
  assert.deepEqual(placeOf("x = '\u{1F600}' + yy", 1, 9), { from: 9, to: 10 });
  assert.deepEqual(placeOf("ab", 1, 99), { from: 2, to: 2 });
  assert.equal(placeOf("ab", 3, 1), undefined);
  assert.equal(placeOf("ab", 0, 1), undefined);
});

test("completion knows values, hooks and functions", () => {
  const field = (name: string) => ({ name, usage: name, about: name });
  const programs: Programs = {
    examples,
    hooks: [field("on_submit")],
    functions: [field("note")],
    cluster: [field("place")],
    node: [field("up")],
    task: [field("cpu")],
    job: [field("ends")],
  };
  assert.deepEqual(completions(programs, "    cluster.pl"), { from: 2, options: programs.cluster });
  assert.deepEqual(completions(programs, "if node."), { from: 0, options: programs.node });
  assert.deepEqual(completions(programs, "x = job.e"), { from: 1, options: programs.job });
  assert.deepEqual(completions(programs, "def on"), { from: 2, options: programs.hooks });
  assert.deepEqual(completions(programs, "  no"), { from: 2, options: programs.functions });
  assert.equal(completions(programs, "x.y"), undefined);
  assert.equal(completions(programs, ""), undefined);
});

test("a text that is too long is not run", () => {
  assert.deepEqual(sizeOf("\u00e4"), { bytes: 2, wrong: "" });
  assert.match(sizeOf("x".repeat(MOST_BYTES + 1)).wrong, /at most 65536/);
});
