// The runs of a comparison: one a system and seed.
import type { RunReport } from "../../../base/messages.ts";
import type { Rival } from "../../../model/rivals.ts";
import type { Series } from "../../../model/series.ts";

/** One run: a system with one seed. */
export interface Played {
  seed: number;
  state: "waiting" | "playing" | "done" | "failed" | "cancelled";
  at: number; // reached, µs
  phase: "reading" | "starting"; // before its time goes on
  share: number; // of that phase, 0 to 1
  series: Series;
  digest: string; // 16 hex digits, of the whole run
  report: Pick<RunReport, "metrics" | "system" | "warnings"> | undefined;
  why: string; // it failed: one sentence
}

/** What became of one system: its run with the scenario's own seed, and those with others. */
export interface Outcome extends Rival, Played {
  link: string; // that opens the run on the page, at the end of the comparison
  repeats: Played[]; // with the seeds after the scenario's own
}

/** All runs of a system, by seed. */
export function playsOf(run: Outcome): Played[] {
  return [run, ...run.repeats];
}

/** Whether several seeds were played and each run has one result, whatever its seed: then there is no spread and no interval. */
export function seedsChangeNothing(runs: { digest: string; repeats: { digest: string }[] }[]): boolean {
  const same = (run: (typeof runs)[number]) => run.digest !== "" && run.repeats.every(({ digest }) => digest === run.digest);
  return runs.some(({ repeats }) => repeats.length > 0) && runs.every(same);
}
