// Draws a Gantt chart on a 2D canvas, or with any other pen: the master's port, then a row for each
// worker with what it receives as a thin line under what it computes. Pieces are
// numbered by round and take stops of the scale, as rounds follow one another;
// graphs, which do not, take colours in turn. What was lost is hatched and crossed.
import { short } from "../base/format.ts";
import { CYCLE, rampColours, STAGES, WHITE } from "../base/palette.ts";
import { tokensOf } from "../base/tokens.ts";
import { type Course, type Piece, until } from "../model/course.ts";
import { extent, type Spot, sentBefore, ticks, type Window } from "../model/gantt.ts";
import type { Pen } from "../model/vector.ts";
import { remember } from "./drawn.ts";

export const MARGIN = 8; // right of the plot
const LOST = 5; // the radius of the mark of a lost piece
const FEWEST_ROUNDS = 5; // that share the whole scale: fewer would be far apart
const PALEST = 24; // the first round's place on the scale of 255: it is seen on the ground

/** What stands beside the plot, in CSS pixels: it grows with the type. */
export interface Room {
  type: number; // the size of the letters
  gutter: number; // left of the plot: names
  axis: number; // above everything: marks and times
  port: number; // the port's row
  head: number; // above the workers' rows
}

/** The room of a canvas whose letters have the size of its style. */
export function roomOf(canvas: HTMLCanvasElement): Room {
  const type = Number.parseFloat(getComputedStyle(canvas).fontSize);
  const [gutter, axis, port] = [7.6, 3.1, 1.8].map((times) => Math.round(times * type));
  return { type, gutter, axis, port, head: axis + port + 4 };
}

/** A moment that the chart marks from top to bottom. */
export interface Moment {
  at: number; // seconds
  name: string;
  kind: "planned" | "formula" | "real" | "now";
}

export interface Picture {
  course: Course;
  view: Window;
  moments: Moment[];
  names: (worker: number) => string;
  now: number;
  focus: Spot | undefined;
  hover: Spot | undefined;
}

const DASHES = { planned: [6, 4], formula: [2, 3], real: [], now: [1, 2] };

export function drawGantt(canvas: HTMLCanvasElement, picture: Picture): void {
  const { clientWidth: width, clientHeight: height } = canvas;
  const pen = canvas.getContext("2d");
  const room = roomOf(canvas);
  if (!pen || width < room.gutter + 20 || height < room.head + 10) return;
  canvas.width = Math.round(width * devicePixelRatio);
  canvas.height = Math.round(height * devicePixelRatio);
  pen.scale(devicePixelRatio, devicePixelRatio);
  const ink = tokensOf(canvas);
  const draw = (by: Pen) => {
    const painter = new Painter(by, picture, { width: width - room.gutter - MARGIN, height: height - room.head }, room, ink);
    by.font = `${room.type}px ${ink("--font")}`;
    by.textBaseline = "middle";
    painter.rows();
    painter.axis();
    painter.moments();
  };
  remember(canvas, { width, height, draw });
  draw(pen);
}

class Painter {
  #scale: number;
  #rounds: string[] = []; // the colours of rounds that follow one another

  constructor(
    readonly pen: Pen,
    readonly picture: Picture,
    readonly plot: { width: number; height: number },
    readonly room: Room,
    readonly ink: (name: string) => string,
  ) {
    this.#scale = plot.width / (picture.view.to - picture.view.from);
    const { course } = picture;
    if (!course.ordered) return;
    const stops = rampColours("dusk", dark(ink("--ink")), 0, 255); // dark letters stand on the light stage
    const last = Math.max(FEWEST_ROUNDS, course.roundsInAll) - 1;
    this.#rounds = Array.from(
      { length: Math.max(last + 1, course.rounds) },
      (_, i) => stops[PALEST + Math.round(((255 - PALEST) * Math.min(i, last)) / last)],
    );
  }

  x(at: number): number {
    return this.room.gutter + (at - this.picture.view.from) * this.#scale;
  }

  /** Where a row is. */
  #row(row: number): { top: number; height: number } {
    const { view } = this.picture;
    return row === 0
      ? { top: this.room.axis + 2, height: this.room.port }
      : { top: this.room.head + (row - 1) * view.row - view.top, height: view.row };
  }

  rows(): void {
    const { pen, plot, picture, ink } = this;
    const { course, view } = picture;
    if (course.port) {
      this.#name("port", 0, "--ink");
      this.#within(this.room.axis, () => this.#bars(course.pieces, 0));
    }
    pen.strokeStyle = ink("--line-strong");
    pen.strokeRect(-1, this.room.head - 1.5, this.room.gutter + plot.width + MARGIN + 2, 0);
    const first = Math.max(1, 1 + Math.floor(view.top / view.row));
    const last = Math.min(course.workers, 1 + Math.ceil((view.top + plot.height) / view.row));
    const every = namedEvery(this.room.type + 2, view.row); // rows between two names
    this.#within(this.room.head, () => {
      for (let row = first; row <= last; row++) {
        if (row % 2 === 0) {
          const { top, height } = this.#row(row);
          pen.fillStyle = ink("--hover");
          pen.fillRect(this.room.gutter, top, plot.width, height);
        }
        this.#worker(row);
      }
    });
    // What failed is always named; the others at round distances, where neither covers the other.
    const failed = this.#failed();
    const clear = (row: number) => !failed.some((other) => Math.abs(other - row) * view.row < this.room.type + 2);
    for (let row = first; row <= last; row++) {
      const name = picture.names(row - 1);
      if (failed.includes(row)) this.#name(`✕ ${name}`, row, "--bad");
      else if ((row - 1) % every === 0 && clear(row)) this.#name(name, row, "--ink-2");
    }
    for (const [spot, colour] of [
      [picture.hover, "--ink-2"],
      [picture.focus, "--accent"],
    ] as const) {
      if (spot) this.#within(spot.row === 0 ? this.room.axis : this.room.head, () => this.#outline(spot, colour));
    }
  }

  /** The rows of workers that are down or lost a piece, those too near to one that is named left out. */
  #failed(): number[] {
    const { course, view } = this.picture;
    const rows = new Set(course.outages.map(({ worker }) => worker + 1));
    for (const { worker, lost } of course.pieces) if (!Number.isNaN(lost)) rows.add(worker + 1);
    const named: number[] = [];
    for (const row of [...rows].sort((a, b) => a - b)) {
      if ((row - (named.at(-1) ?? -Infinity)) * view.row >= this.room.type + 2) named.push(row);
    }
    return named;
  }

  /** Draws upon the plot only, from a height on. */
  #within(top: number, work: () => void): void {
    const { pen, plot } = this;
    pen.save();
    pen.beginPath();
    pen.rect(this.room.gutter, top, plot.width, this.room.head + plot.height - top);
    pen.clip();
    work();
    pen.restore();
  }

  #name(text: string, row: number, colour: string): void {
    const { top, height } = this.#row(row);
    const y = top + height / 2;
    const half = 0.45 * this.room.type;
    if (row > 0 && (y < this.room.head + half || y > this.room.head + this.plot.height - half)) return;
    this.pen.fillStyle = this.ink(colour);
    this.pen.textAlign = "right";
    this.pen.fillText(
      fitName(text, (shown) => this.pen.measureText(shown).width <= this.room.gutter - 12),
      this.room.gutter - 8,
      y,
    );
  }

  #worker(row: number): void {
    const { picture } = this;
    const { course, now } = picture;
    const { top, height } = this.#row(row);
    const lane = course.lanes[row - 1] ?? [];
    for (const outage of course.outages) {
      if (outage.worker !== row - 1) continue;
      const end = Number.isNaN(outage.to) ? now : outage.to;
      this.#hatch(outage.from, end, top + 1, height - 2);
    }
    const thin = this.#thin(row);
    this.#intents(row);
    if (thin > 0) this.#received(lane, top + height - thin - 1, thin);
    this.#bars(lane, row);
    for (const { lost } of lane) if (!Number.isNaN(lost)) this.#lost(this.x(lost), top + (height - thin) / 2);
  }

  /** The height of the outline of what was planned, above what was played. */
  #above(row: number): number {
    const { height } = this.#row(row);
    return row > 0 && height >= 8 && !this.picture.course.ordered && this.picture.course.intents[row - 1]?.length > 0
      ? Math.max(3, Math.round(height / 4))
      : 0;
  }

  /** What was planned, as outlines: of graphs above what was played, of rounds behind it. */
  #intents(row: number): void {
    const { pen, picture, plot } = this;
    const place = this.#row(row);
    const behind = picture.course.ordered;
    const height = behind ? place.height - (place.height < 8 ? 1 : 2) : this.#above(row);
    if (height === 0) return;
    const top = place.top - (behind ? 0.5 : 0);
    let drawn = -Infinity;
    pen.globalAlpha = behind ? 0.6 : 1;
    for (const { round, from, to } of picture.course.intents[row - 1]) {
      const a = this.x(from);
      const b = this.x(to);
      if (b < this.room.gutter || a > this.room.gutter + plot.width || (b <= drawn + 0.5 && b - a < 1)) continue;
      drawn = b;
      pen.strokeStyle = behind ? this.ink("--ink-3") : this.#colour(round);
      pen.strokeRect(a + 0.5, top + 1.5, Math.max(1, b - a - 1), height - 1);
    }
    pen.globalAlpha = 1;
  }

  /** The height of the line for what a worker receives. */
  #thin(row: number): number {
    const { height } = this.#row(row);
    return row > 0 && height >= 10 && this.picture.course.port ? Math.max(2, Math.round(height / 6)) : 0;
  }

  /** What is sent, or computed, as bars; those that lie within one pixel are drawn once. */
  #bars(pieces: Piece[], row: number): void {
    const { pen, picture } = this;
    const place = this.#row(row);
    const air = place.height < 8 ? 0.5 : 1;
    const above = this.#above(row);
    const [top, height] = [place.top + air + above, place.height - this.#thin(row) - above - 2 * air];
    let drawn = -Infinity;
    const end = picture.view.to;
    for (let i = row === 0 ? Math.max(0, sentBefore(pieces, picture.view.from) - 1) : 0; i < pieces.length && pieces[i].send <= end; i++) {
      const piece = pieces[i];
      if (row > 0 && Number.isNaN(piece.begin)) continue;
      const [from, to] = extent({ row, piece }, picture.now);
      const a = this.x(from);
      const b = this.x(to);
      if (b < this.room.gutter || a > this.room.gutter + this.plot.width || (b <= drawn + 0.5 && b - a < 1)) continue;
      drawn = b;
      const colour = this.#colour(piece.round);
      const gap = b - a > 4 ? 1 : 0; // between neighbours
      pen.fillStyle = colour;
      const broken = !Number.isNaN(piece.lost) && (row > 0 || Number.isNaN(piece.arrive));
      if (broken) pen.globalAlpha = 0.35;
      pen.fillRect(a, top, Math.max(1, b - a - gap), height);
      pen.globalAlpha = 1;
      if (broken) this.#hatch(from, to, top, height);
      if (height >= 10 && b - a > 8 + 6 * String(piece.round).length && piece.round > 0) {
        const middle = (Math.max(a, this.room.gutter) + Math.min(b, this.room.gutter + this.plot.width)) / 2;
        pen.fillStyle = dark(colour) ? WHITE : STAGES.dark.stage;
        pen.textAlign = "center";
        pen.fillText(String(piece.round), middle, top + height / 2 + 0.5);
      }
    }
  }

  #received(lane: Piece[], top: number, height: number): void {
    let drawn = -Infinity;
    for (const piece of lane) {
      const a = this.x(piece.send);
      const b = this.x(Number.isNaN(piece.arrive) ? until(piece, this.picture.now) : piece.arrive);
      if (b < this.room.gutter || a > this.room.gutter + this.plot.width || (b <= drawn + 0.5 && b - a < 1)) continue;
      drawn = b;
      this.pen.fillStyle = this.#colour(piece.round);
      this.pen.fillRect(a, top, Math.max(1, b - a), height);
    }
  }

  #colour(round: number): string {
    if (round <= 0) return this.ink("--ink-3");
    return this.#rounds[round - 1] ?? CYCLE[(round - 1) % CYCLE.length];
  }

  #hatch(from: number, to: number, top: number, height: number): void {
    const { pen, plot } = this;
    const a = Math.max(this.room.gutter, this.x(from));
    const b = Math.min(this.room.gutter + plot.width, this.x(to));
    if (b <= a) return;
    pen.save();
    pen.beginPath();
    pen.rect(a, top, b - a, height);
    pen.clip();
    pen.strokeStyle = this.ink("--bad");
    pen.globalAlpha = 0.55;
    pen.beginPath();
    for (let x = a - height - ((a - height) % 6); x < b + height; x += 6) {
      pen.moveTo(x, top + height);
      pen.lineTo(x + height, top);
    }
    pen.stroke();
    pen.restore();
  }

  /** Where a piece was lost: a cross on a disc. */
  #lost(x: number, y: number): void {
    const { pen, ink } = this;
    pen.fillStyle = ink("--bad");
    pen.beginPath();
    pen.arc(x, y, LOST, 0, 2 * Math.PI);
    pen.fill();
    pen.strokeStyle = ink("--sunken");
    pen.lineWidth = 1.5;
    this.#cross(x, y, LOST / 2 - 0.5);
    pen.lineWidth = 1;
  }

  #cross(x: number, y: number, size: number): void {
    const { pen } = this;
    pen.beginPath();
    pen.moveTo(x - size, y - size);
    pen.lineTo(x + size, y + size);
    pen.moveTo(x - size, y + size);
    pen.lineTo(x + size, y - size);
    pen.stroke();
  }

  #outline(spot: Spot, colour: string): void {
    const { pen, picture } = this;
    const [from, to] = extent(spot, picture.now);
    const { top, height } = this.#row(spot.row);
    pen.strokeStyle = this.ink(colour);
    pen.lineWidth = 2;
    pen.strokeRect(this.x(from) - 1, top, Math.max(3, this.x(to) - this.x(from) + 1), height);
    pen.lineWidth = 1;
  }

  axis(): void {
    const { pen, plot, picture, ink } = this;
    pen.strokeStyle = ink("--line");
    pen.fillStyle = ink("--ink-3");
    pen.textAlign = "center";
    const y = this.room.axis - 0.7 * this.room.type;
    pen.beginPath();
    for (const at of ticks(picture.view, plot)) {
      const x = Math.round(this.x(at)) + 0.5;
      pen.moveTo(x, this.room.axis - 3);
      pen.lineTo(x, this.room.axis);
      if (x > this.room.gutter + 12 && x < this.room.gutter + plot.width - 12)
        pen.fillText(time(at, picture.view.to - picture.view.from), x, y);
    }
    pen.moveTo(this.room.gutter, this.room.axis + 0.5);
    pen.lineTo(this.room.gutter + plot.width, this.room.axis + 0.5);
    pen.stroke();
    pen.textAlign = "right";
    pen.fillText("s", this.room.gutter - 8, y);
  }

  /** Lines from top to bottom, with names that make room for one another. */
  moments(): void {
    const { pen, plot, picture, ink } = this;
    const right = this.room.gutter + plot.width;
    const names: { x: number; name: string; colour: typeof pen.fillStyle }[] = [];
    for (const { at, name, kind } of [...picture.moments].sort((a, b) => a.at - b.at)) {
      const x = Math.round(this.x(at)) + 0.5;
      if (x < this.room.gutter || x > right) continue;
      pen.strokeStyle = pen.fillStyle = ink(kind === "real" ? "--ink" : kind === "now" ? "--ink-3" : "--accent");
      pen.lineWidth = kind === "real" ? 2 : 1.5;
      pen.setLineDash(DASHES[kind]);
      pen.beginPath();
      pen.moveTo(x, this.room.type + 3);
      pen.lineTo(x, this.room.head + plot.height);
      pen.stroke();
      pen.setLineDash([]);
      names.push({ x, name, colour: pen.fillStyle });
    }
    // From the right, each name left of the one before it where both do not fit over their lines.
    let free = right;
    pen.textAlign = "left";
    for (const { x, name, colour } of names.reverse()) {
      const length = pen.measureText(name).width;
      const left = Math.min(x - length / 2, free - length);
      if (left < 0) continue;
      pen.fillStyle = colour;
      pen.fillText(name, left, 0.7 * this.room.type);
      free = left - 10;
    }
    pen.lineWidth = 1;
  }
}

/** A row's name as it has room: the word is cut, its number never. */
export function fitName(text: string, fits: (shown: string) => boolean): string {
  const number = / \d+$/.exec(text)?.[0] ?? "";
  let [shown, word] = [text, text.slice(0, text.length - number.length)];
  while (word.length > 1 && !fits(shown)) {
    word = word.slice(0, -1);
    shown = `${word}…${number}`;
  }
  return shown;
}

/** How many rows lie between two names of a height: 1, 2, 5, 10, 20 … */
function namedEvery(height: number, row: number): number {
  const least = height / row;
  const ten = 10 ** Math.max(0, Math.floor(Math.log10(least)));
  return [1, 2, 5, 10].map((times) => times * ten).find((every) => every >= least) ?? 10 * ten;
}

/** A time of the axis with the digits that its steps need. */
export function time(at: number, span: number): string {
  if (at >= 1e5) return short(at);
  const places = Math.min(6, Math.max(0, Math.ceil(-Math.log10(Math.max(span, 1e-9) / 10))));
  return at.toFixed(places);
}

export function dark(hex: string): boolean {
  const n = parseInt(hex.slice(1), 16);
  return 299 * (n >> 16) + 587 * ((n >> 8) & 255) + 114 * (n & 255) < 118_000;
}
