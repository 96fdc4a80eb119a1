// The picture of the cells that the simulation's worker draws: the first one, and
// the only one where no graphics card draws. Here its pixels are shown.
import type { ToWorker } from "../../../base/messages.ts";
import { lookOf } from "../../../model/look.ts";
import { all, type Store } from "../../../model/store.ts";

const LATE = 1000; // ms after which an answer is not waited for

export function mountPicture(canvas: HTMLCanvasElement, stage: HTMLElement, store: Store<"reported" | "look" | "chosen">): () => void {
  const pen = canvas.getContext("2d", { alpha: false });
  let asked = -Infinity; // when the picture that is under way was asked for
  let stale = false; // what it shows changed since
  let wanted = ""; // what was asked for last
  let asks = { width: 0, height: 0 }; // in pixels, of what was asked for last
  const ask = () => {
    const { grid, drawing, camera, cursor, selected, stage: size, preview } = store.state;
    if (!grid) return;
    const here = drawing === "canvas" && size.width > 0 && !preview;
    const scale = devicePixelRatio;
    asks = { width: here ? Math.round(size.width * scale) : 0, height: here ? Math.round(size.height * scale) : 0 };
    const message: ToWorker = {
      type: "draw",
      scale,
      look: lookOf(store.state),
      camera,
      cell: cursor,
      selected,
      ...asks,
    };
    const text = JSON.stringify(message);
    if (text === wanted) return;
    canvas.dataset.moves = "true"; // until the picture that is requested is here
    stale = here && performance.now() - asked < LATE;
    if (stale) return;
    wanted = text;
    asked = here ? performance.now() : -Infinity;
    store.send(message);
  };
  const show = () => {
    const { picture } = store.state;
    if (!picture) return;
    const { width, height, buffer, moves } = picture;
    if (width !== asks.width || height !== asks.height) return anew(); // it was asked for elsewhere, or is late
    if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
    pen?.putImageData(new ImageData(new Uint8ClampedArray(buffer), width, height), 0, 0);
    canvas.dataset.moves = String(moves);
    if (!stage.dataset.drawn) {
      stage.dataset.drawn = "canvas";
      performance.mark("parley-drawn");
    }
    asked = -Infinity;
    if (stale) ask();
  };
  const anew = () => {
    wanted = ""; // another worker, perhaps
    asked = -Infinity;
    ask();
  };
  return all(
    store.watch(["picture"], show),
    store.watch(["layers", "drawing"], anew),
    store.watch(["grid", "fill", "palette", "scale", "light", "camera", "cursor", "selected", "stage", "preview"], ask),
  );
}
