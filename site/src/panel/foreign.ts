// A program that came with a link is shown before it runs.
import { h } from "../base/dom.ts";
import { decideProgram } from "../model/run.ts";
import type { Store } from "../model/store.ts";
import { showDialog } from "./dialog.ts";

export function showForeignProgram(store: Store<"engine" | "run" | "reported" | "look" | "page">, text: string): void {
  let runs = false;
  const { close } = showDialog(
    "foreign-program",
    "This link has a scheduler",
    [
      h(
        "p",
        {},
        "It is a program that somebody wrote. It decides where tasks run; it cannot reach the page, the network, your files or your clock.",
      ),
      h("pre", { tabindex: 0, "aria-label": "Program" }, text),
      h(
        "div.buttons.end",
        {},
        h("button.btn", { type: "button", onclick: () => close() }, "Do not run it"),
        h("button.btn.primary", { type: "button", id: "foreign-run", autofocus: true, onclick: () => ((runs = true), close()) }, "Run it"),
      ),
    ],
    () => decideProgram(store, runs),
  );
}
