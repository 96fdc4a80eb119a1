// The challenge of the gallery: what counts, what known schedulers reached, and the cells
// to try one's own in.
import { h } from "../../../base/dom.ts";
import { cellOf, linesOf } from "../../../model/challenge.ts";
import { FORMULA } from "../../../model/formula.ts";
import { loadChallenge, open } from "../../../model/run.ts";
import type { Store } from "../../../model/store.ts";

export function mountChallenge(element: HTMLElement, store: Store<"run" | "reported" | "look" | "page">): void {
  loadChallenge().then(
    (challenge) => {
      const { name, about, cells, seeds } = challenge;
      const watch = (i: number) => () => {
        store.set({ tab: FORMULA, place: "watch" });
        open(store, cellOf(challenge, i), { base: "" });
      };
      const heads = ["scheduler", "score (95 % interval)", ...cells.map((cell) => cell.name), "difference, seed by seed", "verdict"];
      const table = h(
        "table.full",
        {},
        h("thead", {}, h("tr", {}, ...heads.map((head) => h("th", { scope: "col" }, head)))),
        h(
          "tbody",
          {},
          ...linesOf(challenge).map(([head, ...values]) =>
            h("tr", {}, h("th", { scope: "row" }, head), ...values.map((value) => h("td", {}, value))),
          ),
        ),
      );
      element.hidden = false;
      element.replaceChildren(
        h("h2", {}, name),
        h(
          "p",
          {},
          about,
          ` The score is 100 less the percentage of overloaded nodes and the percentage of waiting tasks, as means over ${cells.length} cells and ${seeds.length} seeds.`,
        ),
        h("div.scroll", { tabindex: 0, role: "group", "aria-label": "Scores" }, table),
        h(
          "p",
          {},
          "Open a cell, write a formula or a program, run it and press Share: the link is what you hand in. ",
          h("code", {}, "parley grade LINK --challenge beat-best-fit"),
          " plays all cells with it and prints its score. ",
          h("a", { href: "manual/challenge.html", target: "_blank", rel: "noopener" }, "As a task for a class"),
        ),
        h(
          "div.chips",
          {},
          ...cells.map((cell, i) =>
            h("button.btn", { type: "button", id: `cell-${i}`, title: cell.about, onclick: watch(i) }, `Open: ${cell.name}`),
          ),
        ),
      );
    },
    () => {}, // the questions stand without it
  );
}
