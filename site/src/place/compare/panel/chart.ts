// One figure of the compared systems over simulated time: a line a system, with its
// letter at the line's end, and behind it from the least to the most of its seeds.
import uPlot from "uplot";
import { h, say } from "../../../base/dom.ts";
import { difference, quantity, SECOND } from "../../../base/format.ts";
import { type Token, tokensOf } from "../../../base/tokens.ts";
import { apart } from "../../../panel/onchart.ts";
import { axesOf, watchTheme } from "../../../panel/plot.ts";
import { type Drawn, type Line, linesOf } from "../model/figures.ts";
import { colourOf, DASHES, letterOf, markOf } from "./runmark.ts";

const LETTER = 11; // CSS pixels
const BAND = "2e"; // how opaque the range over the seeds is

export class CompareChart {
  readonly element = h("figure.chart");
  readonly #keys = h("figcaption.keys");
  readonly #box = h("div.plot");
  #values: HTMLElement[] = [];
  #plot: uPlot | undefined;
  #shown = ""; // which lines the plot was made for
  #lines: Line[] = [];
  #unit = "";
  #to = 0; // seconds
  #stops: (() => void)[];

  /** beside: how far a value is from the first one's stands beside it. */
  constructor(readonly beside = false) {
    this.element.replaceChildren(this.#keys, this.#box);
    const resize = new ResizeObserver(() => this.#plot?.setSize(this.#size()));
    resize.observe(this.#box);
    const again = () => {
      const data = this.#plot?.data;
      if (data) this.#build(data);
    };
    this.#stops = [() => resize.disconnect(), watchTheme(again)];
  }

  /** Draws a column of the runs over a time from 0 (µs). */
  draw(runs: Drawn[], column: { id: string; unit: string }, to: number): void {
    const { at, lines, least, most } = linesOf(runs, column.id);
    this.#to = to / SECOND;
    this.#lines = lines;
    this.#unit = column.unit;
    const data: uPlot.AlignedData = [at.map((time) => time / SECOND), ...lines, ...least, ...most];
    const shows = `${column.id} ${runs.map(({ id }) => id)}`;
    if (shows === this.#shown) {
      this.#plot?.setData(data);
      if ((this.#plot?.cursor.idx ?? null) === null) this.#tell(null);
      return;
    }
    this.#shown = shows;
    this.#name(runs);
    this.#tell(null); // before the plot takes what room the names leave
    this.#build(data);
  }

  destroy(): void {
    this.#plot?.destroy();
    for (const stop of this.#stops) stop();
  }

  #name(runs: Drawn[]): void {
    this.#values = runs.map(() => h("b.num"));
    this.#keys.replaceChildren(...runs.map(({ name }, i) => h("span", {}, markOf(i), ` ${name} `, this.#values[i])));
  }

  #size(): { width: number; height: number } {
    const { clientWidth, clientHeight } = this.#box;
    return { width: Math.max(80, clientWidth), height: Math.max(40, clientHeight) };
  }

  #build(data: uPlot.AlignedData): void {
    this.#plot?.destroy();
    const token = tokensOf(this.element);
    const options: uPlot.Options = {
      ...this.#size(),
      padding: [8, 20, 0, 0],
      legend: { show: false },
      cursor: { y: false, drag: { x: false, y: false }, points: { size: 5 } },
      hooks: { setCursor: [(plot) => this.#tell(plot.cursor.idx ?? null)], draw: [(plot) => drawLetters(plot, this.#lines, token)] },
      scales: {
        x: { time: false, range: () => [0, this.#to] },
        y: { range: (_plot, least, most) => [Math.min(0, least || 0), (most > 0 ? most : 1) * 1.08] },
      },
      series: [
        {},
        ...this.#lines.map((_, i): uPlot.Series => ({ stroke: token(colourOf(i)), dash: DASHES[i], width: 1.75, points: { show: false } })),
        ...[...this.#lines, ...this.#lines].map((): uPlot.Series => ({ width: 0, points: { show: false } })), // the least and the most
      ],
      bands: this.#lines.map((_, i) => ({
        series: [1 + 2 * this.#lines.length + i, 1 + this.#lines.length + i],
        fill: token(colourOf(i)) + BAND,
      })),
      axes: axesOf(token),
    };
    this.#plot = new uPlot(options, data, this.#box);
    this.#plot.root.querySelector("canvas")?.setAttribute("aria-hidden", "true");
  }

  /** Writes the values under the pointer, or the newest ones, beside the names. */
  #tell(under: number | null): void {
    const at = (values: Line) => values[under ?? lastOf(values)];
    const first = this.#lines.length > 0 ? at(this.#lines[0]) : undefined;
    this.#lines.forEach((values, run) => {
      const value = at(values);
      const less =
        this.beside && run > 0 && value !== undefined && first !== undefined ? ` (${difference(value - first, this.#unit)})` : "";
      say(this.#values[run], value === undefined ? "–" : quantity(value, this.#unit) + less);
    });
  }
}

/** The index of the last value that is there, -1 if none. */
function lastOf(values: Line): number {
  let i = values.length - 1;
  while (i >= 0 && values[i] === undefined) i--;
  return i;
}

function drawLetters(plot: uPlot, lines: Line[], token: Token): void {
  const { ctx, bbox, data } = plot;
  const scale = devicePixelRatio;
  const ends = lines.flatMap((values, run) => {
    const last = lastOf(values);
    return last < 0 ? [] : [{ run, x: plot.valToPos(data[0][last], "x", true), y: plot.valToPos(values[last] ?? 0, "y", true) }];
  });
  const rows = apart(
    ends.map(({ y }) => y),
    LETTER * scale,
    bbox.top + bbox.height - (LETTER / 2) * scale,
  );
  ctx.save();
  ctx.font = `600 ${LETTER * scale}px ${token("--font")}`;
  ctx.textBaseline = "middle";
  ends.forEach(({ run, x }, i) => {
    ctx.fillStyle = token(colourOf(run));
    ctx.fillText(letterOf(run), x + 6 * scale, rows[i]);
  });
  ctx.restore();
}
