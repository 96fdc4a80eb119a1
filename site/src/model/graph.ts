// The picture of a task graph: where its subtasks are drawn, and who has them. Subtasks
// stand in columns by their depth; in a column in the order of the file.
import type { FromWorker } from "../base/messages.ts";

export type GraphMessage = Extract<FromWorker, { type: "graphpicture" }>;

/** What became of a subtask. */
export type SubtaskState = "open" | "taken" | "done";

/** What part of the picture is seen: 1 is all of it; x and y are where the seen part begins, in parts of the whole. */
export interface Lens {
  zoom: number;
  x: number;
  y: number;
}

export class GraphPicture {
  readonly number: number;
  readonly depth: Int32Array;
  readonly from: Int32Array;
  readonly to: Int32Array;
  readonly columns: Int32Array; // subtasks of each depth
  readonly place: Int32Array; // of each subtask in its column
  agents: Int32Array;
  over = false;

  constructor({ number, depth, from, to, agents }: GraphMessage) {
    [this.number, this.depth, this.from, this.to, this.agents] = [number, depth, from, to, agents];
    const deepest = depth.reduce((most, one) => Math.max(most, one), -1);
    this.columns = new Int32Array(deepest + 1);
    this.place = depth.map((one) => this.columns[one]++);
  }

  get length(): number {
    return this.depth.length;
  }

  /** Where a subtask is, in parts of the whole picture. */
  at(v: number): { x: number; y: number } {
    return { x: (this.depth[v] + 0.5) / this.columns.length, y: (this.place[v] + 0.5) / this.columns[this.depth[v]] };
  }

  /** The node that has a subtask or has done it; -1 if none. */
  agent(v: number): number {
    const one = this.agents[v];
    return one < -1 ? -2 - one : one;
  }

  state(v: number): SubtaskState {
    const one = this.agents[v];
    return one < -1 ? "done" : one < 0 ? "open" : "taken";
  }

  /** How many subtasks are in each state. */
  counts(): Record<SubtaskState, number> {
    const counts = { open: 0, taken: 0, done: 0 };
    for (let v = 0; v < this.length; v++) counts[this.state(v)]++;
    return counts;
  }

  /** The subtask nearest to a place, in parts of the whole; -1: there is none. */
  nearest(x: number, y: number): number {
    const column = Math.floor(x * this.columns.length);
    if (column < 0 || column >= this.columns.length || y < 0 || y >= 1) return -1;
    const wanted = Math.floor(y * this.columns[column]);
    return this.depth.findIndex((depth, v) => depth === column && this.place[v] === wanted);
  }
}

/** Takes a message in: the first of a graph makes its picture, later ones change it. */
export function take(before: GraphPicture | undefined, message: GraphMessage): GraphPicture | undefined {
  if (message.shape) return new GraphPicture(message);
  if (before?.number !== message.number) return before;
  if (message.over) before.over = true;
  else before.agents = message.agents;
  return before;
}

/** The lens nearer or further by a factor, so that what is at a place (0 … 1 of the lens) stays there. */
export function zoomed({ zoom, x, y }: Lens, factor: number, at: { x: number; y: number }): Lens {
  const next = Math.min(2000, Math.max(1, zoom * factor));
  return held({ zoom: next, x: x + at.x / zoom - at.x / next, y: y + at.y / zoom - at.y / next });
}

/** The lens, kept within the picture. */
export function held({ zoom, x, y }: Lens): Lens {
  const most = 1 - 1 / zoom;
  return { zoom, x: Math.min(most, Math.max(0, x)), y: Math.min(most, Math.max(0, y)) };
}

/** The hue of an agent: neighbours in number are far apart in colour. */
export function hue(node: number): number {
  return Math.round((node * 137.508) % 360);
}
