// The page's state: one plain object, changed by set and watched by key. What
// the simulation says and what the viewer chose stand side by side; nothing
// else on the page holds state that another part needs.
import type { Decision, FileProgress, FileSummary, Layer, Line, NodeReport, Scenario, Status, Story, SystemInfo, ToWorker, Trouble } from "../base/protocol.ts";
import type { Frame } from "../base/frame.ts";
import type { PaletteName } from "../base/palette.ts";
import type { Camera, Insets, Size } from "./camera.ts";
import type { Grid } from "./grid.ts";
import type { Course } from "./course.ts";
import { emptyCompare, type CompareState } from "./compare.ts";
import { emptyLab, type LabState } from "./lab.ts";
import { emptyPlanner, type PlannerState } from "./planner.ts";
import { Series } from "./series.ts";

/** A scenario of the gallery. */
export interface Entry {
  id: string;
  name: string;
  system: string;
  nodes?: number; // absent where the preset or a trace decides
  about?: string;
}

/** What the page asked the engine to open, until it did. */
export interface Request {
  base: string; // the gallery's id, or ""
  scenario: Scenario;
  files: File[];
  push: boolean; // a step that the Back button returns from
  at: number; // µs to run to first
  digest: string; // what the run must have there, or ""
  play: boolean; // go on from there
  selected: number;
}

/** How much of the engine's program has come. */
export interface Download {
  file: string;
  bytes: number;
  total: number; // 0: the server does not say
}

export interface State {
  // what there is
  engine: string; // its version; "" until the worker is ready
  systems: SystemInfo[];
  gallery: Entry[];
  bases: Record<string, Scenario>; // the gallery's scenarios that were fetched
  // what runs
  request: Request | undefined; // under way
  arrival: Pick<Request, "at" | "digest" | "play"> | undefined; // the place in the run that a link names, until it is reached
  base: string; // the gallery's id of the scenario, or ""
  scenario: Scenario | undefined; // as it was opened, with the faults added since
  echo: Scenario | undefined; // the same with the engine's defaults filled in
  bringsMachines: boolean; // the machines come with the workload
  push: boolean; // the last change of scenario is a step in the history
  dropped: File[]; // the trace files behind it
  rejected: File[]; // those of the request that failed
  expected: Pick<Request, "scenario" | "at" | "digest"> | undefined; // what a link shows as soon as its sender's files are opened here
  files: FileSummary[];
  layers: Layer[];
  grid: Grid | undefined;
  frame: Frame | undefined; // its buffer is reused by the next frame
  series: Series;
  status: Status | undefined;
  head: number; // the furthest simulated time reached
  lines: Line[];
  course: Course | undefined; // of a divisible load
  ended: Record<string, unknown> | undefined;
  // what is looked at
  fill: string; // the layer's id
  palette: PaletteName;
  stage: Size; // CSS pixels
  insets: Insets; // what menus, legend and inspector cover of it
  camera: Camera;
  fitted: boolean; // the camera shows all of the cluster and follows the stage's size
  cursor: number; // the cell under the pointer or the keyboard's cursor, -1: none
  selected: number; // -1: none
  report: NodeReport | undefined; // of the selected node
  why: { task: string; decision?: Decision; why?: string } | undefined; // the latest answer to why a task is where it is
  story: Story | undefined; // the negotiation that was asked for last
  tab: string; // of the drawer
  filter: string; // of the table of nodes
  drawing: "canvas" | "view"; // who draws the cells
  plain: boolean; // the link asks for the page's own drawing
  keys: boolean; // single letters are shortcuts
  calm: boolean; // the viewer asked for little motion: nothing plays by itself
  // what is under way
  download: Download | undefined; // the engine's program, until all of it is here
  gone: boolean; // the engine did not start, or ended; what was opened is kept
  loading: { files: FileProgress[]; phase: "reading" | "seeking" | "starting"; done: number; total: number } | undefined;
  trouble: Trouble | undefined;
  verdict: "" | "checking" | "reproduced" | "differs"; // of the link's digest
  notice: string; // a short confirmation: "Link copied"
  lab: LabState;
  planner: PlannerState;
  compare: CompareState;
}

export type Key = keyof State;

/** The state before anything was opened. */
export function emptyState(): State {
  return {
    engine: "", systems: [], gallery: [], bases: {},
    request: undefined, arrival: undefined, base: "", scenario: undefined, echo: undefined, bringsMachines: false, push: false, dropped: [], rejected: [], expected: undefined, files: [],
    layers: [], grid: undefined, frame: undefined, series: new Series(), status: undefined, head: 0, lines: [], course: undefined, ended: undefined,
    fill: "cpu", palette: "cividis", stage: { width: 0, height: 0 }, insets: { top: 52, right: 16, bottom: 56, left: 16 }, camera: { x: 0, y: 0, zoom: 4 }, fitted: true,
    cursor: -1, selected: -1, report: undefined, why: undefined, story: undefined, tab: "charts", filter: "", drawing: "canvas", plain: false, keys: true, calm: false,
    download: undefined, gone: false, loading: undefined, trouble: undefined, verdict: "", notice: "", lab: emptyLab(), planner: emptyPlanner(), compare: emptyCompare(),
  };
}

/** State that can be watched, and the way to the worker. */
export class Store {
  readonly state: State;
  #watchers = new Map<Key, Set<() => void>>();
  #changed = new Set<Key>();

  constructor(
    state: State,
    readonly send: (message: ToWorker) => void,
  ) {
    this.state = state;
  }

  /** Changes some of the state; watchers are called soon, once for all changes of one turn. */
  set(change: Partial<State>): void {
    if (this.#changed.size === 0) queueMicrotask(() => this.#tell());
    Object.assign(this.state, change);
    for (const key of Object.keys(change)) this.#changed.add(key as Key);
  }

  /** Calls listener now and whenever one of keys was set; returns the way to stop. */
  watch(keys: Key[], listener: () => void): () => void {
    for (const key of keys) {
      const set = this.#watchers.get(key) ?? new Set();
      this.#watchers.set(key, set.add(listener));
    }
    listener();
    return () => {
      for (const key of keys) this.#watchers.get(key)?.delete(listener);
    };
  }

  #tell(): void {
    const called = new Set<() => void>();
    for (const key of this.#changed) for (const listener of this.#watchers.get(key) ?? []) called.add(listener);
    this.#changed.clear();
    for (const listener of called) listener();
  }
}

/** Calls all of the ways to stop. */
export function all(...stops: (() => void)[]): () => void {
  return () => {
    for (const stop of stops) stop();
  };
}
