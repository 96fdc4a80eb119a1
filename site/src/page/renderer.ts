// The renderer's frame: a document of the same origin in which Ebitengine
// draws. It starts after the page's own first picture and takes over when its
// own is on the screen; where it cannot, the page goes on drawing itself.
import { find, h } from "../base/dom.ts";
import type { FromView, ToView } from "../base/messages.ts";
import { pack, transferable, unpack, type Wire } from "../base/wire.ts";
import { lookOf } from "../model/look.ts";
import { all, type Store } from "../model/store.ts";

export class Renderer {
  #frame: HTMLIFrameElement | undefined;
  #ready = false;
  #has: "nothing" | "worker's" | "copy" = "nothing"; // the frame that it did not give back yet
  #missed = false; // a newer one came meanwhile
  #stop = () => {};

  constructor(
    readonly stage: HTMLElement,
    readonly store: Store<"reported" | "look" | "chosen">,
  ) {}

  start(): void {
    if (this.#frame) return;
    this.#frame = h("iframe", { src: "view.html", title: "Cells of the cluster", tabindex: -1, "aria-hidden": "true", class: "starting" });
    addEventListener("message", this.#receive);
    find(".layers", this.stage).append(this.#frame);
    const { store } = this;
    this.#stop = all(
      store.watch(["layers"], this.#layers),
      store.watch(["grid"], this.#layout),
      store.watch(["fill", "palette", "scale", "light", "layers"], this.#look),
      store.watch(["camera"], this.#camera),
      store.watch(["cursor", "selected"], this.#cursor),
      store.watch(["cards", "task"], this.#cards),
    );
  }

  /** Hands the store's frame on, in its buffer; false when the renderer cannot take it now. It takes a copy of the newest then as soon as it can. */
  draw(buffer: ArrayBuffer): boolean {
    if (!this.#ready || this.#has !== "nothing") {
      this.#missed = true;
      return false;
    }
    this.#missed = false;
    this.#has = "worker's";
    this.#send({ type: "frame", buffer });
    return true;
  }

  #copy(): void {
    const kept = this.store.state.frame?.layers[0]?.buffer;
    if (!(kept instanceof ArrayBuffer)) return;
    this.#missed = false;
    this.#has = "copy";
    this.#send({ type: "frame", buffer: kept.slice(0) });
  }

  #layers = () => this.#send({ type: "layers", layers: this.store.state.layers });
  #layout = () => this.store.state.grid && this.#send({ type: "layout", layout: this.store.state.grid.layout });
  #look = () => this.#send({ type: "look", ...lookOf(this.store.state) });
  #camera = () => this.#send({ type: "camera", ...this.store.state.camera });
  #cursor = () => this.#send({ type: "cursor", cell: this.store.state.cursor, selected: this.store.state.selected });

  #cards = () => this.#send({ type: "cards", cards: this.store.state.cards, task: this.store.state.task });

  #send(message: ToView): void {
    if (!this.#ready) return;
    const wire = pack(message);
    this.#frame?.contentWindow?.postMessage(wire, location.origin, transferable(wire));
  }

  #receive = (event: MessageEvent<Wire>): void => {
    if (event.source !== this.#frame?.contentWindow || event.origin !== location.origin) return;
    const message = unpack<FromView>(event.data);
    switch (message.type) {
      case "ready":
        return this.#tellAll();
      case "live":
        this.#frame?.classList.remove("starting");
        this.stage.dataset.drawn = "view";
        performance.mark("parley-view");
        return this.store.set({ drawing: "view" });
      case "frame":
        if (this.#has === "worker's") this.store.send({ type: "frame", buffer: message.buffer });
        this.#has = "nothing";
        if (this.#missed) this.#copy();
        return;
      case "level_of_detail":
        return this.store.set({ left: message.left });
      case "failed":
        return this.#end();
    }
  };

  #tellAll(): void {
    this.#ready = true;
    for (const tell of [this.#layers, this.#layout, this.#look, this.#camera, this.#cursor, this.#cards]) tell();
    this.#copy();
  }

  #end(): void {
    removeEventListener("message", this.#receive);
    this.#stop();
    this.#frame?.remove();
    this.#frame = undefined;
    this.#ready = false;
    this.stage.dataset.drawn = "canvas";
    this.store.set({ drawing: "canvas" });
  }
}
