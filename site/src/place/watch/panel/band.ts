// The band under the time slider, up to the playhead: how much CPU was used, how many
// nodes were overloaded, and the marks: how many tasks moved, what was missed, and
// when something broke.
import { tokensOf } from "../../../base/tokens.ts";
import { horizon } from "../../../model/run.ts";
import type { State } from "../../../model/store.ts";
import type { Mark } from "../model/marks.ts";

const OVERLOAD = 4; // pixels of the mark where every node is overloaded

export function paintBand(canvas: HTMLCanvasElement, state: State<"reported">, marks: Mark[]): void {
  const { clientWidth: width, clientHeight: height } = canvas;
  const until = horizon(state);
  const pen = canvas.getContext("2d");
  if (!pen || width === 0 || until === 0) return;
  canvas.width = Math.round(width * devicePixelRatio);
  canvas.height = Math.round(height * devicePixelRatio);
  pen.scale(devicePixelRatio, devicePixelRatio);
  const colour = tokensOf(canvas);
  const x = (at: number) => (at / until) * width;

  const { at } = state.series;
  const used = state.series.tracks.get("cpu_used_pct")?.values ?? [];
  const over = state.series.tracks.get("overloaded_pct")?.values ?? [];
  const top = new Float32Array(Math.ceil(width)).fill(-1);
  const hot = new Float32Array(Math.ceil(width));
  let before = 0;
  for (let i = 0; i < at.length; i++) {
    const place = Math.min(top.length - 1, Math.floor(x(at[i])));
    for (let column = before; column <= place; column++) top[column] = Math.max(top[column], used[i] ?? 0);
    hot[place] = Math.max(hot[place], over[i] ?? 0);
    before = place;
  }
  const now = Math.min(top.length - 1, Math.floor(x(state.status?.at ?? 0)));
  const newest = used[at.length - 1];
  if (newest !== undefined) for (let column = before; column <= now; column++) top[column] = Math.max(top[column], newest); // up to the playhead; the next sample says better
  pen.fillStyle = colour("--accent");
  for (let column = 0; column < top.length; column++) {
    if (top[column] < 0) continue;
    const share = Math.min(1, top[column] / 100);
    pen.globalAlpha = 0.4;
    pen.fillRect(column, height * (1 - share), 1, height * share);
    pen.globalAlpha = 0.9;
    pen.fillRect(column, height * (1 - share), 1, 1.5);
  }
  pen.globalAlpha = 1;
  pen.fillStyle = colour("--warn");
  for (let column = 0; column < hot.length; column++) {
    const tall = Math.ceil(OVERLOAD * Math.sqrt(hot[column] / 100)); // a few of many nodes are seen as well
    pen.fillRect(column, height - tall, 1, tall);
  }
  const draw: Record<Mark["kind"], (place: number, size: number) => void> = {
    moves: (place, size) => pen.fillRect(place, height - 4 - Math.ceil(5 * size), 1, Math.ceil(5 * size)), // the more tasks moved in the minute, the taller
    miss: (place, size) => pen.fillRect(place - 0.5, 0, 1, 3 + Math.ceil(4 * size)),
    failure: (place) => {
      pen.fillRect(place - 0.75, 0, 1.5, height);
      pen.fillRect(place - 3, 0, 6, 3);
    },
  };
  for (const [kind, ink] of [
    ["moves", "--ink"],
    ["miss", "--warn"],
    ["failure", "--bad"],
  ] as const) {
    pen.fillStyle = colour(ink);
    for (const mark of marks) if (mark.kind === kind) draw[kind](x(mark.at), mark.size);
  }
}
