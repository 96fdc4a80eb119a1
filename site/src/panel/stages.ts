// Two systems side by side: their cells at the same moment, split or one drawn over
// the other, with one camera, one scale and one clock.
import { fill, h, say } from "../base/dom.ts";
import { clock, count, duration, percent, SECOND, speed } from "../base/format.ts";
import { icon } from "../base/icon.ts";
import { hold, pan, zoomAt, type Size } from "../model/camera.ts";
import { PAIR_SPEEDS, type Pair, type Side, type View } from "../model/pair.ts";
import { horizon } from "../model/run.ts";
import { all, type Store } from "../model/store.ts";
import { keyOf } from "./legend.ts";
import { explained } from "./term.ts";
import { markOf } from "./runmark.ts";

const TICK = 40; // ms between two looks at the clock
const NUDGE = 0.02; // of the width that an arrow key moves the divider

export function mountStages(element: HTMLElement, store: Store, pair: Pair): () => void {
  const controls = controlsOf(pair);
  const panes = [0, 1].map((i) => paneOf(i));
  const handle = h("div.divider", { role: "slider", tabindex: 0, "aria-label": "Divider", "aria-valuemin": 0, "aria-valuemax": 100, title: "Drag, or move with the arrow keys" });
  const table = h("div.panes", {}, ...panes.map((pane) => pane.element), handle);
  const key = h("div.key");
  const layers = h("select", { id: "pair-fill", "aria-label": "Fill cells by", onchange: () => pair.fillWith(layers.value) });
  fill(element, controls.element, table, h("div.toolbar.legend", {}, key, h("span.grow"), h("label.chip", {}, h("span", {}, "fill"), layers)));

  const size = (): Size => ({ width: panes[0].box.clientWidth, height: panes[0].box.clientHeight });
  const resize = new ResizeObserver(() => pair.resize(size(), devicePixelRatio));
  panes.forEach(({ box }) => resize.observe(box));
  const stops = panes.map(({ box }) => lookAround(box, pair, size));
  const drag = divide(table, handle, pair);

  let keyed = "";
  const draw = () => {
    const { sides, view, divider, fill: id, scale } = pair.state;
    element.hidden = sides.length === 0;
    if (sides.length === 0) return;
    table.dataset.view = view;
    controls.draw();
    sides.forEach((side, i) => panes[i].draw(side));
    const over = view === "swipe";
    handle.hidden = !over;
    handle.style.left = `${divider * 100}%`;
    handle.setAttribute("aria-valuenow", String(Math.round(divider * 100)));
    panes[1].box.style.clipPath = over ? `inset(0 0 0 ${divider * 100}%)` : "";
    const both = sides[0].layers.filter((layer) => sides[1].layers.some((other) => other.id === layer.id));
    const { palette, light } = store.state;
    const says = JSON.stringify([id, scale, palette, light, both.map((layer) => layer.id)]);
    if (says === keyed) return;
    keyed = says;
    fill(layers, ...both.map((layer) => h("option", { value: layer.id }, layer.name)));
    layers.value = id;
    const shown = both.find((layer) => layer.id === id);
    fill(key, ...(shown ? keyOf(shown, palette, light, scale, (text) => explained(text, store)) : []));
    key.querySelector(".histogram")?.remove();
  };
  const timer = setInterval(() => pair.tick(), TICK);
  const watched: (keyof typeof pair.state)[] = ["sides", "target", "playing", "view", "divider", "fill", "scale", "speed"];
  return all(
    () => clearInterval(timer),
    () => resize.disconnect(),
    () => pair.pause(),
    drag,
    ...stops,
    pair.watched.watch(watched, draw),
    store.watch(["palette", "light", "reducedMotion"], () => pair.draw()),
  );
}

/** Play, time, speed, how the two lie, and the way out. */
function controlsOf(pair: Pair): { element: HTMLElement; draw: () => void } {
  const play = h("button.btn.square", { type: "button", id: "pair-play", onclick: () => (pair.state.playing ? pair.pause() : pair.play()) });
  const time = h("input", { type: "range", min: 0, step: "any", "aria-label": "Simulated time of both", onchange: () => pair.seek(Number(time.value) * SECOND), oninput: () => (dragging = true) });
  time.addEventListener("change", () => (dragging = false));
  const told = h("b.num");
  const pace = h("select.num", { "aria-label": "Speed", onchange: () => pair.set({ speed: Number(pace.value) }) }, ...PAIR_SPEEDS.map((step) => h("option", { value: step }, speed(step))));
  const views = h("div.segments", { role: "group", "aria-label": "How the two lie" }, ...(["split", "swipe"] as View[]).map((view) => viewOf(view, pair)));
  const swap = h("button.btn", { type: "button", id: "pair-swap", title: "The left one becomes the right one", onclick: () => pair.swap() }, "⇄ Swap");
  const fit = h("button.btn.square", { type: "button", "aria-label": "Show all cells", title: "Show all cells", onclick: () => pair.fit() }, icon("fit"));
  const close = h("button.btn.square", { type: "button", id: "pair-close", "aria-label": "Close", title: "Close", onclick: () => pair.end() }, icon("close"));
  const element = h("div.toolbar", {}, play, time, told, pace, h("span.grow"), views, swap, fit, close);
  let dragging = false;
  let playing: boolean | undefined;
  let head = 0; // the furthest moment so far, µs
  const draw = () => {
    const { state } = pair;
    if (playing !== state.playing) {
      playing = state.playing;
      fill(play, icon(playing ? "pause" : "play"));
      for (const name of ["aria-label", "title"]) play.setAttribute(name, playing ? "Pause both" : "Play both");
    }
    head = Math.max(head, state.target);
    time.max = String(horizon({ status: state, head }) / SECOND);
    if (!dragging) time.value = String(state.target / SECOND);
    time.setAttribute("aria-valuetext", `${clock(state.target)} of ${duration(state.until)}`);
    say(told, clock(state.target));
    pace.value = String(state.speed);
    for (const input of views.querySelectorAll("input")) input.checked = input.value === state.view;
  };
  return { element, draw };
}

function viewOf(view: View, pair: Pair): HTMLElement {
  const input = h("input", { type: "radio", name: "pair-view", value: view, onchange: () => pair.set({ view }) });
  return h("label", {}, input, h("span", {}, view === "split" ? "Split" : "Swipe"));
}

/** One of the two: its name with how it is, and its cells. */
function paneOf(i: number): { element: HTMLElement; box: HTMLElement; draw: (side: Side) => void } {
  const canvas = h("canvas", { role: "img" });
  const pen = canvas.getContext("2d", { alpha: false });
  const box = h("div.cells", {}, canvas);
  const name = h("b");
  const says = h("span.num");
  const digest = h("small.num.quiet", { title: "The digest of its run so far" });
  const element = h("figure", {}, h("figcaption", {}, markOf(i), name, says, digest), box);
  let shown: Side["picture"];
  const draw = (side: Side) => {
    say(name, side.rival.name);
    const text = standing(side);
    say(says, text);
    say(digest, side.status?.digest.slice(0, 8) ?? "");
    says.className = side.why === "" ? "num" : "bad";
    canvas.setAttribute("aria-label", `Cells under ${side.rival.name}: ${text}`);
    const { picture } = side;
    if (!picture || picture === shown) return;
    shown = picture;
    if (canvas.width !== picture.width || canvas.height !== picture.height) Object.assign(canvas, { width: picture.width, height: picture.height });
    pen?.putImageData(new ImageData(new Uint8ClampedArray(picture.buffer), picture.width, picture.height), 0, 0);
    element.dataset.at = String(side.frame?.at ?? 0);
  };
  return { element, box, draw };
}

/** How one of the two is, in a line. */
function standing({ why, status, grid, share }: Side): string {
  if (why !== "") return why;
  if (!grid || !status) return share > 0 ? `starts, ${percent(share, 1)} %` : "starts";
  const { running = 0, waiting = 0, migrating = 0, overloaded = 0, down = 0 } = status.counts;
  const parts: [number, string][] = [[running, "running"], [waiting, "waiting"], [migrating, "moving"], [overloaded, "overloaded"], [down, "down"]];
  return parts.filter(([n], at) => at < 2 || n > 0).map(([n, what]) => `${count(n)} ${what}`).join(" · ");
}

/** Drag and wheel move the one camera of both. */
function lookAround(box: HTMLElement, pair: Pair, size: () => Size): () => void {
  const stop = new AbortController();
  let from: { x: number; y: number } | undefined;
  const look = (camera: ReturnType<typeof pan>) => {
    const grid = pair.state.sides.find((side) => side.grid)?.grid;
    if (!grid) return;
    pair.set({ camera: hold(camera, grid.width, grid.height, size()), fitted: false });
    pair.draw();
  };
  box.addEventListener("pointerdown", (event) => {
    if (event.button > 0) return;
    box.setPointerCapture(event.pointerId);
    from = { x: event.offsetX, y: event.offsetY };
  }, stop);
  box.addEventListener("pointermove", (event) => {
    if (!from) return;
    look(pan(pair.state.camera, event.offsetX - from.x, event.offsetY - from.y));
    from = { x: event.offsetX, y: event.offsetY };
  }, stop);
  for (const type of ["pointerup", "pointercancel"] as const) box.addEventListener(type, () => (from = undefined), stop);
  box.addEventListener("wheel", (event) => {
    event.preventDefault();
    const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1;
    const factor = Math.exp(-Math.min(120, Math.max(-120, event.deltaY * lines)) / 300);
    look(zoomAt(pair.state.camera, factor, event.offsetX, event.offsetY, 0.5));
  }, { ...stop, passive: false });
  return () => stop.abort();
}

/** The divider follows pointer and arrow keys. */
function divide(table: HTMLElement, handle: HTMLElement, pair: Pair): () => void {
  const stop = new AbortController();
  const set = (divider: number) => pair.set({ divider: Math.min(1, Math.max(0, divider)) });
  handle.addEventListener("pointerdown", (event) => handle.setPointerCapture(event.pointerId), stop);
  handle.addEventListener("pointermove", (event) => {
    if (!handle.hasPointerCapture(event.pointerId)) return;
    const { left, width } = table.getBoundingClientRect();
    set((event.clientX - left) / width);
  }, stop);
  handle.addEventListener("keydown", (event) => {
    const to = { ArrowLeft: pair.state.divider - NUDGE, ArrowRight: pair.state.divider + NUDGE, Home: 0, End: 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    set(to);
  }, stop);
  return () => stop.abort();
}
