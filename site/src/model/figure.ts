// A chart as a drawing of its own: text of an SVG with title, axes, legend and
// everything it needs, for papers and reports.
import { duration, quantity, SECOND, short } from "../base/format.ts";
import { PAPER } from "../base/tokens.ts";
import { type Carried, metadata } from "./carrier.ts";
import type { Series } from "./series.ts";

/** A chart with the colours of its lines as numbers. */
export interface Figure {
  title: string;
  stacked?: boolean;
  top?: number;
  lines: { column: string; name: string; colour: string }[];
}

const WIDTH = 720;
const LEFT = 56;
const RIGHT = 24;
const HIGH = 200; // of the area of values
const MOST = 700; // points of a line: more than its pixels say nothing
const STEPS = [
  1, 2, 5, 10, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 14_400, 21_600, 43_200, 86_400, 172_800, 432_000, 864_000, 2_592_000,
];

export function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}

/** A chart of the run so far, dark ink on white. */
export function figureSVG({ title, stacked, top, lines }: Figure, series: Series, faults: number[], carried?: Carried): string {
  const first = series.at[0] ?? 0;
  const span = Math.max(1, (series.at.at(-1) ?? 0) - first);
  const x = (at: number) => LEFT + ((at - first) / span) * (WIDTH - LEFT - RIGHT);
  const legend = lines.map(({ name, column }) => `${name}: ${quantity(series.last(column) ?? 0, series.tracks.get(column)?.unit ?? "")}`);
  const rows = legendRows(legend);
  const above = 34 + 18 * (rows.at(-1)?.row ?? 0) + 22;
  const below = above + HIGH;
  const values = lines.map(({ column }) => series.tracks.get(column)?.values ?? []);
  const sums = stacked
    ? values.map((_, k) => series.at.map((_, i) => values.slice(0, k + 1).reduce((sum, line) => sum + (line[i] ?? 0), 0)))
    : values;
  const most = sums.flat().reduce((so, value) => Math.max(so, value), 0);
  const high = top && most <= top ? top : Math.max(1e-9, most * 1.08);
  const step = Math.max(1, Math.ceil(series.at.length / MOST));
  const points = (k: number) => {
    const at: string[] = [];
    for (let i = 0; i < series.at.length; i += step) {
      const part = sums[k].slice(i, i + step);
      at.push(
        `${x(series.at[i]).toFixed(1)},${(below - (part.reduce((sum, value) => sum + value, 0) / part.length / high) * HIGH).toFixed(1)}`,
      );
    }
    return at;
  };
  const order = lines.map((_, k) => k);
  if (stacked) order.reverse(); // the highest sum first, the others upon it
  const drawn = order.map((k) => {
    const at = points(k);
    const { colour } = lines[k];
    if (!stacked) return `<polyline points="${at.join(" ")}" fill="none" stroke="${colour}" stroke-width="1.5"/>`;
    return `<polygon points="${LEFT},${below} ${at.join(" ")} ${at.at(-1)?.split(",")[0] ?? LEFT},${below}" fill="${colour}"/>`;
  });
  const seconds = STEPS.find((size) => span / SECOND / size <= 8) ?? 2_592_000;
  const ticks: string[] = [];
  for (let at = Math.ceil(first / SECOND / seconds) * seconds * SECOND; at <= first + span; at += seconds * SECOND)
    ticks.push(`<text x="${x(at).toFixed(1)}" y="${below + 16}" text-anchor="middle">${duration(at)}</text>`);
  const grid = [0, 0.25, 0.5, 0.75, 1].map(
    (part) =>
      `<path d="M${LEFT} ${below - part * HIGH}H${WIDTH - RIGHT}" stroke="${PAPER["--line"]}"/><text x="${LEFT - 6}" y="${below - part * HIGH + 4}" text-anchor="end">${short(high * part)}</text>`,
  );
  const keys = rows.map(
    ({ left, row }, k) =>
      `<rect x="${left}" y="${39 + 18 * row}" width="9" height="9" fill="${lines[k].colour}"/><text x="${left + 14}" y="${47 + 18 * row}">${escaped(legend[k])}</text>`,
  );
  const broken = faults
    .filter((at) => at >= first && at <= first + span)
    .map((at) => `<path d="M${x(at).toFixed(1)} ${above}V${below}" stroke="${PAPER["--bad"]}" stroke-dasharray="3 3"/>`);
  const height = below + 28;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-label="${escaped(`${title}. At the end ${legend.join(", ")}.`)}" font-family="system-ui, sans-serif" font-size="${PAPER["--t-s"]}" fill="${PAPER["--ink-2"]}">`,
    carried ? metadata(carried) : "",
    `<rect width="${WIDTH}" height="${height}" fill="${PAPER["--panel"]}"/><text x="${LEFT}" y="22" font-size="${PAPER["--t-l"]}" font-weight="600" fill="${PAPER["--ink"]}">${escaped(title)}</text>`,
    ...keys,
    ...grid,
    ...drawn,
    ...broken,
    ...ticks,
    "</svg>\n",
  ].join("\n");
}

/** Where the words of a legend stand, by the width that they may have. */
function legendRows(words: string[]): { left: number; row: number }[] {
  let left = LEFT;
  let row = 0;
  return words.map((word) => {
    const wide = 30 + word.length * 7;
    if (left > LEFT && left + wide > WIDTH - RIGHT) [left, row] = [LEFT, row + 1];
    const place = { left, row };
    left += wide;
    return place;
  });
}
