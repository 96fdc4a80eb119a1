// One run's cells less another's: A − B, cell by cell, on a scale that has zero in
// its middle, in colours that everybody tells apart.
import { type Frame, FULL_SCALE } from "../../../base/frame.ts";
import type { Layer } from "../../../base/messages.ts";
import { DIVERGING, pixel, STAGES } from "../../../base/palette.ts";
import type { Camera, Size } from "../../../model/camera.ts";
import { type Axis, type Grid, place } from "../../../model/grid.ts";

/** A difference in each cell, in the layer's bytes; of categories 1 where they are not the same. */
export interface Differences {
  at: number; // µs: the moment of both
  values: Int16Array;
  down: Uint8Array; // 1: the node is down in both runs
  other: number; // cells that differ
}

/** What a run's frame shows and by which layers. */
export interface Shown {
  frame: Frame;
  layers: Layer[];
}

/** The differences of two runs in a layer; undefined where they are not at the same moment, or have other cells. They take the place of those before, if any are given. */
export function differencesOf(a: Shown, b: Shown, fill: string, before?: Differences): Differences | undefined {
  const values = (shown: Shown, id: string) =>
    shown.frame.layers[shown.layers.findIndex((layer) => layer.id === id)] as Uint8Array | undefined;
  const [left, right] = [values(a, fill), values(b, fill)];
  if (!left || !right || a.frame.at !== b.frame.at || left.length !== right.length) return undefined;
  const names = [a, b].map(({ layers }) => layers.find(({ id }) => id === fill)?.names);
  const isDown = [a, b].map((shown) => {
    const down = shown.layers.find(({ id }) => id === "state")?.names?.indexOf("down") ?? -1;
    const states = values(shown, "state");
    return (cell: number) => states?.[cell] === down;
  });
  const room = before?.values.length === left.length ? before : { values: new Int16Array(left.length), down: new Uint8Array(left.length) };
  const out: Differences = { at: a.frame.at, values: room.values.fill(0), down: room.down.fill(0), other: 0 };
  for (let cell = 0; cell < left.length; cell++) {
    if (isDown[0](cell) && isDown[1](cell)) out.down[cell] = 1;
    else out.values[cell] = names[0] ? Number(names[0][left[cell]] !== names[1]?.[right[cell]]) : left[cell] - right[cell];
    if (out.values[cell] !== 0) out.other++;
  }
  return out;
}

/** The least range of a scale: a tenth of a layer's, because noise is no signal. */
const LEAST = FULL_SCALE / 10;

/** How far a scale reaches to both sides of zero: the 99th percentile of what differs, in steps of 2 %. */
export function reachOf(all: Differences[]): number {
  const counts = new Uint32Array(256);
  let sum = 0;
  for (const { values } of all) {
    for (const value of values) {
      if (value === 0) continue;
      counts[Math.min(255, Math.abs(value))]++;
      sum++;
    }
  }
  let seen = 0;
  const most = counts.findIndex((count) => (seen += count) >= 0.99 * sum && sum > 0);
  return Math.max(LEAST, Math.ceil(Math.max(0, most) / 4) * 4);
}

/** The colours of −255 to 255 when the scale reaches so far to both sides, "#07090d" each. */
export function divergingColours(light: boolean, reach: number): string[] {
  const stops = DIVERGING[light ? "light" : "dark"].split(" ").map((hex) => parseInt(hex, 16));
  return Array.from({ length: 511 }, (_, i) => {
    const at = ((Math.min(1, Math.max(-1, (i - 255) / reach)) + 1) / 2) * (stops.length - 1);
    const k = Math.min(stops.length - 2, Math.floor(at));
    const mix = (shift: number) => {
      const [a, b] = [(stops[k] >> shift) & 255, (stops[k + 1] >> shift) & 255];
      return Math.round(a + (b - a) * (at - k))
        .toString(16)
        .padStart(2, "0");
    };
    return `#${mix(16)}${mix(8)}${mix(0)}`;
  });
}

/** The same as a CSS gradient from left to right. */
export function divergingGradient(light: boolean): string {
  return `linear-gradient(90deg, ${DIVERGING[light ? "light" : "dark"]
    .split(" ")
    .map((hex) => "#" + hex)
    .join(", ")})`;
}

/** Draws differences as pixels of the screen, of which a CSS pixel has scale; upon those of the picture before where it was as large. */
export function paintDifferences(
  grid: Grid,
  { values, down }: Differences,
  camera: Camera,
  size: Size,
  scale: number,
  light: boolean,
  reach: number,
  before?: Uint32Array<ArrayBuffer>,
): { width: number; height: number; pixels: Uint32Array<ArrayBuffer> } {
  const [width, height] = [Math.max(1, Math.round(size.width * scale)), Math.max(1, Math.round(size.height * scale))];
  const pixels = before?.length === width * height ? before : new Uint32Array(width * height);
  const { stage, down: gone } = STAGES[light ? "light" : "dark"];
  pixels.fill(pixel(stage));
  const colours = pixelsOf(light, reach);
  const downPixel = pixel(gone);
  const { layout, across, down: rows } = grid;
  const gap = camera.zoom * scale >= 4 ? 1 : 0; // between two cells
  const span = (axis: Axis, squares: number, from: number, most: number) =>
    Array.from({ length: squares }, (_, square) => {
      const begin = (place(axis, square) - from) * camera.zoom * scale;
      const first = Math.round(begin);
      return [Math.max(0, first), Math.min(most, Math.max(first + 1, Math.round(begin + axis.cell * camera.zoom * scale) - gap))];
    });
  const spans = { x: span(across, layout.columns, camera.x, width), y: span(rows, layout.rows, camera.y, height) };
  for (let cell = 0; cell < values.length; cell++) {
    const [left, right] = spans.x[layout.x[cell]];
    const [top, bottom] = spans.y[layout.y[cell]];
    const hatched = down[cell] === 1;
    const colour = hatched ? downPixel : colours[values[cell] + 255];
    for (let y = top; y < bottom; y++) {
      for (let x = left, at = y * width; x < right; x++) if (!hatched || (x + y) % 4 < 2) pixels[at + x] = colour;
    }
  }
  return { width, height, pixels };
}

let mixed = { key: "", pixels: new Uint32Array() }; // the last ones: a scale stays for many pictures

function pixelsOf(light: boolean, reach: number): Uint32Array {
  const key = `${light} ${reach}`;
  if (mixed.key !== key) mixed = { key, pixels: Uint32Array.from(divergingColours(light, reach), pixel) };
  return mixed.pixels;
}
