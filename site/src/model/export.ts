// What a viewer can take away: the report as JSON, the columns as CSV.
import { MINUTE, SECOND } from "../base/format.ts";
import type { State } from "./store.ts";

/** The report of the run so far, in the field names of the command line where both have them. */
export function reportJSON(state: State): Record<string, unknown> {
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
export function columnsCSV({ series }: State): string {
  const tracks = [...series.tracks.values()];
  const rows = [["minute", ...tracks.map(({ id }) => id)].map(cell)];
  series.at.forEach((at, i) => rows.push([at / MINUTE, ...tracks.map(({ values }) => values[i])].map(cell)));
  return rows.map((row) => row.join(",") + "\n").join("");
}

/** The same columns as JSON: what each is, and its samples. */
export function columnsJSON({ series, status, engine }: State): string {
  const columns = [...series.tracks.values()].map(({ id, name, unit, values }) => ({ id, name, unit, values }));
  return JSON.stringify({ engine, digest: status?.digest ?? "", at_us: series.at, columns }) + "\n";
}

/** A table's cells as CSV, the head first. */
export function tableCSV(rows: string[][]): string {
  return rows.map((row) => row.map(cell).join(",") + "\n").join("");
}

/** A table's cells as JSON: an object for each row, by the words of the head. */
export function tableJSON([head = [], ...rows]: string[][]): string {
  return JSON.stringify(rows.map((row) => Object.fromEntries(row.map((text, i) => [head[i] || `column ${i + 1}`, text]))), null, 2) + "\n";
}

/** One cell of CSV: what a spreadsheet would take for a formula is made text. */
export function cell(value: string | number): string {
  if (typeof value === "number") return String(value);
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export function mean(values: number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}
