// Notices, told to screen readers as well. Short confirmations go by themselves;
// what has more to say stays until it is dismissed.
import { h } from "../base/dom.ts";
import { icon } from "../base/icon.ts";
import { all, type Store } from "../model/store.ts";

const SHORT = 60; // letters
const SHOWN = 5000; // ms

export function mountToast(element: HTMLElement, store: Store<"page">): () => void {
  let timer = 0;
  const home = element.parentElement;
  const place = () => {
    const slot = store.state.place === "watch" ? document.querySelector("#stage .notices") : home; // above the map, not upon it
    if (slot && slot !== element.parentElement) slot.append(element);
  };
  return all(
    store.watch(["place"], place),
    store.watch(["notice"], () => {
      const { notice } = store.state;
      clearTimeout(timer);
      element.hidden = notice === "";
      if (notice === "") return element.replaceChildren();
      const close = () => store.set({ notice: "" });
      element.replaceChildren(
        h("span", {}, notice),
        h("button.btn.quiet.square", { type: "button", "aria-label": "Dismiss", onclick: close }, icon("close")),
      );

      element.dataset.short = String(notice.length <= SHORT);
      if (notice.length <= SHORT) timer = window.setTimeout(close, SHOWN);
    }),
  );
}
