// The figures of the compared runs as a table: a row a figure, a column a run,
// with the difference to the first.
import { h } from "../base/dom.ts";
import { quantity } from "../base/format.ts";
import type { Outcome } from "../model/compare.ts";
import { figuresOf, KINDS, type Figure } from "../model/figures.ts";
import { markOf } from "./runmark.ts";

const SAME = 1e-9;

export function compareTable(runs: Outcome[], words: (text: string) => (string | HTMLElement)[]): HTMLElement {
  const figures = figuresOf(runs);
  const parts = (Object.keys(KINDS) as Figure["kind"][]).flatMap((kind) => {
    const rows = figures.filter((figure) => figure.kind === kind);
    if (rows.length === 0) return [];
    const head = h("tr.part", {}, h("th", { scope: "rowgroup", colspan: runs.length + 1 }, KINDS[kind]));
    return [h("tbody", {}, head, ...rows.map((row) => rowOf(row, words)))];
  });
  return h(
    "table.full",
    {},
    h("caption.hidden", {}, `Figures of the compared systems; what stands behind a value is its difference to ${runs[0].name}`),
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "figure"), ...runs.map((run, i) => headOf(run, i)))),
    h("tbody", {}, h("tr", {}, h("th", { scope: "row" }, "Digest"), ...runs.map(({ digest }) => h("td.n.digest", {}, digest || "–"))), ...warnings(runs)),
    ...parts,
  );
}

function headOf(run: Outcome, i: number): HTMLElement {
  const { name, state, link, why } = run;
  const open = link !== "" && h("a", { href: link, id: `compare-open-${run.id}`, title: "The same scenario with this system on the page, at the end of the comparison" }, "Open", h("span.hidden", {}, ` ${name}`));
  const says = { waiting: "waits", playing: "plays", done: "", failed: why, cancelled: "cancelled" }[state];
  return h("th.n", { scope: "col" }, h("span", {}, markOf(i), ` ${name}`), says !== "" && h("small", { class: state === "failed" ? "bad" : "quiet" }, says), open);
}

function rowOf({ name, unit, values, differences }: Figure, words: (text: string) => (string | HTMLElement)[]): HTMLElement {
  const cells = values.map((value, i) =>
    h("td.n", {}, value === undefined ? "–" : quantity(value, unit), i > 0 && h("span.difference", {}, ` ${difference(differences[i], unit)}`)),
  );
  return h("tr", {}, h("th", { scope: "row" }, ...words(name)), ...cells);
}

/** A difference with its sign; one between percentages is in points. */
export function difference(value: number | undefined, unit: string): string {
  if (value === undefined) return "";
  if (Math.abs(value) < SAME) return "=";
  const size = unit === "%" ? `${quantity(Math.abs(value), "")} pp` : quantity(Math.abs(value), unit);
  return (value > 0 ? "+" : "−") + size;
}

/** What the systems warn of, where one does. */
function warnings(runs: Outcome[]): HTMLElement[] {
  if (!runs.some(({ report }) => report?.warnings.length)) return [];
  return [h("tr.warnings", {}, h("th", { scope: "row" }, "Warnings"), ...runs.map(({ report }) => h("td", {}, report?.warnings.join(" ") ?? "")))];
}
