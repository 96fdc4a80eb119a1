// The newest fault and its consequences, pinned while it matters.
import { atMostEvery, html, nothing, render, type TemplateResult } from "../../../base/dom.ts";
import { ago, count } from "../../../base/format.ts";
import type { Incident } from "../../../base/messages.ts";
import { nodeName } from "../../../model/faults.ts";
import { cellsOfRack } from "../../../model/grid.ts";
import { showCells } from "../../../model/look.ts";
import type { Store } from "../../../model/store.ts";
import { systemOf } from "../../../model/systems.ts";
import { backOf, endedWords, keyOf, plain, standing, waitingOf, waitingWords, zoneOf } from "../model/sentence.ts";

/** Mounts the newest fault; place begins the ids of its buttons. */
export function mountIncident(
  element: HTMLElement,
  store: Store<"engine" | "run" | "reported" | "look" | "page">,
  place = "incident",
): () => void {
  const update = atMostEvery(250, () => {
    const { incidents, status } = store.state;
    const at = status?.at ?? 0;
    const now = standing(incidents, at);
    element.hidden = !now;
    render(now ? tell(now, at, store, place) : nothing, element);
  });
  return store.watch(["incidents", "status", "alternative"], update);
}

function tell(one: Incident, at: number, store: Store<"engine" | "run" | "reported" | "look" | "page">, place: string): TemplateResult {
  const left = waitingOf(one);
  const part = (kind: string, n: number) => html`<i class=${kind} .style=${`flex-grow: ${n}`}></i>`;
  const line = (kind: string, n: number, text: string) =>
    n > 0 ? html`<div class="part"><i class=${kind}></i><b class="num">${count(n)}</b><span>${text}</span></div>` : nothing;
  const rack = one.nodes > 1;
  const zone = zoneOf(one, store.state);
  const noun = nodeName(systemOf(store.state));
  const restore = () =>
    store.send({ type: "fault", kind: rack ? "rack_up" : "node_up", target: rack ? `rack.${one.rack}` : `node.${one.node}` });
  const shares = html`<div class="shares" aria-hidden="true">${part("again", one.again)}${part("left", left)}${part("gone", one.ended)}</div>
    ${line("again", one.again, "ran again")}`;
  return html`<div class="heading"><h2>${one.subject} failed</h2><small class="num">${ago(at - one.at)}</small></div>
    ${one.lost > 0 ? shares : nothing}${line("left", left, waitingWords(one))}${line("gone", one.ended, endedWords(one))}
    <p>${plain(backOf(one, zone, noun))}</p>
    <dl class="cost"><dt>${left > 0 ? "Cost so far" : "Cost"}</dt><dd>${one.cost}</dd>${otherwise(one, store, place)}</dl>
    <div class="buttons"><button type="button" class="btn" id=${`${place}-show`} @click=${() => show(one, store)}>Show on map</button>${
      one.back < one.nodes
        ? html`<button type="button" class="btn" id=${`${place}-restore`} @click=${restore}>${`Restore ${rack ? zone || "them" : noun}`}</button>`
        : nothing
    }</div>`;
}

/** What another scheduler made of it, or the way to ask. */
function otherwise(one: Incident, store: Store<"engine" | "run" | "reported" | "page">, place: string): TemplateResult {
  const { alternative } = store.state;
  if (alternative?.fault === keyOf(one)) return html`<dt>Under ${alternative.name}</dt><dd role="status">${alternative.line}</dd>`;
  const ask = () =>
    import("../model/alternative.ts").then(
      ({ askOther }) => askOther(store, one),
      () => store.set({ notice: "Could not load the other scheduler: the server is unreachable. Try again." }),
    );
  return html`<dt>Otherwise</dt><dd><button type="button" class="link" id=${`${place}-other`} @click=${() => void ask()}>Ask another scheduler</button></dd>`;
}

/** Brings what failed near, or shows everything again. */
export function show({ rack, node, nodes }: Incident, store: Store<"reported" | "look">): void {
  const { grid } = store.state;
  if (grid) showCells(store, nodes > 1 ? cellsOfRack(grid, rack) : [node]);
}
