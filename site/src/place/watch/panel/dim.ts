// What a filter leaves out is dimmed on the map, whichever renderer draws it: a canvas upon
// the cells in the stage's colour.
import { atMostEvery } from "../../../base/dom.ts";
import { STAGES } from "../../../base/palette.ts";
import { tokensOf } from "../../../base/tokens.ts";
import { FORMULA } from "../../../model/formula.ts";
import { place } from "../../../model/grid.ts";
import { matchingNodes } from "../../../model/nodes.ts";
import { all, type Store } from "../../../model/store.ts";

/** Two strokes of a ring, by their colours and widths: one of them can be told from any cell. */
const RINGS = [
  ["stage", 5],
  ["ink", 2],
] as const;
const LEFT_OUT = 0.83; // how much of the stage lies upon a cell that the filter leaves out

/** Where a word of a width begins beside a ring at x: to its right, or to its left where the canvas has no room on the right. */
export function besideRing(x: number, radius: number, width: number, room: number): number {
  return x + radius + width < room ? x + radius : x - radius - width;
}

export function mountDim(canvas: HTMLCanvasElement, store: Store<"reported" | "look" | "chosen">): () => void {
  let left = new Uint8Array(); // 1: left out by the filter
  const paint = () => {
    const { camera, grid, stage, light } = store.state;
    const pen = canvas.getContext("2d");
    if (canvas.hidden || !grid || !pen) return;
    canvas.width = Math.max(1, Math.round(stage.width * devicePixelRatio)); // clears it, too
    canvas.height = Math.max(1, Math.round(stage.height * devicePixelRatio));
    pen.fillStyle = STAGES[light ? "light" : "dark"].stage;
    pen.globalAlpha = LEFT_OUT;
    const zoom = camera.zoom * devicePixelRatio;
    const { across, down, layout } = grid;
    left.forEach((out, cell) => {
      if (!out) return;
      const x = Math.floor((place(across, layout.x[cell]) - camera.x) * zoom);
      const y = Math.floor((place(down, layout.y[cell]) - camera.y) * zoom);
      if (x < canvas.width && y < canvas.height && x > -zoom && y > -2 * zoom)
        pen.fillRect(x, y, Math.ceil(zoom), Math.ceil(zoom * down.cell));
    });
    pen.globalAlpha = 1;
    const { fill, scored } = store.state;
    if (fill === FORMULA) scored?.best.forEach(({ node }, i) => ring(pen, node, i));
  };
  /** Rings one of the best nodes; the best one has the widest ring, the others their place beside it. */
  const ring = (pen: CanvasRenderingContext2D, node: number, at: number) => {
    const { camera, grid, light } = store.state;
    if (!grid || node >= grid.cells) return;
    const zoom = camera.zoom * devicePixelRatio;
    const x = (place(grid.across, grid.layout.x[node]) + 0.5 - camera.x) * zoom;
    const y = (place(grid.down, grid.layout.y[node]) + grid.down.cell / 2 - camera.y) * zoom;
    const radius = Math.max((at === 0 ? 11 : 7) * devicePixelRatio, 0.75 * zoom);
    for (const [what, width] of RINGS) {
      pen.beginPath();
      pen.arc(x, y, radius, 0, 2 * Math.PI);
      pen.strokeStyle = pen.fillStyle = STAGES[light ? "light" : "dark"][what];
      pen.lineWidth = width * devicePixelRatio;
      pen.stroke();
    }
    const token = tokensOf(canvas);
    pen.font = `600 ${Number.parseFloat(token("--t-xs")) * devicePixelRatio}px ${token("--font")}`;
    pen.textBaseline = "middle";
    const text = at === 0 ? "best" : String(at + 1);
    pen.fillText(text, besideRing(x, radius + 4 * devicePixelRatio, pen.measureText(text).width, canvas.width), y);
  };
  const choose = () => {
    const { filter, grid, frame, layers, fill, kept } = store.state;
    canvas.hidden = (filter.trim() === "" && fill !== FORMULA) || !grid || !frame;
    if (canvas.hidden || !grid || !frame) return;
    left = new Uint8Array(grid.cells).fill(1);
    for (const cell of matchingNodes(grid, frame, layers, filter, kept)) left[cell] = 0;
    paint();
  };
  const follow = atMostEvery(400, () => canvas.hidden || choose());
  return all(
    store.watch(["filter", "grid", "layers", "fill", "scored"], choose),
    store.watch(["frame"], follow),
    store.watch(["camera", "stage", "light"], paint),
  );
}
