// The page's own drawing of a frame on a 2D canvas: the first picture, and the
// only one where WebGL is missing. It follows core/heatmap/raster, so that the
// renderer takes over without a jump.
import type { Frame } from "../base/frame.ts";
import { FULL_SCALE } from "../base/frame.ts";
import { DOWN_FAR, DOWN_GROUND, DOWN_HATCH, SELECTION, STAGE, pixel, table, type PaletteName, type Table } from "../base/palette.ts";
import type { Layer } from "../base/messages.ts";
import type { Camera } from "../model/camera.ts";
import type { Grid } from "../model/grid.ts";
import { drawArcs } from "./arcs.ts";
import { hatch, squares, trace, type Squares } from "./hatch.ts";

export interface Scene {
  grid: Grid;
  frame: Frame;
  layers: Layer[];
  fill: number; // the layer's index
  palette: PaletteName;
  camera: Camera;
  cursor: number;
  selected: number;
}

enum Mark {
  Plain,
  Down,
  Overloaded,
}

/** Draws scenes on one canvas. */
export class Drawing {
  #cells = document.createElement("canvas"); // one pixel a square of the grid
  #context: CanvasRenderingContext2D | null;

  constructor(readonly canvas: HTMLCanvasElement) {
    this.#context = canvas.getContext("2d", { alpha: false });
  }

  draw(scene: Scene): void {
    const context = this.#context;
    if (!context) return;
    const scale = devicePixelRatio;
    const at = squares(scene.camera, scale);
    const { width, height } = this.canvas;
    context.fillStyle = STAGE;
    context.fillRect(0, 0, width, height);
    const looks = table(scene.palette, scene.layers[scene.fill]?.names);
    const marks = markCells(scene);
    this.#paintCells(scene, looks, marks);
    const { columns, rows } = scene.grid.layout;
    context.imageSmoothingEnabled = at.gap === 0;
    context.drawImage(this.#cells, -at.x * at.zoom, -at.y * at.zoom, columns * at.zoom, rows * at.zoom);
    if (at.gap > 0) cutGaps(context, at, columns, rows);
    if (at.zoom >= 4) drawMarks(context, scene, at, looks, marks);
    drawArcs(context, scene, at, scale);
    ring(context, scene.grid, scene.selected, at, scale, SELECTION, 2);
    ring(context, scene.grid, scene.cursor, at, scale, "#fff", 1.5);
  }

  #paintCells({ grid, frame, fill }: Scene, looks: Table, marks: Uint8Array): void {
    const { columns, rows, x, y } = grid.layout;
    const values = frame.layers[fill];
    const pen = this.#cells.getContext("2d");
    if (!pen || !values || columns * rows === 0) return;
    if (this.#cells.width !== columns || this.#cells.height !== rows) Object.assign(this.#cells, { width: columns, height: rows });
    const image = pen.createImageData(columns, rows);
    const pixels = new Uint32Array(image.data.buffer);
    const far = pixel(DOWN_FAR);
    for (let cell = 0; cell < Math.min(frame.cells, grid.cells); cell++) {
      pixels[y[cell] * columns + x[cell]] = marks[cell] === Mark.Down ? far : looks.colours[values[cell]];
    }
    pen.putImageData(image, 0, 0);
  }
}

/** Which cells are down or overloaded. */
function markCells({ frame, layers, fill }: Scene): Uint8Array {
  const marks = new Uint8Array(frame.cells);
  const place = layers.findIndex(({ id }) => id === "state");
  const states = frame.layers[place];
  if (states) {
    const names = layers[place].names ?? [];
    const down = names.indexOf("down");
    const over = names.indexOf("overloaded");
    for (let cell = 0; cell < marks.length; cell++) marks[cell] = states[cell] === down ? Mark.Down : states[cell] === over ? Mark.Overloaded : Mark.Plain;
  }
  const layer = layers[fill];
  if (layer && !layer.names && !layer.top) {
    const values = frame.layers[fill];
    for (let cell = 0; cell < marks.length; cell++) if (marks[cell] === Mark.Plain && values[cell] > FULL_SCALE) marks[cell] = Mark.Overloaded;
  }
  return marks;
}

function cutGaps(context: CanvasRenderingContext2D, at: Squares, columns: number, rows: number): void {
  const { width, height } = context.canvas;
  context.fillStyle = STAGE;
  for (let c = Math.max(0, Math.floor(at.x)); c < columns && (c - at.x) * at.zoom < width; c++) {
    context.fillRect((c + 1 - at.x) * at.zoom - at.gap, 0, at.gap, height);
  }
  for (let r = Math.max(0, Math.floor(at.y)); r < rows && (r - at.y) * at.zoom < height; r++) {
    context.fillRect(0, (r + 1 - at.y) * at.zoom - at.gap, width, at.gap);
  }
}

/** Marks of down and overloaded cells, and the patterns of a category, in one path for each look. */
function drawMarks(context: CanvasRenderingContext2D, scene: Scene, at: Squares, looks: Table, marks: Uint8Array): void {
  const { layout } = scene.grid;
  const { width, height } = context.canvas;
  const side = at.zoom - at.gap;
  const values = scene.frame.layers[scene.fill];
  const groups = new Map<string, number[]>();
  const put = (key: string, cell: number) => {
    const group = groups.get(key);
    if (group) group.push(cell);
    else groups.set(key, [cell]);
  };
  for (let cell = 0; cell < Math.min(scene.frame.cells, scene.grid.cells); cell++) {
    const left = (layout.x[cell] - at.x) * at.zoom;
    const top = (layout.y[cell] - at.y) * at.zoom;
    if (left > width || top > height || left + side < 0 || top + side < 0) continue;
    if (marks[cell] === Mark.Down) put("down", cell);
    else {
      const value = values[cell];
      const pattern = looks.patterns[value];
      if (at.zoom >= 6 && pattern && pattern !== "solid") put(`pattern ${value}`, cell);
      if (marks[cell] === Mark.Overloaded) put(looks.light[value] ? "light" : "dark", cell);
    }
  }
  for (const [key, cells] of groups) {
    const [kind, value] = key.split(" ");
    const pattern = kind === "pattern" ? looks.patterns[Number(value)] : kind === "down" ? "slash" : "diamond";
    const path = (shape: typeof pattern) => {
      context.beginPath();
      for (const cell of cells) trace(context, shape, (layout.x[cell] - at.x) * at.zoom, (layout.y[cell] - at.y) * at.zoom, side, at.stroke);
    };
    path(pattern);
    const light = kind === "light" || (kind === "pattern" && looks.light[Number(value)]);
    const ink = kind === "down" ? DOWN_HATCH : light ? "#fff" : STAGE;
    if (kind === "down") {
      context.fillStyle = DOWN_GROUND;
      context.fill();
    }
    context.globalAlpha = kind === "pattern" ? 0.45 : kind === "down" ? 0.9 : 1;
    const lines = pattern === "slash" || pattern === "back" || pattern === "cross";
    context.fillStyle = lines ? hatch(context, ink, at, pattern === "back") : ink;
    context.fill();
    if (pattern === "cross") {
      context.fillStyle = hatch(context, ink, at, true);
      context.fill();
    }
    context.globalAlpha = 1;
  }
}

/** A ring around a cell, at least five CSS pixels wide inside. */
function ring(context: CanvasRenderingContext2D, grid: Grid, cell: number, at: Squares, scale: number, colour: string, width: number): void {
  if (cell < 0 || cell >= grid.cells) return;
  const own = at.zoom - at.gap;
  const thick = Math.max(1, Math.round(width * scale));
  const side = Math.round(Math.max(own, 5 * scale)) + 2 * (thick + Math.max(1, Math.floor(scale)));
  const left = Math.floor((grid.layout.x[cell] - at.x) * at.zoom + (own - side) / 2 + 0.5);
  const top = Math.floor((grid.layout.y[cell] - at.y) * at.zoom + (own - side) / 2 + 0.5);
  context.strokeStyle = "rgb(7 9 13 / 85%)";
  context.lineWidth = thick + 2 * Math.max(1, Math.floor(scale));
  context.strokeRect(left + thick / 2, top + thick / 2, side - thick, side - thick);
  context.strokeStyle = colour;
  context.lineWidth = thick;
  context.strokeRect(left + thick / 2, top + thick / 2, side - thick, side - thick);
}
