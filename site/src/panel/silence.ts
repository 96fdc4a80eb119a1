// A word about a simulation that does not answer, with the way to start it again.
import { h } from "../base/dom.ts";
import { PATIENCE } from "../model/engines.ts";
import { all, type Store } from "../model/store.ts";

/** again starts the engine anew with what it played. A modal dialog takes all clicks, so the word stands in it while one is open. */
export function mountSilence(body: HTMLElement, store: Store<"engine">, again: () => void): () => void {
  const element = h("div.toast.silence", { role: "alert", hidden: true, popover: "manual" });
  const place = () => {
    if (element.hidden) return;
    const host = body.querySelector("dialog:modal") ?? body;
    if (element.parentElement !== host) host.append(element);
    if (!element.matches(":popover-open")) element.showPopover();
  };
  const dialogs = new MutationObserver(place); // they come and go below body
  dialogs.observe(body, { childList: true });
  const stop = store.watch(["silent"], () => {
    const { silent } = store.state;
    element.hidden = !silent;
    if (!silent) {
      element.replaceChildren();
      return element.remove();
    }
    element.replaceChildren(
      h("span", {}, `The simulation has been busy for ${PATIENCE / 1000} s. Wait, or restart it from here.`),
      h("button.btn", { type: "button", id: "start-again", onclick: again }, "Restart it"),
    );

    place();
  });
  return all(stop, () => dialogs.disconnect());
}
