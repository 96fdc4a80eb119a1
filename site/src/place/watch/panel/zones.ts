// The zones of a system as the stage: a card for each with the figure that decides, what is
// free and what waits. It comes with the first system that has them.
import { atMostEvery, html, nothing, render, repeat } from "../../../base/dom.ts";
import { rampColours } from "../../../base/palette.ts";
import { select } from "../../../model/look.ts";
import { all, type Store } from "../../../model/store.ts";
import { systemOf } from "../../../model/systems.ts";

const SIDE = 44; // CSS pixels of the square of the largest zone

export function mountZones(element: HTMLElement, store: Store): () => void {
  const draw = () => {
    const { grid, status, zoned, aim, layers, fill, frame, palette, light, scale, selected } = store.state;
    const system = systemOf(store.state);
    const zones = grid?.layout.zones ?? [];
    const cards = status?.cards ?? [];
    const shown = zoned && !aim && cards.length > 0 && cards.length === zones.length;
    element.hidden = !shown;
    element.parentElement?.classList.toggle("zoned", shown);
    if (!shown || !grid) return;
    element.setAttribute("aria-label", `${system?.zone}s`);
    const largest = cards.reduce((most, { size }) => Math.max(most, size), 1);
    const layer = layers.findIndex(({ id }) => id === fill);
    const colours = layers[layer]?.names ? [] : rampColours(palette, light, scale.low, scale.high);
    const racks = grid.layout.rack;
    const own = racks[selected];
    const card = ({ name, rack }: (typeof zones)[number], i: number) => {
      const { figure, mark, leads, lines, free, size, down } = cards[i];
      const node = racks.indexOf(rack);
      const side = SIDE * Math.sqrt(size / largest);
      const choose = () => {
        select(store, own === rack ? -1 : node);
        store.set({ picksRack: own !== rack });
      };
      return html`<li><button type="button" class=${down ? "down" : leads ? "leads" : ""} aria-pressed=${own === rack} @click=${choose}>
        <i class="stripe" .style=${down ? "" : `background: ${colours[frame?.layers[layer]?.[node] ?? 0] ?? "none"}`}></i>
        <b>${name}</b>${mark ? html`<em>${mark}</em>` : nothing}
        <strong class="num">${down ? "down" : figure || "–"}</strong>
        <span>${lines.map((line) => html`<small>${line}</small>`)}</span>
        <i class="share" .style=${`width: ${side}px; height: ${side}px`}><i .style=${`height: ${(100 * free) / Math.max(1, size)}%`}></i></i>
      </button></li>`;
    };
    const body = html`<ul>${repeat(zones, ({ name }) => name, card)}</ul>
      <p class="quiet"><i class="free"></i>free <i></i>busy; the area of a square is the size of the ${system?.zone}</p>`;
    render(body, element);
  };
  return all(
    store.watch(["grid", "zoned", "aim", "scenario", "selected", "light", "palette", "fill", "scale"], draw),
    store.watch(["status"], atMostEvery(250, draw)),
  );
}
