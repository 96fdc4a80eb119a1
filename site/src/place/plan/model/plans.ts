// What a planner answers: plans as the command line prints them, and what each algorithm
// reached beside the others.
import { number } from "../../../base/format.ts";
import type { FromPlanner, GraphPlan, JobsPlan, LoadPlan, Timeline } from "../../../base/messages.ts";
import { type Course, planned } from "../../../model/course.ts";

/** The chosen algorithm's plan. */
export type Planned = ({ kind: "load"; result: LoadPlan } | { kind: "jobs"; result: JobsPlan } | { kind: "graph"; result: GraphPlan }) & {
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

type Answer = Extract<FromPlanner, { type: "plan" }>;

/** The plan of an answer. */
export function plannedBy({ load, jobs, graph, timeline, wall_us: wall, why }: Answer, workers: number): Planned | undefined {
  if (why) return undefined;
  if (load) return { kind: "load", result: load, course: timeline && courseOf(load, timeline, workers), wall };
  if (jobs) return { kind: "jobs", result: jobs, course: undefined, wall };
  return graph && { kind: "graph", result: graph, course: timeline && graphCourse(graph, timeline), wall };
}

/** A line of the table in which algorithms stand side by side. */
export function trialOf({ algorithm, load, jobs, graph, wall_us: wall, why = "" }: Answer): Omit<Trial, "old"> {
  const none = { algorithm, reached: NaN, bound: NaN, detail: "", wall, why };
  if (why) return none;
  if (jobs) {
    const { feasible, min_yield: reached, avg_yield: average, bound, proven } = jobs;
    if (!feasible) return { ...none, bound, why: proven ? "proven: no placement" : "no placement found" };
    return {
      ...none,
      reached,
      bound,
      detail: algorithm === "lp" ? RELAXED : `average ${average.toFixed(3)}${proven ? " · proven best" : ""}`,
    };
  }
  if (load) {
    const { makespan_s: reached, bound_s: bound, rounds, order } = load;
    return { ...none, reached, bound, detail: `${number(rounds, "round")} · ${number(order.length, "worker")}` };
  }
  if (!graph) return { ...none, why: "There is no plan." };
  const { makespan_s: reached, bound_s: bound, idle_pct: idle, speedup } = graph;
  return { ...none, reached, bound, detail: `speed-up ${speedup.toFixed(2)} · idle ${idle.toFixed(0)} %` };
}

/** A schedule as a course: a piece a task, with the wave that it comes in as its round. */
function graphCourse({ processors }: GraphPlan, timeline: Timeline): Course {
  const course = planned(timeline, processors, () => 1);
  course.port = false;
  return course;
}

function courseOf({ order, chunks }: LoadPlan, timeline: Timeline, workers: number): Course {
  const place = new Map(order.map((worker, i) => [worker, i]));
  return planned(timeline, workers, (worker, round) => chunks[round]?.[place.get(worker) ?? -1] ?? 0);
}
