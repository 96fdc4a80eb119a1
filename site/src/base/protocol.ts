// Every message between the page, the simulation worker and the view stands
// here, and nowhere else. Times are simulated microseconds (numbers: exact up
// to 285 years), buffers travel as transferred ArrayBuffers.

/** A layer of the frame, as core/frame describes it. */
export interface Layer {
  id: string;
  name: string;
  unit: string;
  names?: string[]; // a category: the name of each value; without: a ramp, 200 = 100 %
  top?: number; // of a ramp: what 200 stands for; absent: 100 %
}

/** Where cells are drawn: a grid of squares in which racks are blocks. */
export interface Layout {
  columns: number;
  rows: number;
  x: Uint16Array; // of each cell
  y: Uint16Array;
  rack: Int32Array; // of each cell
  blocks: { rack: number; x: number; y: number; width: number; height: number }[];
}

/** A column of numbers that a chart draws against the sample times. */
export interface Column {
  id: string; // "overloaded_pct"
  name: string; // "Overloaded nodes"
  unit: string; // "%", "MB", ""
  values: number[];
}

/** What went wrong with a file, link or setting: one sentence and where. */
export interface Trouble {
  class:
    | "unknown" | "bad-line" | "damaged" | "unreadable" | "too-large" | "empty" | "wrong-table" | "no-tasks" // a file
    | "setting" // of a scenario
    | "missing" // a scenario of the gallery did not come
    | "engine" // the run broke; the engine lives
    | "gone"; // the engine did not start, or ended
  sentence: string;
  file?: string;
  line?: number;
  column?: string;
  value?: string;
}

/** One fact of the simulation in words, for logs. */
export interface Line {
  at: number;
  text: string;
  nodes?: number[];
  ref?: number; // of what the system groups its notes by, for "negotiation"; absent: of none
}

/** The log of one group of notes. */
export interface Story {
  ref: number;
  task: string; // its id
  lines: Line[]; // all of it that is remembered, the oldest first
  decision?: Decision;
}

export interface NodeReport {
  node: number;
  name: string; // the workload's own number of the machine
  rack: number;
  up: boolean;
  class: string;
  resources: string[]; // what the places of the vectors below are
  capacity: number[]; // as fractions of the reference machine
  used: number[];
  requested: number[];
  production: number[]; // requested by production tasks
  tasks: {
    id: string; // for "explain"
    name: string;
    production: boolean;
    priority: number;
    state: string;
    used: number[];
    requested: number[];
    image_mb: number;
    share?: number; // of the reference machine's CPU, where the system allots it
    yield?: number; // share / what it requests
  }[]; // the largest first, at most 200
  more: number; // tasks not listed
  lines: Line[]; // the latest messages of this node's agent, newest first
}

export interface Status {
  at: number; // simulated time
  until: number; // where the run ends
  playing: boolean;
  ended: boolean;
  speed: number; // wanted, simulated seconds a second; 0: as fast as it goes
  reached: number; // the same, measured over the last second
  possible: number; // simulated seconds a second of pure computing
  events: number; // kernel events so far
  eventsPerSecond: number;
  memory: number; // bytes of the engine's heap
  digest: string; // 16 hex digits, of the run so far
  counts: Record<string, number>; // running, waiting, submitted, migrating, overloaded, idle, down …
}

export interface FileProgress {
  file: string;
  format: string; // "" until detected
  bytes: number;
  total: number;
  rate: number; // bytes a second
  rows: number;
}

/** The scenario as cli.md writes it; the engine checks it strictly. */
export interface Scenario {
  v: number;
  name?: string;
  system: string;
  seed?: number;
  cluster?: Record<string, unknown>;
  workload?: Record<string, unknown>;
  settings?: Record<string, unknown>;
  faults?: Record<string, unknown>[];
  chaos?: Record<string, unknown>;
  until?: string;
  view?: Record<string, unknown>;
}

/** Why a task is where it is: every candidate and what became of it. */
export interface Decision {
  id: string;
  task: string; // its name, "" once it has ended
  at: number;
  from: number; // -1: it was new or waited
  to: number; // -1: nobody took it
  forced: boolean;
  ref?: number; // of the group of notes behind it; absent: none was
  candidates: { node: number; score: number; answer: string }[]; // answer: chosen, accepted, rejected, silent, refused, forced
}

export interface Experiment {
  id: string;
  title: string;
  source: string;
  seconds: number; // about, natively
}

/** What a paper says beside what is measured, as core/paper describes it. */
export interface PaperResult {
  id: string;
  source: string;
  seeds: number;
  rows: PaperRow[];
}

/** One figure of a paper beside ours. */
export interface PaperRow {
  name: string;
  paper: number | null;
  measured: number;
  spread: number; // standard deviation over the seeds
  interval: { low: number; high: number } | null; // of the mean, 95 %; none of one run
  unit: string;
  rule: string; // what decides the claim, or ""
  holds: boolean | null; // null: nothing to judge, or (with a rule) the runs cannot tell
  note: string;
}

export type ToWorker =
  | { type: "open"; scenario: Scenario; files?: File[]; at?: number; play: boolean } // replaces the run; files replace the workload
  | { type: "play" }
  | { type: "pause" }
  | { type: "step" } // one sample step further, paused
  | { type: "speed"; speed: number }
  | { type: "seek"; at: number } // back: run again from the start
  | { type: "inspect"; node: number } // -1: stop; repeated with every sample until then
  | { type: "explain"; task: string } // why the task with this id is where it is
  | { type: "negotiation"; ref: number } // the log of the group of notes that a line names
  | { type: "fault"; kind: string; target: string; value?: number } // "node.4711", "rack.14", or of a system's agents; becomes part of the scenario
  | { type: "cancel" } // of reading files or seeking
  | { type: "frame"; buffer: ArrayBuffer }; // a spent frame comes back for reuse

/**
 * The lab (lab.wasm) runs in a worker of its own, with the script of the
 * simulation's worker: an experiment keeps its thread for seconds, and ending
 * that worker is how to cancel.
 */
export type ToLab =
  | { type: "experiment"; id: string; seeds?: number; nodes?: number }
  | { type: "plan"; kind: "yield" | "rounds"; algorithm: string; document: string } // the document of `parley plan`
  | { type: "platform"; name: string; text: string; master: string; flops: number; bytes: number }; // a file of workers; the last three are for SimGrid's

export type FromLab =
  | { type: "experiments"; experiments: Experiment[] } // it is ready
  | { type: "lab"; id: string; doing: string; runs: number; seconds: number } // an experiment is under way
  | { type: "paper"; result: PaperResult; seconds: number }
  | {
      type: "platform"; // as it can be planned for, or why it cannot
      name: string;
      load?: number;
      workers?: Record<"speed" | "bandwidth" | "comp_latency" | "comm_latency", number>[];
      names?: string[]; // of SimGrid's workers
      hosts?: string[]; // of a SimGrid platform
      master?: string;
      notes?: string[];
      why?: string;
    }
  | { type: "plan"; kind: "yield" | "rounds"; algorithm: string; result?: unknown; timeline?: Timeline; wall_us: number; why?: string }
  | { type: "trouble"; trouble: Trouble };

/** The course of a plan of rounds, one entry a chunk in sending order; seconds. */
export interface Timeline {
  Worker: ArrayLike<number>; // index in the platform
  Round: ArrayLike<number>; // from 0
  SendStart: ArrayLike<number>;
  SendEnd: ArrayLike<number>;
  ComputeStart: ArrayLike<number>;
  ComputeEnd: ArrayLike<number>;
}

/** The moments of a divisible load that Course.marks tells, named as core/cluster names them. */
export type MarkKind = "load_arrived" | "chunk_sent" | "chunk_received" | "chunk_started" | "chunk_done" | "chunk_lost" | "node_down" | "node_up";

/** What happened to a divisible load since the last time. */
export interface CourseMessage {
  type: "course";
  reset: boolean; // the first marks of a run
  whole: boolean; // false: there were more than are kept
  kinds: string[]; // MarkKind by number, among others
  marks: Float64Array; // five a mark: µs, kind, node, round from 1 (0: none), work units
  figures: Record<string, unknown>; // the system's own, as the report has them
}

export type FromWorker =
  | CourseMessage
  | { type: "ready"; engine: string; systems: SystemInfo[] }
  | { type: "opened"; scenario: Scenario; bringsMachines: boolean; layers: Layer[]; layout: Layout; files: FileSummary[] }
  | { type: "layout"; layout: Layout } // nodes joined
  | { type: "scenario"; scenario: Scenario } // as it stands now: a fault was added
  | { type: "frame"; buffer: ArrayBuffer } // core/frame's encoding, transferred
  | { type: "columns"; reset: boolean; at: number[]; columns: Column[] } // new samples only, reset: the first ones of a run
  | { type: "status"; status: Status }
  | { type: "node"; report: NodeReport }
  | { type: "lines"; lines: Line[] } // the newest messages of the whole cluster, newest first
  | { type: "progress"; files: FileProgress[]; phase: "reading" | "seeking" | "starting"; done: number; total: number } // bytes, µs, tasks; total 0: unknown
  | { type: "decision"; task: string; decision?: Decision; why?: string } // why: nothing is remembered
  | { type: "story"; story: Story }
  | { type: "trouble"; trouble: Trouble } // the running scenario is untouched
  | { type: "cancelled" }
  | { type: "ended"; digest: string; report: Record<string, unknown> };

/** All that the page knows of a system, as core/system describes it. */
export interface SystemInfo {
  id: string; // as scenarios spell it
  name: string;
  about: string; // one sentence
  paper?: string;
  suits: string[]; // the work it can schedule: "tasks", "jobs", "graphs", "loads"
  brings?: string; // a workload of its own: "asked" where the scenario describes one, "always" also where it says nothing
  settings: Setting[];
  agents: Role[];
  group?: string; // what a line's ref numbers: "negotiation"; absent: it tells no notes
  metrics: { id: string; name: string; unit: string }[];
  charts: Chart[]; // the most telling first
  layers: Layer[];
  views: string[]; // "sequence", "gantt", "graph", "accounts"
}

/** A setting of a system: what it means and what it may be. */
export interface Setting {
  id: string; // its path in the settings: "later.quota"
  name: string;
  about: string;
  unit?: string;
  group?: string; // the heading it stands under; absent: those that are tried most
  default: unknown;
  whole?: boolean; // only whole numbers are taken
  range?: Range; // of a number
  choices?: string[];
  stops?: number[]; // values worth trying: a slider
}

/** What a number may be. */
export interface Range {
  least: number;
  most: number;
  above?: boolean; // above least
  below?: boolean; // below most
}

/** A kind of agent, or what agents share and faults can break. */
export interface Role {
  id: string;
  name: string;
  about: string;
  on?: string; // "node": one on each; absent: as many as setting says
  setting?: string; // that says how many there are; absent: one
  faults: AgentFault[];
}

/** A fault that a system's agents know. */
export interface AgentFault {
  id: string; // as scenarios spell it
  undo?: string; // the kind that mends it; absent: the same with the value 0
  name: string; // on a button
  mend?: string; // on the button that mends it
  says?: string; // what its target does until then: "is down"
  target: string; // what its targets are: "broker" as in "broker.0"
  single?: boolean; // there is one target only
  unit?: string; // of the value
  value?: Range; // absent: it takes none
}

/** Columns that are read together. */
export interface Chart {
  title: string;
  lines: ChartLine[];
  stacked?: boolean;
  top?: number; // of the scale, unless values lie above; absent: what the values need
}

/** One column of a chart. */
export interface ChartLine {
  column: string; // its id
  name: string;
  tone: string; // "accent", "bad", "warn", "quiet", or "cycle.2": the third of the colours that categories have on the map
  scale?: string; // lines of one name share a scale; absent: the chart's left one
}

export interface FileSummary {
  file: string;
  format: string;
  rows: number;
  bad: number;
  bytes: number;
}

/** The page and the heatmap's frame talk through the same message events. */
export type ToView =
  | { type: "layers"; layers: Layer[] } // what the layers of the frames to come mean
  | { type: "layout"; layout: Layout }
  | { type: "frame"; buffer: ArrayBuffer } // comes back as "frame" when drawn
  | { type: "look"; fill: number; palette: "cividis" | "viridis" | "grey"; dark: boolean } // fill: the layer's index
  | { type: "camera"; x: number; y: number; zoom: number } // the grid square at the top left, CSS pixels a square
  | { type: "cursor"; cell: number; selected: number }; // -1: none

export type FromView =
  | { type: "ready" } // it listens, and wants everything told; again after the browser took the graphics card away
  | { type: "live" } // the first frame is on the screen
  | { type: "failed"; reason: string } // no WebGL: the page keeps its own drawing
  | { type: "frame"; buffer: ArrayBuffer };
