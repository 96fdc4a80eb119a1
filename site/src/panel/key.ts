import { h, type Words } from "../base/dom.ts";
import { digits } from "../base/format.ts";
import type { Layer } from "../base/messages.ts";
import { gradient, type PaletteName, swatches } from "../base/palette.ts";
import { numberOf } from "../model/cell.ts";
import type { Scale } from "../model/scale.ts";

// The key of a layer: its name and the scale of its colours, or its values.
const FEW = 6; // task graphs that the key names
export const BARS = 32; // of the histogram

/** What a layer's colours mean: its values, or its name and a scale. */
export function keyOf(
  layer: Layer,
  palette: PaletteName,
  light: boolean,
  scale: Scale,
  words: (text: string) => Words = (text) => [text],
): HTMLElement[] {
  if (layer.names) return [categories(layer, light, words)];
  return [h("span.title", { title: layer.unit }, h("b", {}, ...words(layer.name))), ramp(layer, palette, light, scale)];
}

function ramp(layer: Layer, palette: PaletteName, light: boolean, { low, high }: Scale): HTMLElement {
  const bar = h("div.ramp");
  bar.style.background = gradient(palette, light);
  const value = (byte: number) => digits(layer.ends ? numberOf(layer, byte) : Math.round(numberOf(layer, byte) * 10) / 10);
  const ticks = [low, (low + high) / 2, high].map((byte, i) => value(byte) + (i === 2 && !layer.top && !layer.ends ? " %" : ""));
  const bars = Array.from({ length: BARS }, () => h("i"));
  return h(
    "div.scale",
    {},
    h("div.histogram", { "aria-hidden": "true" }, ...bars),
    bar,
    h("div.ticks.num", {}, ...ticks.map((tick) => h("span", {}, tick))),
  );
}

function categories({ names = [], graphs = 0 }: Layer, light: boolean, words: (text: string) => Words): HTMLElement {
  const looks = swatches(names, light);
  const left = (i: number) => graphs > FEW && i > FEW && i <= graphs; // of many graphs the first few: the others are named beside the map

  return h(
    "ul.values",
    {},
    ...names.map((name, i) => {
      if (left(i)) return "";
      const chip = h("i", { class: `swatch ${name === "down" ? "down" : looks[i].pattern}` });
      chip.style.setProperty("--colour", "#" + looks[i].colour);
      return h("li", {}, chip, ...words(name));
    }),
  );
}
