// A word about a simulation that does not answer, with the way to start it again.
import { fill, h } from "../base/dom.ts";
import { PATIENCE } from "../model/engines.ts";
import type { Store } from "../model/store.ts";

/** again starts the engine anew with what it played. */
export function mountSilence(body: HTMLElement, store: Store, again: () => void): () => void {
  const element = h("div.toast.silence", { role: "alert", hidden: true });
  body.append(element);
  return store.watch(["silent"], () => {
    const { silent } = store.state;
    element.hidden = !silent;
    if (!silent) return fill(element);
    fill(
      element,
      h("span", {}, `The simulation has not answered for ${PATIENCE / 1000} s. It may be in one long step: wait, or start it again where it was.`),
      h("button.btn", { type: "button", id: "start-again", onclick: again }, "Start it again"),
    );
  });
}
