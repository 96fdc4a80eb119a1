// The nodes of a play by zone, on a canvas: a square a pod where there is room, and lines from
// the node that a pod left to the one where it starts.
import type { Token } from "../../../base/tokens.ts";
import { LIFE, type NodeState, type Screen } from "../model/play.ts";

/** A node's place in the picture, in px. */
export interface Cell {
  x: number;
  y: number;
  at: number; // the node
}

export interface Layout {
  cells: Cell[];
  captions: { text: string; y: number }[];
  wide: number; // of a cell, px
  high: number;
  head: number; // px above the pods, for the node's name
  pod: number; // px of a pod's square with its gap; 0: they are not told apart
  row: number; // pods in a row
  width: number;
  height: number;
}

const CAPTION = 22; // px
const COLOURS = 6;
const MOST_LINES = 60;
const WIDEST = 62; // px of a cell
const NARROWEST = 4;

/** The sizes of a cell: its height, the gap between two, and the room for a name. */
function sizeOf(wide: number): { wide: number; high: number; gap: number; head: number } {
  const head = wide >= 34 ? 14 : 0;
  return { wide, high: wide < 20 ? wide : Math.round(wide * 1.05) + head, gap: wide >= 34 ? 5 : wide >= 20 ? 3 : wide >= 9 ? 2 : 1, head };
}

const PODS = [12, 10, 8, 6, 5, 4, 3]; // px of a pod with its gap

/** Lays the nodes out by zone: as large as the height lets them be. */
export function layOut({ play }: Screen, most: number, width: number, height: number): Layout {
  const zones = new Map<string, number[]>();
  play.nodes.forEach(({ zone = "" }, at) => zones.set(zone, [...(zones.get(zone) ?? []), at]));
  const names = [...zones.keys()].sort();
  const rows = (gap: number, wide: number) => Math.max(1, Math.floor((width + gap) / (wide + gap)));
  let size = sizeOf(WIDEST);
  const tall = () =>
    names.reduce((sum, name) => {
      const { length } = zones.get(name) as number[];
      return sum + CAPTION + Math.ceil(length / rows(size.gap, size.wide)) * (size.high + size.gap);
    }, 0);
  while (size.wide > NARROWEST && tall() > height) size = sizeOf(size.wide - 1);
  const inner = { wide: size.wide - 6, high: size.high - size.head - 6 };
  const pod = size.wide < 24 ? 0 : (PODS.find((px) => Math.floor(inner.wide / px) * Math.floor(inner.high / px) >= most) ?? 0);
  const cells: Cell[] = [];
  const captions: Layout["captions"] = [];
  let y = 0;
  for (const name of names) {
    captions.push({ text: name || "no zone", y });
    y += CAPTION;
    const columns = rows(size.gap, size.wide);
    const nodes = zones.get(name) as number[];
    nodes.forEach((at, i) =>
      cells.push({ at, x: (i % columns) * (size.wide + size.gap), y: y + Math.floor(i / columns) * (size.high + size.gap) }),
    );
    y += Math.ceil(nodes.length / columns) * (size.high + size.gap);
  }
  return {
    cells,
    captions,
    wide: size.wide,
    high: size.high,
    head: size.head,
    pod,
    row: pod && Math.floor(inner.wide / pod),
    width,
    height: y,
  };
}

/** The node at a place of the picture. */
export function nodeUnder({ cells, wide, high }: Layout, left: number, top: number): number | undefined {
  return cells.find(({ x, y }) => left >= x && top >= y && left < x + wide && top < y + high)?.at;
}

/** What all names begin with, which small cells leave out. */
export function sharedStart(names: string[]): number {
  if (names.length < 2) return 0;
  let n = 0;
  while (names.every((name) => name.length > n + 1 && name[n] === names[0][n])) n++;
  return n;
}

/** How a node's edge is drawn. */
const EDGES: Record<NodeState, { ink: string; dash: number[]; width: number; mark: string }> = {
  plain: { ink: "--line-strong", dash: [], width: 1, mark: "" },
  absent: { ink: "--line", dash: [2, 3], width: 1, mark: "" },
  cordoned: { ink: "--ink-3", dash: [4, 2.5], width: 1.5, mark: "" },
  emptying: { ink: "--accent", dash: [5, 3], width: 2, mark: "" },
  stalled: { ink: "--warn", dash: [5, 3], width: 2.5, mark: "!" },
  emptied: { ink: "--good", dash: [], width: 2, mark: "✓" },
  upgraded: { ink: "--good", dash: [], width: 2, mark: "✓" },
  silent: { ink: "--fail", dash: [], width: 1.5, mark: "" },
  lost: { ink: "--fail", dash: [], width: 2, mark: "×" },
};

/** Draws a moment. */
export function drawPlay(pen: CanvasRenderingContext2D, screen: Screen, layout: Layout, token: Token, start: number): void {
  const { play } = screen;
  const { cells, wide, high, head, pod, row } = layout;
  const states = screen.states();
  const on: number[][] = play.nodes.map(() => []);
  screen.node.forEach((node, i) => node >= 0 && screen.life[i] !== LIFE.none && on[node].push(i));
  const most = Math.max(1, ...on.map((pods) => pods.length));
  pen.clearRect(0, 0, layout.width, layout.height);
  pen.textBaseline = "middle";
  pen.font = `600 ${token("--t-s")} ${token("--font")}`;
  pen.fillStyle = token("--ink-2");
  for (const { text, y } of layout.captions) pen.fillText(text, 0, y + CAPTION / 2);
  const centre = new Map<number, [number, number]>();
  for (const { x, y, at } of cells) {
    const edge = EDGES[states[at]];
    centre.set(at, [x + wide / 2, y + high / 2]);
    const small = wide < 24;
    pen.fillStyle = token(states[at] === "lost" || states[at] === "silent" ? "--fail-plate" : "--plate");
    if (states[at] !== "absent") pen.fillRect(x + 0.5, y + 0.5, wide - 1, high - 1);
    if (small && states[at] !== "absent" && on[at].length > 0) {
      const tall = Math.max(1, (on[at].length / most) * (high - 2));
      pen.fillStyle = token(states[at] === "plain" ? "--ink-3" : edge.ink);
      pen.globalAlpha = 0.6;
      pen.fillRect(x + 1, y + high - 1 - tall, wide - 2, tall);
      pen.globalAlpha = 1;
    }
    pen.strokeStyle = token(edge.ink);
    pen.lineWidth = small ? Math.min(edge.width, wide < 9 ? 1 : 1.5) : edge.width;
    pen.setLineDash(small ? [] : edge.dash);
    pen.strokeRect(x + 0.5, y + 0.5, wide - 1, high - 1);
    pen.setLineDash([]);
    if (head > 0) drawName(pen, play.nodes[at].name.slice(start), edge.mark, x, y, wide, head, token, states[at]);
    if (pod > 0)
      on[at].forEach((i, k) =>
        drawPod(pen, screen, i, x + 3 + (k % row) * pod, y + high - 3 - (Math.floor(k / row) + 1) * pod, pod - 1, token),
      );
  }
  drawLines(pen, screen, centre, token);
}

function drawName(
  pen: CanvasRenderingContext2D,
  name: string,
  mark: string,
  x: number,
  y: number,
  wide: number,
  head: number,
  token: Token,
  state: NodeState,
): void {
  pen.font = `${token("--t-xs")} ${token("--mono")}`;
  pen.fillStyle = token(state === "plain" || state === "absent" || state === "cordoned" ? "--ink-2" : EDGES[state].ink);
  const room = Math.max(1, Math.floor((wide - 6) / 6.7) - 2 * mark.length);
  pen.fillText((mark && `${mark} `) + name.slice(-room), x + 3, y + head / 2 + 2);
}

function drawPod(pen: CanvasRenderingContext2D, screen: Screen, i: number, x: number, y: number, side: number, token: Token): void {
  const happens = screen.name[i] >= 0;
  const ink = token(screen.stays[i] || !happens ? "--ink-3" : `--run-${(screen.of[i] % COLOURS) + 1}`);
  pen.fillStyle = pen.strokeStyle = ink;
  pen.globalAlpha = screen.life[i] === LIFE.ends ? 0.35 : happens && !screen.stays[i] ? 1 : 0.45;
  if (screen.life[i] === LIFE.starts && side > 3) {
    pen.lineWidth = 1.5;
    pen.strokeRect(x + 0.75, y + 0.75, side - 1.5, side - 1.5);
  } else pen.fillRect(x, y, side, side);
  pen.globalAlpha = 1;
  if (screen.refused[i] < 0) return;
  pen.strokeStyle = token("--warn");
  pen.lineWidth = 2;
  pen.strokeRect(x - 0.5, y - 0.5, side + 1, side + 1);
}

/** Lines to the pods that start, from where those were in whose place they were made. */
function drawLines(pen: CanvasRenderingContext2D, screen: Screen, centre: Map<number, [number, number]>, token: Token): void {
  const starting: number[] = [];
  screen.life.forEach((life, i) => life === LIFE.starts && screen.from[i] >= 0 && starting.push(i));
  const lines = new Map<string, [number, number]>();
  for (const i of starting) lines.set(`${screen.from[i]} ${screen.node[i]}`, [screen.from[i], screen.node[i]]);
  pen.strokeStyle = token("--ink-2");
  pen.globalAlpha = 0.55;
  pen.lineWidth = 1;
  for (const [from, to] of [...lines.values()].slice(-MOST_LINES)) {
    const [a, b] = [centre.get(from), centre.get(to)];
    if (!a || !b) continue;
    pen.beginPath();
    pen.moveTo(...a);
    pen.quadraticCurveTo((a[0] + b[0]) / 2, Math.min(a[1], b[1]) - 14, ...b);
    pen.stroke();
  }
  pen.globalAlpha = 1;
}
