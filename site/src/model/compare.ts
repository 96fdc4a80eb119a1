// A comparison: the scenario on the page and others like it, each played from
// its start in a worker of its own, one after the other. The run on the page is
// not part of it and goes on.
import { duration, HOUR, MINUTE, number, parseDuration } from "../base/format.ts";
import type { FromWorker, RunReport } from "../base/messages.ts";
import type { Scenario } from "../base/scenario.ts";
import { encodeAddress } from "./address.ts";
import type { Simulation } from "./engines.ts";
import { needOf } from "./need.ts";
import { contestOf, usualChoice, type Contest, type Rival } from "./rivals.ts";
import { linkTo, usualFill } from "./scenario.ts";
import { Series } from "./series.ts";
import type { Store } from "./store.ts";
import { Watched } from "./watched.ts";

/** What became of one run. */
export interface Outcome extends Rival {
  state: "waiting" | "playing" | "done" | "failed" | "cancelled";
  at: number; // reached, µs
  phase: "reading" | "starting"; // before its time goes on
  share: number; // of that phase, 0 to 1
  series: Series;
  digest: string; // 16 hex digits, of the whole run
  report: Pick<RunReport, "metrics" | "system" | "warnings"> | undefined;
  why: string; // it failed: one sentence
  link: string; // that opens it on the page, at the end of the comparison
}

export interface CompareState {
  chosen: string[] | undefined; // the ids of rivals; undefined: nobody chose
  until: string; // as it was typed; "": as far as the page is
  pausing: boolean; // the run on the page stands still meanwhile
  figure: string; // the id of the column that is drawn; "": nobody chose
  title: string; // of the scenario that was compared
  to: number; // until when, µs
  runs: Outcome[]; // the scenario's own first
  running: boolean;
}

export function emptyCompare(): CompareState {
  return { chosen: undefined, until: "", pausing: false, figure: "", title: "", to: 0, runs: [], running: false };
}

export const MOST_RIVALS = 5; // beside the scenario's own system: more lines cannot be told apart

export class Comparison {
  #player: Simulation | undefined;
  #base = ""; // the gallery's id of the scenario that is compared
  #files: File[] = []; // that it plays
  #need: string | undefined; // what links say of them
  #resume = false; // the run on the page was paused for the comparison

  readonly watched = new Watched<{ compare: CompareState }>({ compare: emptyCompare() });

  constructor(
    readonly store: Store,
    readonly begin: (scenario: Scenario, files: boolean) => Simulation,
  ) {}

  get state(): CompareState {
    return this.watched.state.compare;
  }

  set(change: Partial<CompareState>): void {
    this.watched.set({ compare: { ...this.state, ...change } });
  }

  /** What can be compared with the scenario on the page. */
  contest(): Contest | undefined {
    return contestOf(this.store.state.scenario, this.store.state.systems);
  }

  /** The rivals that are chosen and can play. */
  chosen(): Rival[] {
    const contest = this.contest();
    const ids = this.state.chosen ?? (contest ? usualChoice(contest) : []);
    const rivals = contest?.others.filter(({ id }) => ids.includes(id)) ?? [];
    return rivals.slice(0, MOST_RIVALS);
  }

  choose(id: string, wanted: boolean): void {
    const others = this.chosen().map((rival) => rival.id).filter((other) => other !== id);
    this.set({ chosen: wanted ? [...others, id] : others });
  }

  /** Until when would be played, µs; undefined where what was typed is no time. */
  until(): number | undefined {
    const { status } = this.store.state;
    const end = status?.until ?? HOUR;
    const reached = Math.ceil((status?.at ?? 0) / MINUTE) * MINUTE;
    const wanted = this.state.until.trim() === "" ? Math.max(HOUR, reached) : parseDuration(this.state.until);
    return wanted === undefined ? undefined : Math.min(end, Math.max(MINUTE, wanted));
  }

  /** Plays the scenario and the chosen rivals, one after the other. */
  start(): void {
    const contest = this.contest();
    const to = this.until();
    const { status, scenario, base, traceFiles, files } = this.store.state;
    if (!contest || to === undefined || this.state.running) return;
    const runs = [contest.own, ...this.chosen()].map((rival): Outcome => ({ ...rival, state: "waiting", at: 0, phase: "starting", share: 0, series: new Series(), digest: "", report: undefined, why: "", link: "" }));
    this.#base = base;
    this.#files = traceFiles;
    this.#need = needOf(files);
    this.set({ runs, to, title: scenario?.name ?? "", running: true });
    this.#resume = this.state.pausing && status?.playing === true;
    if (this.#resume) this.store.send({ type: "pause" });
    this.#next();
  }

  /** Ends what is under way; the runs that are done stay. */
  cancel(): void {
    if (!this.state.running) return;
    for (const run of this.state.runs) if (run.state === "playing" || run.state === "waiting") run.state = "cancelled";
    this.#finish();
  }

  #next(): void {
    this.#player?.end();
    const run = this.state.runs.find(({ state }) => state === "waiting");
    if (!run) return this.#finish();
    run.state = "playing";
    const player = (this.#player = this.begin(run.scenario, this.#files.length > 0));
    player.listen((message) => player === this.#player && this.#receive(run, message));
    player.send({ type: "speed", speed: 0 });
    player.send({ type: "open", scenario: { ...run.scenario, until: duration(this.state.to) }, play: true, ...(this.#files.length > 0 ? { files: this.#files } : {}) });
    this.#tell();
  }

  #finish(): void {
    this.#player?.end();
    this.#player = undefined;
    this.set({ running: false, runs: [...this.state.runs] });
    if (this.#resume) this.store.send({ type: "play" });
    this.#resume = false;
  }

  /** Frames are not given back: so the engine stops drawing them. */
  #receive(run: Outcome, message: FromWorker): void {
    switch (message.type) {
      case "progress":
        run.phase = message.phase === "reading" ? "reading" : "starting";
        run.share = message.total > 0 ? Math.min(1, message.done / message.total) : 0;
        return this.#tell();
      case "columns":
        return run.series.append(message.reset, message.at, message.columns);
      case "status":
        run.at = message.status.at;
        return this.#tell();
      case "trouble":
        run.state = "failed";
        run.why = message.trouble.sentence;
        return this.#next();
      case "ended":
        run.state = "done";
        run.digest = message.digest;
        run.report = message.report;
        void this.#link(run);
        return this.#next();
    }
  }

  /** The link to the end of a run, which the page plays and checks by its digest. */
  async #link(run: Outcome): Promise<void> {
    const base = this.store.state.bases[this.#base];
    run.link = "#" + (await encodeAddress({ ...linkTo(run.scenario, usualFill(base), this.#base, base), need: this.#need, at: run.at, digest: run.digest }));
    this.#tell();
  }

  #tell(): void {
    this.set({ runs: [...this.state.runs] });
  }
}

/** What the comparison does, or did, in one sentence. */
export function progressOf({ runs, running, to }: CompareState): string {
  const done = runs.filter(({ state }) => state === "done").length;
  const failed = runs.filter(({ state }) => state === "failed").length;
  if (runs.length === 0) return "";
  if (running) return `Playing ${runs.find(({ state }) => state === "playing")?.name ?? ""}, ${runs.findIndex(({ state }) => state === "playing") + 1} of ${runs.length}`;
  if (done + failed < runs.length) return `Cancelled; ${number(done, "run")} of ${runs.length} came to the end.`;
  return `Compared ${number(done, "run")} up to ${duration(to)}${failed > 0 ? `; ${failed} could not be played` : ""}.`;
}
