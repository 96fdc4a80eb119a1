// What a canvas shows, kept as the drawing that it was made by, so that it can be
// taken away as lines and letters.
import type { Drawing } from "../model/vector.ts";

export type Drawn = Omit<Drawing, "title" | "paper">;

const drawings = new WeakMap<HTMLCanvasElement, Drawn>();

/** Keeps how a canvas was drawn last. */
export function remember(canvas: HTMLCanvasElement, drawn: Drawn): void {
  drawings.set(canvas, drawn);
}

/** How a canvas was drawn last; undefined if unknown. */
export function drawnOn(canvas: HTMLCanvasElement): Drawn | undefined {
  return drawings.get(canvas);
}
