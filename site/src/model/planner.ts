// The planner of divisible loads: what the viewer typed, and what a worker of
// its own answers. One question is under way at a time; what was typed meanwhile
// is asked next, so that an answer is never older than one plan takes.
import type { FromPlanner, Timeline, ToPlanner } from "../base/messages.ts";
import { planned, type Course } from "./course.ts";
import type { Engine } from "./engines.ts";
import { Watched } from "./watched.ts";

export const FIELDS = ["speed", "bandwidth", "comp_latency", "comm_latency"] as const;
export type Field = (typeof FIELDS)[number];

/** A worker as it is typed. */
export type WorkerText = Record<Field, string>;

/** A plan as `parley plan rounds --json` prints it. */
export interface PlanResult {
  algorithm: string;
  policy: string;
  order: number[];
  rounds: number;
  chunks: number[][]; // one row a round, one column a worker of order
  makespan_predicted_s: number;
  makespan_s: number;
  idle_pct: number;
  warning?: string; // another algorithm is more than twice as fast
}

/** A platform of SimGrid, which names no master and no work unit. */
export interface GridFile {
  name: string;
  text: string;
  hosts: string[];
  master: string;
  flops: string; // a work unit takes so many
  bytes: string; // and has so many
  notes: string[];
}

export interface PlannerState {
  load: string;
  workers: WorkerText[];
  names: string[]; // of SimGrid's workers, else empty
  algorithm: string;
  grid: GridFile | undefined;
  edition: number; // grows when the workers were changed by other means than typing
  asked: number; // performance.now() of the question under way; 0: none
  plan: { result: PlanResult; course: Course | undefined; wall: number } | undefined; // wall: µs
  why: string; // why there is no plan: one sentence, or ""
}

export const MOST_WORKERS = 10_000;

/** Workers of the rounds paper's table 1, drawn the same way each time. */
export function exampleWorkers(n: number): WorkerText[] {
  let state = 9;
  const draw = () => (state = (state * 16_807) % 2_147_483_647) / 2_147_483_647;
  return Array.from({ length: n }, () => ({
    speed: (50 + 25 * draw()).toFixed(1), bandwidth: (n * (25 + 50 * draw())).toFixed(0), comp_latency: "0.1", comm_latency: "0.1",
  }));
}

export function emptyPlanner(): PlannerState {
  return { load: "10000", workers: exampleWorkers(10), names: [], algorithm: "best", grid: undefined, edition: 0, asked: 0, plan: undefined, why: "" };
}

/** The document of `parley plan rounds`. What is no number stays as it was typed, so that the answer can quote it. */
export function documentOf({ load, workers }: Pick<PlannerState, "load" | "workers">): string {
  const value = (text: string) => (text.trim() !== "" && Number.isFinite(Number(text)) ? Number(text) : text);
  return JSON.stringify({ load: value(load), workers: workers.map((worker) => Object.fromEntries(FIELDS.map((field) => [field, value(worker[field])]))) });
}

/** What a worker is called. */
export function nameOf(state: PlannerState, worker: number): string {
  return state.names[worker] ?? `worker ${worker}`;
}

export class Planner {
  #worker: Engine<ToPlanner, FromPlanner> | undefined;
  gone = false; // the worker did not start, or ended
  #again = false;

  readonly watched = new Watched<{ planner: PlannerState }>({ planner: emptyPlanner() });

  constructor(readonly begin: () => Engine<ToPlanner, FromPlanner>) {}

  get state(): PlannerState {
    return this.watched.state.planner;
  }

  /** Changes what is planned, and plans. */
  edit(change: Partial<PlannerState>): void {
    this.#set(change);
    this.plan();
  }

  /** Types one figure of one worker, or of all of them for -1. */
  type(worker: number, field: Field, text: string): void {
    const workers = this.state.workers.map((one, i) => (worker < 0 || i === worker ? { ...one, [field]: text } : one));
    this.edit({ workers, ...(worker < 0 ? { edition: this.state.edition + 1 } : {}) });
  }

  /** Makes it so many workers: the first ones stay, further ones are those of an example. */
  resize(n: number): void {
    const count = Math.min(MOST_WORKERS, Math.max(0, Math.round(n)));
    const { workers, names, edition } = this.state;
    const more = count > workers.length ? exampleWorkers(count).slice(workers.length) : [];
    this.edit({ workers: [...workers.slice(0, count), ...more], names: names.slice(0, count), edition: edition + 1 });
  }

  remove(worker: number): void {
    const { workers, names, edition } = this.state;
    const others = <T>(list: T[]) => list.filter((_, i) => i !== worker);
    this.edit({ workers: others(workers), names: others(names), edition: edition + 1 });
  }

  /** Reads a file of workers: the planner's JSON, or a platform of SimGrid. */
  read(name: string, text: string, grid?: GridFile): void {
    this.#set({ why: "", asked: performance.now() });
    this.#start().send({ type: "platform", name, text, master: grid?.master ?? "", flops: Number(grid?.flops ?? 1e9), bytes: Number(grid?.bytes ?? 1e6) });
    this.#set({ grid: grid ?? { name, text, hosts: [], master: "", flops: "1e9", bytes: "1e6", notes: [] } });
  }

  plan(): void {
    if (this.state.asked > 0) {
      this.#again = true;
      return;
    }
    this.#again = false;
    this.#set({ asked: performance.now() });
    this.#start().send({ type: "plan", kind: "rounds", algorithm: this.state.algorithm, document: documentOf(this.state) });
  }

  /** Ends the question under way, and the worker with it. */
  cancel(): void {
    this.#end();
    this.#set({ asked: 0, why: "Cancelled." });
  }

  #start(): Engine<ToPlanner, FromPlanner> {
    if (this.#worker) return this.#worker;
    const worker = this.begin();
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
      case "plan":
        this.#set({ asked: 0, ...answer(message, this.state.workers.length) });
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
  }

  #platform({ name, load, workers, names, hosts, master, notes, why }: Extract<FromPlanner, { type: "platform" }>): void {
    const { grid, edition } = this.state;
    const reached = new Set(names ?? []);
    const lost = (hosts ?? []).filter((host) => host !== master && !reached.has(host));
    const unreached = lost.length > 0 && !why ? [`no route leads from ${master} to ${lost.slice(0, 3).join(", ")}${lost.length > 3 ? ` and ${lost.length - 3} more` : ""}: left out`] : [];
    const kept = grid && hosts ? { ...grid, hosts, master: master ?? "", notes: [...(notes ?? []), ...unreached] } : undefined;
    this.#set({ asked: 0, grid: kept, edition: edition + 1 });
    if (why) return this.#set({ why: why.startsWith(name) ? why : `${name}: ${why}`, plan: undefined });
    const texts = (workers ?? []).map((worker) => Object.fromEntries(FIELDS.map((field) => [field, String(Number(worker[field].toPrecision(6)))])) as WorkerText);
    if (texts.length > MOST_WORKERS) return this.#set({ why: `${name} has ${texts.length} workers, and this table at most ${MOST_WORKERS}: plan it with parley plan rounds.` });
    this.edit({ workers: texts, names: names ?? [], ...(load ? { load: String(load) } : {}) });
  }
}

function answer({ result, timeline, wall_us: wall, why = "" }: Extract<FromPlanner, { type: "plan" }>, workers: number): Pick<PlannerState, "plan" | "why"> {
  if (!result || why) return { plan: undefined, why: why || "There is no plan." };
  const found = result as PlanResult;
  return { plan: { result: found, course: timeline && courseOf(found, timeline, workers), wall }, why: "" };
}

function courseOf({ order, chunks }: PlanResult, timeline: Timeline, workers: number): Course {
  const place = new Map(order.map((worker, i) => [worker, i]));
  return planned(timeline, workers, (worker, round) => chunks[round]?.[place.get(worker) ?? -1] ?? 0);
}
