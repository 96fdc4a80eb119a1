// The newest fault and its consequences, pinned while it matters.
import { atMostEvery, fill, h } from "../base/dom.ts";
import { ago, count } from "../base/format.ts";
import type { Incident } from "../base/messages.ts";
import { cellsOfRack } from "../model/grid.ts";
import { showCells } from "../model/look.ts";
import { standing, waitingOf } from "../model/sentence.ts";
import type { Store } from "../model/store.ts";

/** Mounts the newest fault; place begins the ids of its buttons. */
export function mountIncident(element: HTMLElement, store: Store, place = "incident"): () => void {
  const update = atMostEvery(250, () => {
    const { incidents, status } = store.state;
    const at = status?.at ?? 0;
    const now = standing(incidents, at);
    element.hidden = !now;
    if (now && !element.matches(":focus-within")) fill(element, ...tell(now, at, store, place));
  });
  return store.watch(["incidents", "status"], update);
}

function tell(one: Incident, at: number, store: Store, place: string): HTMLElement[] {
  const left = waitingOf(one);
  const part = (kind: string, n: number) => {
    const bar = h("i", { class: kind });
    bar.style.flexGrow = String(n);
    return bar;
  };
  const line = (kind: string, n: number, text: string) =>
    h("div.part", {}, h("i", { class: kind }), h("b.num", {}, count(n)), h("span", {}, text));
  const whole = one.nodes > 1;
  const restore = () =>
    store.send({ type: "fault", kind: whole ? "rack_up" : "node_up", target: whole ? `rack.${one.rack}` : `node.${one.node}` });
  return [
    h("div.heading", {}, h("h2", {}, `${one.what} failed`), h("small.num", {}, ago(at - one.at))),
    ...(one.lost > 0
      ? [h("div.shares", { "aria-hidden": "true" }, part("again", one.again), part("left", left), part("gone", one.gone))]
      : []),
    ...(one.lost > 0 ? [line("again", one.again, "running again")] : []),
    ...(left > 0 ? [line("left", left, "waiting for room")] : []),
    ...(one.gone > 0 ? [line("gone", one.gone, "ended instead")] : []),
    h("p", {}, one.told, one.back === one.nodes ? ` ${whole ? "The rack" : "The node"} is back.` : ""),
    h(
      "div.buttons",
      {},
      h("button.btn", { type: "button", id: `${place}-show`, onclick: () => show(one, store) }, "Show on map"),
      one.back < one.nodes
        ? h("button.btn", { type: "button", id: `${place}-restore`, onclick: restore }, whole ? "Restore rack" : "Restore node")
        : undefined,
    ),
  ];
}

/** Brings what failed near, or shows everything again. */
export function show({ rack, node, nodes }: Incident, store: Store): void {
  const { grid } = store.state;
  if (grid) showCells(store, nodes > 1 ? cellsOfRack(grid, rack) : [node]);
}
