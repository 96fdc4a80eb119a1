// Two to five systems side by side: their cells at the same moment, each in a pane of its
// own, one drawn over the other, or the first one less the others, with one camera, one
// scale and one clock.
import { h, render, say, type Words } from "../../../base/dom.ts";
import { clock, count, digits, duration, number, percent, SECOND, speed } from "../../../base/format.ts";
import { FULL_SCALE } from "../../../base/frame.ts";
import { icon } from "../../../base/icon.ts";
import type { Layer } from "../../../base/messages.ts";
import { DIVERGING } from "../../../base/palette.ts";
import { type Beside, VIEWS } from "../../../model/address.ts";
import { hold, pan, type Size, zoomAt } from "../../../model/camera.ts";
import { horizon } from "../../../model/run.ts";
import { all, type Store } from "../../../model/store.ts";
import { goBetween, systemOf } from "../../../model/systems.ts";
import { keyOf } from "../../../panel/key.ts";
import { explained } from "../../../panel/term.ts";
import { divergingGradient, paintDifferences } from "../model/difference.ts";
import { MOST_STAGES, PAIR_SPEEDS, type Pair, type Side } from "../model/pair.ts";
import { letterOf, markOf } from "./runmark.ts";
import { stageCharts } from "./stagecharts.ts";

const TICK = 40; // ms between two looks at the clock
const NUDGE = 0.02; // of the width that an arrow key moves the divider
const NAMES: Record<Beside, string> = { split: "Split", swipe: "Swipe", difference: "Difference" };

export function mountStages(element: HTMLElement, store: Store<"engine" | "run" | "reported" | "look">, pair: Pair): () => void {
  const controls = controlsOf(pair);
  const charts = stageCharts(pair);
  const panes = Array.from({ length: MOST_STAGES }, (_, i) => paneOf(i, pair, store));
  const handle = h("div.divider", {
    role: "slider",
    tabindex: 0,
    "aria-label": "Divider",
    "aria-valuemin": 0,
    "aria-valuemax": 100,
    title: "Drag, or move with the arrow keys",
  });
  const table = h("div.panes", {}, ...panes.map((pane) => pane.element), handle);
  const key = h("div.key");
  const layers = h("select", { id: "pair-fill", "aria-label": "Fill cells by", onchange: () => pair.fillWith(layers.value) });
  element.replaceChildren(
    controls.element,
    table,
    h("div.toolbar.legend", {}, key, h("span.grow"), h("label.chip", {}, h("span", {}, "fill"), layers)),
    charts.element,
  );

  const size = (): Size => {
    const shown = panes.find((pane) => !pane.element.hidden) ?? panes[0];
    return { width: shown.box.clientWidth, height: shown.box.clientHeight };
  };
  const resize = new ResizeObserver(() => pair.resize(size(), devicePixelRatio));
  panes.forEach(({ box }) => resize.observe(box));
  const stops = panes.map(({ box }) => lookAround(box, pair, size));
  const drag = divide(table, handle, pair);

  let keyed = "";
  const draw = () => {
    const { sides, view, divider, fill: id, scale, reach } = pair.state;
    element.hidden = sides.length === 0;
    if (sides.length === 0) return;
    const less = view === "difference";
    const over = view === "swipe";
    table.dataset.view = view;
    table.dataset.count = String(less ? sides.length - 1 : over ? 1 : sides.length);
    controls.draw();
    charts.draw();
    panes.forEach((pane, i) => {
      pane.element.hidden = i >= sides.length || (less && i === 0) || (over && i > 1);
      if (!pane.element.hidden) pane.draw(sides[i]);
    });
    handle.hidden = !over;
    handle.style.left = `${divider * 100}%`;
    handle.setAttribute("aria-valuenow", String(Math.round(divider * 100)));
    panes[1].box.style.clipPath = over ? `inset(0 0 0 ${divider * 100}%)` : "";
    const shared = pair.shared();
    const { palette, light } = store.state;
    const says = JSON.stringify([
      id,
      view,
      scale,
      reach,
      palette,
      light,
      shared.map((layer) => layer.id),
      sides.map(({ rival }) => rival.id),
    ]);
    if (says === keyed) return;
    keyed = says;
    layers.replaceChildren(...shared.map((layer) => h("option", { value: layer.id }, layer.name)));
    layers.value = id;
    const shown = shared.find((layer) => layer.id === id);
    const words = (text: string) => explained(text, store);
    render(
      [...(!shown ? [] : less ? keyOfDifference(shown, reach, light, sides.length, words) : keyOf(shown, palette, light, scale, words))],
      key,
    );

    key.querySelector(".histogram")?.remove();
  };
  const timer = setInterval(() => pair.tick(), TICK);
  const watched: (keyof typeof pair.state)[] = [
    "sides",
    "target",
    "playing",
    "view",
    "divider",
    "fill",
    "figures",
    "scale",
    "reach",
    "speed",
    "camera",
  ];
  return all(
    () => clearInterval(timer),
    () => resize.disconnect(),
    () => charts.end(),
    () => pair.pause(),
    drag,
    ...stops,
    pair.watched.watch(watched, draw),
    store.watch(["palette", "light", "reducedMotion"], () => (pair.draw(), draw())),
  );
}

/** What the colours of a difference mean: a scale with zero in its middle, and who is higher at which end. */
function keyOfDifference(layer: Layer, reach: number, light: boolean, runs: number, words: (text: string) => Words): HTMLElement[] {
  const others = Array.from({ length: runs - 1 }, (_, i) => letterOf(i + 1)).join(", ");
  const title = h("span.title", { title: layer.unit }, h("b", {}, ...words(layer.name)), ` A − ${others}`);
  const bar = h("div.ramp");
  bar.style.background = divergingGradient(light);
  if (layer.names) {
    const stops = DIVERGING[light ? "light" : "dark"].split(" ");
    bar.style.background = `linear-gradient(90deg, #${stops[4]} 50%, #${stops[8]} 50%)`;
    return [title, h("div.scale", {}, bar, h("div.ticks", {}, h("span", {}, "the same"), h("span", {}, "different")))];
  }
  const most = digits(Math.round((reach / FULL_SCALE) * (layer.top ?? 100) * 10) / 10);
  const unit = layer.top ? "" : " pp";
  return [
    title,
    h("div.scale.diverging", {}, bar, h("div.ticks.num", {}, ...[`−${most}`, "0", `+${most}${unit}`].map((tick) => h("span", {}, tick)))),
    h("span.quiet", {}, `left: ${others} higher · right: A higher`),
  ];
}

/** Play, time, speed, how they lie, and the way out. */
function controlsOf(pair: Pair): { element: HTMLElement; draw: () => void } {
  const play = h("button.btn.square", {
    type: "button",
    id: "pair-play",
    onclick: () => (pair.state.playing ? pair.pause() : pair.play()),
  });
  const time = h("input", {
    type: "range",
    min: 0,
    step: "any",
    "aria-label": "Simulated time of all",
    onchange: () => pair.seek(Number(time.value) * SECOND),
    oninput: () => (dragging = true),
  });
  time.addEventListener("change", () => (dragging = false));
  const told = h("b.num");
  const pace = h(
    "select.num",
    { "aria-label": "Speed", onchange: () => pair.set({ speed: Number(pace.value) }) },
    ...PAIR_SPEEDS.map((step) => h("option", { value: step }, speed(step))),
  );
  const views = h("div.segments", { role: "group", "aria-label": "Layout" }, ...VIEWS.map((view) => viewOf(view, pair)));
  const swap = h(
    "button.btn",
    {
      type: "button",
      id: "pair-swap",
      "aria-keyshortcuts": "X",
      title: "The left one becomes the right one (X)",
      onclick: () => pair.swap(),
    },
    "⇄ Swap",
  );
  const fit = h(
    "button.btn.square",
    { type: "button", "aria-label": "Show all cells", title: "Show all cells", onclick: () => pair.fit() },
    icon("fit"),
  );
  const close = h(
    "button.btn.square",
    { type: "button", id: "pair-close", "aria-label": "Close", title: "Close", onclick: () => pair.end() },
    icon("close"),
  );
  const element = h("div.toolbar", {}, play, time, told, pace, h("span.grow"), views, swap, fit, close);
  let dragging = false;
  let playing: boolean | undefined;
  const draw = () => {
    const { state } = pair;
    if (playing !== state.playing) {
      playing = state.playing;
      play.replaceChildren(icon(playing ? "pause" : "play"));
      for (const name of ["aria-label", "title"]) play.setAttribute(name, playing ? "Pause both" : "Play both");
    }
    time.max = String(horizon({ status: state, head: state.head }) / SECOND);
    if (!dragging) time.value = String(state.target / SECOND);
    time.setAttribute("aria-valuetext", `${clock(state.target)} of ${duration(state.until)}`);
    say(told, clock(state.target));
    pace.value = String(state.speed);
    for (const input of views.querySelectorAll("input")) input.checked = input.value === state.view;
  };
  return { element, draw };
}

function viewOf(view: Beside, pair: Pair): HTMLElement {
  const input = h("input", { type: "radio", name: "pair-view", value: view, onchange: () => pair.lay(view) });
  return h("label", {}, input, h("span", {}, NAMES[view]));
}

/** One of them: its name with how it is, and its cells, or what the first one has more or less in them. */
function paneOf(
  i: number,
  pair: Pair,
  store: Store<"engine" | "look">,
): { element: HTMLElement; box: HTMLElement; draw: (side: Side) => void } {
  const canvas = h("canvas", { role: "img" });
  const pen = canvas.getContext("2d", { alpha: false });
  const box = h("div.cells", {}, canvas);
  const minus = h("span", { hidden: true }, "A −");
  const name = h("b");
  const says = h("span.num");
  const digest = h("small.num.quiet", { title: "The digest of its run so far" });
  const element = h("figure", {}, h("figcaption", {}, minus, markOf(i), name, says, digest), box);
  let shown: unknown; // what the canvas has
  let painted: Uint32Array<ArrayBuffer> | undefined; // of the latest difference
  const put = (width: number, height: number, bytes: ArrayBuffer) => {
    if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
    pen?.putImageData(new ImageData(new Uint8ClampedArray(bytes), width, height), 0, 0);
  };
  const draw = (side: Side) => {
    const less = pair.state.view === "difference";
    say(name, side.rival.name);
    const { text, why } = less ? apart(side, pair.state.sides[0]) : standing(side, store);
    say(says, text);
    says.title = why || text;
    say(digest, side.status?.digest.slice(0, 8) ?? "");
    says.className = side.why === "" ? "num" : "bad";
    minus.hidden = !less;
    canvas.setAttribute(
      "aria-label",
      less ? `Cells of A less those under ${side.rival.name}: ${text}` : `Cells under ${side.rival.name}: ${text}`,
    );
    if (less) {
      const { camera, reach } = pair.state;
      const now = [side.less, camera, reach, store.state.light, box.clientWidth, box.clientHeight];
      if (!side.less || !side.grid || (Array.isArray(shown) && now.every((part, at) => part === (shown as unknown[])[at]))) return;
      shown = now;
      const binary = pair.shared().find(({ id }) => id === pair.state.fill)?.names !== undefined;
      const { width, height, pixels } = paintDifferences(
        side.grid,
        side.less,
        camera,
        { width: box.clientWidth, height: box.clientHeight },
        devicePixelRatio,
        store.state.light,
        binary ? 1 : Math.max(1, reach),
        painted,
      );
      painted = pixels;
      put(width, height, pixels.buffer);
      element.dataset.at = String(side.less.at);
      return;
    }
    const { picture } = side;
    if (!picture || picture === shown) return;
    shown = picture;
    put(picture.width, picture.height, picture.buffer);
    element.dataset.at = String(side.frame?.at ?? 0);
  };
  return { element, box, draw };
}

/** How many cells differ, in a line. */
function apart({ why, less, grid }: Side, first: Side): { text: string; why: string } {
  if (why !== "") return { text: why, why: "" };
  if (grid && first.grid && grid.cells !== first.grid.cells)
    return { text: `no difference: A has ${number(first.grid.cells, "node")}, this one ${count(grid.cells)}`, why: "" };
  if (!less) return { text: "no common moment yet, or the machines differ", why: "" };
  return { text: `${count(less.other)} of ${count(less.values.length)} nodes differ at ${clock(less.at)}`, why: "" };
}

/** How one of them is, in a line, with a word on what may surprise. */
function standing({ why, status, grid, share, rival }: Side, store: Store<"engine" | "look">): { text: string; why: string } {
  if (why !== "") return { text: why, why: "" };
  if (!grid || !status) return { text: share > 0 ? `starts, ${percent(share, 1)} %` : "starts", why: "" };
  const { running = 0, waiting = 0, migrating = 0, overloaded = 0, down = 0 } = status.counts;
  const by = goBetween(systemOf({ systems: store.state.systems, scenario: rival.scenario }));
  const asked = waiting > 0 && by !== undefined;
  const parts: [number, string][] = [
    [running, "running"],
    [waiting, asked ? "waiting or asked about" : "waiting"],
    [migrating, "moving"],
    [overloaded, "overloaded"],
    [down, "down"],
  ];
  const text = parts
    .filter(([n], at) => at < 2 || n > 0)
    .map(([n, what]) => `${count(n)} ${what}`)
    .join(" · ");
  return {
    text,
    why: asked
      ? `A decision here is a sequence of messages, which takes simulated time: a task waits while a ${by} asks nodes about it, from the first moment on.`
      : "",
  };
}

/** Drag and wheel move the one camera of all. */
function lookAround(box: HTMLElement, pair: Pair, size: () => Size): () => void {
  const stop = new AbortController();
  let from: { x: number; y: number } | undefined;
  const look = (camera: ReturnType<typeof pan>) => {
    const grid = pair.state.sides.find((side) => side.grid)?.grid;
    if (!grid) return;
    pair.set({ camera: hold(camera, grid.width, grid.height, size()), fitted: false });
    pair.draw();
  };
  box.addEventListener(
    "pointerdown",
    (event) => {
      if (event.button > 0) return;
      box.setPointerCapture(event.pointerId);
      from = { x: event.offsetX, y: event.offsetY };
    },
    stop,
  );
  box.addEventListener(
    "pointermove",
    (event) => {
      if (!from) return;
      look(pan(pair.state.camera, event.offsetX - from.x, event.offsetY - from.y));
      from = { x: event.offsetX, y: event.offsetY };
    },
    stop,
  );
  for (const type of ["pointerup", "pointercancel"] as const) box.addEventListener(type, () => (from = undefined), stop);
  box.addEventListener(
    "wheel",
    (event) => {
      event.preventDefault();
      const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1;
      const factor = Math.exp(-Math.min(120, Math.max(-120, event.deltaY * lines)) / 300);
      look(zoomAt(pair.state.camera, factor, event.offsetX, event.offsetY, 0.5));
    },
    { ...stop, passive: false },
  );
  return () => stop.abort();
}

/** The divider follows pointer and arrow keys. */
function divide(table: HTMLElement, handle: HTMLElement, pair: Pair): () => void {
  const stop = new AbortController();
  const set = (divider: number) => pair.set({ divider: Math.min(1, Math.max(0, divider)) });
  handle.addEventListener("pointerdown", (event) => handle.setPointerCapture(event.pointerId), stop);
  handle.addEventListener(
    "pointermove",
    (event) => {
      if (!handle.hasPointerCapture(event.pointerId)) return;
      const { left, width } = table.getBoundingClientRect();
      set((event.clientX - left) / width);
    },
    stop,
  );
  handle.addEventListener(
    "keydown",
    (event) => {
      const to = { ArrowLeft: pair.state.divider - NUDGE, ArrowRight: pair.state.divider + NUDGE, Home: 0, End: 1 }[event.key];
      if (to === undefined) return;
      event.preventDefault();
      event.stopPropagation();
      set(to);
    },
    stop,
  );
  return () => stop.abort();
}
