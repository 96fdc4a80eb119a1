// What a comparison comes to in a sentence: of its first figures, which system is lower
// and by how much, with the interval; no difference where the interval touches zero.
import { quantity } from "../../../base/format.ts";
import type { Estimate, SystemInfo } from "../../../base/messages.ts";
import type { Figure } from "./figures.ts";
import type { Outcome } from "./outcome.ts";

const MOST = 2; // figures in the sentence
const SAME = 1e-9;

/** What decides in every system, in the order in which it is looked for. */
export const TELLING = ["overloaded_pct", "waiting", "graphs_missed_sum", "job_slowdown"];

/** The same of the systems that are compared: what they miss, then what they draw first. */
function ownOf(runs: Outcome[], systems: SystemInfo[]): string[] {
  const own = systems.filter(({ id }) => runs.some(({ scenario }) => scenario.system === id));
  return own.flatMap(({ omissions = [], charts }) => [
    ...omissions.map(({ column }) => column),
    ...(charts[0]?.lines.map(({ column }) => column) ?? []),
  ]);
}

/** A sentence on each of the first figures; empty while less than two systems have one. */
export function verdict(runs: Outcome[], figures: Figure[], systems: SystemInfo[]): string[] {
  if (runs.length < 2) return [];
  const telling = [...new Set([...TELLING, ...ownOf(runs, systems)])];
  const both = telling.flatMap((id) => figures.find((row) => row.id === id && row.values.every((value) => value !== undefined)) ?? []);
  const varied = both.filter(({ values }) => values.some((value) => value && Math.abs(value.mean) > SAME));
  return (varied.length > 0 ? varied : both).slice(0, MOST).map((row) => sentence(row, runs));
}

function sentence({ name, unit, values, differences }: Figure, runs: Outcome[]): string {
  const says = runs.slice(1).map((run, i) => {
    const one = differences[i + 1];
    const other = run.name;
    if (!one) return `${other} has no such figure`;
    if (Math.abs(one.mean) < SAME && !(one.sd > SAME)) return `${other} has the same value`;
    if (one.low === undefined) return `${other} ${by(one, unit)}${one.n > 1 ? " in all seeds" : " with one seed, which gives no interval"}`;
    if (one.verdict === "none") return `no difference seen to ${other} (95 %: ${range(one, unit)})`;
    return `${other} ${by(one, unit)} (95 %: ${range(one, unit)})`;
  });
  return `${name}: ${runs[0].name} ${values[0] ? quantity(values[0].mean, unit) : "–"}; ${says.join("; ")}.`;
}

/** "lower by 0.05 points" */
function by({ mean }: Estimate, unit: string): string {
  return `${mean < 0 ? "lower" : "higher"} by ${size(Math.abs(mean), unit)}`;
}

function range({ low = 0, high = 0 }: Estimate, unit: string): string {
  const signed = (value: number) => `${value < 0 ? "−" : "+"}${size(Math.abs(value), unit)}`;
  return `${signed(low)} to ${signed(high)}`;
}

/** A difference between percentages is in points. */
function size(value: number, unit: string): string {
  return unit === "%" ? `${quantity(value, "")} points` : quantity(value, unit);
}
