// The planner: what the viewer typed, and what a worker of its own answers. One
// question is under way at a time; what was typed meanwhile is asked next, so that an
// answer is never older than one plan takes. After the chosen algorithm the others
// are asked as well, until all stand side by side.
import type { Download } from "../../../base/format.ts";
import type { FromPlanner, ToPlanner } from "../../../base/messages.ts";
import type { Engine } from "../../../model/engines.ts";
import {
  elimination,
  exampleJobs,
  exampleWorkers,
  FIELDS,
  type GraphChoice,
  jobsOf,
  MOST_COLUMNS,
  type PlanKind,
  type Row,
  value,
  valuesOf,
} from "../../../model/instances.ts";
import { Watched } from "../../../model/watched.ts";
import { type Planned, plannedBy, type Trial, trialOf } from "./plans.ts";

/** A platform of SimGrid, which names no master and no work unit. */
export interface GridFile {
  name: string;
  text: string;
  hosts: string[];
  master: string;
  flops: string; // that a work unit takes
  bytes: string; // that a work unit has
  notes: string[];
}

export interface PlannerState {
  kind: PlanKind;
  known: Record<PlanKind, string[]>; // the algorithms, once the planner has said them
  chosen: Record<PlanKind, string>;
  load: string;
  workers: Row[];
  names: string[]; // of SimGrid's workers, else empty
  grid: GridFile | undefined;
  hosts: string;
  jobs: Row[];
  raw: { name: string; text: string } | undefined; // a file of jobs that the table cannot hold: the planner says why
  graph: GraphChoice;
  edition: number; // grows when the rows were changed by other means than typing
  asked: number; // performance.now() of the question under way; 0 if none
  asking: string; // the algorithm of it
  download: Download | undefined; // the program, until all of it is here
  plan: Planned | undefined;
  trials: Trial[]; // in the order of their answers
  why: string; // why there is no plan: one sentence, or ""
}

/** What is tried only when it is chosen: the others take milliseconds. */
export const SLOW = ["exact"];

/** The most rows of a table. */
export const MOST_ROWS = 10_000;
const HASTE = 300; // ms after which who types does not wait for an algorithm that is only beside the chosen one

export function emptyPlanner(): PlannerState {
  return {
    kind: "load",
    known: { load: [], jobs: [], graph: [] },
    chosen: { load: "best", jobs: "mcb8", graph: "heft" },
    load: "10000",
    workers: exampleWorkers(10),
    names: [],
    grid: undefined,
    hosts: "10",
    jobs: exampleJobs(24),
    raw: undefined,
    graph: { name: "", text: "", size: "8", processors: "4", bandwidth: "100", latency: "0" },
    edition: 0,
    asked: 0,
    asking: "",
    download: undefined,
    plan: undefined,
    trials: [],
    why: "",
  };
}

/** The document of `parley plan`. What is no number stays as it was typed, so that the answer can quote it. */
export function documentOf(state: PlannerState): string {
  const { kind, load, workers, hosts, jobs, raw, graph } = state;
  switch (kind) {
    case "load":
      return JSON.stringify({ load: value(load), workers: valuesOf(workers, FIELDS.load) });
    case "jobs":
      return raw?.text ?? JSON.stringify({ hosts: value(hosts), jobs: valuesOf(jobs, FIELDS.jobs) });
    case "graph":
      return graph.text || elimination(Number(graph.size));
  }
}

/** Why what is typed beside a graph cannot be asked about; "": it can. */
function amiss({ kind, graph }: PlannerState): string {
  if (kind !== "graph") return "";
  const wrong = (text: string, low: number, high: number, whole: boolean) =>
    text.trim() === "" || !(Number(text) >= low && Number(text) <= high) || (whole && !Number.isInteger(Number(text)));
  if (!graph.text && wrong(graph.size, 2, MOST_COLUMNS, true))
    return `The matrix has "${graph.size}" columns: choose 2 to ${MOST_COLUMNS}.`;
  if (wrong(graph.processors, 1, MOST_ROWS, true)) return `There are "${graph.processors}" processors: choose 1 to ${MOST_ROWS}.`;
  if (wrong(graph.bandwidth, 0, 1e12, false))
    return `The bandwidth is "${graph.bandwidth}" MB a second: choose a number from 0, which stands for results that take no time.`;
  if (wrong(graph.latency, 0, 1e9, false)) return `The latency is "${graph.latency}" s: choose a number from 0.`;
  return "";
}

/** The rows that are edited. */
export function rowsOf({ kind, workers, jobs }: PlannerState): Row[] {
  return kind === "load" ? workers : kind === "jobs" ? jobs : [];
}

/** What a row, or a processor, is called. */
export function nameOf({ kind, names }: PlannerState, row: number): string {
  return kind === "jobs" ? `job ${row}` : kind === "graph" ? `proc. ${row}` : (names[row] ?? `worker ${row}`);
}

export class Planner {
  #worker: Engine<ToPlanner, FromPlanner> | undefined;
  gone = false; // the worker did not start, or ended
  #again = false;

  readonly watched = new Watched<{ planner: PlannerState }>({ planner: emptyPlanner() });

  constructor(readonly begin: (progress: (download: Download | undefined) => void) => Engine<ToPlanner, FromPlanner>) {}

  get state(): PlannerState {
    return this.watched.state.planner;
  }

  /** Changes what is planned, and plans. */
  edit(change: Partial<PlannerState>): void {
    this.#set({ ...change, trials: this.state.trials.map((trial) => ({ ...trial, old: true })) });
    this.plan();
  }

  /** Shows another instance, such as that of a link, and plans it. */
  open(instance: Partial<PlannerState>): void {
    this.#set({ ...instance, edition: this.state.edition + 1, plan: undefined, trials: [], why: "" });
    this.plan();
  }

  /** Plans something else. */
  turn(kind: PlanKind): void {
    if (kind === this.state.kind) return;
    this.#set({ kind, plan: undefined, trials: [], why: "", edition: this.state.edition + 1 });
    this.plan();
  }

  /** Shows another algorithm's plan. */
  choose(algorithm: string): void {
    this.#set({ chosen: { ...this.state.chosen, [this.state.kind]: algorithm } });
    this.plan();
  }

  /** Types one field of one row, or of all of them for -1. */
  type(row: number, field: string, text: string): void {
    const rows = rowsOf(this.state).map((one, i) => (row < 0 || i === row ? { ...one, [field]: text } : one));
    this.#rows(rows, row < 0);
  }

  /** Sets the number of rows: the first ones stay, further ones are those of an example. */
  resize(n: number): void {
    const rows = rowsOf(this.state);
    const size = Math.min(MOST_ROWS, Math.max(0, Math.round(n)));
    const more = size > rows.length ? (this.state.kind === "jobs" ? exampleJobs : exampleWorkers)(size).slice(rows.length) : [];
    this.#rows([...rows.slice(0, size), ...more], true, this.state.names.slice(0, size));
  }

  remove(row: number): void {
    const others = <T>(list: T[]) => list.filter((_, i) => i !== row);
    this.#rows(others(rowsOf(this.state)), true, this.state.kind === "load" ? others(this.state.names) : this.state.names);
  }

  #rows(rows: Row[], whole: boolean, names = this.state.names): void {
    const edition = this.state.edition + (whole ? 1 : 0);
    this.edit(this.state.kind === "jobs" ? { jobs: rows, raw: undefined, edition } : { workers: rows, names, edition });
  }

  /** Reads a file: of workers in the planner's JSON or as a platform of SimGrid, of jobs, or of a graph. */
  read(name: string, text: string, grid?: GridFile): void {
    const { kind, edition, graph } = this.state;
    if (kind === "graph") return this.edit({ graph: { ...graph, name, text } });
    if (kind === "jobs") {
      const found = jobsOf(text);
      if (found && found.jobs.length <= MOST_ROWS) return this.edit({ ...found, raw: undefined, edition: edition + 1 });
      return this.edit({ raw: { name, text }, jobs: [], edition: edition + 1 });
    }
    if (this.state.asked > 0) this.#end(); // its answer is no longer wanted
    this.#set({ why: "", asked: performance.now(), asking: name });
    this.#start().send({
      type: "platform",
      name,
      text,
      master: grid?.master ?? "",
      flops: Number(grid?.flops ?? 1e9),
      bytes: Number(grid?.bytes ?? 1e6),
    });
    this.#set({ grid: grid ?? { name, text, hosts: [], master: "", flops: "1e9", bytes: "1e6", notes: [] } });
  }

  plan(): void {
    const { asked, asking, kind, chosen } = this.state;
    const why = amiss(this.state);
    if (why) return this.#set({ why, plan: undefined, trials: [] });
    if (asked > 0 && (asking === chosen[kind] || performance.now() - asked < HASTE)) {
      this.#again = true;
      return;
    }
    if (asked > 0) this.#end();
    this.#ask(chosen[kind]);
  }

  #ask(algorithm: string): void {
    const { kind, graph, raw } = this.state;
    this.#again = false;
    this.#set({ asked: performance.now(), asking: algorithm });
    const equal = { processors: Number(graph.processors), bandwidth: 1e6 * Number(graph.bandwidth), latency: Number(graph.latency) };
    this.#start().send({
      type: "plan",
      kind,
      algorithm,
      name: (kind === "graph" ? graph.name : raw?.name) || "the instance",
      document: documentOf(this.state),
      equal,
    });
  }

  /** Asks the next algorithm that has not answered. */
  #next(): void {
    const { kind, known, trials } = this.state;
    const next = known[kind].find(
      (algorithm) => !SLOW.includes(algorithm) && !trials.some((trial) => trial.algorithm === algorithm && !trial.old),
    );
    if (next !== undefined) this.#ask(next);
  }

  /** Ends the question under way, and the worker with it. */
  cancel(): void {
    const { asking, chosen, kind } = this.state;
    this.#end();
    if (asking === chosen[kind]) return this.#set({ asked: 0, why: "Cancelled." });
    this.#set({ asked: 0 });
    this.#try({ algorithm: asking, reached: NaN, bound: NaN, detail: "", wall: NaN, why: "cancelled", old: false });
    this.#next();
  }

  #try(trial: Trial): void {
    this.#set({ trials: [...this.state.trials.filter(({ algorithm }) => algorithm !== trial.algorithm), trial] });
  }

  #start(): Engine<ToPlanner, FromPlanner> {
    if (this.#worker) return this.#worker;
    const worker = this.begin((download) => this.#set({ download }));
    this.gone = false;
    worker.listen((message) => worker === this.#worker && this.#receive(message));
    return (this.#worker = worker);
  }

  #end(): void {
    this.#worker?.end();
    this.#worker = undefined;
    this.#again = false;
  }

  #set(change: Partial<PlannerState>): void {
    this.watched.set({ planner: { ...this.state, ...change } });
  }

  #receive(message: FromPlanner): void {
    switch (message.type) {
      case "planners": {
        const { load, jobs, graph } = message;
        this.#set({ known: { load, jobs, graph } });
        return;
      }
      case "plan":
        this.#answered(message);
        break;
      case "platform":
        return this.#platform(message);
      case "trouble":
        if (message.trouble.class === "gone") {
          this.#end();
          this.gone = true;
        }
        this.#set({ asked: 0, why: message.trouble.sentence });
        break;
      default:
        return;
    }
    if (this.#again) this.plan();
    else if (message.type === "plan") this.#next();
  }

  #answered(message: Extract<FromPlanner, { type: "plan" }>): void {
    const { kind, chosen } = this.state;
    this.#set({ asked: 0 });
    if (message.kind !== kind) return void (this.#again = true); // something else is planned by now
    if (message.algorithm === chosen[kind]) {
      const plan = plannedBy(message, this.state.workers.length);
      const named =
        kind === "jobs" && this.state.raw
          ? `${this.state.raw.name}: `
          : kind === "graph" && this.state.graph.text
            ? `${this.state.graph.name}: `
            : "";
      const why = plan ? "" : message.why || "There is no plan.";
      this.#set({ plan, why: why && !why.startsWith(named.slice(0, -2)) ? named + why : why });
    }
    this.#try({ ...trialOf(message), old: this.#again });
  }

  #platform({ name, load, workers, names, hosts, master, notes, why }: Extract<FromPlanner, { type: "platform" }>): void {
    const { grid, edition, kind } = this.state;
    const reached = new Set(names ?? []);
    const lost = (hosts ?? []).filter((host) => host !== master && !reached.has(host));
    const unreached =
      lost.length > 0 && !why
        ? [
            `no route leads from ${master} to ${lost.slice(0, 3).join(", ")}${lost.length > 3 ? ` and ${lost.length - 3} more` : ""}: left out`,
          ]
        : [];
    const kept = grid && hosts ? { ...grid, hosts, master: master ?? "", notes: [...(notes ?? []), ...unreached] } : undefined;
    this.#set({ asked: 0, grid: kept, edition: edition + 1 });
    if (kind !== "load") return this.plan();
    if (why) return this.#set({ why: why.startsWith(name) ? why : `${name}: ${why}`, plan: undefined, trials: [] });
    const texts = (workers ?? []).map(
      (worker): Row => Object.fromEntries(FIELDS.load.map((field) => [field, String(Number(worker[field].toPrecision(6)))])),
    );
    if (texts.length > MOST_ROWS)
      return this.#set({
        why: `${name} has ${texts.length} workers, and this table at most ${MOST_ROWS}: plan it with parley plan rounds.`,
      });
    this.edit({ workers: texts, names: names ?? [], ...(load ? { load: String(load) } : {}) });
  }
}
