// The arcs of running migrations: a faint curve from source to target, bright
// as far as the task's memory has come, and a box at the target. Forced ones
// are dashed and red.
import type { Frame } from "../base/frame.ts";
import { FORCED } from "../base/palette.ts";
import type { Grid } from "../model/grid.ts";
import type { Squares } from "./hatch.ts";

interface Point {
  x: number;
  y: number;
}

export function drawArcs(context: CanvasRenderingContext2D, { grid, frame }: { grid: Grid; frame: Frame }, at: Squares, scale: number): void {
  const { x, y } = grid.layout;
  const middle = (at.zoom - at.gap) / 2;
  const place = (cell: number): Point => ({ x: (x[cell] - at.x) * at.zoom + middle, y: (y[cell] - at.y) * at.zoom + middle });
  // More arcs are drawn fainter, so that the squares stay readable.
  const fade = Math.min(1, Math.max(0.35, Math.sqrt(80 / (frame.arcs.length + 1))));
  for (const arc of frame.arcs) {
    if (arc.from === arc.to || arc.from >= grid.cells || arc.to >= grid.cells) continue;
    const from = place(arc.from);
    const to = place(arc.to);
    const length = Math.max(1, Math.hypot(to.x - from.x, to.y - from.y));
    const control = bend(from, to, length, scale);
    context.strokeStyle = arc.forced ? FORCED : "#fff";
    context.setLineDash(arc.forced ? [4 * scale, 3 * scale] : []);
    const curve = (a: number, b: number, width: number, alpha: number) => {
      if (b <= a) return;
      context.lineWidth = width * scale;
      context.globalAlpha = alpha * fade;
      part(context, from, control, to, a, b);
    };
    curve(arc.progress, 1, 1, arc.forced ? 0.5 : 0.3);
    curve(0, arc.progress, 1.25, 0.65);
    context.setLineDash([]);
    curve(Math.max(0, arc.progress - (7 * scale) / length), arc.progress, 2.6, 1);
    const side = Math.max(at.zoom - at.gap, 5 * scale) + 2 * scale;
    context.globalAlpha = Math.max(0.6, fade);
    context.lineWidth = Math.max(1, Math.floor(scale));
    context.strokeRect(Math.round(to.x - side / 2) + 0.5, Math.round(to.y - side / 2) + 0.5, Math.round(side) - 1, Math.round(side) - 1);
  }
  context.globalAlpha = 1;
}

/** The control point: off the straight line on its upper side. */
function bend(from: Point, to: Point, length: number, scale: number): Point {
  let nx = (to.y - from.y) / length;
  let ny = -(to.x - from.x) / length;
  if (ny > 0 || (ny === 0 && nx < 0)) [nx, ny] = [-nx, -ny];
  const off = Math.min(0.35 * length, 64 * scale);
  return { x: (from.x + to.x) / 2 + nx * off, y: (from.y + to.y) / 2 + ny * off };
}

/** Strokes the part of a quadratic curve between two of its parameters. */
function part(context: CanvasRenderingContext2D, from: Point, control: Point, to: Point, a: number, b: number): void {
  const mix = (p: Point, q: Point, t: number): Point => ({ x: p.x + (q.x - p.x) * t, y: p.y + (q.y - p.y) * t });
  const blossom = (s: number, t: number): Point => mix(mix(from, control, s), mix(control, to, s), t);
  const start = blossom(a, a);
  const bow = blossom(a, b);
  const end = blossom(b, b);
  context.beginPath();
  context.moveTo(start.x, start.y);
  context.quadraticCurveTo(bow.x, bow.y, end.x, end.y);
  context.stroke();
}
