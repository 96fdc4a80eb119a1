// Drawings as text of an SVG: a pen that writes down what a canvas would paint. It has
// what the drawings of Gantt charts and graphs use and no more, so that the compiler
// refuses a drawing that it could not write.
import { BLACK } from "../base/palette.ts";
import { type Carried, metadata } from "./carrier.ts";
import { escaped } from "./figure.ts";

/** What a drawing may use of a canvas. Its clips are rectangles; angles of arcs are whole circles. */
export type Pen = Pick<
  CanvasRenderingContext2D,
  | "fillStyle"
  | "strokeStyle"
  | "lineWidth"
  | "globalAlpha"
  | "font"
  | "textAlign"
  | "textBaseline"
  | "save"
  | "restore"
  | "beginPath"
  | "moveTo"
  | "lineTo"
  | "arc"
  | "rect"
  | "clip"
  | "fill"
  | "stroke"
  | "fillRect"
  | "strokeRect"
  | "fillText"
  | "measureText"
  | "setLineDash"
>;

/** A drawing that any pen can make, of a size in CSS pixels. */
export interface Drawing {
  title: string;
  width: number;
  height: number;
  paper: string; // the colour behind it
  draw: (pen: Pen) => void;
}

/** How wide a text is in a font. */
export type Measure = (text: string, font: string) => TextMetrics;

/** The drawing as a file. */
export function drawingSVG({ title, width, height, paper, draw }: Drawing, measure: Measure, carried?: Carried): string {
  const pen = new VectorPen(measure);
  draw(pen);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escaped(title)}">`,
    carried ? metadata(carried) : "",
    `<rect width="${width}" height="${height}" fill="${escaped(paper)}"/>`,
    pen.text(),
    "</svg>\n",
  ].join("\n");
}

interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** What save keeps. */
interface State {
  fillStyle: CanvasRenderingContext2D["fillStyle"];
  strokeStyle: CanvasRenderingContext2D["strokeStyle"];
  lineWidth: number;
  globalAlpha: number;
  font: string;
  textAlign: CanvasTextAlign;
  textBaseline: CanvasTextBaseline;
  dash: number[];
  clip: Box | undefined;
}

const ANCHORS: Partial<Record<CanvasTextAlign, string>> = { center: "middle", right: "end", end: "end" };
const MIDDLE = 0.35; // of a font's size: from the middle of its letters down to the line that they stand on

class VectorPen implements Pen {
  fillStyle: State["fillStyle"] = BLACK;
  strokeStyle: State["strokeStyle"] = BLACK;
  lineWidth = 1;
  globalAlpha = 1;
  font = "10px sans-serif";
  textAlign: CanvasTextAlign = "start";
  textBaseline: CanvasTextBaseline = "alphabetic";
  #dash: number[] = [];
  #clip: Box | undefined;
  #saved: State[] = [];
  #path = "";
  #box: Box | undefined; // the rectangle of the path, for clip
  #clips: string[] = []; // by number
  #parts: string[] = [];
  #within = ""; // the clip of the group that is open

  constructor(readonly measure: Measure) {}

  /** What was drawn. */
  text(): string {
    const clips = this.#clips.map((shape, i) => `<clipPath id="clip${i}">${shape}</clipPath>`);
    return [...(clips.length > 0 ? [`<defs>${clips.join("")}</defs>`] : []), ...this.#parts, ...(this.#within ? ["</g>"] : [])].join("\n");
  }

  save(): void {
    const { fillStyle, strokeStyle, lineWidth, globalAlpha, font, textAlign, textBaseline } = this;
    this.#saved.push({ fillStyle, strokeStyle, lineWidth, globalAlpha, font, textAlign, textBaseline, dash: this.#dash, clip: this.#clip });
  }

  restore(): void {
    const state = this.#saved.pop();
    if (!state) return;
    const { dash, clip, ...rest } = state;
    Object.assign(this, rest);
    this.#dash = dash;
    this.#clip = clip;
  }

  setLineDash(dash: Iterable<number>): void {
    this.#dash = [...dash];
  }

  beginPath(): void {
    this.#path = "";
    this.#box = undefined;
  }

  moveTo(x: number, y: number): void {
    this.#path += `M${round(x)} ${round(y)}`;
  }

  lineTo(x: number, y: number): void {
    this.#path += `${this.#path ? "L" : "M"}${round(x)} ${round(y)}`;
  }

  /** A whole circle, whatever the angles are. */
  arc(x: number, y: number, radius: number): void {
    const [r, wide] = [round(radius), round(2 * radius)];
    this.#path += `M${round(x - radius)} ${round(y)}a${r} ${r} 0 1 1 ${wide} 0a${r} ${r} 0 1 1 ${-wide} 0z`;
  }

  rect(x: number, y: number, width: number, height: number): void {
    this.#box = { left: x, top: y, right: x + width, bottom: y + height };
    this.#path += `M${round(x)} ${round(y)}h${round(width)}v${round(height)}h${round(-width)}z`;
  }

  clip(): void {
    const [now, next] = [this.#clip, this.#box];
    if (!next) return;
    this.#clip = now
      ? {
          left: Math.max(now.left, next.left),
          top: Math.max(now.top, next.top),
          right: Math.min(now.right, next.right),
          bottom: Math.min(now.bottom, next.bottom),
        }
      : next;
  }

  fill(): void {
    this.#add(`<path d="${this.#path}"${this.#filled()}`);
  }

  stroke(): void {
    this.#add(`<path d="${this.#path}" fill="none"${this.#stroked()}`);
  }

  fillRect(x: number, y: number, width: number, height: number): void {
    this.#add(`<rect${box(x, y, width, height)}${this.#filled()}`);
  }

  strokeRect(x: number, y: number, width: number, height: number): void {
    this.#add(
      width > 0 && height > 0
        ? `<rect${box(x, y, width, height)} fill="none"${this.#stroked()}`
        : `<path d="M${round(x)} ${round(y)}L${round(x + width)} ${round(y + height)}"${this.#stroked()}`,
    );
  }

  fillText(text: string, x: number, y: number): void {
    const [, size, family] = /^(?:\S+ )*?([\d.]+)px (.+)$/.exec(this.font) ?? ["", "10", "sans-serif"];
    const base = this.textBaseline === "middle" ? y + MIDDLE * Number(size) : y;
    const anchor = ANCHORS[this.textAlign];
    this.#add(
      `<text x="${round(x)}" y="${round(base)}" font-size="${size}" font-family="${escaped(family.trim())}"${anchor ? ` text-anchor="${anchor}"` : ""}${this.#filled()}`,
      `>${escaped(text)}</text>`,
    );
  }

  measureText(text: string): TextMetrics {
    return this.measure(text, this.font);
  }

  #filled(): string {
    return ` fill="${escaped(String(this.fillStyle))}"${this.#seen()}`;
  }

  #stroked(): string {
    return ` stroke="${escaped(String(this.strokeStyle))}"${this.lineWidth === 1 ? "" : ` stroke-width="${round(this.lineWidth)}"`}${this.#dash.length > 0 ? ` stroke-dasharray="${this.#dash.join(" ")}"` : ""}${this.#seen()}`;
  }

  #seen(): string {
    return this.globalAlpha < 1 ? ` opacity="${round(this.globalAlpha)}"` : "";
  }

  /** Adds a shape, in the group of its clip. */
  #add(shape: string, end = "/>"): void {
    const within = this.#clip ? this.#named(this.#clip) : "";
    if (within !== this.#within) {
      if (this.#within) this.#parts.push("</g>");
      if (within) this.#parts.push(`<g clip-path="url(#${within})">`);
      this.#within = within;
    }
    this.#parts.push(shape + end);
  }

  #named({ left, top, right, bottom }: Box): string {
    const shape = `<rect${box(left, top, Math.max(0, right - left), Math.max(0, bottom - top))}/>`;
    const known = this.#clips.lastIndexOf(shape);
    return `clip${known >= 0 ? known : this.#clips.push(shape) - 1}`;
  }
}

/** Hundredths of a pixel are finer than anybody sees. */
function round(value: number): number {
  return Math.round(value * 100) / 100;
}

function box(x: number, y: number, width: number, height: number): string {
  return ` x="${round(x)}" y="${round(y)}" width="${round(width)}" height="${round(height)}"`;
}
