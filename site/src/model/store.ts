// The page's state: one plain object, changed by set and watched by key, of which each
// part of the page sees the slices that it names: slices.ts.
import type { ToWorker } from "../base/messages.ts";
import type { Scenario } from "../base/scenario.ts";
import type { Simulation } from "./engines.ts";
import { Series } from "./series.ts";
import type { Slice, State } from "./slices.ts";
import { Watched } from "./watched.ts";

export type { Alternative, Entry, Failure, Moment, Scored, State } from "./slices.ts";
export { all } from "./watched.ts";

/** What is known of a run before it has played anything. */
export function nothingPlayed(): Pick<State, Played> {
  return {
    head: 0,
    branches: [],
    branch: 0,
    lines: [],
    counted: [],
    incidents: [],
    course: undefined,
    accounts: [],
    accountsLeft: 0,
    graphs: [],
    graphsLeft: 0,
    graphLooked: 0,
    graph: undefined,
    story: undefined,
    cards: [],
    task: "",
    ended: undefined,
  };
}

type Played =
  | ("head" | "branches" | "branch" | "lines" | "counted" | "incidents" | "course" | "accounts" | "accountsLeft")
  | ("graphs" | "graphsLeft" | "graphLooked" | "graph" | "story" | "cards" | "task" | "ended");

/** The state before anything was opened. */
export function emptyState(): State {
  return {
    ...nothingPlayed(),
    // engine
    engine: "",
    systems: [],
    names: [],
    gallery: [],
    bases: {},
    download: undefined,
    silent: false,
    // run
    session: { is: "empty" },
    base: "",
    scenario: undefined,
    resolvedScenario: undefined,
    hasMachines: false,
    shape: "",
    choices: [],
    wish: 0,
    push: false,
    traceFiles: [],
    files: [],
    card: false,
    foreignProgram: undefined,
    expected: undefined,
    question: "",
    replayed: false,
    before: "",
    former: undefined,
    lesson: [],
    step: -1,
    heading: false,
    // told
    layers: [],
    grid: undefined,
    picture: undefined,
    frame: undefined,
    preview: undefined,
    series: new Series(),
    status: undefined,
    alternative: undefined,
    // look
    fill: "cpu",
    palette: "dusk",
    scale: { low: 0, high: 200 },
    group: "rack",
    whole: false,
    light: false,
    stage: { width: 0, height: 0 },
    insets: { top: 52, right: 16, bottom: 56, left: 16 },
    camera: { x: 0, y: 0, zoom: 4 },
    aim: undefined,
    fitted: true,
    drawing: "canvas",
    draw: undefined,
    left: 0,
    careful: true,
    zoned: true,
    reducedMotion: false,
    // chosen
    cursor: -1,
    selected: -1,
    picksRack: false,
    report: undefined,
    followed: undefined,
    why: undefined,
    hold: false,
    filter: "",
    score: "",
    scored: undefined,
    kept: new Uint8Array(),
    // page
    place: "watch",
    comparison: {},
    more: undefined,
    tab: "",
    show: undefined,
    paused: false,
    presenting: false,
    keys: true,
    keeping: "",
    sweepFile: undefined,
    planFile: undefined,
    dump: undefined,
    asked: {},
    trouble: undefined,
    notice: "",
  };
}

function noSimulation(): never {
  throw new Error("there is no second engine here");
}

// Held is a store by the type of what it holds, Store by the names of slices: TypeScript compares
// the first by what is in it, so that nothing takes slices that its caller did not name.
class Held<S extends object> extends Watched<S> {
  constructor(
    state: S,
    readonly send: (message: ToWorker) => void,
    readonly begin: (scenario: Scenario, files: boolean) => Simulation = noSimulation, // beside the run on the page
  ) {
    super(state);
  }
}

/** The slices S of the page's state, and the way to the engines. */
export type Store<S extends Slice = Slice> = Held<State<S>>;
export const Store = Held;
