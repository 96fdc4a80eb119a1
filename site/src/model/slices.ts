// What the page's state holds, in slices: what the simulation says and what the viewer
// chose. Nothing else on the page holds state that another part needs.
import type { Download } from "../base/format.ts";
import type { Frame } from "../base/frame.ts";
import type {
  Account,
  Branch,
  Card,
  Counted,
  FileSummary,
  Followed,
  FromWorker,
  GraphTask,
  Incident,
  Layer,
  Line,
  Name,
  NodeReport,
  RunReport,
  Status,
  Story,
  SystemInfo,
  Trouble,
} from "../base/messages.ts";
import type { PaletteName } from "../base/palette.ts";
import type { Scenario, Scheduler, Step } from "../base/scenario.ts";
import type { CameraKey, Compared, Group, Place, Shown } from "./address.ts";
import type { ClusterForm, Question } from "./ask.ts";
import type { Camera, Insets, Size } from "./camera.ts";
import type { Course } from "./course.ts";
import type { GraphPicture } from "./graph.ts";
import type { Grid } from "./grid.ts";
import type { PlanKind } from "./instances.ts";
import type { Keeping } from "./kept.ts";
import type { Scale } from "./scale.ts";
import type { Series } from "./series.ts";
import type { Request, Session } from "./session.ts";

/** A scenario of the gallery: what it asks, and what was found at a moment of it. */
export interface Entry {
  id: string;
  name: string;
  system: string;
  nodes: number;
  about: string;
  question: string;
  finding: string;
  at: string;
  digest: string;
  lesson?: number; // steps
  opens: number; // µs; the moment at which the card is opened
  moment: number; // µs; of the finding
  speed: number; // at which it is played from the one to the other
  recorded?: boolean; // its choices up to the first are recorded
}

/** A step of a lesson with its moment in µs. */
export interface Moment extends Step {
  us: number;
}

/** The nodes that formulas found. */
export type Scored = Extract<FromWorker, { type: "scored" }>;

/** Trouble with what was asked for: its files, and how to ask for it again where that may help. */
export type Failure = Trouble & { files?: File[]; map?: string; again?: Request };

/** The parts of the state. A panel names those that it reads and sets: `Store<"reported" | "look">`. */
export interface Slices {
  engine: Engine;
  run: Run;
  reported: Reported;
  look: Look;
  chosen: Chosen;
  page: Page;
}

/** What the engine is, and what it and the gallery offer. */
export interface Engine {
  engine: string; // its version; "" until the worker is ready
  systems: SystemInfo[];
  names: Name[]; // that formulas may use
  gallery: Entry[];
  bases: Record<string, Scenario>; // the gallery's scenarios that were fetched
  download: Download | undefined; // the engine's program, until all of it is here
  silent: boolean; // the engine should say something, and has not for a while
}

/** What was opened: the scenario, its files and its lesson. */
export interface Run {
  session: Session;
  base: string; // the gallery's id of the scenario, or ""
  scenario: Scenario | undefined; // as it was opened, with the faults added since
  resolvedScenario: Scenario | undefined; // the same with the engine's defaults filled in
  hasMachines: boolean; // the machines come with the workload
  shape: string; // the kind of work that comes: "tasks", "jobs" …
  choices: string[]; // what was chosen for the files, in sentences without stops
  wish: number; // counts what was asked to be opened: the last one counts
  push: boolean; // the last change of scenario is a step in the history
  traceFiles: File[]; // behind it
  files: FileSummary[];
  card: boolean; // what was read of them is shown
  foreignProgram: { scenario: Scenario; options: Partial<Omit<Request, "scenario">> } | undefined; // of a link: it runs when its reader has seen it
  expected: { scenario: Scenario; at: number; digest: string; fork?: number } | undefined; // what a link shows as soon as its sender's files are opened here
  question: string; // the gallery's id of the card that was opened, whose question is shown; "" for none
  replayed: boolean; // the run is a moment that somebody shared
  before: string; // what ran before a program or formula of the user's own, as comparisons name it
  former: Scheduler | undefined; // the last program or formula before the present one
  lesson: Moment[]; // the steps of the scenario
  step: number; // of the lesson that is shown; -1 before the first
  heading: boolean; // the run is on its way to that step
}

/** What the engine told of the run since: its latest picture, its course, its events. */
export interface Reported {
  layers: Layer[];
  grid: Grid | undefined;
  picture: Extract<FromWorker, { type: "picture" }> | undefined; // that the worker drew last
  frame: Frame | undefined; // its buffer is reused by the next frame
  preview: { until: number } | undefined; // frame is a recorded one: the run is shown from that moment on, in µs
  series: Series;
  status: Status | undefined;
  head: number; // the furthest simulated time reached in this course
  branches: Branch[]; // the courses of the run; none: it has but one
  branch: number; // the one that is played
  lines: Line[];
  counted: Counted[]; // groups of notes that the story counts, the newest first
  incidents: Incident[]; // the newest first
  alternative: Alternative | undefined; // what another scheduler would have made of one of them
  course: Course | undefined; // of a divisible load
  accounts: Account[]; // of the system's parties, those with the largest turnover
  accountsLeft: number; // that are not among them
  graphs: GraphTask[]; // that the system works on, those that arrived first
  graphsLeft: number; // that are not among them
  cards: Card[]; // of nodes that are near enough to show their tasks
  story: Story | undefined; // the negotiation that was asked for last
  ended: RunReport | undefined;
}

/** How the stage looks. */
export interface Look {
  fill: string; // the layer's id
  palette: PaletteName;
  scale: Scale; // of the layer that fills the cells
  group: Group; // what stands together on the stage
  whole: boolean; // the scale is 0 to 100 %
  zoned: boolean; // the stage shows zones as cards, where the system has them
  light: boolean; // the stage is light
  stage: Size; // CSS pixels
  insets: Insets; // what menus, legend and inspector cover of it
  camera: Camera;
  aim: CameraKey | undefined; // where a link looks, until the viewer looks elsewhere
  fitted: boolean; // the camera shows all of the cluster and follows the stage's size
  drawing: "canvas" | "view"; // who draws the cells
  draw: "2d" | "gl" | undefined; // the link asks for the page's own drawing, or for the renderer on any machine
  left: number; // what is left out of pictures to keep their pace: 0 nothing, 1 rings, 2 glow, 3 tails too
  careful: boolean; // time slows while a fault heals
  reducedMotion: boolean; // the viewer asked for little motion: nothing plays by itself
}

/** What the viewer looks at: nodes, a task, a graph. */
export interface Chosen {
  cursor: number; // the cell under the pointer or the keyboard's cursor, -1 if none
  selected: number; // -1 if none
  picksRack: boolean; // the rack of the selected node is meant, where something is to break
  report: NodeReport | undefined; // of the selected node
  followed: Followed | undefined; // the task with which the selection moves from node to node
  task: string; // that is looked at, by its id; "" if none
  why: Extract<FromWorker, { type: "decision" }> | undefined; // the latest answer to why a task is where it is
  hold: boolean; // the tasks of cards stay where they are: one is pointed at
  graph: GraphPicture | undefined; // its picture
  graphLooked: number; // the graph that is looked at; 0 if there is none
  filter: string; // of the nodes: words, or a formula
  score: string; // the formula that fills the cells
  scored: Scored | undefined; // what formulas found; undefined before the run's first answer
  kept: Uint8Array; // by node: 1 if formulas keep it; empty without formulas
}

/** Where the viewer is on the page, and what a link or a file asks of it. */
export interface Page {
  place: Place; // of the page
  comparison: Compared; // what the address says of it
  more: [string, string][] | undefined; // keys of the address that this page does not know
  tab: string; // of the drawer; "": the system's first one
  show: Shown[] | undefined; // parts of the page that the link shows in a frame
  paused: boolean; // the link opens its run paused
  presenting: boolean; // the lesson is shown in large type
  keys: boolean; // single letters are shortcuts
  keeping: Keeping; // what this browser keeps of the runs
  sweepFile: { name: string; text: string } | undefined; // a sweep or results of one, for the place Sweep to take
  planFile: { name: string; text: string; kind: PlanKind } | undefined; // an instance or a platform, for the place Plan to take
  dump: { files: File[]; question?: Question; form?: Partial<ClusterForm> } | undefined; // for the place Your cluster to take, with what is asked of it; without files its example
  asked: Partial<Record<Place, string>>; // by place, the packed question that a link brought or is made for: asked.ts, placelink.ts
  trouble: Failure | undefined;
  notice: string; // a short confirmation: "Link copied"
}

export type Slice = keyof Slices;

/** What the slices S hold, side by side; all of the state without S. */
export type State<S extends Slice = Slice> = ((slice: object) => void) | (S extends Slice ? (slice: Slices[S]) => void : never) extends (
  all: infer All extends object,
) => void
  ? All
  : never;

/** Another scheduler's account of a fault. */
export interface Alternative {
  fault: string; // keyOf the incident
  name: string; // of the scheduler
  line: string; // what it cost there, or how far its run is
}
