// What a filter leaves out is dimmed on the map, whichever renderer draws it: a canvas upon
// the cells in the stage's colour.
import { atMostEvery } from "../base/dom.ts";
import { place } from "../model/grid.ts";
import { matchingNodes } from "../model/nodes.ts";
import { all, type Store } from "../model/store.ts";

export function mountDim(canvas: HTMLCanvasElement, store: Store): () => void {
  let left = new Uint8Array(); // 1: left out by the filter
  const paint = () => {
    const { camera, grid, stage, light } = store.state;
    const pen = canvas.getContext("2d");
    if (canvas.hidden || !grid || !pen) return;
    canvas.width = Math.max(1, Math.round(stage.width * devicePixelRatio)); // clears it, too
    canvas.height = Math.max(1, Math.round(stage.height * devicePixelRatio));
    pen.fillStyle = light ? "rgb(251 252 253 / 84%)" : "rgb(8 11 17 / 82%)";
    const zoom = camera.zoom * devicePixelRatio;
    const { across, down, layout } = grid;
    left.forEach((out, cell) => {
      if (!out) return;
      const x = Math.floor((place(across, layout.x[cell]) - camera.x) * zoom);
      const y = Math.floor((place(down, layout.y[cell]) - camera.y) * zoom);
      if (x < canvas.width && y < canvas.height && x > -zoom && y > -2 * zoom)
        pen.fillRect(x, y, Math.ceil(zoom), Math.ceil(zoom * down.cell));
    });
  };
  const choose = () => {
    const { filter, grid, frame, layers } = store.state;
    canvas.hidden = filter.trim() === "" || !grid || !frame;
    if (canvas.hidden || !grid || !frame) return;
    left = new Uint8Array(grid.cells).fill(1);
    for (const cell of matchingNodes(grid, frame, layers, filter)) left[cell] = 0;
    paint();
  };
  const follow = atMostEvery(400, () => canvas.hidden || choose());
  return all(
    store.watch(["filter", "grid", "layers"], choose),
    store.watch(["frame"], follow),
    store.watch(["camera", "stage", "light"], paint),
  );
}
