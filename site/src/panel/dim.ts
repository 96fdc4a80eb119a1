// What a filter leaves out is dimmed on the map, whoever draws it: a canvas upon
// the cells with one pixel a square of the grid.
import { atMostEvery, h } from "../base/dom.ts";
import { pixel, STAGE } from "../base/palette.ts";
import { matchingNodes } from "../model/nodes.ts";
import { all, type Store } from "../model/store.ts";
import { squares } from "./hatch.ts";

const DIM = 0.82; // of the stage's colour upon what is left out

export function mountDim(canvas: HTMLCanvasElement, store: Store): () => void {
  const mask = h("canvas");
  const paint = () => {
    const { camera, grid, stage } = store.state;
    const pen = canvas.getContext("2d");
    if (canvas.hidden || !grid || !pen) return;
    canvas.width = Math.max(1, Math.round(stage.width * devicePixelRatio)); // clears it, too
    canvas.height = Math.max(1, Math.round(stage.height * devicePixelRatio));
    const at = squares(camera, devicePixelRatio);
    pen.imageSmoothingEnabled = false;
    pen.globalAlpha = DIM;
    pen.drawImage(mask, -at.x * at.zoom, -at.y * at.zoom, mask.width * at.zoom, mask.height * at.zoom);
  };
  const choose = () => {
    const { filter, grid, frame, layers } = store.state;
    canvas.hidden = filter.trim() === "" || !grid || !frame;
    const pen = mask.getContext("2d");
    if (canvas.hidden || !grid || !frame || !pen) return;
    const { columns, rows, x, y } = grid.layout;
    Object.assign(mask, { width: columns, height: rows });
    const image = pen.createImageData(columns, rows);
    const pixels = new Uint32Array(image.data.buffer).fill(pixel(STAGE));
    for (const cell of matchingNodes(grid, frame, layers, filter)) pixels[y[cell] * columns + x[cell]] = 0;
    pen.putImageData(image, 0, 0);
    paint();
  };
  const follow = atMostEvery(400, () => canvas.hidden || choose());
  return all(store.watch(["filter", "grid", "layers"], choose), store.watch(["frame"], follow), store.watch(["camera", "stage"], paint));
}
