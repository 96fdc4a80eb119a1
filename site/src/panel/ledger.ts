// The story beside the map: a line an event, which opens to what it consists of. Nothing
// moves while the pointer or the focus is in it.
import { atMostEvery, fill, h } from "../base/dom.ts";
import { age } from "../base/format.ts";
import type { Line } from "../base/messages.ts";
import { type Detail, type Entry, ledger } from "../model/ledger.ts";
import { all, type Store } from "../model/store.ts";
import { show } from "./incident.ts";
import { feedItem } from "./story.ts";
import { explained } from "./term.ts";

const LINES = 9;

/** Mounts the story; place begins the ids of its buttons. */
export function mountLedger(element: HTMLElement, store: Store<"engine" | "run" | "told" | "look">, place = "story"): () => void {
  const open = new Set<string>();
  const list = h("ol.happenings");
  const empty = h(
    "p.quiet",
    {},
    "Nothing has happened yet. ",
    h("button.link", { type: "button", id: `${place}-break`, "data-command": "break" }, "Break something?"),
  );
  fill(element, list, empty);
  const held = () => list.matches(":hover, :focus-within");
  const draw = () => {
    const entries = ledger(store.state, LINES);
    const now = store.state.status?.at ?? 0;
    list.hidden = entries.length === 0;
    empty.hidden = entries.length > 0;
    fill(list, ...entries.map((entry, i) => item(entry, i, now)));
  };
  const item = (entry: Entry, i: number, now: number) => {
    const opened = open.has(entry.key);
    const toggle = () => {
      if (opened) open.delete(entry.key);
      else open.add(entry.key);
      draw();
      list.querySelector<HTMLElement>(`#${place}-${i}`)?.focus();
    };
    const { of } = entry;
    const button = h(
      "button",
      { type: "button", id: `${place}-${i}`, "aria-expanded": String(opened), onclick: toggle },
      h("i", { class: `look ${entry.look}`, "aria-hidden": "true" }),
      h("b.num", {}, entry.count),
      h("span", {}, entry.words),
      h("time.num", {}, age(now - entry.at)),
    );
    const details = opened
      ? h(
          "ul",
          {},
          ...entry.details.map(detail),
          of && h("li", {}, h("button.link", { type: "button", id: `${place}-show-${i}`, onclick: () => show(of, store) }, "Show on map")),
        )
      : undefined;
    return h("li", {}, button, details);
  };
  const detail = (one: Detail) =>
    "at" in one
      ? feedItem(one as Line, store, place)
      : h("li.part", {}, h("b.num", {}, one.count), h("span", {}, ...explained(one.words, store, "none")));
  list.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const heads = [...list.querySelectorAll<HTMLElement>("button[aria-expanded]")];
    const at = heads.indexOf(document.activeElement as HTMLElement);
    if (!step || at < 0) return;
    event.preventDefault();
    event.stopPropagation();
    heads[Math.min(heads.length - 1, Math.max(0, at + step))].focus();
  });
  const follow = atMostEvery(1000, () => held() || draw());
  return all(store.watch(["counted", "incidents", "scenario", "systems", "status"], follow));
}
