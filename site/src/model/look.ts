// Looking around: the camera, the cursor and the selection.
import type { Devices } from "../base/frame.ts";
import type { Extent, Followed, FromWorker, Layer, Look } from "../base/messages.ts";
import { type CameraKey, LEAST_ZOOM, MOST_ZOOM } from "./address.ts";
import { type Camera, centre, fit, hold, LARGEST, LARGEST_WITH_DEVICES, NEAREST, pan, placeAt, pointOf, room, zoomAt } from "./camera.ts";
import { cellAtPlace, middleOf, nearest, neighbour } from "./grid.ts";
import { NEAR } from "./near.ts";
import type { State, Store } from "./store.ts";

/** How the cells are filled, as the renderer receives it. */
export function lookOf({ layers, fill, palette, scale, light, reducedMotion }: State<"reported" | "look">): Look {
  const shown = Math.max(
    0,
    layers.findIndex(({ id }) => id === fill),
  ); // while another run opens, its fill may not be there yet
  return { fill: shown, palette, low: scale.low, high: scale.high, light, still: reducedMotion };
}

const GLYPHS = ["cpu", "memory", "cpu_requested", "memory_requested"]; // the layers of a glyph
const GLYPH = 14; // device pixels, the least side of one

/**
 * The layers whose larger value colours the cells while they are glyphs of CPU against memory,
 * as core/heatmap/raster decides; undefined while the layer that was chosen does.
 */
export function fuller({
  grid,
  camera,
  layers,
  fill,
  shape,
  frame,
}: Pick<State, "grid" | "camera" | "layers" | "fill" | "shape" | "frame">): number[] | undefined {
  const [cpu, memory, ...requested] = GLYPHS.map((glyph) => layers.findIndex(({ id, devices }) => id === glyph && !devices));
  if (!grid || !GLYPHS.includes(fill) || Math.min(cpu, memory, ...requested) < 0) return undefined;
  if (shape === "jobs" && ![memory, requested[1]].some((one) => frame?.layers[one]?.some(Boolean))) return undefined; // a log without memory
  return Math.min(1, grid.down.cell) * camera.zoom * devicePixelRatio >= GLYPH ? [cpu, memory] : undefined;
}

const DEVICE = 7; // device pixels of a cell for each device of its longer side, from which on nodes show theirs

/** The devices inside nodes, while cells are so large that they are drawn, as core/heatmap/raster decides. */
export function devicesShown({
  grid,
  camera,
  layers,
  fill,
  frame,
}: Pick<State, "grid" | "camera" | "layers" | "fill" | "frame">): Devices | undefined {
  const devices = layers.some(({ id, devices }) => devices && id === fill) ? frame?.devices : undefined;
  if (!grid || !devices) return undefined;
  const least = DEVICE * Math.ceil(Math.sqrt(devices.of.reduce((a, b) => Math.max(a, b), 0)));
  return Math.min(1, grid.down.cell) * camera.zoom * devicePixelRatio >= least ? devices : undefined;
}

const largestOf = (layers: Layer[]) => (layers.some(({ devices }) => devices) ? LARGEST_WITH_DEVICES : LARGEST);

/** The camera that shows the whole cluster. */
function whole({ grid, stage, insets, layers }: Pick<State, "grid" | "stage" | "insets" | "layers">): Camera {
  return fit(grid?.width ?? 1, grid?.height ?? 1, stage, insets, devicePixelRatio, largestOf(layers));
}

/** The room that the cells are laid out for, once the stage has a size. */
export function roomOf({ stage, insets, group, layers }: State<"reported" | "look">): Extent | undefined {
  if (stage.width === 0) return undefined;
  const scale = devicePixelRatio;
  const { width, height } = room(stage, insets);
  return {
    width: Math.floor(width * scale),
    height: Math.floor(height * scale),
    maxCell: Math.floor(largestOf(layers) * scale),
    ...(group === "rack" ? {} : { group }),
  };
}

/** Shows the whole cluster, now and when the stage changes its size. */
export function fitAll(store: Store<"reported" | "look">): void {
  const { grid, stage } = store.state;
  if (!grid || stage.width === 0) return;
  store.set({ camera: whole(store.state), fitted: true });
}

/** Where the camera looks, as a link says it; undefined while everything is shown. */
export function aimOf({ grid, stage, insets, layers, camera, fitted }: State<"reported" | "look">): CameraKey | undefined {
  if (fitted || !grid || grid.cells === 0 || stage.width === 0) return undefined;
  const zoom = Math.round((camera.zoom / whole({ grid, stage, insets, layers }).zoom) * 100) / 100;
  return {
    node: nearest(grid, ...placeAt(camera, stage.width / 2, stage.height / 2)),
    zoom: Math.min(MOST_ZOOM, Math.max(LEAST_ZOOM, zoom)),
  };
}

/** Looks where a link says; a node that is not there counts as the last one. */
export function aimAt(store: Store<"reported" | "look">, { node, zoom }: CameraKey): void {
  const { grid, stage } = store.state;
  if (!grid || grid.cells === 0 || stage.width === 0) return;
  const wanted = Math.min(nearestOf(store.state), zoom * whole(store.state).zoom);
  store.set({ camera: centre(...middleOf(grid, Math.min(node, grid.cells - 1)), wanted, stage), fitted: false });
}

/** Zooms around a point of the stage, or around the selection, or around the middle. */
export function zoomBy(store: Store<"reported" | "look" | "chosen">, factor: number, px?: number, py?: number): void {
  const { grid, stage, camera, selected } = store.state;
  if (!grid) return;
  const least = whole(store.state).zoom / 2;
  let [ax, ay] = [px ?? stage.width / 2, py ?? stage.height / 2];
  if (px === undefined && selected >= 0) {
    const [sx, sy] = pointOf(camera, middleOf(grid, selected));
    if (sx > 0 && sy > 0 && sx < stage.width && sy < stage.height) {
      if (factor > 1 && camera.zoom * factor >= NEAR) return lookInto(store, selected, camera.zoom * factor); // all of its card is seen
      [ax, ay] = [sx, sy];
    }
  }
  store.set({ camera: hold(zoomAt(camera, factor, ax, ay, least, nearestOf(store.state)), grid.width, grid.height, stage), fitted: false });
}

/** Moves the picture by CSS pixels. */
export function panBy(store: Store<"reported" | "look">, dx: number, dy: number): void {
  const { grid, stage, camera } = store.state;
  if (grid) store.set({ camera: hold(pan(camera, dx, dy), grid.width, grid.height, stage), fitted: false });
}

/** Centres the selection or the cursor; when it is centred already, shows everything. */
export function focus(store: Store<"reported" | "look" | "chosen">): void {
  const { grid, stage, insets, camera, selected, cursor } = store.state;
  const cell = selected >= 0 ? selected : cursor;
  if (!grid || cell < 0) return fitAll(store);
  const target = centre(...middleOf(grid, cell), Math.max(22, camera.zoom), stage, insets);
  if (target.zoom === camera.zoom && Math.hypot(target.x - camera.x, target.y - camera.y) < 0.01) return fitAll(store);
  store.set({ camera: target, fitted: false });
}

const INTO = 300; // CSS pixels a cell where a node is looked into

/** The CSS pixels a cell at which all of a card just has room on the stage, and at least those of a card. */
function nearestOf({ grid, stage, insets }: State<"reported" | "look">): number {
  const { width, height } = room(stage, insets);
  return Math.max(NEAR, Math.min(NEAREST, width * 0.9, (height * 0.96) / (grid?.down.cell ?? 1)));
}

/** Brings a node so near that its tasks are seen, and all of its card where the stage has room for it. */
export function lookInto(store: Store<"reported" | "look">, cell: number, wanted = INTO): void {
  const { grid, stage, insets } = store.state;
  if (!grid || cell < 0) return;
  const zoom = Math.min(wanted, nearestOf(store.state));
  store.set({ camera: centre(...middleOf(grid, cell), zoom, stage, insets), fitted: false });
}

const PART = 3; // of the stage is what is shown
const CLOSE = 64; // CSS pixels a cell, at most

/** Brings some cells near, such as those of a rack; when they are near already, shows everything. */
export function showCells(store: Store<"reported" | "look">, cells: number[]): void {
  const { grid, stage, insets, camera, fitted } = store.state;
  if (!grid || cells.length === 0) return;
  const at = cells.map((cell) => middleOf(grid, cell));
  const span = (axis: 0 | 1) => {
    const all = at.map((point) => point[axis]);
    return { middle: (Math.min(...all) + Math.max(...all)) / 2, length: Math.max(...all) - Math.min(...all) + 1 };
  };
  const [x, y] = [span(0), span(1)];
  const { width, height } = room(stage, insets);
  const least = whole(store.state).zoom;
  const zoom = Math.max(least, Math.min(CLOSE, width / (PART * x.length), height / (PART * y.length)));
  const target = centre(x.middle, y.middle, zoom, stage, insets);
  if (!fitted && Math.hypot(target.x - camera.x, target.y - camera.y) < 0.5) return fitAll(store);
  store.set({ camera: target, fitted: false });
}

/** The cell under a point of the stage, -1 for none. */
export function cellAt(store: Store<"reported" | "look">, px: number, py: number): number {
  const { grid, camera } = store.state;
  return grid ? cellAtPlace(grid, ...placeAt(camera, px, py)) : -1;
}

/** Moves the keyboard's cursor by one cell and keeps it on the stage. */
export function moveCursor(store: Store<"reported" | "look" | "chosen">, right: number, down: number): void {
  const { grid, cursor, selected } = store.state;
  if (!grid) return;
  const next = neighbour(grid, cursor >= 0 ? cursor : selected, right, down);
  store.set({ cursor: next });
  keepOnStage(store, next);
}

/** Moves the picture no further than it takes to have a cell on the stage. */
function keepOnStage(store: Store<"reported" | "look">, cell: number): void {
  const { grid, camera, stage, insets } = store.state;
  if (!grid || cell < 0) return;
  const [px, py] = pointOf(camera, middleOf(grid, cell));
  const off = (place: number, from: number, to: number) =>
    Math.max(0, from + camera.zoom / 2 - place) - Math.max(0, place - (to - camera.zoom / 2));
  const [dx, dy] = [off(px, insets.left, stage.width - insets.right), off(py, insets.top, stage.height - insets.bottom)];
  if (dx !== 0 || dy !== 0) panBy(store, dx, dy);
}

/** Selects a cell and asks for its report with every sample; -1 selects none. */
export function select(store: Store<"reported" | "chosen">, cell: number): void {
  const node = store.state.grid && cell < store.state.grid.cells ? cell : -1;
  if (node === store.state.selected) return;
  store.set({ selected: node, report: undefined, followed: undefined });
  inspect(store);
}

/** Asks about the selected node, or about that of the task that is followed. */
export function inspect(store: Store<"reported" | "chosen">): void {
  const { selected, followed } = store.state;
  store.send({ type: "inspect", node: selected, ...(followed ? { follow: followed } : {}) });
}

/** Follows a task from node to node until another node is selected; undefined: none any more. */
export function follow(store: Store<"reported" | "chosen">, task?: Pick<Followed, "task" | "name">): void {
  store.set({ followed: task && { ...task, state: ASKED, to: -1 } });
  inspect(store);
}

/** Takes a report of the selected node, or of the node to which a followed task has moved. */
export function takeReport(
  store: Store<"reported" | "look" | "chosen">,
  { report, followed }: Extract<FromWorker, { type: "node" }>,
): void {
  const { selected, followed: wanted } = store.state;
  if (wanted && followed?.task === wanted.task) {
    store.set({ selected: report.node, report, followed });
    if (report.node !== selected) keepOnStage(store, report.node);
  } else if (report.node === selected) store.set({ report });
}

const ASKED = "asked"; // the state of a followed task before the first answer

/** The state of a followed task, in a sentence; node is its present or its last one. */
export function whereabouts({ name, state, to }: Followed, node: number): string {
  if (state === ASKED) return `Task ${name}: asking the simulation …`;
  if (state === "")
    return `Task ${name} is not found at this moment: it has ended, has not arrived yet, or has another number in this course of the run.`;
  if (state === "waiting") return `Task ${name} waits for a place. It was last on node ${node}.`;
  return to >= 0 ? `Task ${name} moves from node ${node} to node ${to}.` : `Task ${name} runs on node ${node}.`;
}
