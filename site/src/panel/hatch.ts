// Marks upon cells: hatches for nodes that are down, diamonds for overloaded
// ones, and a pattern for each value of a category. They are what tells states
// apart without colour. Sizes are device pixels.
import type { Pattern } from "../base/palette.ts";

/** Where squares lie on the canvas, in device pixels. */
export interface Squares {
  x: number; // the square at the top left
  y: number;
  zoom: number; // a square with its gap
  gap: number;
  stroke: number; // width of the lines of hatches, which repeat every four
}

/** The squares of a camera on a screen with scale device pixels a CSS pixel. */
export function squares(camera: { x: number; y: number; zoom: number }, scale: number): Squares {
  const zoom = Math.max(camera.zoom * scale, 0.01);
  const gap = zoom >= 40 ? 3 : zoom >= 14 ? 2 : zoom >= 3 ? 1 : 0;
  return { x: camera.x, y: camera.y, zoom, gap, stroke: Math.min(4, Math.max(1, Math.floor(zoom / 8))) };
}

/** Lines at 45°, running on from square to square; rising to the right unless falling. */
export function hatch(context: CanvasRenderingContext2D, colour: string, at: Squares, falling: boolean): CanvasPattern | string {
  const period = 4 * at.stroke;
  const tile = new OffscreenCanvas(period, period);
  const pen = tile.getContext("2d");
  if (!pen) return colour;
  pen.strokeStyle = colour;
  pen.lineWidth = at.stroke * Math.SQRT1_2;
  for (const shift of [-period, 0, period]) {
    pen.beginPath();
    pen.moveTo(shift - 1, falling ? -1 : period + 1);
    pen.lineTo(shift + period + 1, falling ? period + 1 : -1);
    pen.stroke();
  }
  const pattern = context.createPattern(tile, "repeat");
  pattern?.setTransform(new DOMMatrix().translate(-((at.x * at.zoom) % period), -((at.y * at.zoom) % period)));
  return pattern ?? colour;
}

/** Adds the shape of a pattern on one square to the context's path. Hatches are the square itself. */
export function trace(context: CanvasRenderingContext2D, pattern: Pattern | "diamond", left: number, top: number, side: number, stroke: number): void {
  const x = left + side / 2;
  const y = top + side / 2;
  switch (pattern) {
    case "dot":
      context.moveTo(x + 0.2 * side, y);
      context.arc(x, y, 0.2 * side, 0, 7);
      return;
    case "bullet":
      context.rect(x - 0.25 * side, y - 0.25 * side, 0.5 * side, 0.5 * side);
      return;
    case "level":
      for (let line = 0; line < side / 2; line += 4 * stroke) {
        context.rect(left, y + line - stroke / 2, side, stroke);
        if (line > 0) context.rect(left, y - line - stroke / 2, side, stroke);
      }
      return;
    case "diamond": {
      const radius = Math.min(14, Math.max(1, 0.3 * side));
      context.moveTo(x, y - radius);
      context.lineTo(x + radius, y);
      context.lineTo(x, y + radius);
      context.lineTo(x - radius, y);
      context.closePath();
      return;
    }
    default:
      context.rect(left, top, side, side);
  }
}
