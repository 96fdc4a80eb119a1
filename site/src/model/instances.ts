// What can be planned without a cluster behind: divisible loads on workers, virtual
// clusters on hosts, task graphs on processors. What the viewer typed stays text until
// it is asked about, so that the answer can quote it.
import { parse } from "../base/pack.ts";

export type PlanKind = "load" | "jobs" | "graph";

/** A row of the table of what is edited: text by field. */
export type Row = Record<string, string>;

/** The fields of a row, in their order, by what is planned. */
export const FIELDS = {
  load: ["speed", "bandwidth", "comp_latency", "comm_latency"],
  jobs: ["cpu", "mem", "tasks"],
  graph: [],
} as const satisfies Record<PlanKind, readonly string[]>;

/** A task graph as it is chosen. */
export interface GraphChoice {
  name: string;
  text: string; // of a file; "": the example
  size: string; // of the example
  processors: string; // equal ones, of the example and of workflows
  bandwidth: string; // MB a second between two of them; 0: results take no time
  latency: string; // seconds that every result takes beside its bytes
}

/** The same numbers each time: from 0 to 1. */
function draws(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 16_807) % 2_147_483_647) / 2_147_483_647;
}

/** Workers of the rounds paper's table 1, drawn the same way each time. */
export function exampleWorkers(n: number): Row[] {
  const draw = draws(9);
  return Array.from({ length: n }, () => ({
    speed: (50 + 25 * draw()).toFixed(1),
    bandwidth: (n * (25 + 50 * draw())).toFixed(0),
    comp_latency: "0.1",
    comm_latency: "0.1",
  }));
}

/** Jobs that ten hosts cannot serve in full: their CPU needs are some 1.4 times what there is. */
export function exampleJobs(n: number): Row[] {
  const draw = draws(14);
  for (let i = 0; i < 9; i++) draw(); // the first ones lie near each other
  return Array.from({ length: n }, () => ({
    cpu: (0.15 + 0.6 * draw()).toFixed(2),
    mem: (0.05 + 0.25 * draw() ** 2).toFixed(2),
    tasks: String(1 + Math.floor(2 * draw())),
  }));
}

/**
 * Gaussian elimination of a matrix of n columns as a workflow in WfFormat: a pivot for each
 * column but the last, then an update of every column right of it, (m² + m − 2) / 2 tasks in all
 * (Topcuoglu, Hariri and Wu 2002, section 6.2).
 */
export function elimination(m: number): string {
  const tasks: { id: string; name: string; work: number; needs: string[]; bytes: number }[] = [];
  for (let k = 1; k < m; k++) {
    const rest = m - k;
    tasks.push({ id: `pivot-${k}`, name: "pivot", work: rest / 2, needs: k > 1 ? [`update-${k - 1}-${k}`] : [], bytes: 4e6 * rest });
    for (let j = k + 1; j <= m; j++) {
      tasks.push({
        id: `update-${k}-${j}`,
        name: "update",
        work: rest,
        needs: [`pivot-${k}`, ...(k > 1 ? [`update-${k - 1}-${j}`] : [])],
        bytes: 4e6 * rest,
      });
    }
  }
  const file = (id: string) => `result of ${id}`;
  return JSON.stringify({
    name: "Gaussian elimination",
    schemaVersion: "1.5",
    workflow: {
      specification: {
        tasks: tasks.map(({ id, name, needs }) => ({
          name,
          id,
          parents: needs,
          children: tasks.filter((other) => other.needs.includes(id)).map((other) => other.id),
          inputFiles: needs.map(file),
          outputFiles: [file(id)],
        })),
        files: tasks.map(({ id, bytes }) => ({ id: file(id), sizeInBytes: bytes })),
      },
      execution: { tasks: tasks.map(({ id, work }) => ({ id, runtimeInSeconds: work })) },
    },
  });
}

/** The largest matrix of the example: 5,049 tasks. */
export const MOST_COLUMNS = 100;

/** A number, or the text as it was typed. */
export function value(text: string): number | string {
  return text.trim() !== "" && Number.isFinite(Number(text)) ? Number(text) : text;
}

/** Rows as a document has them. */
export function valuesOf(rows: Row[], fields: readonly string[]): Record<string, number | string>[] {
  return rows.map((row) => Object.fromEntries(fields.map((field) => [field, value(row[field])])));
}

/** Hosts and jobs of a document of `parley plan yield`; undefined: it is none, and the planner says why. */
export function jobsOf(text: string): { hosts: string; jobs: Row[] } | undefined {
  let found: unknown;
  try {
    found = parse(text);
  } catch {
    return undefined;
  }
  const { hosts, jobs } = (found ?? {}) as { hosts?: unknown; jobs?: unknown };
  const known = (one: unknown) =>
    typeof one === "object" &&
    one !== null &&
    Object.keys(one).every((key) => FIELDS.jobs.some((field) => field === key)) &&
    Object.values(one).every((x) => typeof x === "number");
  if (typeof hosts !== "number" || !Array.isArray(jobs) || !jobs.every(known) || Object.keys(found as object).length > 2) return undefined;
  return {
    hosts: String(hosts),
    jobs: (jobs as Record<string, number | undefined>[]).map(({ cpu, mem, tasks = 1 }) => ({
      cpu: String(cpu ?? ""),
      mem: String(mem ?? ""),
      tasks: String(tasks),
    })),
  };
}
