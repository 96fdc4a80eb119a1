// The help: what this is, and every key, read from the commands.
import { h } from "../base/dom.ts";
import { remember } from "../base/memory.ts";
import type { Command, Commands } from "../model/commands.ts";
import type { Store } from "../model/store.ts";
import { showDialog } from "./dialog.ts";

export function showHelp(commands: Commands, store: Store<"page">): void {
  const letters = h("input", {
    type: "checkbox",
    id: "letters",
    onchange: () => {
      store.set({ keys: letters.checked });
      remember("keys", letters.checked ? "on" : "off");
    },
  });
  letters.checked = store.state.keys;
  const groups = new Map<string, Command[]>();
  for (const command of commands.listed()) {
    if (command.keys?.length) groups.set(command.group, [...(groups.get(command.group) ?? []), command]);
  }
  const map = h(
    "section",
    {},
    h("h3", {}, "On the map"),
    h(
      "dl.keys",
      {},
      ...row("Arrows", "Move the cursor from node to node"),
      ...row("Enter", "Select the node under the cursor"),
      ...row("Esc", "Back: deselect, close"),
    ),
  );
  showDialog("help", "Keys", [
    h(
      "p.quiet",
      {},
      "Parley plays a workload against a cluster under one of several very different schedulers. Everything is computed in this tab; your files never leave it.",
    ),
    h(
      "div.columns",
      {},
      ...[...groups].map(([name, list]) =>
        h(
          "section",
          {},
          h("h3", {}, name),
          h("dl.keys", {}, ...list.flatMap((command) => row(keysOf(command).join(" or "), command.title))),
        ),
      ),
      map,
    ),
    h("label.check", {}, letters, " Single letters are shortcuts"),
    h(
      "p",
      {},
      h("a", { href: "manual/index.html", target: "_blank", rel: "noopener" }, "Manual"),
      ": tutorials, reference and explanations. Its pages are in the palette (>), too.",
    ),
    h("p.quiet", {}, h("a", { href: "licences.txt", target: "_blank", rel: "noopener" }, "Licences")),
  ]);
}

/** The keys of a command as people read them. */
export function keysOf(command: Command): string[] {
  return (command.keys ?? []).map(({ label }) => label);
}

function row(keys: string, title: string): HTMLElement[] {
  return [h("dt", {}, ...keys.split(" or ").map((key) => h("kbd", {}, key))), h("dd", {}, title)];
}
