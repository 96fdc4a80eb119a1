// The figures of the compared systems as a table: a row a figure, a column a system,
// with the difference to the first. Of several seeds a value is their mean, and a
// difference has its interval, in a scale of the row's own.
import { h, svg, type Words } from "../../../base/dom.ts";
import { difference, quantity } from "../../../base/format.ts";
import type { Estimate } from "../../../base/messages.ts";
import { type Figure, KINDS } from "../model/figures.ts";
import { type Outcome, playsOf, seedsChangeNothing } from "../model/outcome.ts";
import { colourOf, letterOf, markOf } from "./runmark.ts";

const SAME = 1e-9;

export function compareTable(played: Outcome[], figures: Figure[], words: (text: string) => Words): HTMLElement {
  const still = seedsChangeNothing(played);
  const runs = still ? played.map((run) => ({ ...run, repeats: [] })) : played;
  const parts = (Object.keys(KINDS) as Figure["kind"][]).flatMap((kind) => {
    const rows = figures.filter((figure) => figure.kind === kind);
    if (rows.length === 0) return [];
    const head = h("tr.part", {}, h("th", { scope: "rowgroup", colspan: runs.length + 1 }, KINDS[kind]));
    return [h("tbody", {}, head, ...rows.map((row) => rowOf(row, still, words)))];
  });
  return h(
    "table.full",
    {},
    h(
      "caption.hidden",
      {},
      `Figures of the compared systems; the number after a value is its difference to ${runs[0].name}${runs[0].repeats.length > 0 ? "; values are means over the seeds ± their standard deviation, and an interval that touches zero names no winner" : ""}`,
    ),
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "figure"), ...runs.map((run, i) => headOf(run, i)))),
    h("tbody", {}, h("tr", {}, h("th", { scope: "row" }, "Digest"), ...runs.map(digestOf))),
    still &&
      h(
        "tbody",
        {},
        h(
          "tr",
          {},
          h("th", { scope: "row" }, "Seeds"),
          h(
            "td",
            { colspan: runs.length },
            "Every seed gives the same result, so there is no interval. A log varies when it is resampled (workload.jobs.resample).",
          ),
        ),
      ),
    ...parts,
    h("tbody", {}, ...warnings(runs)),
  );
}

function headOf(run: Outcome, i: number): HTMLElement {
  const { name, state, link, why } = run;
  const shown =
    link === ""
      ? name
      : h("a", { href: link, id: `compare-open-${run.id}`, title: "Opens this run on the page, at the end of the comparison" }, name);
  const says = { waiting: "waits", playing: "plays", done: "", failed: why, cancelled: "cancelled" }[state];
  return h(
    "th.n",
    { scope: "col" },
    h("span", {}, markOf(i), " ", shown),
    says !== "" && h("small", { class: state === "failed" ? "bad" : "quiet" }, says),
  );
}

/** The digest of the scenario's own seed; those of the others are in the CSV. */
function digestOf(run: Outcome): HTMLElement {
  const more = run.repeats.filter(({ digest }) => digest !== "").length;
  return h(
    "td.n.digest",
    {},
    run.digest || "–",
    run.repeats.length > 0 &&
      h(
        "small.quiet",
        {
          title: playsOf(run)
            .map(({ seed, digest }) => `seed ${seed}: ${digest || "–"}`)
            .join("\n"),
        },
        `seed ${run.seed}, and ${more} more`,
      ),
  );
}

function rowOf({ name, unit, values, differences }: Figure, still: boolean, words: (text: string) => Words): HTMLElement {
  const reach = Math.max(...differences.flatMap((one) => [Math.abs(one?.low ?? 0), Math.abs(one?.high ?? 0)]), 0);
  const cells = values.map((value, i) =>
    h("td.n", {}, ...told(value, still, unit), ...(i > 0 ? compared(differences[i], unit, i, reach) : [])),
  );
  return h("tr", {}, h("th", { scope: "row" }, ...words(name)), ...cells);
}

function told(value: Estimate | undefined, still: boolean, unit: string): (string | HTMLElement)[] {
  if (!value) return ["–"];
  return [quantity(value.mean, unit), ...(value.n > 1 && !still ? [h("small.quiet", {}, ` ± ${quantity(value.sd, unit)}`)] : [])];
}

/** How far a system's mean is from the first one's: with its interval where there is one, and who is lower where it does not touch zero. */
function compared(one: Estimate | undefined, unit: string, run: number, reach: number): HTMLElement[] {
  const text = h("span.difference", {}, ` ${difference(one?.mean, unit)}`);
  if (one?.low === undefined || one.high === undefined || reach < SAME) return [text];
  const lower = one.verdict === "lower" ? run : 0;
  const x = (value: number) => 30 + (28 * value) / reach;
  const line = svg("line", { x1: x(one.low), x2: x(one.high), y1: 6, y2: 6, "stroke-width": 2 });
  const dot = svg("circle", { cx: x(one.mean), cy: 6, r: 3 });
  line.style.stroke = dot.style.fill = one.verdict === "none" ? "var(--ink-3)" : `var(${colourOf(lower)})`;
  const picture = svg("svg", { width: 60, height: 12, "aria-hidden": "true" });
  picture.append(svg("line", { x1: 30, x2: 30, y1: 0, y2: 12, class: "zero" }), line, dot);
  const range = `95 % of ${one.n} seeds: ${difference(one.low, unit)} to ${difference(one.high, unit)}`;
  return [
    h(
      "span.compared",
      {},
      text,
      h(
        "span.interval",
        { title: range },
        picture,
        h("span.hidden", {}, ` ${range} `),
        one.verdict === "none" ? "no difference seen" : `${letterOf(lower)} lower`,
      ),
    ),
  ];
}

/** What the systems warn of, where one does. */
function warnings(runs: Outcome[]): HTMLElement[] {
  if (!runs.some(({ report }) => report?.warnings.length)) return [];
  return [
    h("tr.warnings", {}, h("th", { scope: "row" }, "Warnings"), ...runs.map(({ report }) => h("td", {}, report?.warnings.join(" ") ?? ""))),
  ];
}
