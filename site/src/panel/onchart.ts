// What stands upon a chart beside its lines: faults, and words where lines cannot tell.
import type uPlot from "uplot";
import { SECOND, short } from "../base/format.ts";
import type { Token } from "../base/tokens.ts";
import { hasValues } from "./plot.ts";

type Plot = Pick<uPlot, "ctx" | "bbox" | "data" | "valToPos">;

/** Draws each fault as a line through the chart. */
export function mark({ ctx, bbox, valToPos }: Plot, faults: number[], colour: string): void {
  ctx.save();
  ctx.fillStyle = colour;
  for (const at of faults) {
    const x = Math.round(valToPos(at / SECOND, "x", true));
    if (!(x >= bbox.left && x <= bbox.left + bbox.width)) continue;
    ctx.fillRect(x, bbox.top, devicePixelRatio, bbox.height);
    ctx.fillRect(x - 2 * devicePixelRatio, bbox.top, 5 * devicePixelRatio, 3 * devicePixelRatio);
  }
  ctx.restore();
}

/** Says when values come, while there is none. */
export function empty(plot: Plot, token: Token): void {
  if (!hasValues(plot.data)) write(plot, "First values after a minute of the run", "middle", token);
}

/** Tells how high the first value is where it is above the chart. */
export function above(plot: Plot, first: number, token: Token): void {
  if (first !== 0) write(plot, `▲ ${short(first)} at first`, "corner", token);
}

/** Writes a text in lines that the chart has room for, on the panel's colour: no line of the chart runs through the words. */
function write({ ctx, bbox }: Plot, text: string, where: "middle" | "corner", token: Token): void {
  ctx.save();
  const size = Number.parseFloat(token("--t-2xs")) * devicePixelRatio;
  ctx.font = `${size}px ${token("--font")}`;
  ctx.textAlign = "left";
  ctx.textBaseline = "top";
  const widthOf = (words: string) => ctx.measureText(words).width;
  const room = Math.min(bbox.width, (1.2 * widthOf(text)) / Math.ceil(widthOf(text) / bbox.width)); // lines of about one length
  const lines = [""];
  for (const word of text.split(" ")) {
    const longer = `${lines[lines.length - 1]} ${word}`.trim();
    if (longer === word || widthOf(longer) <= room) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  const height = 1.5 * size;
  const first = where === "corner" ? bbox.top - size / 4 : bbox.top + (bbox.height - lines.length * height) / 2;
  for (const [i, line] of lines.entries()) {
    const top = first + i * height;
    const left = bbox.left + (where === "corner" ? 6 * devicePixelRatio : (bbox.width - widthOf(line)) / 2);
    ctx.fillStyle = token("--panel");
    ctx.fillRect(left - size / 4, top, widthOf(line) + size / 2, height);
    ctx.fillStyle = token("--ink-3");
    ctx.fillText(line, left, top + size / 4);
  }
  ctx.restore();
}

/** Places moved so far that none is nearer than gap to another, in their order and none beyond bottom. */
export function apart(places: number[], gap: number, bottom: number): number[] {
  const order = places.map((_, i) => i).sort((a, b) => places[a] - places[b]);
  const out = [...places];
  for (let k = 1; k < order.length; k++) out[order[k]] = Math.max(out[order[k]], out[order[k - 1]] + gap);
  for (let k = order.length - 1, most = bottom; k >= 0; k--, most = out[order[k + 1]] - gap) out[order[k]] = Math.min(out[order[k]], most);
  return out;
}
