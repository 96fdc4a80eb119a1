// The colours of cells, as core/heatmap/raster has them; assets/palettes is the
// proof. The page needs them for its legend and the small map.

export const PALETTES = ["dusk", "cividis", "viridis", "grey"] as const;
export type PaletteName = (typeof PALETTES)[number];

/** A pattern tells categories apart where colour does not. */
export type Pattern = "solid" | "slash" | "back" | "level" | "dot" | "cross" | "bullet";

const stops = {
  dusk: "2d2468 2e3f87 1f6095 097f94 2e9a8b 78b172 d7b84f fcd387 fef4d7",
  dawn: "f4eecc f3da96 edb85c 79b575 349f88 157f92 215a8f 2b3680 23185a",
  cividis:
    "00204c 00275d 002e6e 01356e 203c6c 31446b 3d4b6b 48526b 535a6c 5d616e 666870 6f6f72 777776 817f78 8b8778 958f78 9f9776 a99f74 b5a871 bfb16d cab969 d5c263 e0cb5d edd654 f9e049 ffe945",
  viridis: "440154 471669 472a79 433c84 3c4d8a 355d8c 2e6c8e 287a8e 23898d 1e978a 20a585 2eb27c 45bf6f 64cb5d 88d547 afdc2e d7e219 fde724",
  grey: "181818 ffffff",
  black: "d8d8d8 101010",
};

/** A value of a category. */
export interface Swatch {
  colour: string;
  pattern: Pattern;
}

const named = (light: boolean): Record<string, Swatch> => ({
  up: { colour: light ? "c3cbd6" : "344050", pattern: "solid" },
  idle: { colour: light ? "dde2e9" : "2a3340", pattern: "solid" },
  down: { colour: light ? "f3c6c1" : "43101a", pattern: "slash" },
  overloaded: { colour: "f0e442", pattern: "solid" },
  migrating: { colour: "56b4e9", pattern: "bullet" },
  off: { colour: light ? "fbfcfd" : "080b11", pattern: "solid" },
});

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

/** The colour of a hue in degrees, for things without number; darker for what is done. */
export const hued = (hue: number, done: boolean): string => `hsl(${hue} 62% ${done ? 46 : 62}%)`;

/** The ground of the stages, what is written upon it, and what is down from afar. */
export const STAGES = {
  dark: { stage: "#080b11", ink: "#e8ecf2", down: "#8e343a" },
  light: { stage: "#fbfcfd", ink: "#14181f", down: "#d98078" },
};

export const BLACK = "#000000";
export const WHITE = "#ffffff";

/** From "B is higher" over zero to "A is higher": the orange arm of ColorBrewer's PuOr and the blue one of its RdBu, both named safe for colour-blind people; on the dark stage zero is dark, so that what differs shines. */
export const DIVERGING = {
  dark: "ffd9a8 f2a550 b9681f 5f3a17 1b2029 173c63 2368a8 5aa5ea c4e2ff",
  light: "7f3b08 b35806 e08214 fdb863 f4f4f2 92c5de 4393c3 2166ac 053061",
};

/** What is lower and what is higher: blue and vermilion of Okabe and Ito, told apart by everybody. */
export const ENDS = { lower: "0072b2", higher: "d55e00" };

/** The look of each value of a category with these names: six colours, each with another pattern when it comes again. */
export function swatches(names: string[], light: boolean): Swatch[] {
  let next = -1;
  const look = (n: number) => others[n % others.length];
  return names.map((name) => named(light)[name] ?? { ...look(++next), pattern: look(next + Math.floor(next / others.length)).pattern });
}

/** A ramp on the dark stage or the light one, from the lowest value. */
function ramp(name: PaletteName, light: boolean): string[] {
  if (!light) return stops[name].split(" ");
  if (name === "dusk") return stops.dawn.split(" ");
  if (name === "grey") return stops.black.split(" ");
  return stops[name].split(" ").reverse();
}

/** The colours of the 256 bytes of a layer, "#07090d" each, when the ramp runs from low to high. */
export function rampColours(name: PaletteName, light: boolean, low: number, high: number): string[] {
  const colours = ramp(name, light).map((hex) => parseInt(hex, 16));
  const table = Array.from({ length: 256 }, (_, i) => {
    const at = i * (colours.length - 1);
    const stop = Math.min(Math.floor(at / 255), colours.length - 2);
    const part = at - 255 * stop;
    const mix = (shift: number) =>
      Math.floor((((colours[stop] >> shift) & 255) * (255 - part) + ((colours[stop + 1] >> shift) & 255) * part + 127) / 255)
        .toString(16)
        .padStart(2, "0");
    return `#${mix(16)}${mix(8)}${mix(0)}`;
  });
  const span = high - low;
  return Array.from(
    { length: 256 },
    (_, byte) => table[Math.floor((Math.min(span, Math.max(0, byte - low)) * 255 + Math.floor(span / 2)) / span)],
  );
}

/** A ramp as a CSS gradient from left to right. */
export function gradient(name: PaletteName, light: boolean): string {
  return `linear-gradient(90deg, ${ramp(name, light)
    .map((hex) => "#" + hex)
    .join(", ")})`;
}

/** "#07090d" as a pixel in memory order, as ImageData wants it. */
export function pixel(hex: string): number {
  const n = parseInt(hex.slice(1), 16);
  return new Uint32Array(Uint8Array.of(n >> 16, (n >> 8) & 255, n & 255, 255).buffer)[0];
}
