// The charts of the run: what uPlot draws, with the newest values, or those
// under the pointer, as text above each.
import uPlot from "uplot";
import { h, say, type Words } from "../../../base/dom.ts";
import { clock, quantity, SECOND } from "../../../base/format.ts";
import { type Token, tokensOf } from "../../../base/tokens.ts";
import { faultTimes } from "../../../model/faults.ts";
import type { Series } from "../../../model/series.ts";
import { all, type Store } from "../../../model/store.ts";
import { chartsOf, systemOf } from "../../../model/systems.ts";
import { type DrawnChart, drawn } from "../../../panel/chartlist.ts";
import { above, apart, empty, mark } from "../../../panel/onchart.ts";
import { axesOf, watchTheme } from "../../../panel/plot.ts";
import { explained } from "../../../panel/term.ts";
import { afterFirst, beginOf, reach } from "../model/reach.ts";

const FEW = 12; // samples that are drawn as points, too
const FITTED = 10; // a chart whose lines stay below such a part of its scale is fitted to them
const STEP = 250; // ms between redraws of all charts: they show one moment
const MANY = 3; // lines; beyond, one that was always 0 is left out
const LETTER = 0.6; // the width of a letter, of its height

export function mountCharts(element: HTMLElement, store: Store<"engine" | "run" | "reported">): () => void {
  let views: View[] = [];
  let shown = ""; // whose charts stand there
  const timer = setInterval(() => !document.hidden && views.forEach((view) => view.update(store.state.series)), STEP);
  const refresh = () => views.forEach((view) => view.rebuild(store.state.series));
  const resize = new ResizeObserver(() => views.forEach((view) => view.resize()));
  const end = () => {
    resize.disconnect();
    views.forEach((view) => view.destroy());
  };
  return all(
    () => clearInterval(timer),
    end,
    watchTheme(refresh),
    store.watch(["systems", "scenario", "shape", "layers"], () => {
      const system = systemOf(store.state);
      const charts = chartsOf(store.state);
      const now = `${system?.id} ${charts.map(({ title }) => title).join()}`;
      if (!system || now === shown) return;
      shown = now;
      end();
      views = charts.map(
        (chart) =>
          new View(
            drawn(chart),
            () => faultTimes(store.state),
            (text) => explained(text, store),
          ),
      );
      element.replaceChildren(...views.map(({ element: one }) => one));
      views.forEach((view) => resize.observe(view.box));
      refresh();
    }),
  );
}

class View {
  readonly element = h("figure.chart");
  #plot: uPlot | undefined;
  readonly box = h("div.plot");
  #keys: HTMLElement[];
  #values: HTMLElement[];
  #room = 0; // beside the lines for their names, CSS pixels
  #shown = -1; // the version of the series that is drawn

  /** faults tells when something broke, in simulated µs: a line through every chart. */
  constructor(
    readonly chart: DrawnChart,
    readonly faults: () => number[],
    words: (text: string) => Words,
  ) {
    this.#values = chart.lines.map(() => h("b.num"));
    this.#keys = chart.lines.map(({ name, colour }, i) => {
      const dot = h("i");
      dot.style.background = colour.startsWith("--") ? `var(${colour})` : colour;
      const said = chart.lines.length === 1 && chart.title.toLowerCase().includes(name); // by the title
      return h("span", {}, dot, ...(said ? [] : [...words(name), " "]), this.#values[i]);
    });
    const keys = h("div.keys", {}, ...this.#keys);
    const alone = chart.lines.length === 1; // one line's name stands beside the title, others stand beside their ends
    this.element.append(h("figcaption", {}, h("h2", {}, ...words(chart.title)), alone ? keys : ""), this.box);
    if (!alone) this.box.append(keys);
  }

  update(series: Series): void {
    if (!this.#plot || series.version === this.#shown) return;
    this.#shown = series.version;
    this.#plot.setData(dataOf(this.chart, series));
    if (this.#plot.cursor.idx === null || this.#plot.cursor.idx === undefined) this.#tell(series);
  }

  rebuild(series: Series): void {
    this.#plot?.destroy();
    const { clientWidth: width, clientHeight: height } = this.box;
    const options = optionsOf(
      this.chart,
      this.faults,
      () => series.at,
      tokensOf(this.element),
      (i) => this.#tell(series, i),
      () => this.#room,
      this.#place,
    );
    this.#plot = new uPlot({ ...options, width: Math.max(80, width), height: Math.max(40, height) }, dataOf(this.chart, series), this.box);
    this.#plot.root.querySelector("canvas")?.setAttribute("aria-hidden", "true");
    this.#shown = -1;
    this.update(series);
  }

  resize(): void {
    const { clientWidth: width, clientHeight: height } = this.box;
    if (width > 0 && height > 0) this.#plot?.setSize({ width, height });
  }

  destroy(): void {
    this.#plot?.destroy();
  }

  #tell(series: Series, place: number | null = null): void {
    const { at, lines } = series.drawn(this.chart.lines.map(({ column }) => column));
    const i = place ?? at.length - 1;
    if (at[i] !== undefined) this.element.title = `True at ${clock(at[i])}; rates are of the last whole minute`;
    this.chart.lines.forEach(({ column }, k) => {
      const value = lines[k][i] ?? undefined;
      const unit = series.tracks.get(column)?.unit ?? "";
      const told = this.chart.title.includes(unit) ? "" : unit;
      say(this.#values[k], value === undefined ? "–" : this.chart.stacked ? String(Math.round(value)) : quantity(value, told));
      this.#keys[k].hidden = this.#keys.length > MANY && !this.chart.stacked && !lines[k].some(Boolean);
    });
    if (this.#keys.length < 2) return;
    const size = Number.parseFloat(tokensOf(this.element)("--t-2xs"));
    const room = size * (2 + LETTER * Math.max(...this.#keys.map(({ hidden, textContent }) => (hidden ? 0 : textContent.length))));
    if (room <= this.#room) return;
    this.#room = Math.ceil(room);
    this.#plot?.redraw(false, true);
  }

  /** Puts the name of each line beside its end, none upon another. */
  #place = ({ bbox, data, valToPos }: uPlot): void => {
    if (this.#keys.length < 2) return;
    const [right, top, high] = [bbox.left + bbox.width, bbox.top, bbox.height].map((length) => length / devicePixelRatio);
    const last = (k: number) => data[this.chart.stacked ? data.length - 1 - k : k + 1]?.at(-1) ?? undefined;
    const shown = this.#keys.flatMap((key, k) => (key.hidden ? [] : [k]));
    const at = shown.map((k) => {
      const below = this.chart.stacked && k > 0 ? (last(k - 1) ?? 0) : undefined; // a part's name stands at its middle
      const value = last(k) ?? 0;
      return Math.max(0, valToPos(below === undefined && !this.chart.stacked ? value : (value + (below ?? 0)) / 2, "y"));
    });
    const line = Number.parseFloat(getComputedStyle(this.#keys[0]).lineHeight);
    apart(at, line, high - line / 4).forEach((y, i) => {
      const { style } = this.#keys[shown[i]];
      style.left = `${right + 5}px`;
      style.top = `${top + y - line / 2}px`;
    });
  };
}

/** Times in seconds, then the lines; stacked ones lie upon each other, the topmost first. */
function dataOf(chart: DrawnChart, series: Series): uPlot.AlignedData {
  const { at, lines } = series.drawn(chart.lines.map(({ column }) => column));
  const times = at.map((time) => time / SECOND);
  const empty = (values: (number | null)[]) => lines.length > MANY && !values.some(Boolean);
  if (!chart.stacked) return [times, ...lines.map((values) => (empty(values) ? values.map(() => null) : values))];
  const sums = times.map(() => 0);
  const stacked = lines.map((values) => values.map((value, i) => (sums[i] += value ?? 0)));
  return [times, ...stacked.reverse()];
}

function optionsOf(
  chart: DrawnChart,
  faults: () => number[],
  samples: () => number[],
  token: Token,
  tell: (i: number | null) => void,
  room: () => number,
  placed: (plot: uPlot) => void,
): Omit<uPlot.Options, "width" | "height"> {
  const colour = (name: string) => (name.startsWith("--") ? token(name) : name);
  const lines = chart.stacked ? [...chart.lines].reverse() : chart.lines;
  const reached = (plot: uPlot) => reach(chart.stacked ? [] : lines.map((_, i) => plot.data[i + 1] ?? []));
  const range: uPlot.Scale.Range = (plot, least, highest) => {
    const most = chart.stacked ? highest : reached(plot).top;
    if (least < 0) return [least * 1.08, most * 1.08];
    const whole = chart.stacked || (most <= (chart.top ?? 0) && most > (chart.top ?? 0) / FITTED); // else its lines lie on the ground
    return [0, chart.top && whole ? chart.top : Math.max(1e-9, (most > 0 ? most : 1) * 1.08)];
  };
  return {
    padding: [6, () => Math.max(14, room()), 0, 0],
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { size: 5 }, sync: { key: "run" } },
    hooks: {
      setCursor: [(plot) => tell(plot.cursor.idx ?? null)],
      draw: [
        (plot) => mark(plot, faults(), token("--bad")),
        (plot) => above(plot, reached(plot).first, token),
        (plot) => empty(plot, token),
        placed,
      ],
    },
    scales: { x: { time: false }, y: { range } },
    series: [
      {},
      ...lines.map(
        ({ colour: name }): uPlot.Series => ({
          stroke: colour(name),
          width: chart.stacked ? 0 : 1.5,
          // a first value above the chart is said in words, and its line is not cut off
          gaps: (plot, k, _, __, gaps) => {
            const { top, first, many } = reached(plot);
            const begin = beginOf(plot.data[k]);
            const end = Math.min(afterFirst(plot.data[k], many), plot.data[0].length - 1);
            const x = (at: number) => Math.round(plot.valToPos(plot.data[0][at], "x", true));
            return first > 0 && (plot.data[k][begin] ?? 0) > top ? [[x(begin), x(end)], ...gaps] : gaps;
          },
          points: {
            show: !chart.stacked,
            size: 4,
            // where samples are, while they are few: one alone is no line, and what is drawn between them is the present value
            filter: (plot) =>
              samples().length > FEW
                ? []
                : samples()
                    .map((time) => plot.data[0].indexOf(time / SECOND))
                    .filter((at) => at >= 0),
          },
          ...(chart.stacked ? { fill: colour(name) } : {}),
        }),
      ),
    ],
    axes: axesOf(token),
  };
}
