// Panels that come when they are first looked at: their scripts, and the models
// behind them, are no part of the page's first script.
import { h } from "../base/dom.ts";

export type Mount = (element: HTMLElement) => () => void;

/** Mounts what load brings, once it is there; where it does not come, that is said, with a way to try again. */
export function later(element: HTMLElement, load: () => Promise<Mount>): () => void {
  let stop = () => {};
  let ended = false;
  const start = (shown = false) => {
    if (!shown) element.replaceChildren(h("p.quiet", { role: "status" }, "Loading …"));
    load().then(
      (mount) => {
        if (ended) return;
        element.replaceChildren();
        stop = mount(element);
      },
      () => {
        if (ended) return;
        element.replaceChildren(
          h("p", { role: "status" }, "Could not load this part of the page: the server is unreachable or has a newer version. "),
          h("button.btn", { type: "button", onclick: () => start() }, "Try again"),
        );
      },
    );
  };
  start(element.childElementCount > 0); // what index.html has there stays until then
  return () => {
    ended = true;
    stop();
  };
}

/** What is made once, when it is first wanted; after a failure it is tried again. */
export function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    made.catch(() => (made = undefined));
    return made;
  };
}
