// The palette: every command, and every heading of the manual, found by a few letters of its title.
import uFuzzy from "@leeoniya/ufuzzy";
import { h } from "../base/dom.ts";
import type { Command, Commands } from "../model/commands.ts";
import { showDialog } from "./dialog.ts";
import { keysOf } from "./help.ts";

const search = new uFuzzy({ intraMode: 1 });

const MOST = 12; // pages of the manual beside the commands

/** What the palette finds. */
interface Found {
  title: string;
  keys: string[];
  unavailable: string; // why it cannot be chosen; empty: it can
  run(): void;
}

/** A page of the manual, as manual/index.json lists it. */
interface ManualPage {
  title: string;
  page: string;
  headings: { title: string; id: string }[];
}

let manual: Promise<Found[]> | undefined;

/** The manual's pages and headings, asked for when the palette opens first; none where the page has no manual. */
function manualEntries(): Promise<Found[]> {
  manual ??= fetch("manual/index.json")
    .then((come): Promise<ManualPage[]> => (come.ok ? come.json() : Promise.reject()))
    .then((pages) =>
      pages.flatMap(({ title, page, headings }) => [
        inManual(title, page),
        ...headings.map((heading) => inManual(`${title}: ${heading.title}`, `${page}#${heading.id}`)),
      ]),
    )
    .catch(() => {
      manual = undefined; // next time it may come
      return [];
    });
  return manual;
}

const inManual = (title: string, address: string): Found => ({
  title: `Manual: ${title}`,
  keys: [],
  unavailable: "",
  run: () => void open(`manual/${address}`, "_blank", "noopener"),
});

/** The entries whose titles match, the best first. */
function rank(all: Found[], wanted: string): Found[] {
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
    placeholder: "Type what you want to do or read",
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
  const able = ({ unavailable }: Found) => unavailable === "";
  const own = commands
    .listed()
    .filter(({ id }) => id !== "palette")
    .map(
      (command: Command): Found => ({
        title: command.title,
        keys: keysOf(command),
        unavailable: command.unavailable?.() ?? "",
        run: () => commands.run(command.id),
      }),
    );
  let pages: Found[] = [];
  let found: Found[] = [];
  let chosen = 0;
  const { close } = showDialog("finder", "Commands", [input, list]);
  const run = (entry: Found | undefined) => {
    if (!entry || !able(entry)) return;
    close();
    entry.run();
  };
  const mark = () => {
    [...list.children].forEach((item, i) => item.setAttribute("aria-selected", String(i === chosen)));
    list.children[chosen]?.scrollIntoView({ block: "nearest" });
    if (found[chosen]) input.setAttribute("aria-activedescendant", `found-${chosen}`);
    else input.removeAttribute("aria-activedescendant");
  };
  const draw = () => {
    const wanted = input.value.trim();
    const ranked = rank(own, wanted);
    const read = wanted === "" ? [] : rank(pages, wanted).slice(0, MOST);
    found = [...ranked.filter(able), ...read, ...ranked.filter((entry) => !able(entry))];
    chosen = 0;
    list.replaceChildren(
      ...found.map((entry, i) => {
        const why = entry.unavailable;
        return h(
          "li",
          { role: "option", id: `found-${i}`, "aria-disabled": why ? "true" : undefined, onclick: () => run(entry) },
          h("span", {}, entry.title, why && h("small", {}, ` ${why}`)),
          h("span.keys", {}, ...entry.keys.map((key) => h("kbd", {}, key))),
        );
      }),
      ...(found.length === 0 ? [h("li.quiet", { role: "option", "aria-disabled": "true" }, "Nothing matches.")] : []),
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
  void manualEntries().then((come) => {
    pages = come;
    if (input.isConnected && input.value.trim() !== "") draw();
  });
}
