// How the runs of a comparison are told apart in chart and table: by a letter,
// a dash and a colour, in this order of trust.
import { h, svg } from "../../../base/dom.ts";

/** Dashes and gaps of the line of each run, CSS pixels. */
export const DASHES = [[], [7, 4], [2, 3], [10, 3, 2, 3], [4, 2], [14, 5]];

export function letterOf(run: number): string {
  return String.fromCharCode(65 + run);
}

/** The custom property with the colour of a run. */
export function colourOf(run: number): string {
  return `--run-${run + 1}`;
}

/** A piece of a run's line with its letter. */
export function markOf(run: number): HTMLElement {
  const line = svg("line", { x1: 0, x2: 24, y1: 5, y2: 5, "stroke-width": 2, "stroke-dasharray": DASHES[run].join(" ") });
  line.style.stroke = `var(${colourOf(run)})`;
  const picture = svg("svg", { width: 24, height: 10, "aria-hidden": "true" });
  picture.append(line);
  return h("span.runmark", {}, picture, h("b", {}, letterOf(run)));
}
