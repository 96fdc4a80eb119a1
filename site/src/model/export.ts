// What a viewer can take away: the report as JSON, the columns as CSV.
import { duration, MINUTE, SECOND } from "../base/format.ts";
import type { Conversation } from "../base/messages.ts";
import type { Course } from "./course.ts";
import type { GraphPicture } from "./graph.ts";
import type { State } from "./store.ts";

/** The report of the run so far, in the field names of the command line where both have them. */
export function reportJSON(state: State<"engine" | "run" | "reported">): Record<string, unknown> {
  const { status, series } = state;
  return {
    engine: state.engine,
    scenario: state.resolvedScenario ?? state.scenario,
    digest: status?.digest ?? "",
    simulated_s: (status?.at ?? 0) / SECOND,
    events: status?.events ?? 0,
    counts: status?.counts ?? {},
    metrics: Object.fromEntries([...series.tracks.values()].map(({ id, values }) => [id, mean(values)])),
    ...state.ended,
  };
}

/** The columns of the run, one row a sample. */
export function columnsCSV({ series }: State<"reported">): string {
  const tracks = [...series.tracks.values()];
  const rows = [["minute", ...tracks.map(({ id }) => id)].map(cell)];
  series.at.forEach((at, i) => rows.push([at / MINUTE, ...tracks.map(({ values }) => values[i])].map(cell)));
  return rows.map((row) => row.join(",") + "\n").join("");
}

/** The same columns as JSON: what each is, and its samples. */
export function columnsJSON({ series, status, engine }: State<"engine" | "reported">): string {
  const columns = [...series.tracks.values()].map(({ id, name, unit, values }) => ({ id, name, unit, values }));
  return JSON.stringify({ engine, digest: status?.digest ?? "", at_us: series.at, columns }) + "\n";
}

/** A table's cells as CSV, the head first. */
export function tableCSV(rows: string[][]): string {
  return rows.map((row) => row.map(cell).join(",") + "\n").join("");
}

/** A table's cells as JSON: an object for each row, by the words of the head. */
export function tableJSON([head = [], ...rows]: string[][]): string {
  return (
    JSON.stringify(
      rows.map((row) => Object.fromEntries(row.map((text, i) => [head[i] || `column ${i + 1}`, text]))),
      null,
      2,
    ) + "\n"
  );
}

export type Row = (string | number)[];

/** The pieces of a divisible load, as the Gantt chart has them: a row each in the order in which they were sent; times in seconds, empty: it did not happen. */
export function courseRows({ pieces }: Course): Row[] {
  const time = (seconds: number) => (Number.isNaN(seconds) ? "" : seconds);
  return [
    ["worker", "round", "amount", "sent_s", "arrived_s", "began_s", "ended_s", "lost_s"],
    ...pieces.map(
      ({ worker, round, amount, send, arrive, begin, end, lost }): Row => [
        worker,
        round,
        amount,
        ...[send, arrive, begin, end, lost].map(time),
      ],
    ),
  ];
}

/** The subtasks of the graph that is looked at: depth, state, the node that has or had each, and those it waits for. */
export function graphRows(graph: GraphPicture): Row[] {
  const before: number[][] = Array.from({ length: graph.length }, () => []);
  graph.to.forEach((to, i) => before[to].push(graph.from[i]));
  return [
    ["subtask", "depth", "state", "node", "waits_for"],
    ...before.map((all, v): Row => [v, graph.depth[v], graph.state(v), graph.agent(v) < 0 ? "" : graph.agent(v), all.join(" ")]),
  ];
}

/** The bids of the conversation that is looked at: a row for each offer or refusal, and one for what was agreed. */
export function bidRows({ rounds, deals }: Conversation): Row[] {
  return [
    ["item", "round", "asked", "by", "price", "refused"],
    ...rounds.flatMap(({ item, number, askingPrice: asked, bids }) =>
      bids.map(({ by, price, why }): Row => [item, number, asked, by, why ? "" : price, why ?? ""]),
    ),
    ...deals.map(({ item, by, price }): Row => [item, "agreed", "", by, price, ""]),
  ];
}

export function rowsCSV(rows: Row[]): string {
  return rows.map((row) => row.map(cell).join(",") + "\n").join("");
}

export function rowsJSON([head = [], ...rows]: Row[]): string {
  return (
    JSON.stringify(
      rows.map((row) => Object.fromEntries(row.map((value, i) => [head[i], value]))),
      null,
      2,
    ) + "\n"
  );
}

/** One cell of CSV: what a spreadsheet would take for a formula is made text. */
export function cell(value: string | number): string {
  if (typeof value === "number") return String(value);
  const text = /^\s*[=+\-@＝＋－＠\t\r\n]/.test(value) ? `'${value}` : value;
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** A figure of the report: its latest value, and its mean over the window once the run is over, else over what was played. */
export interface ReportRow {
  name: string;
  unit: string;
  now: number;
  mean: number;
}

/** The figures that the workload has, and what their means are about. */
export function reportRows({ series, ended }: Pick<State, "series" | "ended">): { rows: ReportRow[]; over: string } {
  const rows = [...series.tracks.values()]
    .filter(({ id }) => !ended || id in ended.at_end)
    .map(({ id, name, unit, values }): ReportRow => {
      const whole = ended?.metrics[id] ?? ended?.system[id];
      return { name, unit, now: ended?.at_end[id] ?? values.at(-1) ?? 0, mean: typeof whole === "number" ? whole : mean(values) };
    });
  const moment = (seconds: number) => duration(seconds * 1e6);
  return { rows, over: ended ? `mean from ${moment(ended.window.from_s)} to ${moment(ended.window.to_s)}` : "mean so far" };
}

export function mean(values: number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}
