// How a sweep's cells lie in the plane: the last axis across, the one before down, and
// a map for each value of the others; and what a cell shows.
import type { CellFigure, SweepAxis, SweepFigure } from "../../../base/messages.ts";
import { BLACK, ENDS, type PaletteName, rampColours, WHITE } from "../../../base/palette.ts";

/** One map: cell numbers by row and column. */
export interface GridMap {
  title: string; // the values of the other axes
  down: string; // the axis' name, or ""
  across: string;
  rows: string[];
  columns: string[];
  cells: number[][];
}

/** More cells are in the files alone. */
export const MOST_CELLS = 2000;

export function mapsOf(groups: SweepAxis[]): GridMap[] {
  const none: SweepAxis = { name: "", values: [""] };
  const [down, across] = groups.length > 1 ? [groups[groups.length - 2], groups[groups.length - 1]] : [groups[0] ?? none, none];
  const outer = groups.slice(0, -2);
  const size = down.values.length * across.values.length;
  const count = outer.reduce((product, { values }) => product * values.length, 1);
  const fitting = Math.max(1, Math.min(count, Math.floor(MOST_CELLS / size)));
  return Array.from({ length: fitting }, (_, i) => {
    let rest = i;
    const title = [...outer].reverse().map(({ name, values }) => {
      const value = values[rest % values.length];
      rest = Math.floor(rest / values.length);
      return `${name} ${value}`;
    });
    const shown = Math.max(1, Math.min(down.values.length, Math.floor(MOST_CELLS / Math.min(across.values.length, MOST_CELLS))));
    const cells = Array.from({ length: shown }, (_row, r) =>
      Array.from({ length: Math.min(across.values.length, MOST_CELLS) }, (_column, c) => i * size + r * across.values.length + c),
    );
    return {
      title: title.reverse().join(", "),
      down: down.name,
      across: across.name,
      rows: down.values.slice(0, shown),
      columns: across.values.slice(0, MOST_CELLS),
      cells,
    };
  });
}

/** The least and the largest mean. */
export function extentOf(cells: CellFigure[]): { low: number; high: number } | undefined {
  const means = cells.flatMap(({ figure }) => (figure ? [figure.mean] : []));
  return means.length > 0 ? { low: Math.min(...means), high: Math.max(...means) } : undefined;
}

/** The largest difference, either way, whose interval does not touch zero. */
export function reachOf(cells: CellFigure[]): number {
  return Math.max(0, ...cells.map(({ difference }) => (difference && sideOf(difference) ? Math.abs(difference.mean) : 0)));
}

/** Whether a difference is lower or higher than zero, as the worker judged it; undefined where the runs cannot tell. */
function sideOf({ verdict }: SweepFigure): "lower" | "higher" | undefined {
  return verdict === "lower" || verdict === "higher" ? verdict : undefined;
}

/** The colour of a mean between the least and the largest. */
export function colourOfMean(mean: number, { low, high }: { low: number; high: number }, palette: PaletteName, light: boolean): string {
  return rampColours(palette, light, 0, 255)[high > low ? Math.round((255 * (mean - low)) / (high - low)) : 0];
}

/** The colour of a difference, by its size; undefined where the runs cannot tell. */
export function colourOfDifference(difference: SweepFigure, reach: number, light: boolean): string | undefined {
  const which = sideOf(difference);
  if (!which) return undefined;
  const share = 0.35 + 0.65 * Math.min(1, reach > 0 ? Math.abs(difference.mean) / reach : 1);
  const ground = light ? 255 : 24;
  const end = parseInt(ENDS[which], 16);
  return (
    "#" +
    [16, 8, 0]
      .map((shift) =>
        Math.round(ground + share * (((end >> shift) & 255) - ground))
          .toString(16)
          .padStart(2, "0"),
      )
      .join("")
  );
}

/** Black or white, whichever is read better on a colour: 4.5 : 1 at least (WCAG 2, relative luminance). */
export function inkOn(colour: string): string {
  const part = (shift: number) => {
    const x = ((parseInt(colour.slice(1), 16) >> shift) & 255) / 255;
    return x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4;
  };
  const luminance = 0.2126 * part(16) + 0.7152 * part(8) + 0.0722 * part(0);
  return (luminance + 0.05) / 0.05 > 1.05 / (luminance + 0.05) ? BLACK : WHITE;
}
