// What the stage shows before the simulation has come: a recorded frame of the first
// scenario's run. The run takes over at its moment, where it has the same picture, or later
// where little motion is wanted; what it tells on its way there is not shown.
import type { Frame } from "../base/frame.ts";
import { type Keyframes, layoutIn } from "../base/keyframes.ts";
import type { FromWorker } from "../base/messages.ts";
import { makeGrid } from "./grid.ts";
import { fitAll, roomOf } from "./look.ts";
import type { Store } from "./store.ts";
import { all } from "./watched.ts";

const TIME = 16; // where a frame tells its moment

/** Not told while the frame is shown: the run is not where that is. */
const HELD = new Set<FromWorker["type"]>(["frame", "picture", "status", "progress"]);

export class Preview {
  #frame: Frame;
  #to = 0; // µs; where the run takes over
  #spent: ArrayBuffer[] = []; // of frames that are not shown: while they are away the engine makes no others
  #stop = () => {};

  /** Shows the frame. */
  constructor(
    readonly store: Store<"run" | "reported" | "look">,
    frames: Keyframes,
  ) {
    this.#frame = frames.frames[frames.frames.length - 1];
    this.#to = this.until;
    store.set({ layers: frames.layers, frame: this.#frame, preview: { until: this.until } });
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

  /** The moment of the frame, in µs: where the run is to take over. */
  get until(): number {
    return this.#frame.at;
  }

  get on(): boolean {
    return this.store.state.preview !== undefined;
  }

  /** What of a message is for the page: the run stays laid out as its frames are. */
  lets(message: FromWorker): FromWorker | undefined {
    if (!this.on) return message;
    const { grid, frame } = this.store.state;
    if (message.type === "trouble" || message.type === "cancelled") this.end();
    if (message.type === "opened" && grid && frame?.cells === message.layout.x.length) return { ...message, layout: grid.layout };
    if (message.type === "frame") {
      if (Number(new DataView(message.buffer).getBigUint64(TIME, true)) >= this.#to) {
        this.#leave();
        return message;
      }
      this.#spent.push(message.buffer);
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
}
