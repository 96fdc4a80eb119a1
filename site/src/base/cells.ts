// Draws cells as core/heatmap/raster does while they are whole pixels and smaller than
// a glyph: what a recorded frame shows before there is a program that draws.
import { pixel, STAGES, WHITE } from "./palette.ts";

/** Where cells are, in pixels, and how they are filled. */
export interface Cells {
  left: (cell: number) => number;
  top: (cell: number) => number;
  width: number; // with the gap after it
  height: number;
  values: Uint8Array;
  overloaded: (cell: number) => boolean;
  colours: string[]; // of the values
  ground: string;
}

/** Fills the pixels of a picture that is so wide. */
export function paintCells(
  pixels: Uint32Array,
  wide: number,
  { left, top, width, height, values, overloaded, colours, ground }: Cells,
): void {
  pixels.fill(pixel(ground));
  const high = pixels.length / wide;
  const side = Math.min(width, height);
  const gap = side >= 40 ? 4 : side >= 14 ? 3 : side >= 3.5 ? 1 : 0;
  const table = colours.map(pixel);
  for (let cell = 0; cell < values.length; cell++) {
    const [x, y] = [left(cell), top(cell)];
    const [right, bottom] = [Math.min(wide, x + width - gap), Math.min(high, y + height - gap)];
    for (let row = Math.max(0, y); row < bottom; row++)
      pixels.fill(table[values[cell]], row * wide + Math.max(0, x), row * wide + Math.max(0, right));
    if (side < 4 || !overloaded(cell)) continue;
    const ink = pixel(luma(colours[values[cell]]) < 128_000 ? WHITE : STAGES.dark.stage);
    const radius = Math.min(14, Math.max(1, 0.3 * (side - gap)));
    for (let row = Math.max(0, y); row < bottom; row++) {
      for (let column = Math.max(0, x); column < right; column++) {
        const off = Math.abs(column + 0.5 - x - (width - gap) / 2) + Math.abs(row + 0.5 - y - (height - gap) / 2);
        const share = Math.min(1, Math.max(0, radius + 0.5 - off));
        if (share > 0) pixels[row * wide + column] = mixed(table[values[cell]], ink, share);
      }
    }
  }
}

/** Luma of ITU-R BT.601, a thousand times. */
function luma(hex: string): number {
  const n = parseInt(hex.slice(1), 16);
  return 299 * (n >> 16) + 587 * ((n >> 8) & 255) + 114 * (n & 255);
}

/** Two pixels mixed, channel by channel. */
function mixed(a: number, b: number, share: number): number {
  let out = 0;
  for (let shift = 0; shift < 32; shift += 8)
    out |= Math.floor(((((a >>> shift) & 255) / 255) * (1 - share) + (((b >>> shift) & 255) / 255) * share) * 255 + 0.5) << shift;
  return out >>> 0;
}
