// A sweep: a scenario with some of its fields varied, each variant with several seeds,
// played by a pool of workers on all cores, and one table. The document, the runs and
// the table are core/study's, in a worker of its own; here is who plays.
import { coming, count, type Download, digits, duration, number, SECOND } from "../../../base/format.ts";
import type { FromSweep, FromWorker, RunToPlay, ToSweep } from "../../../base/messages.ts";
import type { Scenario } from "../../../base/scenario.ts";
import type { Engine, Simulation } from "../../../model/engines.ts";
import { Pool } from "../../../model/pool.ts";
import type { Store } from "../../../model/store.ts";
import { Watched } from "../../../model/watched.ts";
import type { Form } from "./form.ts";

type Answer<Kind extends FromSweep["type"]> = Extract<FromSweep, { type: Kind }>;
export type SweepRead = Answer<"sweep">;
export type SweepTable = Answer<"table">;
export type SweepCell = Answer<"cell">;
export type SweepFile = Answer<"file">;

/** A run that plays. */
export interface Playing {
  where: string; // its place in the grid and its seed
  share: number; // of its simulated time, 0 to 1
}

export interface SweepState {
  form: Form | undefined; // that the document was made with, unless somebody wrote in it
  document: string; // as it stands in the text field
  read: SweepRead | undefined; // what it says, once it was read
  wrong: string; // why it could not be read: one sentence, or ""
  table: SweepTable | undefined; // of the latest document that could be read
  metric: string; // the figure that is looked at; "": the first one
  differences: boolean; // instead of means
  cell: SweepCell | undefined; // that is looked at
  running: boolean;
  playing: Playing[];
  before: number; // runs that were done when it began
  played: number; // runs since then
  seconds: number; // since then
  failed: number; // runs without a result
  why: string; // the first of them failed, or something else went wrong: one sentence
  cancelled: boolean;
  gone: boolean; // the worker did not start, or ended
  download: Download | undefined; // its program, until all of it is here
}

/** Cells of more nodes are played one after the other, each in a worker of its own: a run takes some 5 KB a node. */
const LARGE = 50_000;

/** The figures that are shown by default, in the order of preference. */
const USUAL = ["overloaded_pct", "tasks_waiting", "cpu_used_pct"];

/** Between two tables while runs play. */
const SPAN = 500; // ms

export class Sweep {
  #desk: Engine<ToSweep, FromSweep> | undefined;
  #asked: ((answer: FromSweep) => void)[] = []; // the desk answers each message, in their order
  #pool: Pool | undefined;
  #playing = new Map<string, { end: () => void; run: Playing; began: number }>(); // by id
  #files: File[] = [];
  #began = 0; // ms
  #room = 1; // runs at a time
  #tabled = { at: 0, took: 0 }; // ms: the latest table
  #tabling = false; // a table is on its way,
  #stale = false; // and wanted again after it

  readonly watched = new Watched<{ sweep: SweepState }>({
    sweep: {
      form: undefined,
      document: "",
      read: undefined,
      wrong: "",
      table: undefined,
      metric: "",
      differences: false,
      cell: undefined,
      running: false,
      playing: [],
      before: 0,
      played: 0,
      seconds: 0,
      failed: 0,
      why: "",
      cancelled: false,
      gone: false,
      download: undefined,
    },
  });

  constructor(
    readonly store: Store<"engine" | "run">,
    readonly startDesk: (progress: (download: Download | undefined) => void) => Engine<ToSweep, FromSweep>,
    readonly begin: (scenario: Scenario, files: boolean) => Simulation,
    readonly cores: number,
    readonly clock: () => number, // ms
  ) {}

  get state(): SweepState {
    return this.watched.state.sweep;
  }

  set(change: Partial<SweepState>): void {
    this.watched.set({ sweep: { ...this.state, ...change } });
  }

  /** Reads a document. What plays is cancelled; results stay, as far as they are of its runs. */
  async write(document: string): Promise<void> {
    if (this.state.running) this.cancel();
    this.set({ document });
    const systems = this.store.state.systems.map(({ id, settings }) => ({ id, settings: settings.map((one) => one.id) }));
    const answer = await this.#ask({ type: "sweep", document, systems });
    if (this.state.document !== document) return; // it goes on being written
    if (answer.type === "trouble") return this.set({ wrong: answer.trouble.sentence });
    if (answer.type !== "sweep") return;
    this.set({ read: answer, wrong: "", cell: undefined, why: "", failed: 0, cancelled: false });
    await this.tabulate();
  }

  /** Takes results that were played elsewhere. */
  async merge(name: string, text: string): Promise<void> {
    if (this.state.running) this.cancel();
    const answer = await this.#ask({ type: "results", name, text });
    if (answer.type === "trouble") return this.set({ why: answer.trouble.sentence });
    this.set({ why: "" });
    await this.tabulate();
  }

  /** Plays what is missing. */
  start(): void {
    const { read, wrong, running } = this.state;
    if (running || !read || wrong) return;
    const { traceFiles, files } = this.store.state;
    if (read.files.some((sum) => !files.some(({ sha256 }) => sha256 === sum))) {
      return this.set({ why: "This sweep needs trace files that are not open. Open them first, then open the sweep again." });
    }
    this.#files = read.files.length > 0 ? traceFiles : [];
    this.#began = this.clock();
    this.#room = read.nodes > LARGE ? 1 : this.cores;
    this.#pool = new Pool(this.begin, read.nodes <= LARGE);
    this.set({
      running: true,
      cancelled: false,
      before: this.state.table?.done ?? 0,
      played: 0,
      seconds: 0,
      failed: 0,
      why: "",
      playing: [],
    });
    void this.#take({ type: "take", runs: this.#room });
  }

  /** Ends what is under way; what is done stays. */
  cancel(): void {
    if (!this.state.running) return;
    void this.#ask({ type: "cancel" });
    this.#finish(true);
  }

  /** Draws the table anew; while one is on its way, once more after it. */
  async tabulate(): Promise<void> {
    if (!this.state.read) return;
    this.#stale = this.#tabling;
    if (this.#tabling) return;
    this.#tabling = true;
    const { metric, cell, table } = this.state;
    const asked = this.clock();
    const answer = await this.#ask({ type: "table", metric: metric || (USUAL.find((id) => table?.metrics.includes(id)) ?? "") });
    this.#tabling = false;
    this.#tabled = { at: this.clock(), took: this.clock() - asked };
    if (answer.type === "trouble") return this.set({ why: answer.trouble.sentence });
    if (answer.type !== "table") return;
    this.set({ table: answer });
    if (this.#stale) return this.tabulate();
    if (cell) await this.look(cell.cell);
  }

  choose(metric: string): void {
    this.set({ metric });
    void this.tabulate();
  }

  /** Looks at a cell of the grid; -1: at none. */
  async look(number: number): Promise<void> {
    if (number < 0) return this.set({ cell: undefined });
    const answer = await this.#ask({ type: "cell", cell: number });
    if (answer.type === "cell") this.set({ cell: answer });
  }

  /** A file of the sweep; undefined where there is none. */
  async file(content: Extract<ToSweep, { type: "save" }>["content"]): Promise<SweepFile | undefined> {
    const answer = await this.#ask({ type: "save", content });
    if (answer.type === "trouble") this.set({ why: answer.trouble.sentence });
    return answer.type === "file" ? answer : undefined;
  }

  /** Starts the worker again after it did not start, or ended: its results are lost, if they were not saved. */
  retry(): void {
    this.set({ gone: false, why: "", wrong: "" });
    void this.write(this.state.document);
  }

  #ask(message: ToSweep): Promise<FromSweep> {
    return new Promise((resolve) => {
      this.#asked.push(resolve);
      this.#start().send(message);
    });
  }

  #start(): Engine<ToSweep, FromSweep> {
    if (this.#desk) return this.#desk;
    const desk = this.startDesk((download) => this.set({ download }));
    desk.listen((message) => {
      if (desk !== this.#desk) return;
      if (message.type === "trouble" && message.trouble.class === "gone") return this.#gone(message);
      this.#asked.shift()?.(message);
    });
    return (this.#desk = desk);
  }

  #gone(message: Answer<"trouble">): void {
    this.#desk?.end();
    this.#desk = undefined;
    if (this.state.running) this.#finish(true);
    this.set({ gone: true, read: undefined, table: undefined, cell: undefined });
    for (const resolve of this.#asked.splice(0)) resolve(message);
    this.set({ why: message.trouble.sentence, wrong: "" });
  }

  async #take(message: Extract<ToSweep, { type: "take" | "done" }>): Promise<void> {
    const began = this.#began;
    const answer = await this.#ask(message);
    if (!this.state.running || this.#began !== began) return; // it was cancelled meanwhile
    if (answer.type === "trouble") {
      void this.#ask({ type: "cancel" });
      this.#finish(true);
      return this.set({ why: answer.trouble.sentence });
    }
    if (answer.type !== "runs") return;
    for (const run of answer.runs) this.#play(run);
    if (answer.over) this.#finish(false);
    else this.#tell();
    if (this.clock() - this.#tabled.at > Math.max(SPAN, 10 * this.#tabled.took)) void this.tabulate();
  }

  #play({ id, scenario, where }: RunToPlay): void {
    const run: Playing = { where, share: 0 };
    if (!this.#pool) return;
    const { end } = this.#pool.play(scenario, this.#files, (message) => this.#receive(id, message));
    this.#playing.set(id, { end, run, began: this.clock() });
  }

  #receive(id: string, message: FromWorker): void {
    const playing = this.#playing.get(id);
    if (!playing) return;
    switch (message.type) {
      case "status":
        playing.run.share = message.status.until > 0 ? Math.min(1, message.status.at / message.status.until) : 0;
        return this.#tell();
      case "trouble":
        if (this.state.failed === 0) this.set({ why: `${playing.run.where}: ${message.trouble.sentence}` });
        this.set({ failed: this.state.failed + 1 });
        return this.#over(id, { why: message.trouble.sentence });
      case "ended":
        this.set({ played: this.state.played + 1 });
        return this.#over(id, { report: message.report });
    }
  }

  #over(id: string, came: { report: unknown } | { why: string }): void {
    const playing = this.#playing.get(id);
    const wall = (this.clock() - (playing?.began ?? 0)) / 1000;
    playing?.end();
    this.#playing.delete(id);
    void this.#take({ type: "done", id, runs: this.#room - this.#playing.size, wall_s: wall, ...came });
  }

  #finish(cancelled: boolean): void {
    for (const { end } of this.#playing.values()) end();
    this.#playing.clear();
    this.#pool?.close();
    this.set({ running: false, cancelled, playing: [], seconds: (this.clock() - this.#began) / 1000 });
    void this.tabulate();
  }

  #tell(): void {
    this.set({ playing: [...this.#playing.values()].map(({ run }) => run), seconds: (this.clock() - this.#began) / 1000 });
  }
}

/** How many runs are done. */
export function doneOf({ table, running, before, played }: SweepState): number {
  return running ? before + played : (table?.done ?? 0);
}

/** What the sweep is, does, or did, in one sentence, with its fields by their names. */
export function sayOf(state: SweepState, named: (path: string) => string = (path) => path): string {
  const { read, table, running, played, seconds, failed, cancelled } = state;
  if (!read) return state.download ? coming(state.download) : "";
  const runs = table?.runs ?? read.runs;
  const done = doneOf(state);
  const rate = seconds > 0 ? played / seconds : 0;
  const lost = failed > 0 ? `, ${count(failed)} failed` : "";
  if (running) {
    const left =
      rate > 0 ? `, ${digits(rate)} a second, ${duration(Math.ceil(Math.max(0, read.runs - done - failed) / rate) * SECOND)} left` : "";
    return `${count(done)} of ${read.goal ? "up to " : ""}${number(read.runs, "run")}${left}${lost}`;
  }
  if (cancelled) return `Cancelled; ${count(done)} of ${number(runs, "run")} are done and kept.`;
  if (played > 0) return `${number(played, "run")} in ${digits(seconds)} s, ${digits(rate)} a second${lost}.`;
  const sizes = [...read.groups.map(({ name, values }) => `${values.length} of ${named(name)}`), number(read.seeds, "seed")];
  return `${read.goal ? "Up to " : ""}${number(read.runs, "run")}: ${sizes.join(" × ")}${done > 0 ? `, ${count(done)} of them done` : ""}.`;
}
