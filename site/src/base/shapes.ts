// The shapes that core/frame lays racks out in, computed for the first paint, which has no recording yet.
import type { Shape } from "./keyframes.ts";

/** The shapes for racks of a number of cells whose sides have at most a number of pixels, as core/frame's Shapes lists them: the best first. */
export function shapesOf(rack: number, most: number): Shape[] {
  const all: [shape: Shape, score: number][] = [];
  for (let across = 1; across <= rack; across++) {
    const down = Math.ceil(rack / across);
    if (across * down * 10 > rack * 11 + 9 || across > 6 * down || down > 4 * across) continue;
    const ratio = (3 * across) / (4 * down);
    const slim = Math.max(ratio, 1 / ratio) - 1;
    for (let width = 1; width <= most; width++) {
      const tallest = Math.min(most, Math.max(width + 1, Math.floor((4 * width) / 3)));
      for (let height = Math.max(1, Math.min(width - 1, Math.floor((3 * width + 3) / 4))); height <= tallest; height++)
        all.push([
          [across, down, width, height, gapOf(width), gapOf(height)],
          width * height * Math.max(0.1, 1 - 0.035 * Math.abs(width - height) - 0.02 * slim),
        ]);
    }
  }
  return all.sort(([, a], [, b]) => b - a).map(([shape]) => shape);
}

const gapOf = (cell: number) => (cell < 3 ? 1 : Math.max(2, Math.floor((9 * cell + 10) / 20)));
