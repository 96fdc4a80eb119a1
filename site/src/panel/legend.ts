// The legend: what the colours mean, in numbers, and how many nodes are in
// each state, with the marks that show it.
import { atMostEvery, fill, h, say } from "../base/dom.ts";
import { count, digits } from "../base/format.ts";
import { gradient, swatches, type PaletteName } from "../base/palette.ts";
import type { Layer } from "../base/messages.ts";
import { countStates } from "../model/cell.ts";
import { all, type Store } from "../model/store.ts";

const MARKS = [
  ["down", "▨", "bad"],
  ["overloaded", "◆", "warn"],
  ["migrations", "⌁", ""],
  ["forced", "╌", "bad"],
] as const;

export function mountLegend(element: HTMLElement, store: Store): () => void {
  const key = h("div.key");
  const numbers = MARKS.map(([, , tone]) => h("b.num", { class: tone }));
  const marks = h("div.marks", {}, ...MARKS.map(([name, mark, tone], i) => h("span", {}, h("span", { class: tone, "aria-hidden": "true" }, mark), ` ${name} `, numbers[i])));
  fill(element, key, marks);
  const recount = atMostEvery(500, () => {
    const arcs = store.state.frame?.arcs ?? []; // as the map draws them, forced ones dashed
    const counts: Record<string, number> = { ...countStates(store.state.frame, store.state.layers), migrations: arcs.length, forced: arcs.filter(({ forced }) => forced).length };
    MARKS.forEach(([name], i) => say(numbers[i], count(counts[name] ?? 0)));
    const forced = marks.lastElementChild as HTMLElement | null;
    if (forced) forced.hidden = counts.forced === 0;
  });
  return all(
    store.watch(["frame", "layers"], recount),
    store.watch(["fill", "palette", "layers"], () => {
      const layer = store.state.layers.find(({ id }) => id === store.state.fill);
      if (!layer) return;
      marks.hidden = layer.names?.includes("down") ?? false; // the values say it already
      fill(key, ...keyOf(layer, store.state.palette));
    }),
  );
}

/** What a layer's colours mean: its values, or its name and a scale. */
export function keyOf(layer: Layer, palette: PaletteName): HTMLElement[] {
  if (layer.names) return [categories(layer.names)];
  return [h("span", {}, h("b", {}, layer.name), layer.unit && `, ${layer.unit}`), ramp(layer, palette)];
}

function ramp(layer: Layer, palette: PaletteName): HTMLElement {
  const bar = h("div.ramp");
  bar.style.background = gradient(palette);
  const top = layer.top ?? 100;
  const ticks = [0, 0.25, 0.5, 0.75, 1].map((share) => digits(top * share) + (share === 1 && !layer.top ? " %" : ""));
  return h("div.scale", {}, bar, h("div.ticks.num", {}, ...ticks.map((tick) => h("span", {}, tick))));
}

function categories(names: string[]): HTMLElement {
  const looks = swatches(names);
  return h(
    "ul.values",
    {},
    ...names.map((name, i) => {
      const chip = h("i", { class: `swatch ${name === "down" ? "down" : looks[i].pattern}` });
      chip.style.setProperty("--colour", "#" + looks[i].colour);
      return h("li", {}, chip, name);
    }),
  );
}
