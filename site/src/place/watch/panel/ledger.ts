// The story beside the map: a line an event, which opens to what it consists of. While the
// pointer or the focus is in it, its lines keep their places; what they say goes on.
import { asShown, atMostEvery, h, html, isRead, nothing, render, repeat } from "../../../base/dom.ts";
import { age } from "../../../base/format.ts";
import type { Line } from "../../../base/messages.ts";
import { all, type Store } from "../../../model/store.ts";
import { explained } from "../../../panel/term.ts";
import { type Detail, type Entry, ledger } from "../model/ledger.ts";
import { show } from "./incident.ts";
import { feed, feedItem } from "./story.ts";

const LINES = 9;

type Counted = Exclude<Detail, Line>;
const isLine = (one: Detail): one is Line => "at" in one;

/** Mounts the story; place begins the ids of its buttons. */
export function mountLedger(element: HTMLElement, store: Store<"engine" | "run" | "reported" | "look">, place = "story"): () => void {
  const open = new Set<string>();
  const list = h("ol.happenings");
  const empty = h(
    "p.quiet",
    {},
    "What happens is counted here, newest first. ",
    h("button.link", { type: "button", id: `${place}-break`, "data-command": "break" }, "Break something?"),
  );
  element.replaceChildren(list, empty);
  let shown: string[] = []; // the keys of the lines
  const draw = () => {
    const key = (entry: Entry) => entry.key;
    const entries = isRead(list) ? asShown(ledger(store.state, Infinity), key, shown) : ledger(store.state, LINES);
    const now = store.state.status?.at ?? 0;
    shown = entries.map(key);
    list.hidden = entries.length === 0;
    empty.hidden = entries.length > 0;
    render(
      repeat(entries, key, (entry, i) => item(entry, i, now)),
      list,
    );
  };
  const item = (entry: Entry, i: number, now: number) => {
    const opened = open.has(entry.key);
    const toggle = () => {
      if (opened) open.delete(entry.key);
      else open.add(entry.key);
      draw();
    };
    return html`<li><button type="button" id=${`${place}-${i}`} aria-expanded=${opened} @click=${toggle}>
        <i class="look ${entry.look}" aria-hidden="true"></i><b class="num">${entry.count}</b><span>${entry.words}</span>
        <time class="num">${age(now - entry.at)}</time></button>${opened ? details(entry, i) : nothing}</li>`;
  };
  const details = ({ details: parts, of }: Entry, i: number) => html`<ul>
    ${feed(parts.filter(isLine), (line) => feedItem(line, store, place))}${parts.map((one) => (isLine(one) ? nothing : part(one)))}
    ${of ? html`<li><button type="button" class="link" id=${`${place}-show-${i}`} @click=${() => show(of, store)}>Show on map</button></li>` : nothing}
  </ul>`;
  const part = ({ count, words }: Counted) =>
    html`<li class="part"><b class="num">${count}</b><span>${explained(words, store, "none")}</span></li>`;
  list.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const heads = [...list.querySelectorAll<HTMLElement>("button[aria-expanded]")];
    const at = heads.indexOf(document.activeElement as HTMLElement);
    if (!step || at < 0) return;
    event.preventDefault();
    event.stopPropagation();
    heads[Math.min(heads.length - 1, Math.max(0, at + step))].focus();
  });
  const follow = atMostEvery(1000, draw);
  return all(store.watch(["counted", "incidents", "scenario", "systems", "status"], follow));
}
