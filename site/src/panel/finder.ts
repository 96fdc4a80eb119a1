// The palette: every command, found by a few letters of its title.
import uFuzzy from "@leeoniya/ufuzzy";
import { fill, h } from "../base/dom.ts";
import type { Command, Commands } from "../model/commands.ts";
import { showDialog } from "./dialog.ts";
import { keysOf } from "./help.ts";

const search = new uFuzzy({ intraMode: 1 });

/** The commands whose titles match, the best first. */
function rank(all: Command[], wanted: string): Command[] {
  if (wanted === "") return all;
  const [hits, , order] = search.search(
    all.map(({ title }) => title),
    wanted,
    1,
  );
  return (order?.map((i) => hits?.[i] ?? 0) ?? hits ?? []).map((i) => all[i]);
}

export function showFinder(commands: Commands): void {
  const input = h("input", {
    type: "text",
    placeholder: "Type what you want to do",
    role: "combobox",
    "aria-label": "Command",
    "aria-expanded": "true",
    "aria-controls": "found",
    "aria-autocomplete": "list",
    autocomplete: "off",
    spellcheck: "false",
    oninput: () => draw(),
  });
  const list = h("ul", { role: "listbox", id: "found", "aria-label": "Commands" });
  const able = (command: Command) => !command.unavailable?.();
  const all = commands.listed().filter(({ id }) => id !== "palette");
  let found: Command[] = [];
  let chosen = 0;
  const { close } = showDialog("finder", "Commands", [input, list]);
  const run = (command: Command | undefined) => {
    if (!command || !able(command)) return;
    close();
    commands.run(command.id);
  };
  const mark = () => {
    [...list.children].forEach((item, i) => item.setAttribute("aria-selected", String(i === chosen)));
    list.children[chosen]?.scrollIntoView({ block: "nearest" });
    if (found[chosen]) input.setAttribute("aria-activedescendant", `found-${chosen}`);
    else input.removeAttribute("aria-activedescendant");
  };
  const draw = () => {
    const ranked = rank(all, input.value.trim());
    found = [...ranked.filter(able), ...ranked.filter((command) => !able(command))];
    chosen = 0;
    fill(
      list,
      ...found.map((command, i) => {
        const why = command.unavailable?.() ?? "";
        const item = h("li", { role: "option", id: `found-${i}`, "aria-disabled": why ? "true" : undefined, onclick: () => run(command) });
        fill(
          item,
          h("span", {}, command.title, why && h("small", {}, ` ${why}`)),
          h("span.keys", {}, ...keysOf(command).map((key) => h("kbd", {}, key))),
        );
        return item;
      }),
      found.length === 0 && h("li.quiet", { role: "option", "aria-disabled": "true" }, "Nothing matches."),
    );
    mark();
  };
  input.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "Enter") run(found[chosen]);
    else if (step && found.length > 0) {
      chosen = (chosen + step + found.length) % found.length;
      mark();
    } else return;
    event.preventDefault();
  });
  draw();
  input.focus();
}
