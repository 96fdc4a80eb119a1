// What a comparison comes to in a sentence.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Series } from "../../src/model/series.ts";
import type { Outcome, Played } from "../../src/place/compare/model/outcome.ts";
import { verdict } from "../../src/place/compare/model/verdict.ts";
import { described } from "./describe.ts";
import { tableOf } from "./estimated.ts";

const systems = [described({ id: "a" }), described({ id: "b", omissions: [{ column: "refused_sum", when: "grows", words: "Refused" }] })];

/** A run of several seeds: each figure has a value a seed. */
function run(id: string, figures: Record<string, number[]>, digest = (seed: number) => `${id}${seed}`): Outcome {
  const seeds = Object.values(figures)[0].length;
  const played = (seed: number): Played => {
    const series = new Series();
    const columns = Object.entries(figures).map(([column, values]) => ({
      id: column,
      name: column,
      unit: column.endsWith("_pct") ? "%" : "",
      values: [values[seed]],
    }));
    series.append(true, [1], columns);
    return { seed, state: "done", at: 1, phase: "starting", share: 1, series, digest: digest(seed), report: undefined, why: "" };
  };
  const [own, ...repeats] = Array.from({ length: seeds }, (_, seed) => played(seed));
  return { ...own, id, name: id.toUpperCase(), scenario: { v: 1, system: id }, link: "", repeats };
}

const said = (runs: Outcome[]) => verdict(runs, tableOf(runs), systems);

test("a difference whose interval leaves zero out names who is lower, and by how much", () => {
  const a = run("a", { overloaded_pct: [0.02, 0.03, 0.02], waiting: [5, 9, 4] });
  const b = run("b", { overloaded_pct: [0.07, 0.08, 0.07], waiting: [9, 5, 4] });
  assert.deepEqual(said([a, b]), [
    "overloaded_pct: A 0.023 %; B higher by 0.05 points (95 %: +0.05 points to +0.05 points).",
    "waiting: A 6; no difference seen to B (95 %: −9.94 to +9.94).",
  ]);
});

test("what is the same, and one seed, have no interval", () => {
  const a = run("a", { overloaded_pct: [0], waiting: [5] });
  assert.deepEqual(said([a, run("b", { overloaded_pct: [0], waiting: [9] })]), [
    "waiting: A 5; B higher by 4 with one seed, which gives no interval.",
  ]);
  assert.deepEqual(said([a, run("b", { overloaded_pct: [0], waiting: [5] })]), ["waiting: A 5; B has the same value."]);
  const still = () => "same";
  const seeds = [run("a", { waiting: [5, 5] }, still), run("b", { waiting: [9, 9] }, still)];
  assert.deepEqual(said(seeds), ["waiting: A 5; B higher by 4 in all seeds."]);
});

test("without other figures a system's own misses decide, and a single run has no verdict", () => {
  const a = run("a", { refused_sum: [3, 4] });
  assert.match(said([a, run("b", { refused_sum: [3, 6] })])[0], /^refused_sum: A 3.5; no difference seen to B/);
  assert.deepEqual(said([a]), []);
});
