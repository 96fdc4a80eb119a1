// Files on their way to the simulation: those that belong to another place of the page are opened
// there, and for a big trace the viewer chooses a part before it is read.
import { h } from "../base/dom.ts";
import { bytes } from "../base/format.ts";
import { takeOwn } from "../model/ownfile.ts";
import { BIG, type Part, partScenario, wrongIn } from "../model/part.ts";
import { open } from "../model/run.ts";
import type { Store } from "../model/store.ts";
import { showDialog } from "./dialog.ts";

/** Takes files that are not simply read whole; false if they are. */
export async function takeApart(store: Store<"engine" | "run" | "reported" | "look" | "page">, files: File[]): Promise<boolean> {
  if (files.length === 1 && (await takeOwn(store, files[0]))) return true;
  const size = files.reduce((sum, file) => sum + file.size, 0);
  if (size < BIG || store.state.expected) return false;
  askPart(store, files, size);
  return true;
}

function askPart(store: Store<"engine" | "run" | "reported" | "look">, files: File[], size: number): void {
  const field = (id: string, label: string, placeholder: string) => {
    const input = h("input", { type: "text", id: `part-${id}`, placeholder, autocomplete: "off", oninput: () => check() });
    return { input, row: h("label.row", { for: `part-${id}` }, h("span", {}, label), input) };
  };
  const from = field("from", "From (time of the trace)", "2d");
  const to = field("to", "To", "3d");
  const every = field("every", "One job in", "1");
  const users = field("users", "Users", "all");
  const boxes = ["production", "batch"].map((name) => {
    const input = h("input", { type: "checkbox", id: `part-${name}`, checked: true, onchange: () => check() });
    return { name, input, row: h("label.row", { for: `part-${name}` }, h("span", {}, `Tasks of class ${name}`), input) };
  });
  const wrong = h("p.quiet", { role: "status" });
  const read = h("button.btn.primary", { type: "button", id: "part-read", onclick: () => agree() }, "Read");
  const part = (): Part => ({
    from: from.input.value,
    to: to.input.value,
    every: every.input.value,
    users: users.input.value,
    classes: boxes.filter(({ input }) => input.checked).map(({ name }) => name),
  });
  const check = () => {
    wrong.textContent = wrongIn(part());
    read.disabled = wrong.textContent !== "";
  };
  const { close } = showDialog("part", `Which part of ${bytes(size)} is wanted?`, [
    h(
      "div.body",
      {},
      h(
        "p.quiet",
        {},
        "The rest is skipped while the files are read, so the tab needs memory for the part alone. Empty fields mean everything.",
      ),
      ...[from, to, every, users, ...boxes].map(({ row }) => row),
      wrong,
    ),
    h("div.buttons.end", {}, h("button.btn", { type: "button", onclick: () => close() }, "Cancel"), read),
  ]);
  const agree = () => {
    const { scenario, systems } = store.state;
    const played = partScenario(files, scenario, systems[0]?.id ?? "", part());
    close();
    open(store, played, { files, any: true, play: true });
  };
}
