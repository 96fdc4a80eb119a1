// A contest of schedulers: its cells, and what known ones scored (assets/challenge.json).
import { digits } from "../base/format.ts";
import type { Scenario } from "../base/scenario.ts";

interface Estimate {
  mean: number;
  low?: number;
  high?: number;
}

export interface Challenge {
  name: string;
  about: string;
  seeds: number[];
  cells: { name: string; about: string; plays: Scenario }[];
  known: { name: string; system: string; settings?: Record<string, unknown> }[];
  rows: { name: string; score: Estimate; cells: number[]; difference?: Estimate; verdict?: string }[];
}

/** A cell of the challenge as a scenario, which the scheduler to beat plays. */
export function cellOf({ name, cells, known: [best] }: Challenge, i: number): Scenario {
  const { settings = {}, system } = best;
  return { ...cells[i].plays, name: `${name}: ${cells[i].name}`, system, settings };
}

/** The lines of the table: a scheduler, its score with the interval, the cells, and the difference to the one to beat. */
export function linesOf({ rows }: Challenge): string[][] {
  return rows.map(({ name, score, cells, difference, verdict }) => [
    name,
    told(score),
    ...cells.map(digits),
    difference ? `${difference.mean > 0 ? "+" : ""}${told(difference)}` : "",
    verdict ?? "",
  ]);
}

function told({ mean, low, high }: Estimate): string {
  return low === undefined || high === undefined ? digits(mean) : `${digits(mean)} (${digits(low)} to ${digits(high)})`;
}
