// The course of a divisible load: which piece was sent to whom, when it came,
// and when it was computed. Of a run it is folded from the engine's marks, of a
// plan it is read from the planner's timeline. Times are seconds.
import type { FromWorker, Timeline } from "../base/messages.ts";

const SECOND = 1e6; // µs

/** What happened to a load since the last time, as the engine tells it. */
export type CourseMessage = Extract<FromWorker, { type: "course" }>;

/** One piece on its way. A time is NaN until it comes. */
export interface Piece {
  worker: number;
  round: number; // from 1; 0: it was not planned
  amount: number; // work units
  send: number;
  arrive: number;
  begin: number;
  end: number;
  lost: number; // when the worker went down with it
}

/** When a plan says that a worker computes something of a graph. */
export interface Intent {
  round: number; // the graph
  from: number;
  to: number;
}

/** A time in which a worker was down; to is NaN while it is. */
export interface Outage {
  worker: number;
  from: number;
  to: number;
}

export class Course {
  pieces: Piece[] = []; // in the order in which they were sent
  lanes: Piece[][] = []; // the same of each worker
  outages: Outage[] = [];
  intents: Intent[][] = []; // of each worker, by the latest plan
  workers = 0;
  rounds = 0;
  port = true; // whether a master sends the pieces: the tasks of a graph's schedule come of themselves
  ordered = false; // whether rounds follow one another: what stands for them may be graphs, which do not
  load = 0;
  done = 0;
  lost = 0;
  latest = 0; // the last moment that is told of
  whole = true;
  figures: Record<string, unknown> = {};
  version = 0;
  #last = 0; // when the last piece so far was computed
  #waiting: Piece[][] = []; // of each worker: not computed yet, the first is the next

  /** The end of the latest plan, seconds; 0 without one. */
  get planEnd(): number {
    return this.intents.reduce((end, lane) => lane.reduce((most, { to }) => Math.max(most, to), end), 0);
  }

  /** How many rounds it has as far as known: those of the plan, or those that were sent. */
  get roundsInAll(): number {
    return Math.max(this.rounds, typeof this.figures.rounds === "number" ? this.figures.rounds : 0);
  }

  /** The time at which everything was computed; NaN before. */
  get finished(): number {
    return this.load > 0 && this.done >= this.load * (1 - 1e-9) ? this.#last : NaN;
  }

  lane(worker: number): Piece[] {
    while (this.lanes.length <= worker) {
      this.intents.push([]);
      this.lanes.push([]);
      this.#waiting.push([]);
    }
    this.workers = this.lanes.length;
    return this.lanes[worker];
  }

  add(piece: Piece): void {
    this.lane(piece.worker).push(piece);
    this.pieces.push(piece);
    this.rounds = Math.max(this.rounds, piece.round);
    if (piece.end > this.#last) this.#last = piece.end;
  }

  /** Takes the marks of one message. */
  take({ marks, kinds, figures, whole }: CourseMessage): void {
    for (let i = 0; i + 4 < marks.length; i += 5)
      this.#mark(marks[i] / SECOND, kinds[marks[i + 1]], marks[i + 2], marks[i + 3], marks[i + 4]);
    this.figures = figures;
    this.ordered = this.port = figures.algorithm !== undefined;
    this.whole = whole;
    this.version++;
  }

  /** Takes when a plan lets a worker begin, how long that is to take, or that a graph is planned anew from a moment on. */
  #plan(at: number, kind: string, worker: number, round: number, seconds: number): void {
    if (kind === "subtask_withdrawn") this.intents = this.intents.map((lane) => lane.filter((one) => one.round !== round || one.from < at));
    else if (kind === "subtask_assigned") {
      this.lane(worker);
      this.intents[worker].push({ round, from: at + seconds, to: at + seconds });
    } else {
      const intent = this.intents[worker].at(-1);
      if (intent) intent.to += seconds;
    }
  }

  #mark(at: number, kind: string | undefined, worker: number, round: number, amount: number): void {
    if (kind?.startsWith("subtask_")) return this.#plan(at, kind, worker, round, amount);
    this.latest = at;
    if (kind === "load_arrived") {
      this.load += amount;
      return;
    }
    this.lane(worker);
    const waiting = this.#waiting[worker];
    switch (kind) {
      case "chunk_sent": {
        const piece = { worker, round, amount, send: at, arrive: NaN, begin: NaN, end: NaN, lost: NaN };
        this.add(piece);
        waiting.push(piece);
        return;
      }
      case "chunk_received": {
        const piece = waiting.find(({ arrive }) => Number.isNaN(arrive));
        if (piece) piece.arrive = at;
        return;
      }
      case "chunk_started":
        if (waiting[0]) waiting[0].begin = at;
        return;
      case "chunk_done": {
        const piece = waiting.shift();
        if (piece) piece.end = this.#last = at;
        this.done += amount;
        return;
      }
      case "chunk_lost": {
        const piece = waiting.shift();
        if (piece) piece.lost = at;
        this.lost += amount;
        return;
      }
      case "node_down":
        this.outages.push({ worker, from: at, to: NaN });
        return;
      case "node_up": {
        const outage = this.outages.findLast((one) => one.worker === worker);
        if (outage && Number.isNaN(outage.to)) outage.to = at;
      }
    }
  }
}

/** The course of a plan for n workers. */
export function planned(timeline: Timeline, workers: number, amount: (worker: number, round: number) => number): Course {
  const course = new Course();
  course.ordered = true;
  if (workers > 0) course.lane(workers - 1);
  for (let i = 0; i < timeline.worker.length; i++) {
    const worker = timeline.worker[i];
    const round = timeline.round[i] + 1;
    const end = timeline.computeEnd[i];
    const size = amount(worker, round - 1);
    course.add({
      worker,
      round,
      amount: size,
      send: timeline.sendStart[i],
      arrive: timeline.sendEnd[i],
      begin: timeline.computeStart[i],
      end,
      lost: NaN,
    });
    course.latest = Math.max(course.latest, end);
    course.load += size;
    course.done += size;
  }
  return course;
}

/** When a worker is through with a piece, or now while it is not. */
export function until(piece: Piece, now: number): number {
  return !Number.isNaN(piece.end) ? piece.end : !Number.isNaN(piece.lost) ? piece.lost : now;
}

/** What one worker did. */
export interface WorkerRow {
  worker: number;
  pieces: number; // that it computed
  amount: number; // work units, likewise
  busy: number; // seconds
  first: number; // seconds at which it began; NaN: it never did
  last: number;
  lost: number; // work units
}

/** The workers of a course up to now, as a table tells them. */
export function workerRows(course: Course, now: number): WorkerRow[] {
  return course.lanes.map((lane, worker) => {
    const row: WorkerRow = { worker, pieces: 0, amount: 0, busy: 0, first: NaN, last: NaN, lost: 0 };
    for (const piece of lane) {
      if (!Number.isNaN(piece.end)) {
        row.pieces++;
        row.amount += piece.amount;
      }
      if (!Number.isNaN(piece.lost)) row.lost += piece.amount;
      if (Number.isNaN(piece.begin)) continue;
      if (Number.isNaN(row.first)) row.first = piece.begin;
      row.last = until(piece, now);
      row.busy += row.last - piece.begin;
    }
    return row;
  });
}

/** One round of a course. */
export interface RoundRow {
  round: number;
  pieces: number;
  amount: number;
  least: number; // the smallest and largest piece
  most: number;
  from: number; // when the first was sent, seconds
  to: number; // when the last that was not lost was computed; NaN: not yet
}

/** The rounds of a course; what was not planned is round 0, the last. */
export function roundRows(course: Course): RoundRow[] {
  const rows = new Map<number, RoundRow>();
  for (const { round, amount, send, end, lost } of course.pieces) {
    let row = rows.get(round);
    if (!row) rows.set(round, (row = { round, pieces: 0, amount: 0, least: Infinity, most: 0, from: send, to: 0 }));
    row.pieces++;
    row.amount += amount;
    row.least = Math.min(row.least, amount);
    row.most = Math.max(row.most, amount);
    if (Number.isNaN(lost)) row.to = end > row.to || Number.isNaN(end) ? end : row.to;
  }
  return [...rows.values()].sort((a, b) => (a.round || Infinity) - (b.round || Infinity));
}
