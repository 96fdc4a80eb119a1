// What the page asks its worker of several runs is what `parley compare --json` estimates of
// the same ones: a test of the command line writes the file, and compares both answers.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import type { Sample } from "../../src/base/messages.ts";
import { Series } from "../../src/model/series.ts";
import { askedOf, toldBy } from "../../src/place/compare/model/figures.ts";
import type { Outcome, Played } from "../../src/place/compare/model/outcome.ts";

const lines = readFileSync("test/unit/compared.txt", "utf8").trim().split("\n");
const read = <T>(kind: string) =>
  lines.filter((line) => line.startsWith(`${kind} `)).map((line) => JSON.parse(line.slice(kind.length)) as T);
const runs = read<{ system: number; seed: number; digest: string; metrics: Record<string, number>; own: Record<string, unknown> }>("run");
const wanted = read<{ id: string; systems: Sample[] }>("asked");

function outcome(system: number): Outcome {
  const [own, ...repeats] = runs
    .filter((run) => run.system === system)
    .map(({ seed, digest, metrics, own }): Played => {
      const series = new Series();
      const columns = Object.entries(metrics).map(([id, value]) => ({ id, name: id, unit: "", values: [value] }));
      series.append(true, [1], columns);
      const report = { metrics, system: own, warnings: [] };
      return { seed, state: "done", at: 1, phase: "starting", share: 1, series, digest, report, why: "" };
    });
  return { ...own, id: String(system), name: String(system), scenario: { v: 1, system: "central" }, link: "", repeats };
}

test("the page asks its worker for the same figures of the same runs, from which parley compare --json estimates", () => {
  const told = toldBy([outcome(0), outcome(1)]);
  assert.ok(wanted.length > 20 && runs.length === 6);
  for (const { id, systems } of wanted) {
    const row = told.find((figure) => figure.id === id);
    assert.ok(row, id);
    assert.deepEqual(askedOf([row]), [systems], id);
  }
});
