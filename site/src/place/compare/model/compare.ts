// A comparison: the scenario on the page and others like it, each played from its
// start with several seeds, every run in a worker of its own, as many at a time as
// the machine has cores to spare. The run on the page is not part of it and goes on.
import { duration, HOUR, MINUTE, number, parseDuration } from "../../../base/format.ts";
import type { FromWorker } from "../../../base/messages.ts";
import type { Scenario } from "../../../base/scenario.ts";
import { encodeAddress, MOST_RIVALS, MOST_SEEDS } from "../../../model/address.ts";
import { otherCourses } from "../../../model/courses.ts";
import type { Simulation } from "../../../model/engines.ts";
import { needOf } from "../../../model/need.ts";
import { formerOf } from "../../../model/own.ts";
import { type Playing, Pool } from "../../../model/pool.ts";
import { type Contest, contestOf, type Rival, shortNames, usualChoice } from "../../../model/rivals.ts";
import { linkTo, titleOf, usualFill } from "../../../model/scenario.ts";
import { Series } from "../../../model/series.ts";
import type { Store } from "../../../model/store.ts";
import { Watched } from "../../../model/watched.ts";
import { askedOf, type Figure, figuresOf, type Told, toldBy } from "./figures.ts";
import { type Outcome, type Played, playsOf } from "./outcome.ts";
import type { Pair } from "./pair.ts";

export interface CompareState {
  chosen: string[] | undefined; // the ids of rivals; undefined by default
  until: string; // as it was typed; "": as far as the page is
  seeds: string; // how many, as it was typed; "": the usual number
  pausing: boolean; // the run on the page stands still meanwhile
  figure: string; // the id of the column that is drawn; "" by default
  title: string; // of the scenario that was compared
  to: number; // until when, µs
  runs: Outcome[]; // the scenario's own first
  figures: Figure[]; // of the runs that are done
  running: boolean;
}

export function emptyCompare(): CompareState {
  return { chosen: undefined, until: "", seeds: "", pausing: false, figure: "", title: "", to: 0, runs: [], figures: [], running: false };
}

/** Seeds unless somebody chose: of a generated workload, and of one that files bring, where a seed changes draws alone. */
const USUAL_SEEDS = 5;

/** Cells of more nodes are played one after the other: a run takes some 5 KB a node. */
const LARGE = 50_000;

export class Comparison {
  #pool: Pool;
  #playing = new Map<Played, Playing>();
  #asked = new Map<Played, { number: number; told: Told[] }>(); // of the worker of a run that is over: what the runs that are done told until then
  #questions = 0;
  #answered = 0; // the number of the question whose answer is shown
  #base = ""; // the gallery's id of the scenario that is compared
  #files: File[] = []; // that it plays
  #need: string | undefined; // what links say of them
  #resume = false; // the run on the page was paused for the comparison

  readonly watched = new Watched<{ compare: CompareState }>({ compare: emptyCompare() });

  constructor(
    readonly store: Store<"engine" | "run" | "reported" | "look">,
    begin: (scenario: Scenario, files: boolean) => Simulation,
    readonly cores: number, // that may be busy beside the page's own run
  ) {
    this.#pool = new Pool(begin, false);
  }

  get state(): CompareState {
    return this.watched.state.compare;
  }

  set(change: Partial<CompareState>): void {
    this.watched.set({ compare: { ...this.state, ...change } });
  }

  /** What can be compared with the scenario on the page. */
  contest(): Contest | undefined {
    const { scenario, systems, shape, traceFiles } = this.store.state;
    const contest = contestOf(scenario, systems, { shape, files: traceFiles.length > 0 });
    return contest && { ...contest, others: [...formerOf(this.store.state), ...otherCourses(this.store.state), ...contest.others] };
  }

  /** The rivals that are chosen and can play. */
  chosen(): Rival[] {
    const contest = this.contest();
    const courses = otherCourses(this.store.state).map(({ id }) => id);
    const ids = this.state.chosen ?? (courses.length > 0 ? courses : contest ? usualChoice(contest) : []);
    const rivals = contest?.others.filter(({ id }) => ids.includes(id)) ?? [];
    return rivals.slice(0, MOST_RIVALS);
  }

  choose(id: string, wanted: boolean): void {
    const others = this.chosen()
      .map((rival) => rival.id)
      .filter((other) => other !== id);
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

  /** How many seeds would be played; undefined where what was typed is no such number. */
  seeds(): number | undefined {
    const typed = this.state.seeds.trim();
    if (typed === "") return this.store.state.traceFiles.length > 0 ? 1 : USUAL_SEEDS;
    const wanted = Number(typed);
    return Number.isInteger(wanted) && wanted >= 1 && wanted <= MOST_SEEDS ? wanted : undefined;
  }

  /** Whether a run is on the page, and none is opening that will take its place: what was started before then would be of the scenario that goes. */
  ready(): boolean {
    return this.store.state.status !== undefined && this.store.state.session.is !== "opening";
  }

  /** Plays the scenario and the chosen rivals: first all of them with the scenario's seed, then with the next one, and so on. */
  start(): void {
    const contest = this.contest();
    const to = this.until();
    const seeds = this.seeds();
    const { status, scenario, resolvedScenario, base, bases, traceFiles, files } = this.store.state;
    if (!contest || to === undefined || seeds === undefined || this.state.running || !this.ready()) return;
    const first = resolvedScenario?.seed ?? scenario?.seed ?? 0;
    const fresh = (seed: number): Played => ({
      seed,
      state: "waiting",
      at: 0,
      phase: "starting",
      share: 0,
      series: new Series(),
      digest: "",
      report: undefined,
      why: "",
    });
    const rivals = [contest.own, ...this.chosen()];
    const names = shortNames(rivals.map(({ name }) => name));
    const runs = rivals.map(
      (rival, i): Outcome => ({
        ...rival,
        name: names[i],
        ...fresh(first),
        link: "",
        repeats: Array.from({ length: seeds - 1 }, (_, i) => fresh(first + 1 + i)),
      }),
    );
    this.#base = base;
    this.#files = traceFiles;
    this.#need = needOf(files);
    this.#answered = this.#questions;
    this.set({ runs, figures: [], to, title: titleOf(scenario, bases[base]) ?? "", running: true });
    this.#resume = this.state.pausing && status?.playing === true;
    if (this.#resume) this.store.send({ type: "pause" });
    this.#next();
  }

  /** Ends what is under way; the runs that are done stay. */
  cancel(): void {
    if (!this.state.running) return;
    for (const played of this.state.runs.flatMap(playsOf))
      if (played.state === "playing" || played.state === "waiting") played.state = "cancelled";
    this.#finish();
  }

  /** Forgets what was played. */
  clear(): void {
    this.cancel();
    if (this.state.runs.length > 0) this.set({ runs: [], figures: [] });
  }

  /** Shows the scenario and the chosen rivals side by side, at a moment (µs) or where the page's run is. */
  watch(pair: Pair, at?: number): void {
    const contest = this.contest();
    const rivals = this.chosen();
    const { status, traceFiles, fill } = this.store.state;
    if (!contest || rivals.length === 0 || !status) return;
    pair.open([contest.own, ...rivals], traceFiles, Math.min(status.until, at ?? status.at), status.until, fill);
  }

  /** Begins as many of the runs that wait as there is room for. */
  #next(): void {
    const { runs, running } = this.state;
    if (!running) return;
    const room = (this.store.state.status?.counts?.nodes ?? 0) > LARGE ? 1 : Math.max(1, this.cores);
    const rounds = Math.max(...runs.map(({ repeats }) => repeats.length + 1));
    for (let seed = 0; seed < rounds && this.#playing.size < room; seed++) {
      for (const run of runs) {
        const played = playsOf(run)[seed];
        if (played.state === "waiting" && this.#playing.size < room) this.#play(run, played, seed > 0);
      }
    }
    if (this.#playing.size === 0) this.#finish();
    else this.#tell();
  }

  #play(run: Outcome, played: Played, reseeded: boolean): void {
    played.state = "playing";
    const scenario = { ...run.scenario, ...(reseeded ? { seed: played.seed } : {}), until: duration(this.state.to) };
    const late = ({ at }: Record<string, unknown>) => (parseDuration(String(at)) ?? 0) > this.state.to; // each would be warned of: it never happens
    if (scenario.faults?.some(late)) scenario.faults = scenario.faults.filter((fault) => !late(fault));
    this.#playing.set(
      played,
      this.#pool.play(scenario, this.#files, (message) => this.#receive(run, played, message)),
    );
  }

  #finish(): void {
    for (const playing of this.#playing.values()) playing.end();
    this.#playing.clear();
    this.#asked.clear();
    this.set({ running: false, runs: [...this.state.runs] });
    if (this.#resume) this.store.send({ type: "play" });
    this.#resume = false;
  }

  /** A run came to its end: its worker estimates the figures of all that are done, then makes room for the next one. */
  #ask(played: Played): void {
    const told = toldBy(this.state.runs);
    this.#asked.set(played, { number: ++this.#questions, told });
    this.#playing.get(played)?.send({ type: "compare", figures: askedOf(told) });
    this.#tell();
  }

  #answer(played: Played, answer: Extract<FromWorker, { type: "compared" }>): void {
    const asked = this.#asked.get(played);
    if (asked && asked.number > this.#answered) {
      this.#answered = asked.number;
      this.set({ figures: figuresOf(asked.told, answer.figures) });
    }
    this.#over(played);
  }

  /** A run is over: its worker makes room for the next one. */
  #over(played: Played): void {
    this.#playing.get(played)?.end();
    this.#playing.delete(played);
    this.#asked.delete(played);
    this.#next();
  }

  #receive(run: Outcome, played: Played, message: FromWorker): void {
    switch (message.type) {
      case "progress":
        played.phase = message.phase === "reading" ? "reading" : "starting";
        played.share = message.total > 0 ? Math.min(1, message.done / message.total) : 0;
        return this.#tell();
      case "columns":
        return played.series.append(message.reset, message.at, message.columns);
      case "status":
        played.at = message.status.at;
        return this.#tell();
      case "trouble":
        if (this.#asked.has(played)) return this.#over(played); // its result is there already
        played.state = "failed";
        played.why = message.trouble.sentence;
        if (played === run)
          for (const repeat of run.repeats) if (repeat.state === "waiting") [repeat.state, repeat.why] = ["failed", played.why]; // other seeds will not help
        return this.#over(played);
      case "ended":
        played.state = "done";
        played.digest = message.digest;
        played.report = message.report;
        if (played === run) void this.#link(run);
        return this.#ask(played);
      case "compared":
        return this.#answer(played, message);
    }
  }

  /** The link to the end of a run, which the page plays and checks by its digest. */
  async #link(run: Outcome): Promise<void> {
    const base = this.store.state.bases[this.#base];
    run.link =
      "#" +
      (await encodeAddress({
        ...linkTo(run.scenario, usualFill(base), this.#base, base),
        need: this.#need,
        at: run.at,
        digest: run.digest,
      }));
    this.#tell();
  }

  #tell(): void {
    this.set({ runs: [...this.state.runs] });
  }
}

/** What the comparison does, or did, in one sentence. */
export function progressOf({ runs, running, to }: CompareState): string {
  const plays = runs.flatMap((run) => playsOf(run).map((played) => ({ name: run.name, played })));
  const seeds = runs[0]?.repeats.length ?? 0;
  const are = (...states: Played["state"][]) => plays.filter(({ played }) => states.includes(played.state));
  const done = are("done").length;
  const failed = are("failed").length;
  if (plays.length === 0) return "";
  if (running) {
    const now = are("playing").map(({ name, played }) => (seeds > 0 ? `${name}, seed ${played.seed}` : name));
    return `Playing ${now.join("; ")}, ${plays.length - are("waiting").length} of ${plays.length}`;
  }
  if (done + failed < plays.length) return `Cancelled; ${number(done, "run")} of ${plays.length} came to the end.`;
  const what = seeds > 0 ? `${number(runs.length, "system")} with ${number(seeds + 1, "seed")} each` : number(done, "run");
  return `Compared ${what} up to ${duration(to)}${failed > 0 ? `; ${failed} could not be played` : ""}.`;
}

/** How much of the whole comparison is played, 0 to 1. */
export function shareOf({ runs, to }: CompareState): number {
  const plays = runs.flatMap(playsOf);
  const share = ({ state, at }: Played) => (state === "done" || state === "failed" ? 1 : state === "playing" ? Math.min(1, at / to) : 0);
  return plays.length === 0 ? 0 : plays.reduce((sum, played) => sum + share(played), 0) / plays.length;
}
