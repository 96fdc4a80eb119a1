// The whole cluster in a corner while a part of it fills the stage: where that
// part is, and a click goes elsewhere.
import { atMostEvery, h } from "../../../base/dom.ts";
import { pixel, rampColours, STAGES, swatches } from "../../../base/palette.ts";
import { centre, hold } from "../../../model/camera.ts";
import { all, type State, type Store } from "../../../model/store.ts";

const WIDTH = 132; // CSS pixels at most
const HEIGHT = 84;

/** Paints the cells at one pixel a square; false while there are none. */
export function paintSmall(canvas: HTMLCanvasElement, { grid, frame, layers, fill, palette, light, scale: { low, high } }: State): boolean {
  const pen = canvas.getContext("2d");
  if (!grid || !frame || !pen) return false;
  const { columns, rows, x, y } = grid.layout;
  Object.assign(canvas, { width: columns, height: rows });
  const shown = Math.max(
    0,
    layers.findIndex(({ id }) => id === fill),
  );
  const place = layers.findIndex(({ id }) => id === "state");
  const down = layers[place]?.names?.indexOf("down") ?? -1;
  const names = layers[shown]?.names;
  const colours = names
    ? swatches(names, light).map(({ colour }) => pixel("#" + colour))
    : rampColours(palette, light, low, high).map(pixel);
  const [values, states] = [frame.layers[shown], frame.layers[place]];
  const image = pen.createImageData(columns, rows);
  const pixels = new Uint32Array(image.data.buffer).fill(pixel(STAGES[light ? "light" : "dark"].stage));
  const far = pixel(STAGES[light ? "light" : "dark"].down);
  for (let cell = 0; cell < Math.min(grid.cells, frame.cells); cell++) {
    pixels[y[cell] * columns + x[cell]] = states?.[cell] === down ? far : colours[values[cell]];
  }
  pen.putImageData(image, 0, 0);
  return true;
}

export function mountMinimap(element: HTMLElement, store: Store): () => void {
  const canvas = h("canvas", { "aria-hidden": "true" });
  const here = h("i");
  element.append(canvas, here);

  const scale = () => {
    const { width = 1, height = 1 } = store.state.grid ?? {};
    return Math.min(WIDTH / width, HEIGHT / height);
  };
  const paint = () => {
    if (!element.hidden) paintSmall(canvas, store.state);
  };
  const repaint = atMostEvery(500, paint);
  const follow = () => {
    const { grid, camera, stage, fitted } = store.state;
    if (!grid) return;
    const { width: columns, height: rows } = grid;
    const was = element.hidden;
    const [wide, high] = [stage.width / camera.zoom, stage.height / camera.zoom];
    element.hidden = fitted || stage.width < 420 || (wide >= columns && high >= rows);
    if (element.hidden) return;
    if (was) paint();
    const size = scale();
    element.style.width = `${columns * size}px`;
    element.style.height = `${rows * size}px`;
    const clip = (at: number, length: number, most: number): [from: number, size: number] => {
      const from = Math.min(most, Math.max(0, at));
      return [from * size, Math.max(4, (Math.min(most, Math.max(0, at + length)) - from) * size)];
    };
    const [left, width] = clip(camera.x, wide, columns);
    const [top, height] = clip(camera.y, high, rows);
    here.style.transform = `translate(${left}px, ${top}px)`;
    here.style.width = `${width}px`;
    here.style.height = `${height}px`;
  };
  const go = (event: PointerEvent) => {
    const { grid, camera, stage } = store.state;
    if (!grid || event.buttons !== 1) return;
    const { left, top } = element.getBoundingClientRect();
    const target = centre((event.clientX - left) / scale(), (event.clientY - top) / scale(), camera.zoom, stage);
    store.set({ camera: hold(target, grid.width, grid.height, stage), fitted: false });
  };
  element.addEventListener("pointerdown", (event) => {
    element.setPointerCapture(event.pointerId);
    go(event);
  });
  element.addEventListener("pointermove", go);
  return all(
    store.watch(["camera", "grid", "stage", "fitted"], follow),
    store.watch(["frame", "fill", "palette", "scale", "light", "layers"], repaint),
  );
}
