// What a worker answers to the question of a comparison, computed here once more: for
// tests of the page, which has no worker.
import type { ComparedFigure, Estimate, Sample } from "../../src/base/messages.ts";
import { askedOf, type Figure, figuresOf, toldBy } from "../../src/place/compare/model/figures.ts";
import type { Outcome } from "../../src/place/compare/model/outcome.ts";

const POINTS = [12.706205, 4.302653, 3.182446, 2.776445]; // 97.5 % of Student's t for 1 to 4 degrees of freedom

function estimate(values: number[], difference: boolean): Estimate {
  const n = values.length;
  if (n === 0) return { n, mean: 0, sd: 0 };
  const mean = values.reduce((sum, value) => sum + value, 0) / n;
  const sd = n > 1 ? Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (n - 1)) : 0;
  const half = (POINTS[n - 2] * sd) / Math.sqrt(n);
  const interval = sd > 0 ? { low: mean - half, high: mean + half } : {};
  const side = sd === 0 ? "unknown" : mean + half < 0 ? "lower" : mean - half > 0 ? "higher" : "none";
  return { n, mean, sd, ...interval, ...(difference ? { verdict: side } : {}) };
}

export function estimated(asked: Sample[][]): ComparedFigure[] {
  return asked.map((systems) => ({
    values: systems.map(({ values }) => estimate(values, false)),
    differences: systems.map(({ seeds, values }) => {
      const of = new Map(systems[0].seeds.map((seed, i) => [seed, systems[0].values[i]]));
      return estimate(
        seeds.flatMap((seed, i) => {
          const first = of.get(seed);
          return first === undefined ? [] : [values[i] - first];
        }),
        true,
      );
    }),
  }));
}

/** The table of runs that are done. */
export function tableOf(runs: Outcome[]): Figure[] {
  const told = toldBy(runs);
  return figuresOf(told, estimated(askedOf(told)));
}
