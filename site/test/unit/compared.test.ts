// What the page makes of several runs is what `parley compare --json` makes of the same
// ones: a test of the command line writes the file, and holds it to both.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import type { Outcome, Played } from "../../src/model/compare.ts";
import { figuresOf } from "../../src/model/figures.ts";
import { Series } from "../../src/model/series.ts";

interface Told {
  mean: number;
  spread: number;
  low?: number;
  high?: number;
}
const lines = readFileSync("test/unit/compared.txt", "utf8").trim().split("\n");
const read = <T>(kind: string) =>
  lines.filter((line) => line.startsWith(`${kind} `)).map((line) => JSON.parse(line.slice(kind.length)) as T);
const runs = read<{ system: number; seed: number; digest: string; metrics: Record<string, number>; own: Record<string, unknown> }>("run");
const wanted = read<{ id: string; values: (Told | null)[]; deltas: (Told | null)[] }>("figure");

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

test("means, spreads, differences and intervals are those of parley compare --json", () => {
  const figures = figuresOf([outcome(0), outcome(1)]);
  const near = (got: number | undefined, want: number, what: string) =>
    assert.ok(got !== undefined && Math.abs(got - want) <= 1e-12 * Math.max(1, Math.abs(want)), `${what}: ${got}, not ${want}`);
  assert.ok(wanted.length > 20 && runs.length === 6);
  let intervals = 0;
  for (const { id, values, deltas } of wanted) {
    const row = figures.find((figure) => figure.id === id);
    assert.ok(row, id);
    for (const [i, want] of values.entries()) {
      assert.equal(row.values[i] === undefined, want === null, id);
      if (!want) continue;
      near(row.values[i]?.mean, want.mean, `${id}, mean`);
      near(row.values[i]?.sd, want.spread, `${id}, spread`);
      assert.equal(row.values[i]?.n, 3);
    }
    const [delta, got] = [deltas[0], row.differences[1]];
    if (!delta) continue;
    near(got?.mean, delta.mean, `${id}, difference`);
    near(got?.sd, delta.spread, `${id}, its spread`);
    if (delta.low === undefined || delta.high === undefined) continue; // the command line gives none where nothing spreads
    near(got?.low, delta.low, `${id}, from`);
    near(got?.high, delta.high, `${id}, to`);
    intervals++;
  }
  assert.ok(intervals > 10, `${intervals} intervals`);
});
