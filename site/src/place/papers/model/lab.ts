// The papers' experiments: what the lab's worker says of them, and what is
// asked of it. It starts with the first experiment that is run; ending it is how to cancel.
import type { Experiment, FromLab, PaperResult, PaperRow, ToLab } from "../../../base/messages.ts";
import type { Engine } from "../../../model/engines.ts";
import { fetched } from "../../../model/run.ts";
import { Watched } from "../../../model/watched.ts";

/** An experiment as it came out on a command line, which gives the same again to the last bit. */
export interface Recording extends Experiment {
  small?: true; // with fewer seeds or nodes than its own
  command: string;
  result: PaperResult;
}

/** Fetches the recorded results of the papers' experiments. */
export async function loadRecordings(): Promise<Recording[]> {
  return (await fetched("papers.json", "What the experiments found")) as Recording[];
}

/** What the page knows of the lab. */
export interface LabState {
  experiments: Experiment[]; // none until it is ready, or recordings have come
  recordings: Record<string, Recording>;
  shown: string; // the id of the experiment that is looked at, or ""
  running: { id: string; doing: string; runs: number; seconds: number; began: number } | undefined; // began: of performance.now()
  results: Record<string, { result: PaperResult; seconds: number }>;
  why: string; // why there is no lab or no result: one sentence, or ""
}

export function emptyLab(): LabState {
  return { experiments: [], recordings: {}, shown: "", running: undefined, results: {}, why: "" };
}

export const MOST_SEEDS = 100;

/** Runs experiments, one at a time, and keeps the state's lab. */
export class Lab {
  #worker: Engine<ToLab, FromLab> | undefined;
  gone = false; // the worker did not start, or ended

  readonly watched = new Watched<{ lab: LabState }>({ lab: emptyLab() });

  constructor(readonly begin: () => Engine<ToLab, FromLab>) {}

  get state(): LabState {
    return this.watched.state.lab;
  }

  /** Starts the worker unless it is there; it tells which experiments there are. */
  start(): Engine<ToLab, FromLab> {
    if (this.#worker) return this.#worker;
    const worker = this.begin();
    this.gone = false;
    worker.listen((message) => worker === this.#worker && this.#receive(message));
    return (this.#worker = worker);
  }

  /** Shows what the experiments found before anybody runs one here. */
  record(recordings: Recording[]): void {
    const { experiments, shown } = this.state;
    this.#set({
      recordings: Object.fromEntries(recordings.map((each) => [each.id, each])),
      ...(experiments.length === 0 ? { experiments: recordings, shown: shownOf(recordings, shown) } : {}),
    });
  }

  /** Starts the worker again after it did not start, or ended. */
  retry(): void {
    this.#set({ why: "" });
    this.start();
  }

  /** Runs an experiment, with its usual number of seeds when seeds is 0. */
  run(id: string, seeds: number): void {
    if (this.state.running) return;
    this.#set({ shown: id, why: "", running: { id, doing: "starting", runs: 0, seconds: 0, began: performance.now() } });
    this.start().send({ type: "experiment", id, ...(seeds > 0 ? { seeds: Math.min(MOST_SEEDS, Math.round(seeds)) } : {}) });
  }

  /** Ends the experiment that runs, and the worker with it. */
  cancel(): void {
    this.#end();
    this.#set({ running: undefined, why: "Cancelled." });
  }

  /** Looks at another experiment. */
  show(id: string): void {
    this.#set({ shown: id });
  }

  #end(): void {
    this.#worker?.end();
    this.#worker = undefined;
  }

  #set(change: Partial<LabState>): void {
    this.watched.set({ lab: { ...this.state, ...change } });
  }

  #receive(message: FromLab): void {
    const { running, results, shown } = this.state;
    switch (message.type) {
      case "experiments":
        return this.#set({ experiments: message.experiments, shown: shownOf(message.experiments, shown), why: "" });
      case "lab":
        return running
          ? this.#set({ running: { ...running, doing: message.doing, runs: message.runs, seconds: message.seconds } })
          : undefined;
      case "paper":
        return this.#set({
          running: undefined,
          results: { ...results, [message.result.id]: { result: message.result, seconds: message.seconds } },
        });
      case "trouble":
        if (message.trouble.class === "gone") {
          this.#end();
          this.gone = true;
        }
        return this.#set({ running: undefined, why: message.trouble.sentence });
    }
  }
}

/** The experiment that is looked at; the first one where a link names one that is not here. */
function shownOf(experiments: Experiment[], shown: string): string {
  return experiments.some(({ id }) => id === shown) ? shown : (experiments[0]?.id ?? "");
}

/** A result with three digits that matter, however small: "584", "9.23", "3.2e-14". */
export function figure(value: number): string {
  const size = Math.abs(value);
  if (size > 0 && (size < 0.001 || size >= 1e7)) return value.toExponential(1);
  return (size >= 100 ? Math.round(value) : Number(value.toPrecision(3))).toLocaleString("en", { maximumFractionDigits: 6 });
}

/** Where a row's mean and interval lie on a line from nothing to twice the paper's number, 0 to 1; undefined where the paper gives none to divide by. */
export function beside({
  paper,
  measured,
  interval,
}: Pick<PaperRow, "paper" | "measured" | "interval">): { mean: number; low: number; high: number } | undefined {
  if (paper === null || paper === 0) return undefined;
  const at = (value: number) => Math.min(1, Math.max(0, value / paper / 2));
  const ends = interval ? [at(interval.low), at(interval.high)].sort((a, b) => a - b) : [at(measured), at(measured)];
  return { mean: at(measured), low: ends[0], high: ends[1] };
}

/** Whether a paper's claim holds, with a sign; open, with how many seeds, where there is a claim that the runs cannot tell. */
export function claim(row: Pick<PaperRow, "holds" | "rule" | "paper" | "seeds">): string {
  if (row.holds === null) return isClaim(row) ? `? open: ${row.seeds} ${row.seeds === 1 ? "seed" : "seeds"}` : "—";
  return row.holds ? "✓ holds" : "✗ does not hold";
}

/** Whether a row is held to what the paper says, be it decided or open. */
export const isClaim = ({ holds, rule, paper }: Pick<PaperRow, "holds" | "rule" | "paper">): boolean =>
  holds !== null || (rule !== "" && paper !== null);

/** How many claims hold, of all: "3 of 8 claims hold". Those of several methods are counted apart. */
export function counted(rows: Pick<PaperRow, "holds" | "rule" | "paper" | "method">[]): {
  held: number;
  all: number;
  words: string;
  apart: string;
} {
  const claims = rows.filter(isClaim);
  const held = claims.filter(({ holds }) => holds).length;
  const methods = [...new Set(claims.map(({ method }) => method))];
  const apart = methods.map((method) => {
    const own = claims.filter((claim) => claim.method === method);
    return `${method} ${own.filter(({ holds }) => holds).length} of ${own.length}`;
  });
  return {
    held,
    all: claims.length,
    words: `${held} of ${claims.length} ${claims.length === 1 ? "claim holds" : "claims hold"}`,
    apart: methods.length > 1 ? apart.join(", ") : "",
  };
}

/** How claims are judged: the parts that all rules share, and for each row the parts to say below it, which the next row does not have. */
export function rulesOf(rows: Pick<PaperRow, "rule">[]): { common: string[]; below: string[][] } {
  const parts = rows.map(({ rule }) => (rule === "" ? [] : rule.split("; ")));
  const ruled = parts.filter((each) => each.length > 0);
  const common = ruled.length > 1 ? ruled[0].filter((part) => ruled.every((each) => each.includes(part))) : [];
  return {
    common,
    below: parts.map((each, i) => each.filter((part) => !common.includes(part) && !parts[i + 1]?.includes(part))),
  };
}

/** What was measured: the mean, its spread over the seeds and the interval of the mean. */
export function measure({ measured, spread, interval }: Pick<PaperRow, "measured" | "spread" | "interval">): {
  value: string;
  interval: string;
} {
  if (interval === null) return { value: figure(measured), interval: "" };
  return { value: `${figure(measured)} ± ${figure(spread)}`, interval: `${figure(interval.low)} … ${figure(interval.high)}` };
}
