// Sliders for settings whose whole range is worth trying.
import { h } from "../base/dom.ts";
import { bytes } from "../base/format.ts";

interface Range {
  stops: number[]; // the values that the slider takes
  name: string;
  tell: (value: number) => string;
}

const gigabytes = [0, 0.5, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024];

const ranges: Record<string, Range> = {
  budget_mb: { stops: gigabytes.map((gb) => gb * 1000), name: "May migrate", tell: (value) => `${bytes(value * 1e6)} an adaptation` },
};

export function hasSlider(name: string): boolean {
  return name in ranges;
}

/** A labelled slider; set is called when it is let go. */
export function slider(name: string, usual: number, value: number, set: (value: number) => void): HTMLElement {
  const { stops, name: title, tell } = ranges[name];
  const id = `setting-${name}`;
  const nearest = (x: number) => stops.reduce((best, stop, i) => (Math.abs(stop - x) < Math.abs(stops[best] - x) ? i : best), 0);
  const told = h("output.num", { for: id }, tell(value));
  const at = () => stops[Number(input.value)];
  const input = h("input", {
    id, type: "range", min: "0", max: String(stops.length - 1), step: "1",
    oninput: () => {
      told.textContent = tell(at());
      input.setAttribute("aria-valuetext", tell(at()));
    },
    onchange: () => set(at()),
  });
  input.value = String(nearest(value));
  input.setAttribute("aria-valuetext", tell(value));
  return h("div.field.wide", {}, h("label", { for: id, class: value !== usual ? "changed" : "", title: value !== usual ? `The usual value is ${tell(usual)}` : undefined }, title), told, input);
}
