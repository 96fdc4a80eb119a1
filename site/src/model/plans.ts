// What a planner answers: plans as the command line prints them, and what each algorithm
// reached beside the others.

import { number } from "../base/format.ts";
import type { FromPlanner, Timeline } from "../base/messages.ts";
import { type Course, planned } from "./course.ts";

/** A plan as `parley plan rounds --json` prints it. */
export interface RoundsResult {
  algorithm: string;
  policy: string;
  order: number[];
  rounds: number;
  chunks: number[][]; // one row a round, one column a worker of order
  makespan_predicted_s: number;
  makespan_s: number;
  bound_s: number;
  idle_pct: number;
  warning?: string; // another algorithm is more than twice as fast
}

/** A plan as `parley plan yield --json` prints it. */
export interface YieldResult {
  algorithm: string;
  feasible: boolean;
  min_yield: number;
  avg_yield: number;
  bound: number;
  proven?: boolean;
  place: number[][]; // host of each task of each job
  cpu: number[][]; // that it gets
}

/** A plan as `parley plan graph --json` prints it, with what the file says. */
export interface GraphResult {
  algorithm: string;
  makespan_s: number;
  bound_s: number;
  slr: number;
  speedup: number;
  idle_pct: number;
  travelled_bytes: number;
  tasks: number;
  arcs: number;
  processors: number;
  format?: string; // of a workflow, planned for equal processors
  notes?: string[];
  schedule: { task: string; processor: number; start_s: number; finish_s: number }[];
}

/** The chosen algorithm's plan. */
export type Planned = (
  | { kind: "load"; result: RoundsResult }
  | { kind: "jobs"; result: YieldResult }
  | { kind: "graph"; result: GraphResult }
) & {
  course: Course | undefined;
  wall: number; // µs
};

/** What one algorithm made of what is planned. */
export interface Trial {
  algorithm: string;
  reached: number; // the makespan in seconds, or the smallest yield; NaN: there is no plan
  bound: number; // that no plan beats
  detail: string;
  wall: number; // µs
  why: string; // why there is none
  old: boolean; // something was typed since
}

/** The detail of a trial that places nothing. */
export const RELAXED = "the relaxed program: no placement";

/** The plan of an answer. */
export function plannedBy(
  { kind, result, timeline, wall_us: wall, why }: Extract<FromPlanner, { type: "plan" }>,
  workers: number,
): Planned | undefined {
  if (!result || why) return undefined;
  switch (kind) {
    case "load": {
      const found = result as RoundsResult;
      return { kind, result: found, course: timeline && courseOf(found, timeline, workers), wall };
    }
    case "jobs":
      return { kind, result: result as YieldResult, course: undefined, wall };
    case "graph": {
      const found = result as GraphResult;
      return { kind, result: found, course: timeline && graphCourse(found, timeline), wall };
    }
  }
}

/** A line of the table in which algorithms stand side by side. */
export function trialOf({ kind, algorithm, result, wall_us: wall, why = "" }: Extract<FromPlanner, { type: "plan" }>): Omit<Trial, "old"> {
  const none = { algorithm, reached: NaN, bound: NaN, detail: "", wall, why };
  if (!result || why) return { ...none, why: why || "There is no plan." };
  if (kind === "jobs") {
    const { feasible, min_yield: reached, avg_yield: average, bound, proven } = result as YieldResult;
    if (!feasible) return { ...none, bound, why: proven ? "proven: no placement" : "no placement found" };
    return {
      ...none,
      reached,
      bound,
      detail: algorithm === "lp" ? RELAXED : `average ${average.toFixed(3)}${proven ? " · proven best" : ""}`,
    };
  }
  if (kind === "load") {
    const { makespan_s: reached, bound_s: bound, rounds, order } = result as RoundsResult;
    return { ...none, reached, bound, detail: `${number(rounds, "round")} · ${number(order.length, "worker")}` };
  }
  const { makespan_s: reached, bound_s: bound, idle_pct: idle, speedup } = result as GraphResult;
  return { ...none, reached, bound, detail: `speed-up ${speedup.toFixed(2)} · idle ${idle.toFixed(0)} %` };
}

/** A schedule as a course: a piece a task, with the wave that it comes in as its round. */
function graphCourse({ processors }: GraphResult, timeline: Timeline): Course {
  const course = planned(timeline, processors, () => 1);
  course.port = false;
  return course;
}

function courseOf({ order, chunks }: RoundsResult, timeline: Timeline, workers: number): Course {
  const place = new Map(order.map((worker, i) => [worker, i]));
  return planned(timeline, workers, (worker, round) => chunks[round]?.[place.get(worker) ?? -1] ?? 0);
}
