// Draws a task graph. Near, subtasks are circles with their arcs; far, each is a bar of
// its column, so that 100,000 of them are drawn in one go.
import { hued, WHITE } from "../../../base/palette.ts";
import { type GraphPicture, hue, type Lens } from "../../../model/graph.ts";
import type { Pen } from "../../../model/vector.ts";

const CIRCLES = 1500; // subtasks that are seen, at most, so that they are drawn as circles

export function drawGraph(
  pen: Pen,
  size: { width: number; height: number },
  graph: GraphPicture,
  lens: Lens,
  ink: (name: string) => string,
): void {
  const { width, height } = size;
  const x = (v: number) => ((graph.depth[v] + 0.5) / graph.columns.length - lens.x) * lens.zoom * width;
  const y = (v: number) => ((graph.place[v] + 0.5) / graph.columns[graph.depth[v]] - lens.y) * lens.zoom * height;
  const seen: number[] = [];
  const wide = (lens.zoom * width) / graph.columns.length;
  for (let v = 0; v < graph.length; v++) {
    const tall = (lens.zoom * height) / graph.columns[graph.depth[v]];
    if (Math.abs(x(v) - width / 2) <= (width + wide) / 2 && Math.abs(y(v) - height / 2) <= (height + tall) / 2) seen.push(v);
  }
  if (seen.length <= CIRCLES)
    circles(
      pen,
      graph,
      seen,
      x,
      y,
      Math.max(3, Math.min(9, wide / 3, ...seen.slice(0, 400).map((v) => (0.4 * lens.zoom * height) / graph.columns[graph.depth[v]]))),
      ink,
    );
  else
    bars(
      pen,
      graph,
      seen,
      x,
      y,
      Math.max(1, 0.8 * wide),
      (v) => Math.max(1, (0.85 * lens.zoom * height) / graph.columns[graph.depth[v]]),
      ink,
    );
}

type Place = (v: number) => number;

function colour(graph: GraphPicture, v: number): string {
  return hued(hue(graph.agent(v)), graph.state(v) === "done");
}

function circles(pen: Pen, graph: GraphPicture, seen: number[], x: Place, y: Place, radius: number, ink: (name: string) => string): void {
  const shown = new Set(seen);
  for (let a = 0; a < graph.from.length; a++) {
    const [from, to] = [graph.from[a], graph.to[a]];
    if (!shown.has(from) && !shown.has(to)) continue;
    const thread = graph.agent(from) >= 0 && graph.agent(from) === graph.agent(to);
    pen.strokeStyle = thread ? colour(graph, to) : ink("--line-strong");
    pen.lineWidth = thread ? 3 : 1;
    pen.beginPath();
    pen.moveTo(x(from), y(from));
    pen.lineTo(x(to), y(to));
    pen.stroke();
  }
  for (const v of seen) {
    const state = graph.state(v);
    pen.beginPath();
    pen.arc(x(v), y(v), radius, 0, 2 * Math.PI);
    pen.fillStyle = state === "open" ? ink("--panel") : colour(graph, v);
    pen.fill();
    pen.lineWidth = state === "taken" && radius > 5 ? 2 : 1;
    pen.strokeStyle = state === "taken" ? ink("--ink") : ink("--ink-2");
    pen.stroke();
    if (state !== "done" || radius < 4) continue;
    pen.beginPath(); // a tick: colour is not the only sign
    pen.moveTo(x(v) - radius / 2, y(v));
    pen.lineTo(x(v) - radius / 8, y(v) + radius / 2.5);
    pen.lineTo(x(v) + radius / 2, y(v) - radius / 2.5);
    pen.lineWidth = 1.5;
    pen.strokeStyle = WHITE;
    pen.stroke();
  }
}

function bars(
  pen: Pen,
  graph: GraphPicture,
  seen: number[],
  x: Place,
  y: Place,
  width: number,
  tall: Place,
  ink: (name: string) => string,
): void {
  const open = ink("--line-strong");
  for (const v of seen) {
    const height = tall(v);
    const part = { open: 0.25, taken: 0.65, done: 1 }[graph.state(v)]; // of its width: colour is not the only sign
    pen.fillStyle = graph.state(v) === "open" ? open : colour(graph, v);
    pen.fillRect(x(v) - width / 2, y(v) - height / 2, Math.max(1, width * part), height);
  }
}
