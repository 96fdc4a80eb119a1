// What a comparison amounts to in numbers: one row a figure, one value a system,
// and how far each is from the first one. What runs told is gathered here; a worker
// estimates means, differences and intervals of it, as the command line does.
import type { ComparedFigure, Estimate, Sample } from "../../../base/messages.ts";
import { cell, mean } from "../../../model/export.ts";
import type { Figure as Drawing } from "../../../model/figure.ts";
import { nameOfFigure, unitOfFigure } from "../../../model/figurename.ts";
import { Series, type Track } from "../../../model/series.ts";
import { type Outcome, type Played, playsOf } from "./outcome.ts";

interface Named {
  id: string;
  name: string;
  unit: string;
  kind: "mean" | "total" | "own"; // over the run, at its end, or only the system's own
}

/** A figure as the runs told it: a list a system, a place a seed; undefined: that run has no such figure, or is not done. */
export interface Told extends Named {
  values: (number | undefined)[][];
}

export interface Figure extends Named {
  values: (Estimate | undefined)[]; // a system each, over its seeds; undefined: it has no such figure
  differences: (Estimate | undefined)[]; // to the first system, seed by seed
}

export const KINDS: Record<Figure["kind"], string> = { mean: "Mean of the run", total: "At the end", own: "The systems' own figures" };

/** What every system counts, in the order of reading, as core/run reports it. */
const TOTALS: [id: string, name: string, unit: string][] = [
  ["tasks_submitted", "Tasks submitted", ""],
  ["tasks_placed", "Placements", ""],
  ["tasks_running", "Tasks running", ""],
  ["tasks_waiting", "Tasks waiting", ""],
  ["tasks_finished", "Tasks finished", ""],
  ["tasks_failed", "Tasks failed", ""],
  ["tasks_killed", "Tasks killed", ""],
  ["tasks_evicted", "Tasks evicted", ""],
  ["tasks_lost", "Tasks lost", ""],
  ["tasks_displaced", "Tasks displaced", ""],
  ["migrations", "Migrations", ""],
  ["migrations_forced", "Migrations, forced", ""],
  ["placements_forced", "Placements, forced", ""],
  ["migrations_broken", "Migrations, broken off", ""],
  ["migration_mb", "Moved", "MB"],
];

/** What the runs told; only figures that at least one of them has. */
export function toldBy(runs: Outcome[]): Told[] {
  const rows: Told[] = [];
  const add = (kind: Figure["kind"], id: string, name: string, unit: string, of: (played: Played) => unknown) => {
    const values = runs.map((run) =>
      playsOf(run).map((played) => {
        const value = played.state === "done" ? of(played) : undefined;
        return typeof value === "number" ? value : undefined;
      }),
    );
    if (values.some((by) => by.some((value) => value !== undefined))) rows.push({ kind, id, name, unit, values });
  };
  const tracks = columnsOf(runs);
  for (const { id, name, unit } of tracks) {
    add(
      "mean",
      id,
      name,
      unit,
      ({ report, series }) => report?.metrics[id] ?? report?.system[id] ?? mean(series.tracks.get(id)?.values ?? []),
    );
  }
  for (const [id, name, unit] of TOTALS) add("total", id, name, unit, ({ report }) => report?.system[id]);
  const told = new Set([...tracks, ...rows].map(({ id }) => id));
  const own = new Set(runs.flatMap(({ report }) => Object.keys(report?.system ?? {})).filter((id) => !told.has(id)));
  for (const id of [...own].sort()) add("own", id, nameOfFigure(id), unitOfFigure(id), ({ report }) => report?.system[id]);
  return rows;
}

/** The same as a worker is asked to estimate it. */
export function askedOf(told: Told[]): Sample[][] {
  const sampleOf = (by: Told["values"][number]): Sample => {
    const seeds = [...by.keys()].filter((seed) => by[seed] !== undefined);
    return { seeds, values: seeds.flatMap((seed) => by[seed] ?? []) };
  };
  return told.map(({ values }) => values.map(sampleOf));
}

/** The rows of the table, with a worker's answer. */
export function figuresOf(told: Told[], answer: ComparedFigure[]): Figure[] {
  const some = (list: Estimate[]) => list.map((one) => (one.n > 0 ? one : undefined));
  return told.map(({ id, name, unit, kind }, i) => ({
    id,
    name,
    unit,
    kind,
    values: some(answer[i].values),
    differences: some(answer[i].differences),
  }));
}

/** A figure over time. */
export type Column = Pick<Track, "id" | "name" | "unit">;

/** The columns that at least one run has, in their order. */
export function columnsOf(runs: Pick<Drawn, "series">[]): Column[] {
  const columns = new Map(runs.flatMap(({ series }) => [...series.tracks.values()].map((track) => [track.id, track] as const)));
  return [...columns.values()];
}

/** A run as a chart draws it: a line, and those with other seeds. */
export interface Drawn {
  id: string;
  name: string;
  series: Series;
  repeats: { series: Series }[];
}

/** What is drawn by default, in the order of preference. */
const USUAL = ["overloaded_pct", "waiting", "cpu_used_pct"];

/** The column to draw: the chosen one, else the first usual one that is not 0 all the time. */
export function columnOf(runs: Pick<Drawn, "series">[], chosen: string): Column | undefined {
  const columns = columnsOf(runs);
  const told = (id: string) => runs.some(({ series }) => series.tracks.get(id)?.values.some((value) => value !== 0));
  const id = columns.some((column) => column.id === chosen) ? chosen : (USUAL.find(told) ?? USUAL[0]);
  return columns.find((column) => column.id === id) ?? columns[0];
}

/** The columns that are drawn of runs that are watched, one for each that was chosen: where "" was, the first usual one that no other chart draws. */
export function figuresWatched(runs: Pick<Drawn, "series">[], chosen: string[]): Column[] {
  const columns = columnsOf(runs);
  const named = (id: string) => columns.find((column) => column.id === id);
  const told = (id: string) => runs.some(({ series }) => series.tracks.get(id)?.values.some((value) => value !== 0));
  const taken = new Set(chosen.filter(named));
  const usual = [...USUAL.filter(told), ...USUAL, ...columns.map(({ id }) => id)];
  return chosen.flatMap((id) => {
    const own = named(id) ?? named(usual.find((other) => named(other) && !taken.has(other)) ?? "");
    if (own) taken.add(own.id);
    return own ?? [];
  });
}

/** The lines of a column: times in µs, and a line of values a system, undefined where it has no sample; beside it the least and the most of its seeds. */
export function linesOf(runs: Drawn[], id: string): { at: number[]; lines: Line[]; least: Line[]; most: Line[] } {
  const at = [...new Set(runs.flatMap((run) => [run, ...run.repeats]).flatMap(({ series }) => series.at))].sort((a, b) => a - b);
  const lineOf = ({ series }: Pick<Drawn, "series">): Line => {
    const values = series.tracks.get(id)?.values;
    const known = new Map(series.at.map((time, i) => [time, values?.[i]]));
    return at.map((time) => known.get(time));
  };
  const all = runs.map((run) => [run, ...run.repeats].map(lineOf));
  const bound = (of: (...values: number[]) => number) =>
    all.map((lines) =>
      at.map((_, i) => {
        const values = lines.flatMap((line) => line[i] ?? []);
        return values.length > 0 ? of(...values) : undefined;
      }),
    );
  return { at, lines: all.map(([own]) => own), least: bound(Math.min), most: bound(Math.max) };
}

export type Line = (number | undefined)[];

/** The table as CSV: a column of values a system, and one of differences for each after the first; of several seeds with their spread and interval. */
export function figuresCSV(runs: Outcome[], figures: Figure[]): string {
  const beside = runs.slice(1);
  const several = runs.some(({ repeats }) => repeats.length > 0);
  const value = (name: string) => (several ? [name, `${name}, standard deviation`, `${name}, seeds`] : [name]);
  const difference = (name: string) =>
    several ? [`${name}, difference`, `${name}, difference, 95 % from`, `${name}, difference, 95 % to`] : [`${name}, difference`];
  const head = ["figure", "kind", "unit", ...runs.flatMap(({ name }) => value(name)), ...beside.flatMap(({ name }) => difference(name))];
  const rows: (string | number)[][] = figures.map(({ name, kind, unit, values, differences }) => [
    name,
    KINDS[kind],
    unit,
    ...values.flatMap((one) => (several ? [one?.mean ?? "", one?.sd ?? "", one?.n ?? ""] : [one?.mean ?? ""])),
    ...differences.slice(1).flatMap((one) => (several ? [one?.mean ?? "", one?.low ?? "", one?.high ?? ""] : [one?.mean ?? ""])),
  ]);
  const digests = runs.flatMap((run) =>
    several
      ? [
          playsOf(run)
            .map(({ digest }) => digest)
            .join(" "),
          "",
          "",
        ]
      : [run.digest],
  );
  rows.push(["Digest", "", "", ...digests, ...beside.flatMap(({ name }) => difference(name).map(() => ""))]);
  return [head, ...rows].map((row) => row.map(cell).join(",") + "\n").join("");
}

/** The comparison as JSON: what was compared, every seed's digest and figures, the table, and the lines over time. */
export function comparisonJSON(runs: Outcome[], figures: Figure[], to: number, engine: string): string {
  const all = runs.map((run) => ({
    name: run.name,
    scenario: run.scenario,
    link: run.link,
    seeds: playsOf(run).map(({ seed, state, digest, report, series }) => ({
      seed,
      state,
      digest,
      metrics: report?.metrics ?? {},
      system: report?.system ?? {},
      at_us: series.at,
      columns: [...series.tracks.values()],
    })),
  }));
  return JSON.stringify({ engine, until_us: to, systems: all, figures }, null, 2) + "\n";
}

/** A column of all runs as a chart for paper: a line a run. */
export function comparisonFigure(runs: Outcome[], column: Column, colours: string[]): { figure: Drawing; series: Series } {
  const { at, lines } = linesOf(runs, column.id);
  const whole = at.map((_, i) => i).filter((i) => lines.every((line) => line[i] !== undefined)); // moments that all have
  const series = new Series();
  series.append(
    true,
    whole.map((i) => at[i]),
    runs.map(({ name }, run) => ({ id: `run ${run}`, name, unit: column.unit, values: whole.map((i) => lines[run][i] ?? 0) })),
  );
  return {
    figure: {
      title: column.name,
      lines: runs.map(({ name }, run) => ({
        column: `run ${run}`,
        name: `${String.fromCharCode(65 + run)} ${name}`,
        colour: colours[run],
      })),
    },
    series,
  };
}
