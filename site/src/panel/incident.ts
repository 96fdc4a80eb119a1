// Faults and what came of them: the newest one pinned while it lasts, all of them on
// the feed, each once as a short sentence on the stage and in the live region.
import { atMostEvery, fill, h } from "../base/dom.ts";
import { clock, count, duration, SECOND } from "../base/format.ts";
import type { Incident } from "../base/messages.ts";
import { centre } from "../model/camera.ts";
import { cellsOfRack, middleOf } from "../model/grid.ts";
import { fitAll } from "../model/look.ts";
import { lossOf } from "../model/marks.ts";
import { all, type Store } from "../model/store.ts";

const SHOWN = 6000; // ms that a sentence stays on the stage
const STANDS = 120e6; // µs that an incident stays pinned after all of it is over

export function mountIncident(element: HTMLElement, store: Store): () => void {
  const update = atMostEvery(250, () => {
    const { incidents, status } = store.state;
    const at = status?.at ?? 0;
    const now = incidents.find((one) => one.at <= at && (one.back < one.nodes || waiting(one) > 0 || at - one.at < STANDS));
    element.hidden = !now;
    if (now && !element.matches(":focus-within")) fill(element, ...tell(now, at, store));
  });
  return store.watch(["incidents", "status"], update);
}

function waiting({ lost, again, gone }: Incident): number {
  return lost - again - gone;
}

function tell(one: Incident, at: number, store: Store): HTMLElement[] {
  const left = waiting(one);
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
    h(
      "div.heading",
      {},
      h("h2", {}, `${one.what} failed`),
      h("small.num", {}, `${duration(Math.floor(Math.max(0, at - one.at) / SECOND) * SECOND)} ago`),
    ),
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
      h("button.btn", { type: "button", id: "incident-show", onclick: () => show(one, store) }, "Show on map"),
      one.back < one.nodes
        ? h("button.btn", { type: "button", id: "incident-restore", onclick: restore }, whole ? "Restore rack" : "Restore node")
        : undefined,
    ),
  ];
}

/** Brings what failed near, or shows everything again. */
function show({ rack, node, nodes }: Incident, store: Store): void {
  const { grid, camera, stage, fitted } = store.state;
  if (!grid) return;
  const cells = nodes > 1 ? cellsOfRack(grid, rack) : [node];
  if (!fitted && camera.zoom >= 20) return fitAll(store);
  store.set({ camera: centre(...middleOf(grid, cells[Math.floor(cells.length / 2)] ?? node), 22, stage), fitted: false });
}

/** The sentences of faults, as lines of a feed. */
export function incidentItems(incidents: Incident[], at: number): HTMLElement[] {
  return incidents
    .filter((one) => one.at <= at)
    .slice(0, 6)
    .map((one) => {
      return h(
        "li.incident",
        {},
        h("time", {}, clock(one.at)),
        h("span", {}, h("b", {}, `${one.what} failed`), `: ${lossOf(one)}${one.healed ? `; back at ${clock(one.healed)}` : ""}`),
      );
    });
}

/** Says each fault once, in the free middle of the tools and to screen readers. */
export function mountHeadline(element: HTMLElement, store: Store): () => void {
  let known = new Set<string>();
  let timer = 0;
  return all(
    () => clearTimeout(timer),
    store.watch(["layers"], () => {
      known = new Set();
      element.hidden = true;
    }),
    store.watch(["incidents"], () => {
      const { incidents, status } = store.state;
      const fresh = incidents.filter(
        (one) => (one.lost > 0 || one.work || one.subtasks || one.results) && !known.has(`${one.at} ${one.what}`),
      );
      for (const one of fresh) known.add(`${one.at} ${one.what}`);
      const [newest] = fresh;
      if (!newest || (status?.at ?? 0) - newest.at > STANDS) return;
      fill(element, h("b", {}, `${newest.what} failed`), h("span", {}, `: ${lossOf(newest)}`));
      element.hidden = false;
      clearTimeout(timer);
      timer = window.setTimeout(() => (element.hidden = true), SHOWN);
    }),
  );
}
