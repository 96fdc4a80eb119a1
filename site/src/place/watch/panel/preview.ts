// The first seconds on the stage: recorded frames, marked as such, until the run is
// there. Where nothing plays by itself, a button that plays.
import { paintCells } from "../../../base/cells.ts";
import { h, render } from "../../../base/dom.ts";
import { rampColours, STAGES, swatches } from "../../../base/palette.ts";
import { place } from "../../../model/grid.ts";
import { all, type State, type Store } from "../../../model/store.ts";

export function mountPreview(
  canvas: HTMLCanvasElement,
  mark: HTMLElement,
  stage: HTMLElement,
  store: Store<"run" | "reported" | "look">,
): () => void {
  const pen = canvas.getContext("2d", { alpha: false });
  const paint = () => {
    const {
      preview,
      stage: { width, height },
    } = store.state;
    if (!preview || width === 0 || !pen) return;
    const wide = Math.round(width * devicePixelRatio);
    const image = pen.createImageData(wide, Math.round(height * devicePixelRatio));
    if (!drawPreview(new Uint32Array(image.data.buffer), wide, devicePixelRatio, store.state)) return;
    if (canvas.width !== image.width || canvas.height !== image.height) Object.assign(canvas, { width: image.width, height: image.height });
    pen.putImageData(image, 0, 0);
    if (stage.dataset.preview === undefined) performance.mark("parley-preview");
    stage.dataset.preview = "";
  };
  const tell = () => {
    const { preview, reducedMotion, status, frame, session } = store.state;
    const waits =
      reducedMotion && !status?.playing && !status?.ended && session.is !== "broken" && (preview !== undefined || frame?.at === begins);
    if (preview) begins = preview.until;
    else {
      if (!frame) delete stage.dataset.preview; // else it stays until the run's own picture has its place
      if (!frame && stage.dataset.drawn === undefined) pen?.clearRect(0, 0, canvas.width, canvas.height);
    }
    const now = `${preview !== undefined} ${waits}`;
    if (now === told) return;
    told = now;
    mark.hidden = !preview && !waits;
    mark.dataset.waits = String(waits); // on a button
    render(
      [
        preview
          ? h(
              "span",
              { title: "A recording of this run. The simulation takes over where it ends." },
              h("b", {}, "Preview"),
              " · the live simulation is starting",
            )
          : h("span", { title: "Your system asks for reduced motion, so nothing plays by itself." }, "Paused for reduced motion"),
        !waits ? undefined : h("button.btn.primary", { type: "button", id: "invite", onclick: () => store.send({ type: "play" }) }, "Play"),
      ],
      mark,
    );
  };
  let begins = -1; // the moment where the run takes over
  let told = "";
  return all(
    store.watch(["preview", "status", "session", "reducedMotion"], tell),
    store.watch(["preview", "frame", "grid", "camera", "stage", "light", "palette", "scale", "fill"], paint),
  );
}

/** Draws the state's cells into the pixels of a picture that is so wide, on a screen of a number of pixels a CSS pixel; false where they have no place yet. */
export function drawPreview(
  pixels: Uint32Array,
  wide: number,
  screen: number,
  {
    frame,
    grid,
    layers,
    fill: id,
    camera,
    palette,
    light,
    scale,
  }: Pick<State, "frame" | "grid" | "layers" | "fill" | "camera" | "palette" | "light" | "scale">,
): boolean {
  const layer = layers.findIndex((each) => each.id === id);
  const values = frame?.layers[layer];
  if (!grid || !values || grid.cells !== values.length) return false;
  const at = layers.findIndex((each) => each.id === "state");
  const [states, bad] = [frame.layers[at], layers[at]?.names?.indexOf("overloaded")];
  const { names, top } = layers[layer];
  const zoom = camera.zoom * screen;
  const [x, y] = [-Math.floor(camera.x * zoom + 0.5), -Math.floor(camera.y * zoom + 0.5)];
  const { across, down, layout } = grid;
  paintCells(pixels, wide, {
    left: (cell) => Math.round(x + place(across, layout.x[cell]) * zoom),
    top: (cell) => Math.round(y + place(down, layout.y[cell]) * zoom),
    width: Math.round(across.cell * zoom),
    height: Math.round(down.cell * zoom),
    values,
    colours: names ? swatches(names, light).map(({ colour }) => "#" + colour) : rampColours(palette, light, scale.low, scale.high),
    overloaded: (cell) => states?.[cell] === bad || (!names && !top && values[cell] > 200),
    ground: STAGES[light ? "light" : "dark"].stage,
  });
  return true;
}
