// The card of opened files: one place that says what was read, in the inspector's head.
import { h, nothing, render } from "../../../base/dom.ts";
import { icon } from "../../../base/icon.ts";
import { fileCard, isTable } from "../../../model/filecard.ts";
import { all, type Store } from "../../../model/store.ts";

export function mountFileCard(element: HTMLElement, store: Store<"engine" | "run" | "reported">): () => void {
  const close = () => store.set({ card: false });
  const draw = () => {
    const card = store.state.card ? fileCard(store.state) : undefined;
    element.hidden = !card;
    if (!card) return render(nothing, element);
    render(
      [
        h(
          "div.heading",
          {},
          h("h2", {}, "Opened file"),
          h("button.btn.quiet.square", { type: "button", id: "card-close", "aria-label": "Close", onclick: close }, icon("close")),
        ),
        h("p.title", { role: "status" }, card.title),
        h("dl.facts", {}, ...card.facts.map(([name, value, title]) => h("div", { title }, h("dt", {}, name), h("dd.num", {}, value)))),
        ...card.said.map((sentence) => h("p.quiet", {}, sentence)),
        h(
          "div.buttons",
          {},
          h("button.btn.primary", { type: "button", id: "card-compare", "data-command": "compare" }, "Compare policies on it"),
          isTable(store.state.files) &&
            h("button.btn", { type: "button", id: "card-columns", "data-command": "columns" }, "Change columns"),
          h(
            "button.btn",
            { type: "button", id: "card-system", onclick: () => document.querySelector<HTMLElement>("#system")?.focus() },
            "Change system",
          ),
        ),
      ],
      element,
    );
  };
  return all(store.watch(["card", "files", "scenario", "systems", "choices"], draw));
}
