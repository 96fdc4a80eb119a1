// The newest messages of the whole cluster as sentences. The list stands still
// while it is read: while the pointer or the focus is in it.
import { atMostEvery, fill, h } from "../base/dom.ts";
import { focus, select } from "../model/look.ts";
import type { Store } from "../model/store.ts";
import { feedItem } from "./story.ts";
import { explained } from "./term.ts";

export function mountMessages(element: HTMLElement, store: Store<"engine" | "run" | "told" | "look" | "chosen">): () => void {
  const list = h("ol.feed.wide");
  const note = h("p.quiet");
  fill(element, note, list);
  const held = () => list.matches(":hover") || list.contains(document.activeElement);
  const update = atMostEvery(500, () => {
    if (held()) return;
    const { lines } = store.state;
    note.textContent = lines.length === 0 ? "Nothing was told yet." : "";
    note.hidden = lines.length > 0;
    fill(list, ...lines.map((line) => feedItem(line, store, "all", linked(line.text, line.nodes ?? [], store))));
  });
  return store.watch(["lines"], update);
}

/** A sentence whose node numbers are links. */
function linked(text: string, nodes: number[], store: Store<"engine" | "run" | "told" | "look" | "chosen">): (string | HTMLElement)[] {
  return text
    .split(/\b(\d+)\b/)
    .flatMap((part) => (nodes.includes(Number(part)) && part !== "" ? [link(Number(part), store)] : explained(part, store, "none")));
}

function link(node: number, store: Store<"told" | "look" | "chosen">): HTMLElement {
  const show = () => {
    select(store, node);
    focus(store);
  };
  return h("button.link.num", { type: "button", "aria-label": `Show node ${node}`, onclick: show }, node);
}
