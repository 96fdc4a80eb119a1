// The newest fault and its consequences, pinned while it matters.
import { atMostEvery, fill, h } from "../base/dom.ts";
import { ago, count } from "../base/format.ts";
import type { Incident } from "../base/messages.ts";
import { cellsOfRack } from "../model/grid.ts";
import { showCells } from "../model/look.ts";
import { backOf, endedWords, keyOf, plain, standing, waitingOf, waitingWords } from "../model/sentence.ts";
import type { Store } from "../model/store.ts";

/** Mounts the newest fault; place begins the ids of its buttons. */
export function mountIncident(
  element: HTMLElement,
  store: Store<"engine" | "run" | "told" | "look" | "page">,
  place = "incident",
): () => void {
  let shown = "";
  const update = atMostEvery(250, () => {
    const { incidents, status, alternative } = store.state;
    const at = status?.at ?? 0;
    const now = standing(incidents, at);
    element.hidden = !now;
    const told = JSON.stringify([now, now && ago(at - now.at), alternative]);
    if (!now || told === shown || element.matches(":active")) return; // a button that is pressed stays
    shown = told;
    fill(element, ...tell(now, at, store, place));
  });
  return store.watch(["incidents", "status", "alternative"], update);
}

function tell(one: Incident, at: number, store: Store<"engine" | "run" | "told" | "look" | "page">, place: string): HTMLElement[] {
  const left = waitingOf(one);
  const part = (kind: string, n: number) => {
    const bar = h("i", { class: kind });
    bar.style.flexGrow = String(n);
    return bar;
  };
  const line = (kind: string, n: number, text: string) =>
    h("div.part", {}, h("i", { class: kind }), h("b.num", {}, count(n)), h("span", {}, text));
  const rack = one.nodes > 1;
  const restore = () =>
    store.send({ type: "fault", kind: rack ? "rack_up" : "node_up", target: rack ? `rack.${one.rack}` : `node.${one.node}` });
  return [
    h("div.heading", {}, h("h2", {}, `${one.what} failed`), h("small.num", {}, ago(at - one.at))),
    ...(one.lost > 0
      ? [h("div.shares", { "aria-hidden": "true" }, part("again", one.again), part("left", left), part("gone", one.gone))]
      : []),
    ...(one.lost > 0 ? [line("again", one.again, "ran again")] : []),
    ...(left > 0 ? [line("left", left, waitingWords(one))] : []),
    ...(one.gone > 0 ? [line("gone", one.gone, endedWords(one))] : []),
    h("p", {}, plain(backOf(one))),
    h("dl.cost", {}, h("dt", {}, left > 0 ? "Cost so far" : "Cost"), h("dd", {}, one.cost), ...otherwise(one, store, place)),
    h(
      "div.buttons",
      {},
      h("button.btn", { type: "button", id: `${place}-show`, onclick: () => show(one, store) }, "Show on map"),
      one.back < one.nodes
        ? h("button.btn", { type: "button", id: `${place}-restore`, onclick: restore }, rack ? "Restore rack" : "Restore node")
        : undefined,
    ),
  ];
}

/** What another scheduler made of it, or the way to ask. */
function otherwise(one: Incident, store: Store<"engine" | "run" | "told" | "page">, place: string): HTMLElement[] {
  const { alternative } = store.state;
  if (alternative?.fault === keyOf(one)) return [h("dt", {}, `Under ${alternative.name}`), h("dd", { role: "status" }, alternative.line)];
  const ask = () =>
    import("../model/alternative.ts").then(
      ({ askOther }) => askOther(store, one),
      () => store.set({ notice: "Could not load the other scheduler: the server is unreachable. Try again." }),
    );
  const button = h("button.link", { type: "button", id: `${place}-other`, onclick: () => void ask() }, "Ask another scheduler");
  return [h("dt", {}, "Otherwise"), h("dd", {}, button)];
}

/** Brings what failed near, or shows everything again. */
export function show({ rack, node, nodes }: Incident, store: Store<"told" | "look">): void {
  const { grid } = store.state;
  if (grid) showCells(store, nodes > 1 ? cellsOfRack(grid, rack) : [node]);
}
