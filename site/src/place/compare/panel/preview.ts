// The form of a comparison's answer before there is one: a sentence with blanks, and the
// figures with every system's mark in the middle, so that nothing suggests who wins.
import { h, svg } from "../../../base/dom.ts";
import { count, duration, number } from "../../../base/format.ts";
import { shortNames } from "../../../model/rivals.ts";
import type { Store } from "../../../model/store.ts";
import type { Comparison } from "../model/compare.ts";
import { TELLING } from "../model/verdict.ts";
import { colourOf, DASHES, letterOf } from "./runmark.ts";

const FIGURES = 6;
const WIDTH = 300; // of a figure's line, in its SVG units
const REACH = 70; // of the line for an interval, to each side
const GAP = 8; // beside the letter
const STEP = 13; // between two systems

/** What the place shows before the first comparison; empty while no system is chosen. */
export function previewOf(comparison: Comparison, store: Store<"run" | "reported">): Node[] {
  const contest = comparison.contest();
  const chosen = comparison.chosen();
  const [seeds, until] = [comparison.seeds(), comparison.until()];
  if (!contest || chosen.length === 0 || seeds === undefined || until === undefined) return [];
  const names = shortNames([contest.own, ...chosen].map(({ name }) => name));
  const letter = (i: number) => {
    const mark = h("b", {}, letterOf(i));
    mark.style.color = `var(${colourOf(i)})`;
    return mark;
  };
  const tracks = [...store.state.series.tracks.values()];
  const first = TELLING.flatMap((id) => tracks.find((track) => track.id === id) ?? [])[0] ?? tracks[0];
  const blank = () => h("i.blank");
  const says = (i: number) =>
    h(
      "p",
      {},
      `${first?.name}: `,
      letter(0),
      " ",
      blank(),
      "; ",
      letter(i),
      " ",
      blank(),
      " by ",
      blank(),
      " (95 %: ",
      blank(),
      " to ",
      blank(),
      ").",
    );
  const runs = names.length * seeds;
  return [
    h("p.rivals", {}, ...names.map((name, i) => h("span", {}, letter(i), ` ${name}`))),
    h("section.form", {}, h("h2", {}, "The answer will read like this"), ...(first ? names.slice(1).map((_, i) => says(i + 1)) : [])),
    h(
      "section.form",
      {},
      h("h2", {}, seeds > 1 ? `Figures, each with the interval of its ${seeds} seeds` : "Figures, with one seed, which gives no interval"),
      ...tracks
        .slice(0, FIGURES)
        .map(({ name, unit }) => h("div.row", {}, h("span", {}, unit ? `${name}, ${unit}` : name), middle(names.length, seeds))),
      h("small.quiet", {}, "less ← → more. All marks stand in the middle until you compare."),
    ),
    h(
      "p.quiet",
      {},
      `${number(runs, "run")} of ${duration(until)} of simulated time: ${count(names.length)} systems, ${number(seeds, "seed")} each. The page's run goes on.`,
    ),
  ];
}

/** A figure's line with the marks of all systems in its middle, below each other. */
function middle(systems: number, seeds: number): SVGElement {
  const height = STEP * systems;
  const picture = svg("svg", { viewBox: `0 0 ${WIDTH} ${height}`, height, "aria-hidden": "true" });
  for (let i = 0; i < systems; i++) {
    const y = STEP * (i + 0.5);
    const line = svg("path", {
      d: `M${WIDTH / 2 - REACH} ${y}h${REACH - GAP}m${2 * GAP} 0h${REACH - GAP}`,
      "stroke-dasharray": DASHES[i].join(" "),
    });
    const mark = svg(
      "text",
      { x: WIDTH / 2, y, "text-anchor": "middle", "dominant-baseline": "middle", "font-size": 11, "font-weight": 700 },
      letterOf(i),
    );
    line.style.stroke = mark.style.fill = `var(${colourOf(i)})`;
    if (seeds > 1) picture.append(line);
    picture.append(mark);
  }
  return picture;
}
