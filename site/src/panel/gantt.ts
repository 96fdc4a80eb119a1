// A Gantt chart that is looked at with pointer and keys: wheel and pinch zoom
// time, dragging pans, arrows go from piece to piece, and a line of text tells
// what is under the pointer or the focus.
import { h, html, nothing, say, type TemplateResult } from "../base/dom.ts";
import { digits, number } from "../base/format.ts";
import { type IconName, icon } from "../base/icon.ts";
import { Course, type Piece } from "../model/course.ts";
import {
  extent,
  fitWindow,
  holdWindow,
  type Plot,
  panWindow,
  pieceAt,
  type Spot,
  step,
  type Window,
  zoomRows,
  zoomTime,
} from "../model/gantt.ts";
import { drawGantt, MARGIN, type Moment, roomOf, time } from "./ganttdraw.ts";

export interface GanttData {
  course: Course;
  moments: Moment[];
  now: number; // seconds; a plan's is its end
  names: (worker: number) => string;
  tells?: (piece: number) => string; // a piece in words, by its place in the course
}

const LONGEST = 2; // times the present time that a plan may stretch the whole chart

/** Called when a worker is clicked or chosen with Enter. */
type Choose = (worker: number) => void;

export class Gantt {
  readonly canvas = h("canvas", { "aria-hidden": "true" });
  readonly spoken = h("p.piece", { role: "status" });
  readonly element: HTMLElement;
  #area: HTMLElement;
  #data: GanttData = { course: new Course(), moments: [], now: 0, names: String };
  #view: Window = { from: 0, to: 1, top: 0, row: 20 };
  #fitted = true;
  #focus: Spot | undefined;
  #hover: Spot | undefined;
  #asked = 0;
  #resize = new ResizeObserver(() => this.#changed());
  #themes = new MutationObserver(() => this.#changed());
  #dark = matchMedia("(prefers-color-scheme: dark)");
  #stop = new AbortController();

  constructor(
    name: string,
    readonly choose: Choose,
  ) {
    const keys =
      "Arrow keys go from piece to piece, with Shift they pan. Plus and minus zoom, 0 shows everything. The tables below show the same as text.";
    this.#area = h(
      "div.chartarea",
      { tabindex: 0, role: "application", "aria-roledescription": "Gantt chart", "aria-label": name, "aria-description": keys },
      this.canvas,
    );
    const button = (label: string, picture: IconName, work: () => void) =>
      h("button.btn.quiet.square", { type: "button", "aria-label": label, title: label, onclick: work }, icon(picture));
    const buttons = h(
      "span.chips",
      {},
      button("Zoom in", "plus", () => this.#zoom(1.6)),
      button("Zoom out", "minus", () => this.#zoom(1 / 1.6)),
      button("Taller rows", "taller", () => this.#set(zoomRows(this.#view, 1.35, this.#plot()))),
      button("Lower rows", "lower", () => this.#set(zoomRows(this.#view, 1 / 1.35, this.#plot()))),
      button("Show everything", "fit", () => this.fit()),
    );
    this.element = h("div.gantt", {}, h("div.toolbar", {}, this.spoken, h("span.grow"), buttons), this.#area);
    this.#listen();
    this.#resize.observe(this.canvas);
    this.#themes.observe(document.documentElement, { attributeFilter: ["data-theme"] });
    this.#dark.addEventListener("change", () => this.#changed(), { signal: this.#stop.signal });
  }

  /** Shows other data; the place that is looked at stays unless everything was in view. */
  show(data: GanttData): void {
    if (data.course !== this.#data.course) this.#focus = this.#hover = undefined;
    this.#data = data;
    this.#changed();
  }

  fit(): void {
    this.#fitted = true;
    this.#changed();
  }

  end(): void {
    this.#resize.disconnect();
    this.#themes.disconnect();
    this.#stop.abort();
    cancelAnimationFrame(this.#asked);
  }

  #plot(): Plot {
    const { gutter, head } = roomOf(this.canvas);
    return { width: Math.max(1, this.canvas.clientWidth - gutter - MARGIN), height: Math.max(1, this.canvas.clientHeight - head) };
  }

  #end(): number {
    const { course, moments, now } = this.#data;
    return Math.max(
      course.latest,
      Math.min(course.planEnd, LONGEST * now),
      Number.isNaN(course.finished) ? now : 0,
      ...moments.map(({ at, kind }) => (kind === "now" ? 0 : at)),
    );
  }

  #set(view: Window): void {
    this.#fitted = false;
    this.#view = view;
    this.#changed();
  }

  #zoom(factor: number, x = this.#plot().width / 2): void {
    this.#set(zoomTime(this.#view, factor, x, this.#plot()));
  }

  #changed(): void {
    this.#asked ||= requestAnimationFrame(() => {
      this.#asked = 0;
      const { course, moments, names, now } = this.#data;
      const plot = this.#plot();
      this.#view = this.#fitted ? fitWindow(this.#end(), course.workers, plot) : holdWindow(this.#view, this.#end(), course.workers, plot);
      drawGantt(this.canvas, { course, view: this.#view, moments, names, now, focus: this.#focus, hover: this.#hover });
      this.#tell();
    });
  }

  #tell(): void {
    const spot = this.#hover ?? this.#focus;
    const { course, now, names, tells } = this.#data;
    const noun = /^(.+) 0$/.exec(names(0))?.[1] ?? "worker";
    if (spot) say(this.spoken, tells?.(course.pieces.indexOf(spot.piece)) ?? describe(spot.piece, names, course.port));
    else if (!course.port && !tells)
      say(
        this.spoken,
        `${number(course.workers, noun)}, ${number(course.pieces.length, "subtask")} up to ${time(now, now)} s. Point at one, or use the arrow keys.`,
      );
    else if (!course.port)
      say(
        this.spoken,
        `${number(course.pieces.length, "task")} on ${number(course.workers, "processor")}, numbered by the wave in which they can begin. Point at one, or use the arrow keys.`,
      );
    else
      say(
        this.spoken,
        course.pieces.length === 0
          ? "Nothing was sent yet."
          : `${number(course.workers, noun)}, ${number(course.pieces.length, "piece")} up to ${time(now, now)} s. Point at one, or use the arrow keys.`,
      );
  }

  #spotAt(event: MouseEvent): Spot | undefined {
    const { course, now } = this.#data;
    const { gutter, head } = roomOf(this.canvas);
    const x = event.offsetX - gutter;
    const y = event.offsetY - head;
    if (x < 0) return undefined;
    const seconds = (this.#view.to - this.#view.from) / this.#plot().width;
    return pieceAt(
      course,
      y < 0 ? 0 : 1 + Math.floor((y + this.#view.top) / this.#view.row),
      this.#view.from + x * seconds,
      3 * seconds,
      now,
    );
  }

  #listen(): void {
    const area = this.#area;
    const on = <K extends keyof HTMLElementEventMap>(
      type: K,
      listener: (event: HTMLElementEventMap[K]) => void,
      options: AddEventListenerOptions = {},
    ) => area.addEventListener(type, listener, { ...options, signal: this.#stop.signal });
    const down = new Map<number, { x: number; y: number }>();
    let travelled = 0;
    let spread = 0;
    const apart = () => {
      const [a, b] = [...down.values()];
      return b ? Math.abs(a.x - b.x) : 0;
    };
    on("pointerdown", (event) => {
      if (event.button > 0) return;
      area.setPointerCapture(event.pointerId);
      down.set(event.pointerId, { x: event.offsetX, y: event.offsetY });
      if (down.size === 1) travelled = 0;
      spread = apart();
    });
    on("pointermove", (event) => {
      const before = down.get(event.pointerId);
      if (!before) {
        this.#hover = this.#spotAt(event);
        return this.#changed();
      }
      const dx = event.offsetX - before.x;
      const dy = event.offsetY - before.y;
      travelled += Math.hypot(dx, dy);
      down.set(event.pointerId, { x: event.offsetX, y: event.offsetY });
      if (travelled < 5) return;
      this.#hover = undefined;
      this.#set(panWindow(this.#view, dx / down.size, dy / down.size, this.#plot()));
      const now = apart();
      const [a, b] = [...down.values()];
      if (b && spread > 20 && now > 20) this.#zoom(now / spread, (a.x + b.x) / 2 - roomOf(this.canvas).gutter);
      spread = now;
    });
    const lift = (event: PointerEvent) => {
      if (!down.delete(event.pointerId) || event.type !== "pointerup" || travelled >= 5 || down.size > 0) return;
      this.#focus = this.#spotAt(event);
      this.#changed();
      if (this.#focus) this.choose(this.#focus.piece.worker);
    };
    on("pointerup", lift);
    on("pointercancel", lift);
    on("pointerleave", () => {
      this.#hover = undefined;
      this.#changed();
    });
    on(
      "wheel",
      (event) => {
        event.preventDefault();
        const pixels = (event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1) * event.deltaY;
        if (event.shiftKey) return this.#set(panWindow(this.#view, 0, -pixels, this.#plot()));
        if (event.deltaX !== 0 && Math.abs(event.deltaX) > Math.abs(event.deltaY))
          return this.#set(panWindow(this.#view, -event.deltaX, 0, this.#plot()));
        this.#zoom(Math.exp(-Math.min(120, Math.max(-120, pixels)) / 260), event.offsetX - roomOf(this.canvas).gutter);
      },
      { passive: false },
    );
    on("keydown", (event) => {
      if (!event.ctrlKey && !event.metaKey && !event.altKey && this.#key(event)) {
        event.preventDefault();
        event.stopPropagation();
      }
    });
    on("blur", () => {
      this.#focus = undefined;
      this.#changed();
    });
  }

  #key({ key, shiftKey }: KeyboardEvent): boolean {
    const { course, now } = this.#data;
    const [right, below] = (
      { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] } as Record<string, [number, number]>
    )[key] ?? [0, 0];
    if (right !== 0 || below !== 0) {
      if (shiftKey) this.#set(panWindow(this.#view, -right * 60, -below * this.#view.row, this.#plot()));
      else this.#go(step(course, this.#focus, right, below, now));
    } else if (key === "Home" || key === "End") this.#go(step(course, this.#focus, key === "Home" ? -Infinity : Infinity, 0, now));
    else if (key === "+" || key === "=") this.#zoom(1.6, this.#place());
    else if (key === "-") this.#zoom(1 / 1.6, this.#place());
    else if (key === "0") this.fit();
    else if (key === "Enter" && this.#focus) this.choose(this.#focus.piece.worker);
    else if (key === "Escape" && this.#focus) {
      this.#focus = undefined;
      this.#changed();
    } else return false;
    return true;
  }

  /** Where the focus is on the plot, or its middle. */
  #place(): number {
    const plot = this.#plot();
    if (!this.#focus) return plot.width / 2;
    const [from, to] = extent(this.#focus, this.#data.now);
    return Math.min(plot.width, Math.max(0, (((from + to) / 2 - this.#view.from) * plot.width) / (this.#view.to - this.#view.from)));
  }

  /** Moves the focus and brings it into view. */
  #go(spot: Spot | undefined): void {
    this.#focus = spot;
    this.#hover = undefined;
    if (!spot) return;
    const plot = this.#plot();
    const [from, to] = extent(spot, this.#data.now);
    const span = this.#view.to - this.#view.from;
    const view = { ...this.#view };
    if (from < view.from || to > view.to) {
      const start = to - from > span ? from : from < view.from ? from - 0.05 * span : to - 0.95 * span;
      [view.from, view.to] = [start, start + span];
      this.#fitted = false;
    }
    const y = (spot.row - 1) * view.row;
    if (spot.row > 0 && (y < view.top || y + view.row > view.top + plot.height)) {
      view.top = y < view.top ? y : y + view.row - plot.height;
      this.#fitted = false;
    }
    this.#view = view;
    this.#changed();
  }
}

/** A piece in words. */
export function describe(piece: Piece, names: (worker: number) => string, port = true): string {
  const { worker, round, amount, send, arrive, begin, end, lost } = piece;
  const to = (at: number) => (Number.isNaN(at) ? "…" : digits3(at));
  const of = port ? (round > 0 ? `round ${round}` : "unplanned") : `graph ${round}`;
  const parts = [`${names(worker)}, ${of}: ${digits(amount)} work units`, ...(port ? [`sent ${to(send)} – ${to(arrive)} s`] : [])];
  if (!Number.isNaN(begin)) parts.push(`computed ${to(begin)} – ${to(Number.isNaN(lost) ? end : lost)} s`);
  if (!Number.isNaN(lost)) parts.push(`lost at ${to(lost)} s${port ? ", sent again" : ""}`);
  return parts.join(" · ");
}

function digits3(at: number): string {
  return at >= 1000 ? at.toFixed(1) : at.toFixed(3);
}

/** A table under a heading; cells that are numbers stand right. */
export function figures(caption: string, heads: string[], rows: (string | number)[][], more: string): TemplateResult {
  const cell = (text: string | number, i: number) => (i === 0 ? html`<th scope="row">${text}</th>` : html`<td class="n">${text}</td>`);
  return html`<div class="figures"><table class="full"><caption>${caption}</caption>
    <thead><tr>${heads.map((head, i) => html`<th scope="col" class=${i > 0 ? "n" : ""}>${head}</th>`)}</tr></thead>
    <tbody>${rows.map((row) => html`<tr>${row.map(cell)}</tr>`)}</tbody></table>
    ${more !== "" ? html`<p class="quiet">${more}</p>` : nothing}</div>`;
}
