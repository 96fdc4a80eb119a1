// The newest messages of the whole cluster as sentences. The list stands still
// while it is read: while the pointer or the focus is in it.
import { atMostEvery, h, html, isRead, render, type TemplateResult, type Words } from "../../../base/dom.ts";
import { focus, select } from "../../../model/look.ts";
import type { Store } from "../../../model/store.ts";
import { explained } from "../../../panel/term.ts";
import { feed, feedItem } from "./story.ts";

export function mountMessages(element: HTMLElement, store: Store<"engine" | "run" | "reported" | "look" | "chosen">): () => void {
  const list = h("ol.feed.wide");
  const note = h("p.quiet");
  element.replaceChildren(note, list);
  const update = atMostEvery(500, () => {
    if (isRead(list)) return;
    const { lines } = store.state;
    note.textContent = lines.length === 0 ? "Nothing was told yet." : "";
    note.hidden = lines.length > 0;
    render(
      feed(lines, (line) => feedItem(line, store, "all", linked(line.text, line.nodes ?? [], store))),
      list,
    );
  });
  return store.watch(["lines"], update);
}

/** A sentence whose node numbers are links. */
function linked(text: string, nodes: number[], store: Store<"engine" | "run" | "reported" | "look" | "chosen">): Words {
  return text
    .split(/\b(\d+)\b/)
    .flatMap((part) => (nodes.includes(Number(part)) && part !== "" ? [link(Number(part), store)] : explained(part, store, "none")));
}

function link(node: number, store: Store<"reported" | "look" | "chosen">): TemplateResult {
  const show = () => {
    select(store, node);
    focus(store);
  };
  return html`<button type="button" class="link num" aria-label=${`Show node ${node}`} @click=${show}>${node}</button>`;
}
