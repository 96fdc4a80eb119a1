// Cells so near that each is a card: the node's tasks as bars, with their names. The
// bars are drawn by core/heatmap/raster (card.go), whose numbers stand here too; a Go
// test compares them. CSS pixels, from the top of a card.
import type { Card } from "../base/messages.ts";
import type { Camera, Size } from "./camera.ts";
import { cellOn, type Grid, place, squareOn } from "./grid.ts";

/** The width of a cell from which on it is a card. */
export const NEAR = 240;

export const PAD = 10;
export const HEAD = 34; // the node's name
export const KEYS = 18; // the names of the resources
export const BAR = 14; // all tasks together
export const ROW = 17; // a task
export const NAMES = 0.36; // of the width inside the pads: the column of names
export const GAP = 12; // between columns
export const OVER = 0.1; // how much more than the node a column has room for

/** A cell on the stage and the point of its top left corner. */
export interface Seen {
  cell: number;
  x: number;
  y: number;
}

/** The cells on the stage, up to a limit. */
export function cellsSeen(grid: Grid, camera: Camera, stage: Size, most: number): Seen[] {
  const seen: Seen[] = [];
  for (let row = squareOn(grid.down, camera.y); ; row++) {
    const y = (place(grid.down, row) - camera.y) * camera.zoom;
    if (y >= stage.height) return seen;
    for (let column = squareOn(grid.across, camera.x); ; column++) {
      const x = (place(grid.across, column) - camera.x) * camera.zoom;
      if (x >= stage.width) break;
      const cell = cellOn(grid, column, row);
      if (cell >= 0 && seen.length < most) seen.push({ cell, x, y });
    }
  }
}

/** The gap between cells of cards, as core/heatmap/raster draws it. */
export const BETWEEN = 4;

/** How many tasks a card of such a height lists; the line below says how many more there are. */
export function rowsOf(height: number): number {
  return Math.max(0, Math.floor((height - (HEAD + KEYS + BAR + 2 * PAD + ROW)) / ROW));
}

/** Where the columns of a card's resources begin, and how wide the whole node is in each. */
export function columnsOf(width: number, resources: number): { left: number[]; whole: number } {
  const left = PAD + Math.floor(NAMES * (width - 2 * PAD));
  const column = Math.floor((width - PAD - left - GAP * (resources - 1)) / resources);
  return { left: Array.from({ length: resources }, (_, i) => left + i * (column + GAP)), whole: Math.floor(column / (1 + OVER)) };
}

/** How many of a card's tasks its last line stands for. */
export function restOf({ tasks, more }: Card, rows: number): number {
  return Math.max(0, tasks.length - rows) + more;
}
