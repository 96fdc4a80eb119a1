// Task graphs by their deadlines: how much of each is done, how much of its time is
// used, and whether it is late.
import { age } from "../../../base/format.ts";
import type { GraphTask, Layer } from "../../../base/messages.ts";

export type Standing = "late" | "behind" | "on time" | "no deadline";

/** A line of the list. */
export interface Due {
  number: number;
  done: number; // of its subtasks, 0 to 1
  used: number | undefined; // of the time from arrival to deadline, 0 to 1; undefined if it has no deadline
  standing: Standing;
  left: number; // microseconds to the deadline, negative when that is over; Infinity if it has none
  graph: GraphTask;
}

const ORDER: Standing[] = ["late", "behind", "on time", "no deadline"];

/** The graphs as they are at a moment: late ones first, then those with more of the time used than of the subtasks done, the nearest deadline first. */
export function byDeadline(graphs: GraphTask[], now: number): Due[] {
  return graphs
    .map((graph) => {
      const { number, subtasks, arrived, deadline } = graph;
      const done = subtasks > 0 ? graph.done / subtasks : 1;
      if (deadline < 0) return { number, done, used: undefined, standing: "no deadline" as const, left: Infinity, graph };
      const left = deadline - now;
      const used = Math.min(1, Math.max(0, (now - arrived) / Math.max(1, deadline - arrived)));
      const standing: Standing = left < 0 ? "late" : used > done ? "behind" : "on time";
      return { number, done, used, standing, left, graph };
    })
    .sort((a, b) => ORDER.indexOf(a.standing) - ORDER.indexOf(b.standing) || a.left - b.left || a.number - b.number);
}

/** What a line says of the time: "late by 4 min", "2 h left". */
export function timeLeft({ standing, left }: Due): string {
  if (standing === "no deadline") return standing;
  return standing === "late" ? `late by ${left > -1e6 ? "under 1 s" : age(-left)}` : `${left < 1e6 ? "under 1 s" : age(left)} left`;
}

/** The value that stands for a graph on a layer whose values are graphs. */
export function cellOf({ graphs }: Layer, number: number): number | undefined {
  return graphs ? 1 + ((number - 1) % graphs) : undefined;
}
