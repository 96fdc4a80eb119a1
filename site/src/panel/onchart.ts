// What stands upon a chart beside its lines: faults, and words where lines cannot tell.
import type uPlot from "uplot";
import { SECOND, short } from "../base/format.ts";
import type { Token } from "../base/tokens.ts";

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
export function empty({ ctx, bbox, data }: Plot, token: Token): void {
  if (data.slice(1).some((values) => values.some((value) => value !== null))) return;
  ctx.save();
  ctx.font = `${Number.parseFloat(token("--t-2xs")) * devicePixelRatio}px ${token("--font")}`;
  ctx.textAlign = "center";
  ctx.textBaseline = "middle";
  ctx.fillStyle = token("--ink-3");
  ctx.fillText("First values after a minute of the run", bbox.left + bbox.width / 2, bbox.top + bbox.height / 2);
  ctx.restore();
}

/** Tells how high the first value is where it is above the chart. */
export function above({ ctx, bbox }: Plot, first: number, token: Token): void {
  if (first === 0) return;
  ctx.save();
  const text = `▲ ${short(first)} at first`;
  const [left, size] = [bbox.left + 6 * devicePixelRatio, Number.parseFloat(token("--t-2xs")) * devicePixelRatio];
  ctx.font = `${size}px ${token("--font")}`;
  ctx.textAlign = "left";
  ctx.textBaseline = "top";
  ctx.fillStyle = token("--panel"); // lines do not run through the words
  ctx.fillRect(left - size / 4, bbox.top - size / 4, ctx.measureText(text).width + size / 2, 1.5 * size);
  ctx.fillStyle = token("--ink-3");
  ctx.fillText(text, left, bbox.top);
  ctx.restore();
}
