// Two to five systems side by side on one clock: each in a worker of its own, all run to
// the same simulated moment before any goes on, so that what stands beside each
// other happened at the same time. One camera, one layer and one scale for all.
import { type Frame, FULL_SCALE } from "../../../base/frame.ts";
import type { FromWorker, Layer, Status, ToWorker } from "../../../base/messages.ts";
import type { Scenario } from "../../../base/scenario.ts";
import type { Beside } from "../../../model/address.ts";
import { type Camera, fit, type Size } from "../../../model/camera.ts";
import { FrameKeeper } from "../../../model/engine.ts";
import type { Simulation } from "../../../model/engines.ts";
import { type Grid, makeGrid } from "../../../model/grid.ts";
import type { Rival } from "../../../model/rivals.ts";
import { fitScale, type Scale, tally, WHOLE } from "../../../model/scale.ts";
import { Series } from "../../../model/series.ts";
import type { State } from "../../../model/store.ts";
import { Watched } from "../../../model/watched.ts";
import { type Differences, differencesOf, reachOf } from "./difference.ts";

/** One of them. */
export interface Side {
  rival: Rival;
  layers: Layer[];
  grid: Grid | undefined; // undefined: it is not there yet
  frame: Frame | undefined;
  picture: Extract<FromWorker, { type: "picture" }> | undefined;
  status: Status | undefined;
  series: Series; // its columns from the start to where it stands
  share: number; // of its start, 0 to 1
  why: string; // it cannot be played: one sentence
  less: Differences | undefined; // the first one's cells less its own, the last time that both stood at the same moment
}

/** As many as have room beside each other. */
export const MOST_STAGES = 5;

export interface PairState {
  sides: Side[]; // none, or two to five
  target: number; // µs: the moment that all are to reach
  head: number; // µs: the latest moment that was asked for
  until: number; // µs: where the runs end
  playing: boolean;
  speed: number; // simulated seconds a second
  view: Beside;
  divider: number; // of the width, 0 to 1, while one is drawn over the other
  figures: string[]; // the columns that are drawn over time, a chart each; "" by default
  fill: string; // the layer
  scale: Scale;
  reach: number; // of the scale of differences, to both sides of zero
  camera: Camera;
  fitted: boolean; // all cells are shown
}

/** What the page as a whole says of how cells are drawn. */
export type Wishes = Pick<State, "palette" | "light" | "reducedMotion">;

/** At most so much real time goes by between two moments that are shown. */
const LEAP = 250; // ms

/** The speeds to choose from, in simulated seconds a second. */
export const PAIR_SPEEDS = [10, 60, 300, 1800];

export class Pair {
  #engines: Simulation[] = [];
  #keepers: FrameKeeper[] = [];
  #asked: number[] = []; // µs: the moment each was last sent to
  #then = 0; // ms: when the target last moved
  #size: Size = { width: 0, height: 0 };
  #scale = 1; // pixels of the screen a CSS pixel
  #fitted = ""; // the layer that the scale was fitted to
  #drawn: string[] = []; // what each was last asked to draw

  readonly watched: Watched<PairState>;

  constructor(
    readonly begin: (scenario: Scenario, files: boolean) => Simulation,
    readonly wishes: () => Wishes,
    readonly clock: () => number,
  ) {
    this.watched = new Watched<PairState>({
      sides: [],
      target: 0,
      head: 0,
      until: 0,
      playing: false,
      speed: PAIR_SPEEDS[1],
      view: "split",
      divider: 0.5,
      figures: ["", ""],
      fill: "",
      scale: WHOLE,
      reach: 0,
      camera: { x: 0, y: 0, zoom: 1 },
      fitted: true,
    });
  }

  get state(): PairState {
    return this.watched.state;
  }

  set(change: Partial<PairState>): void {
    this.watched.set(change);
  }

  /** Opens runs at a moment, where all stand until they are played. */
  open(rivals: Rival[], files: File[], at: number, until: number, fill: string): void {
    this.end();
    const sides = rivals.slice(0, MOST_STAGES).map(
      (rival): Side => ({
        rival,
        less: undefined,
        layers: [],
        grid: undefined,
        frame: undefined,
        picture: undefined,
        status: undefined,
        series: new Series(),
        share: 0,
        why: "",
      }),
    );
    this.#keepers = sides.map(() => new FrameKeeper());
    this.#asked = sides.map(() => at);
    this.#drawn = sides.map(() => "");
    this.#fitted = "";
    this.set({ sides, target: at, head: at, until, playing: false, fill, scale: WHOLE, reach: 0, fitted: true });
    this.#engines = sides.map(({ rival }, i) => {
      const engine = this.begin(rival.scenario, files.length > 0);
      engine.listen((message) => this.#engines[i] === engine && this.#hear(i, message));
      return engine;
    });
    const room = this.#room();
    sides.forEach(({ rival }, i) =>
      this.#send(i, {
        type: "open",
        scenario: rival.scenario,
        play: false,
        ...(at > 0 ? { at } : {}),
        ...(room ? { room } : {}),
        ...(files.length > 0 ? { files } : {}),
      }),
    );
  }

  /** Ends the workers. */
  end(): void {
    for (const engine of this.#engines) engine.end();
    this.#engines = [];
    if (this.state.sides.length > 0) this.set({ sides: [], playing: false });
  }

  play(): void {
    this.#then = this.clock();
    this.set({ playing: this.state.target < this.state.until });
  }

  pause(): void {
    if (this.state.playing) this.set({ playing: false });
  }

  /** All go to a moment; back means again from the start. */
  seek(at: number): void {
    this.#then = this.clock();
    const target = Math.min(this.state.until, Math.max(1, Math.round(at)));
    this.set({ target, head: Math.max(this.state.head, target) });
    this.#follow();
  }

  /** The first one becomes the last one: the left one the right one. */
  swap(): void {
    if (this.state.sides.length < 2) return;
    for (const list of [this.#engines, this.#keepers, this.#asked, this.#drawn] as unknown[][]) list.push(list.shift());
    this.#engines.forEach((engine, i) => engine.listen((message) => this.#engines[i] === engine && this.#hear(i, message)));
    const [first, ...rest] = this.state.sides;
    this.set({ sides: [...rest, first] });
    this.#subtract();
  }

  /** Lets time go on; to be called many times a second. */
  tick(): void {
    const { playing, target, until, speed } = this.state;
    if (!playing) return;
    const now = this.clock();
    if (!this.together()) {
      this.#then = now;
      return;
    }
    const next = Math.min(until, Math.round(target + Math.min(LEAP, now - this.#then) * speed * 1000)); // the engine counts whole µs
    this.#then = now;
    if (next <= target) return;
    this.set({ target: next, head: Math.max(this.state.head, next), playing: next < until });
    this.#follow();
  }

  /** Whether all stand at the moment that was asked for; one that cannot be played is not waited for. */
  together(): boolean {
    const { sides, target } = this.state;
    return (
      sides.length > 0 && sides.every(({ status, why }) => why !== "" || (status !== undefined && (status.at >= target || status.ended)))
    );
  }

  /** The room that a picture has, CSS pixels, of which each has scale pixels of the screen. */
  resize(size: Size, scale: number): void {
    if (size.width === this.#size.width && size.height === this.#size.height && scale === this.#scale) return;
    [this.#size, this.#scale] = [size, scale];
    this.state.sides.forEach(({ grid }, i) => grid && this.#lay(i));
    if (this.state.fitted) this.fit();
    this.draw();
  }

  /** Shows all cells. */
  fit(): void {
    const grid = this.state.sides.find((side) => side.grid)?.grid;
    if (!grid || this.#size.width === 0) return;
    this.set({ camera: fit(grid.width, grid.height, this.#size, { top: 0, right: 0, bottom: 0, left: 0 }, this.#scale), fitted: true });
    this.draw();
  }

  /** Asks for the pictures again where anything changed that they show. */
  draw(): void {
    const { sides, camera } = this.state;
    const { width, height } = this.#size;
    if (width === 0) return;
    const scale = this.#scale;
    sides.forEach(({ grid, layers }, i) => {
      if (!grid) return;
      const message: ToWorker = {
        type: "draw",
        scale,
        camera,
        cell: -1,
        selected: -1,
        width: Math.round(width * scale),
        height: Math.round(height * scale),
        look: this.#look(layers),
      };
      const text = JSON.stringify(message);
      if (text === this.#drawn[i]) return;
      this.#drawn[i] = text;
      this.#send(i, message);
    });
  }

  #look(layers: Layer[]): Extract<ToWorker, { type: "draw" }>["look"] {
    const { palette, light, reducedMotion } = this.wishes();
    const { fill, scale } = this.state;
    return {
      fill: Math.max(
        0,
        layers.findIndex(({ id }) => id === fill),
      ),
      palette,
      low: scale.low,
      high: scale.high,
      light,
      still: reducedMotion,
    };
  }

  #room(): { width: number; height: number; maxCell: number } | undefined {
    const { width, height } = this.#size;
    const scale = this.#scale;
    return width > 0
      ? { width: Math.floor(width * scale), height: Math.floor(height * scale), maxCell: Math.floor(48 * scale) }
      : undefined;
  }

  /** Tells one the room that its cells are laid out for. */
  #lay(i: number): void {
    const room = this.#room();
    if (room) this.#send(i, { type: "room", room });
  }

  #send(i: number, message: ToWorker): void {
    this.#engines[i]?.send(message);
  }

  /** Sends each on its way that is not under way to the target already. */
  #follow(): void {
    const { sides, target } = this.state;
    sides.forEach(({ why, grid }, i) => {
      if (why !== "" || !grid || this.#asked[i] === target) return;
      this.#asked[i] = target;
      this.#send(i, { type: "seek", at: target });
    });
  }

  #hear(i: number, message: FromWorker): void {
    const side = this.state.sides[i];
    const told = (change: Partial<Side>) => {
      Object.assign(side, change);
      this.set({ sides: [...this.state.sides] });
    };
    switch (message.type) {
      case "opened":
        told({ layers: message.layers, grid: makeGrid(message.layout), share: 1 });
        this.#drawn[i] = "";
        this.#choose();
        this.#lay(i);
        if (this.state.fitted) this.fit();
        this.draw();
        return this.#follow();
      case "layout":
        told({ grid: makeGrid(message.layout) });
        this.#drawn[i] = "";
        return this.state.fitted ? this.fit() : this.draw();
      case "frame":
        told({ frame: this.#keepers[i].keep(message.buffer) });
        this.#rescale();
        this.#subtract();
        return this.#send(i, { type: "frame", buffer: message.buffer });
      case "picture":
        return told({ picture: message });
      case "columns":
        side.series.append(message.reset, message.at, message.columns);
        return this.set({ sides: [...this.state.sides] });
      case "status":
        return told({ status: message.status });
      case "progress":
        return told({ share: message.total > 0 ? Math.min(1, message.done / message.total) : 0 });
      case "trouble":
        return told({ why: message.trouble.sentence });
    }
  }

  /** A layer that all have: the one that is wished for, or the first. */
  #choose(): void {
    const shared = this.shared();
    if (shared.length > 0 && !shared.some(({ id }) => id === this.state.fill)) this.set({ fill: shared[0].id });
  }

  /** The layers that all have. */
  shared(): Layer[] {
    const [first, ...rest] = this.state.sides.filter(({ why }) => why === "");
    return first?.layers.filter(({ id }) => rest.every(({ layers }) => layers.some((layer) => layer.id === id))) ?? [];
  }

  #taken = new WeakMap<Side, unknown[]>(); // the frames, and the layer, that a side's difference is of

  /** Takes the first one's cells less those of each other that stands at the same moment. */
  #subtract(): void {
    const { sides, fill, reach } = this.state;
    const [first, ...rest] = sides;
    if (!first?.frame || this.state.view !== "difference") return;
    let another = first.less !== undefined;
    for (const side of rest) {
      const of = [first.frame, side.frame, fill];
      if (!side.frame || (side.less && this.#taken.get(side)?.every((part, i) => part === of[i]))) continue;
      const less = differencesOf({ frame: first.frame, layers: first.layers }, { frame: side.frame, layers: side.layers }, fill, side.less);
      if (!less) continue;
      this.#taken.set(side, of);
      side.less = less;
      another = true;
    }
    first.less = undefined;
    if (!another) return;
    const wanted = reachOf(rest.flatMap(({ less }) => (less ? [less] : [])));
    this.set({ sides: [...sides], ...(wanted > reach || wanted * 2 < reach ? { reach: wanted } : {}) }); // one that follows every frame would hide what grows
  }

  /** How they lie beside each other. */
  lay(view: Beside): void {
    this.set({ view });
    this.#subtract();
  }

  /** Another layer for all. */
  fillWith(id: string): void {
    for (const side of this.state.sides) side.less = undefined;
    this.set({ fill: id, reach: 0 });
    this.#subtract();
    this.#rescale();
    this.draw();
  }

  /** Fits one scale to the values of all, once a layer and again where they leave it far behind. */
  #rescale(): void {
    const { sides, fill, scale } = this.state;
    if (sides.some(({ why, frame }) => why === "" && !frame)) return;
    const counts = new Uint32Array(256);
    for (const { frame, layers } of sides) {
      const layer = layers.findIndex(({ id }) => id === fill);
      if (frame && layer >= 0 && !layers[layer].names) tally(frame, layers, layer).forEach((count, byte) => (counts[byte] += count));
    }
    const fitted = fitScale(counts);
    const beyond = counts.reduce((sum, count, byte) => sum + (byte < scale.low || byte > scale.high ? count : 0), 0);
    if (this.#fitted === fill && beyond * 10 <= counts.reduce((a, b) => a + b, 0)) return;
    if (fitted) this.#fitted = fill;
    this.set({ scale: fitted ?? { low: 0, high: FULL_SCALE } });
    this.draw();
  }
}
