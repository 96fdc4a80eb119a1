// What the stage shows before the simulation has come: recorded frames of the first
// scenario's run. The run takes over at the moment of the last one, which has the same
// picture, or later where little motion is wanted; what it tells on its way there is not
// shown.
import { type Keyframes, layoutIn } from "../base/keyframes.ts";
import type { FromWorker } from "../base/messages.ts";
import { makeGrid } from "./grid.ts";
import { fitAll, roomOf } from "./look.ts";
import type { Store } from "./store.ts";
import { all } from "./watched.ts";

const HASTE = 10; // times as fast goes what is left when the run waits to take over
const TIME = 16; // where a frame tells its moment

/** Not told while frames are shown: the run is not where they are. */
const HELD = new Set<FromWorker["type"]>(["frame", "picture", "status", "progress"]);

export class Preview {
  #frames: Keyframes;
  #shown = 0; // frames
  #since = 0; // ms; when the first was shown
  #to = 0; // µs; where the run takes over
  #arrived = 0; // ms; when the run was there; 0: it is not
  #spent: ArrayBuffer[] = []; // of frames that are not shown: while they are away the engine makes no others
  #stop = () => {};

  /** Shows the first frame, or where nothing is to move the last one. pace is simulated seconds a second. */
  constructor(
    readonly store: Store<"run" | "told" | "look">,
    frames: Keyframes,
    readonly pace: number,
    readonly clock: () => number,
  ) {
    this.#frames = frames;
    this.#since = clock();
    this.#to = this.until;
    store.set({ layers: frames.layers, preview: { until: this.until } });
    this.#show(store.state.reducedMotion ? frames.frames.length - 1 : 0);
    let told = "";
    const settle = () => {
      const room = roomOf(store.state);
      const text = JSON.stringify(room);
      if (!room || text === told) return;
      told = text;
      const layout = layoutIn(frames.racks, room);
      store.set({ grid: layout && makeGrid(layout) });
      if (store.state.fitted) fitAll(store);
    };
    this.#stop = all(
      store.watch(["stage", "insets"], settle),
      store.watch(["session"], () => {
        const { session } = store.state;
        if (session.is !== "opening") return;
        const { base, at } = session.request;
        if (base === frames.scenario && (at === this.until || (at > this.until && store.state.reducedMotion))) {
          this.#to = at;
          if (store.state.preview?.until !== at) store.set({ preview: { until: at } });
        } else this.end();
      }),
    );
    if (!this.on) this.#stop(); // something else is wanted already
  }

  /** The moment of the last frame, in µs: where the run is to take over. */
  get until(): number {
    return this.#frames.frames[this.#frames.frames.length - 1].at;
  }

  get on(): boolean {
    return this.store.state.preview !== undefined;
  }

  /** Shows the frame that is due; to be called with every picture of the screen until it says that there is no more to do. */
  tick(): boolean {
    const { frames } = this.#frames;
    const now = this.clock();
    const hurry = this.#arrived > 0 ? (HASTE - 1) * (now - this.#arrived) : 0;
    const at = frames[0].at + (now - this.#since + hurry) * this.pace * 1000;
    while (this.on && this.#shown < frames.length - 1 && frames[this.#shown + 1].at <= at) this.#show(this.#shown + 1);
    return this.on && this.#shown < frames.length - 1;
  }

  /** What of a message is for the page: the run stays laid out as its frames are. */
  lets(message: FromWorker): FromWorker | undefined {
    if (!this.on) return message;
    const { grid, frame } = this.store.state;
    if (message.type === "trouble" || message.type === "cancelled") this.end();
    if (message.type === "opened" && grid && frame?.cells === message.layout.x.length) return { ...message, layout: grid.layout };
    if (message.type === "frame") {
      const there = Number(new DataView(message.buffer).getBigUint64(TIME, true)) >= this.#to;
      if (there) this.#arrived ||= this.clock();
      if (there && this.#shown === this.#frames.frames.length - 1) {
        this.#leave();
        return message;
      }
      this.#spent.push(message.buffer);
      if (this.#arrived) this.#giveBack(); // the next one may be let through
    }
    return HELD.has(message.type) ? undefined : message;
  }

  /** Something else is to be shown than what the frames lead to. */
  end(): void {
    if (!this.on) return;
    this.#leave();
    if (!this.store.state.scenario) this.store.set({ frame: undefined, grid: undefined, layers: [] });
  }

  #leave(): void {
    this.#stop();
    this.#giveBack();
    this.store.set({ preview: undefined });
  }

  #giveBack(): void {
    for (const buffer of this.#spent.splice(0)) this.store.send({ type: "frame", buffer });
  }

  #show(index: number): void {
    this.#shown = index;
    this.store.set({ frame: this.#frames.frames[index] });
  }
}
