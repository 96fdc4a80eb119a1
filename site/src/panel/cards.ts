// Cards upon the cells when they are near enough to read: a node's number, how
// much of it is used, its tasks and its class. The table tells the same, so
// they are hidden from assistive technology.
import { atMostEvery, fill, h, say } from "../base/dom.ts";
import { cellValue } from "../model/cell.ts";
import { cellOn, place, squareOn } from "../model/grid.ts";
import { all, type Store } from "../model/store.ts";
import { applies, systemOf } from "../model/systems.ts";

const NEAR = 56; // CSS pixels a square from which on a card fits
const MOST = 400; // cards

interface Card {
  element: HTMLElement;
  parts: HTMLElement[];
}

export function mountCards(element: HTMLElement, store: Store): () => void {
  const cards: Card[] = [];
  const card = (i: number): Card => {
    while (cards.length <= i) {
      const parts = [h("b"), h("span"), h("span"), h("span"), h("small")];
      cards.push({ element: h("div.card-node", {}, ...parts), parts });
      element.append(cards[cards.length - 1].element);
    }
    return cards[i];
  };
  /** The cells on the stage, with their places; none while they are small. */
  const visible = (): [cell: number, x: number, y: number][] => {
    const { grid, camera, stage } = store.state;
    if (!grid || camera.zoom < NEAR) return [];
    const found: [number, number, number][] = [];
    for (let row = squareOn(grid.down, camera.y); ; row++) {
      const y = (place(grid.down, row) - camera.y) * camera.zoom;
      if (y >= stage.height) break;
      for (let column = squareOn(grid.across, camera.x); ; column++) {
        const x = (place(grid.across, column) - camera.x) * camera.zoom;
        if (x >= stage.width) break;
        const cell = cellOn(grid, column, row);
        if (cell >= 0 && found.length < MOST) found.push([cell, x, y]);
      }
    }
    return found;
  };
  const write = () => {
    const { frame, layers } = store.state;
    const system = systemOf(store.state);
    const own = system && !applies("tasks", system) ? system.layers[0]?.id : undefined; // nodes without tasks tell what the system does there
    const told = (id: string, cell: number) => cellValue(frame, layers, id, cell);
    visible().forEach(([cell], i) => {
      const { parts } = card(i);
      const lines = [String(cell), `CPU ${told("cpu", cell)}`, `mem ${told("memory", cell)}`, own ? told(own, cell) : `${told("tasks", cell)} tasks`, /\((\w+)\)/.exec(told("class", cell))?.[1] ?? told("class", cell)];
      lines.forEach((line, k) => say(parts[k], line));
    });
  };
  const update = atMostEvery(400, () => element.hidden || write());
  let shown = 0;
  const arrange = () => {
    const places = visible();
    element.hidden = places.length === 0;
    if (element.hidden && shown === 0) return;
    const size = store.state.camera.zoom;
    element.style.setProperty("--cell", `${size}px`);
    element.classList.toggle("small", size < 84);
    places.forEach(([, x, y], i) => (card(i).element.style.transform = `translate(${Math.round(x)}px, ${Math.round(y)}px)`));
    cards.forEach(({ element: one }, i) => (one.hidden = i >= places.length));
    shown = places.length;
    write();
  };
  fill(element);
  return all(store.watch(["camera", "grid", "stage"], arrange), store.watch(["frame", "layers"], update));
}
