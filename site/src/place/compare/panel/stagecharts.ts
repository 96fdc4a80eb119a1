// Figures of the runs that are watched side by side, over the time that they have in
// common: a line a run, which grows as they play, up to the moment where they stand.
import { atMostEvery, h } from "../../../base/dom.ts";
import { horizon } from "../../../model/run.ts";
import { columnsOf, figuresWatched } from "../model/figures.ts";
import type { Pair } from "../model/pair.ts";
import { CompareChart } from "./chart.ts";

const SPAN = 300; // ms between two drawings

/** Draws a chart for each of the pair's figures. */
export function stageCharts(pair: Pair): { element: HTMLElement; draw: () => void; end: () => void } {
  const charts = pair.state.figures.map((_, i) => chartOf(pair, i));
  const element = h("div.overlaid", { role: "group", "aria-label": "Figures over time" }, ...charts.map((chart) => chart.element));
  return { element, draw: () => charts.forEach(({ soon }) => soon()), end: () => charts.forEach(({ chart }) => chart.destroy()) };
}

function chartOf(pair: Pair, place: number): { element: HTMLElement; chart: CompareChart; soon: () => void } {
  const chart = new CompareChart(true);
  const menu = h("select", {
    id: `pair-figure-${place}`,
    "aria-label": `Figure ${place + 1}`,
    onchange: () => pair.set({ figures: pair.state.figures.with(place, menu.value) }),
  });
  const element = h("div", { hidden: true }, menu, chart.element);
  let listed = ""; // the columns of the menu
  const draw = () => {
    const { sides, figures, until, head } = pair.state;
    const column = figuresWatched(sides, figures)[place];
    element.hidden = !column;
    if (!column) return;
    const columns = columnsOf(sides);
    const says = columns.map(({ id }) => id).join();
    if (says !== listed) menu.replaceChildren(...columns.map(({ id, name }) => h("option", { value: id }, name)));
    listed = says;
    menu.value = column.id;
    chart.draw(
      sides.map(({ rival: { id, name }, series }) => ({ id, name, series, repeats: [] })),
      column,
      horizon({ status: { until }, head }),
    );
  };
  const soon = atMostEvery(SPAN, () => element.isConnected && draw());
  return { element, chart, soon };
}
