// The looks of cells, the same ones that core/heatmap/raster draws: ramps for
// numbers, a colour and a pattern for each value of a category. The stage is
// dark in both themes, so one set serves both.
import { FULL_SCALE } from "./frame.ts";

export type PaletteName = "cividis" | "viridis" | "grey";
export type Colour = [red: number, green: number, blue: number];
export type Pattern = "solid" | "slash" | "back" | "level" | "dot" | "cross" | "bullet";

export const PALETTES: PaletteName[] = ["cividis", "viridis", "grey"];

/** The stops of each ramp from 0 to 100 %, evenly spaced, taken from the published tables of raster. */
const stops: Record<PaletteName, string> = {
  cividis:
    "00204c 00265a 002a66 002f6f 00346e 1a3a6c 273f6c 32446b 3c4a6b 45506b 4c556b 535a6c 5b5f6d 62656f 686a70 6f6f72 757575 7c7b78 " +
    "838178 8a8678 928c78 9a9377 a19876 a89e74 b0a572 b9ab70 c0b16d c8b86a d1bf66 d9c661 e1cc5c e9d356 f3db4f fce246 ffe945",
  viridis:
    "440154 460c5f 471669 482071 472a79 45347f 433c84 404487 3c4d8a 38568b 355d8c 31648d 2e6c8e 2b748e 287a8e 26818e 23898d 20908c " +
    "1e978a 1e9d88 20a585 26ac81 2eb27c 38b976 45bf6f 55c666 64cb5d 74d054 88d547 9dd93a afdc2e c2df22 d7e219 ece41a fde724",
  grey: "181818 ffffff",
};

/** A value of a category. */
export interface Swatch {
  colour: string;
  pattern: Pattern;
}

const named: Record<string, Swatch> = {
  up: { colour: "344050", pattern: "solid" },
  idle: { colour: "2a3340", pattern: "solid" },
  down: { colour: "3a1214", pattern: "slash" },
  overloaded: { colour: "f0e442", pattern: "solid" },
  migrating: { colour: "56b4e9", pattern: "bullet" },
};

const others: Swatch[] = [
  { colour: "e69f00", pattern: "slash" },
  { colour: "009e73", pattern: "level" },
  { colour: "0072b2", pattern: "solid" },
  { colour: "56b4e9", pattern: "dot" },
  { colour: "cc79a7", pattern: "back" },
  { colour: "d55e00", pattern: "cross" },
];

/** Colours of things in a row, such as rounds: neighbours differ for everybody. */
export const CYCLE = others.map(({ colour }) => "#" + colour);

/** Colours of the stage and of what is drawn upon cells. */
export const STAGE = "#07090d";
export const DOWN_GROUND = "#3a1214";
export const DOWN_HATCH = "#ff8f85";
export const DOWN_FAR = "#7d2c2e";
export const FORCED = "#ff8f85";
export const SELECTION = "#7fb0ff";

/** The look of each value of a category with these names. */
export function swatches(names: string[]): Swatch[] {
  let next = 0;
  return names.map((name) => named[name] ?? others[next++ % others.length]);
}

/** The colour of a share between 0 and 1. */
export function rampColour(name: PaletteName, share: number): Colour {
  const colours = stops[name].split(" ").map(parseColour);
  const place = Math.min(1, Math.max(0, share)) * (colours.length - 1);
  const i = Math.min(colours.length - 2, Math.floor(place));
  const part = place - i;
  return colours[i].map((c, k) => Math.round(c + (colours[i + 1][k] - c) * part)) as Colour;
}

/** A ramp as a CSS gradient from left to right. */
export function gradient(name: PaletteName): string {
  return `linear-gradient(90deg, ${stops[name].split(" ").map((hex) => "#" + hex).join(", ")})`;
}

/** What each byte of a layer looks like. */
export interface Table {
  colours: Uint32Array; // RGBA in memory order, as ImageData wants them
  patterns: Pattern[]; // of the values of a category, else empty
  light: boolean[]; // marks upon this colour are white, else they have the stage's colour
}

/** The looks of a ramp's bytes, or of a category's values when there are names. */
export function table(palette: PaletteName, names: string[] | undefined): Table {
  const looks = names ? swatches(names) : [];
  const bytes = new Uint8Array(1024);
  const light: boolean[] = [];
  for (let value = 0; value < 256; value++) {
    const [r, g, b] = names ? parseColour(looks[value]?.colour ?? "808080") : rampColour(palette, value / FULL_SCALE);
    bytes.set([r, g, b, 255], value * 4);
    light.push(299 * r + 587 * g + 114 * b < 128_000);
  }
  return { colours: new Uint32Array(bytes.buffer), patterns: looks.map(({ pattern }) => pattern), light };
}

/** "#07090d" as a pixel in memory order, as ImageData wants it. */
export function pixel(hex: string): number {
  return new Uint32Array(new Uint8Array([...parseColour(hex.slice(1)), 255]).buffer)[0];
}

function parseColour(hex: string): Colour {
  const n = parseInt(hex, 16);
  return [n >> 16, (n >> 8) & 255, n & 255];
}
