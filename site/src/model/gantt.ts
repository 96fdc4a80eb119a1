// Where a Gantt chart looks: seconds from left to right, rows from top to
// bottom. Row 0 is the master's port, which stays above the others; row i + 1 is
// worker i. Plain functions of plain values; lengths are CSS pixels.
import { type Course, type Piece, until } from "./course.ts";

export interface Window {
  from: number; // seconds at the left edge of the plot
  to: number; // and at its right edge
  top: number; // pixels of workers' rows above the plot's upper edge
  row: number; // height of a worker's row
}

/** The place of the workers' rows: beside it stand names, above it times and the port. */
export interface Plot {
  width: number;
  height: number;
}

const SHORTEST = 1e-6; // seconds that a window shows at least
export const LOWEST = 3; // pixels of a row
export const TALLEST = 40;

/** Shows all of the time and as many workers as fit. */
export function fitWindow(end: number, workers: number, plot: Plot): Window {
  const row = Math.min(24, Math.max(LOWEST, Math.floor(plot.height / Math.max(1, workers))));
  return { from: 0, to: Math.max(SHORTEST, end * 1.02), top: 0, row };
}

/** Keeps a window on the chart: never far beyond its end, never above its first row. */
export function holdWindow(view: Window, end: number, workers: number, plot: Plot): Window {
  const longest = Math.max(SHORTEST, end * 1.25);
  const span = Math.min(longest, Math.max(SHORTEST, view.to - view.from));
  const from = Math.max(-0.05 * span, Math.min(view.from, end - 0.1 * span));
  const top = Math.max(0, Math.min(view.top, workers * view.row - plot.height));
  return { from, to: from + span, top, row: view.row };
}

/** Zooms time by a factor around a place of the plot. */
export function zoomTime(view: Window, factor: number, x: number, plot: Plot): Window {
  const at = view.from + ((view.to - view.from) * x) / Math.max(1, plot.width);
  return { ...view, from: at - (at - view.from) / factor, to: at + (view.to - at) / factor };
}

/** Makes rows taller or lower around the middle of the plot. */
export function zoomRows(view: Window, factor: number, plot: Plot): Window {
  const row = Math.min(TALLEST, Math.max(LOWEST, Math.round(view.row * factor)));
  return { ...view, row, top: ((view.top + plot.height / 2) * row) / view.row - plot.height / 2 };
}

/** Moves the chart by pixels. */
export function panWindow(view: Window, dx: number, dy: number, plot: Plot): Window {
  const shift = (dx * (view.to - view.from)) / Math.max(1, plot.width);
  return { ...view, from: view.from - shift, to: view.to - shift, top: view.top - dy };
}

/** Times for the axis: round numbers, at least a distance in pixels apart. */
export function ticks(view: Window, plot: Plot, apart = 80): number[] {
  const wanted = ((view.to - view.from) * apart) / Math.max(1, plot.width);
  const power = 10 ** Math.floor(Math.log10(wanted));
  const step = power * ([1, 2, 5].find((n) => n * power >= wanted) ?? 10);
  const list: number[] = [];
  for (let i = Math.ceil(view.from / step); i * step <= view.to && list.length < 200; i++)
    if (i >= 0) list.push(Number((i * step).toPrecision(12)));
  return list;
}

/** What the chart's focus or pointer is on: a piece, on the port's row or on its worker's. */
export interface Spot {
  row: number;
  piece: Piece;
}

/** The pieces of a row, in their order. */
export function piecesOf(course: Course, row: number): Piece[] {
  return row === 0 ? course.pieces : (course.lanes[row - 1] ?? []);
}

/** Where a piece begins and ends in a row, seconds; while it waits on a worker, where it was received. */
export function extent({ row, piece }: Spot, now: number): [from: number, to: number] {
  if (row === 0 || Number.isNaN(piece.begin)) return [piece.send, Number.isNaN(piece.arrive) ? until(piece, now) : piece.arrive];
  return [piece.begin, until(piece, now)];
}

/** The number of pieces that were sent before a time. */
export function sentBefore(pieces: Piece[], at: number): number {
  let [low, high] = [0, pieces.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (pieces[middle].send < at) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The piece at a time in a row, if one is there within a slack; on a worker, what is computed goes before what is received. */
export function pieceAt(course: Course, row: number, at: number, slack: number, now: number): Spot | undefined {
  let near: { spot: Spot; off: number } | undefined;
  const list = piecesOf(course, row);
  const sent = sentBefore(list, at); // the port sends one after the other
  for (const piece of row === 0 ? list.slice(Math.max(0, sent - 2), sent + 2) : list) {
    const spot = { row, piece };
    const [from, to] = extent(spot, now);
    const off = Math.max(0, from - at, at - to);
    if (off <= slack && (!near || off < near.off)) near = { spot, off };
  }
  if (near?.off === 0 || row === 0) return near?.spot;
  const received = course.lanes[row - 1]?.find(({ send, arrive }) => send <= at && at <= (Number.isNaN(arrive) ? now : arrive));
  return received ? { row, piece: received } : near?.spot;
}

/** The next place of the keyboard's focus: along a row, or to the row above or below at about the same time. */
export function step(course: Course, spot: Spot | undefined, right: number, down: number, now: number): Spot | undefined {
  if (!spot) return course.pieces[0] && { row: 0, piece: course.pieces[0] };
  const list = piecesOf(course, spot.row);
  if (right !== 0) {
    const i = Math.min(list.length - 1, Math.max(0, list.indexOf(spot.piece) + right));
    return { row: spot.row, piece: list[i] ?? spot.piece };
  }
  const at = extent(spot, now)[0];
  for (let row = spot.row + down; row >= 0 && row <= course.workers; row += Math.sign(down)) {
    const others = piecesOf(course, row);
    if (others.length === 0) continue;
    const off = (piece: Piece) => Math.abs(extent({ row, piece }, now)[0] - at);
    return { row, piece: others.reduce((best, piece) => (off(piece) < off(best) ? piece : best)) };
  }
  return spot;
}
