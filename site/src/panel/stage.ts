// The stage: the cells, drawn here until the renderer takes over, the overlay
// that owns pointer and keys, and the menus upon it.
import { find, h } from "../base/dom.ts";
import { all, type Store } from "../model/store.ts";
import { fitAll } from "../model/look.ts";
import { cellValue } from "../model/cell.ts";
import { Drawing } from "./drawing.ts";
import { listen } from "./pointer.ts";
import { mountBreaker } from "./breaker.ts";
import { mountCards } from "./cards.ts";
import { mountDim } from "./dim.ts";
import { mountMinimap } from "./minimap.ts";
import { mountLegend } from "./legend.ts";
import { mountTip } from "./tip.ts";
import { mountFill } from "./fill.ts";

const MARGIN = 56; // CSS pixels below the cells: a legend of one line

export function mountStage(element: HTMLElement, store: Store): () => void {
  const canvas = h("canvas", { "aria-hidden": "true", class: "cells" });
  const map = h("div", {
    class: "map", tabindex: 0, role: "application", "aria-roledescription": "map", "aria-label": "Map of the cluster",
    "aria-describedby": "map-keys",
  });
  const tools = h("div.tools");
  const legend = h("div.legend");
  const tip = h("div.tip", { hidden: true, "aria-hidden": "true" });
  const spoken = h("p.hidden", { "aria-live": "polite" });
  const keys = h("p.hidden", { id: "map-keys" }, "Arrow keys move the cursor from node to node, Enter selects, Escape leaves. The Table tab shows the same as text.");
  const dim = h("canvas", { class: "dim", hidden: true, "aria-hidden": "true" });
  const cards = h("div.cards", { hidden: true, "aria-hidden": "true" });
  const minimap = h("div.minimap", { hidden: true, "aria-hidden": "true" });
  const breaker = h("section.breaker", { id: "breaker", hidden: true, "aria-label": "Break something" });
  find(".layers", element).replaceChildren(canvas);
  element.append(dim, cards, map, minimap, tools, legend, tip, breaker, keys, spoken);

  const drawing = new Drawing(canvas);
  let asked = 0;
  const paint = () => {
    asked = 0;
    const { grid, frame, layers, fill, palette, camera, cursor, selected } = store.state;
    if (!grid || !frame) return;
    const shown = Math.max(0, layers.findIndex(({ id }) => id === fill)); // while another run opens, its fill may not be there yet
    drawing.draw({ grid, frame, layers, fill: shown, palette, camera, cursor, selected });
    if (!element.dataset.drawn) {
      element.dataset.drawn = "canvas";
      performance.mark("parley-drawn");
    }
  };
  const repaint = () => {
    if (store.state.drawing === "canvas" && !asked) asked = requestAnimationFrame(paint);
  };
  const inspector = find("#inspector");
  const measure = () => {
    const [all, menus, key, beside] = [element, tools, legend, inspector].map((part) => part.getBoundingClientRect());
    const free = { top: Math.max(52, menus.bottom - all.top + 8), right: 16, bottom: Math.max(MARGIN, all.bottom - key.top + 8), left: 16 };
    const over = beside.width > 0 && beside.left < all.right && beside.top < all.bottom;
    if (over && beside.left > all.left) free.right = all.right - beside.left + 16; // a window of middle width: it stands at the right
    else if (over) free.bottom = Math.max(free.bottom, all.bottom - beside.top + 8); // a phone: it is a sheet from below
    element.style.setProperty("--covered", `${free.right - 16}px`);
    const { insets, fitted } = store.state;
    if ((Object.keys(free) as (keyof typeof free)[]).every((side) => Math.abs(free[side] - insets[side]) < 1)) return;
    store.set({ insets: free });
    if (fitted) fitAll(store);
  };
  const covers = new ResizeObserver(measure);
  covers.observe(tools);
  covers.observe(legend);
  covers.observe(inspector);
  const resize = new ResizeObserver(() => {
    const { width, height } = element.getBoundingClientRect();
    canvas.width = Math.max(1, Math.round(width * devicePixelRatio));
    canvas.height = Math.max(1, Math.round(height * devicePixelRatio));
    store.set({ stage: { width, height } });
    measure();
    if (store.state.fitted) fitAll(store);
    paint();
  });
  resize.observe(element);
  const speak = () => {
    const { cursor, grid, frame, layers } = store.state;
    if (document.activeElement !== map || cursor < 0 || !grid) return;
    const told = (id: string) => cellValue(frame, layers, id, cursor);
    spoken.textContent = `Node ${cursor}, rack ${grid.layout.rack[cursor]}: CPU ${told("cpu")}, memory ${told("memory")}, ${told("class")}`;
  };
  return all(
    () => resize.disconnect(),
    () => covers.disconnect(),
    listen(map, store),
    mountFill(tools, store),
    mountBreaker(breaker, store),
    mountDim(dim, store),
    mountCards(cards, store),
    mountMinimap(minimap, store),
    mountLegend(legend, store),
    mountTip(tip, store),
    store.watch(["grid"], () => store.state.fitted && fitAll(store)),
    store.watch(["frame", "grid", "fill", "palette", "camera", "cursor", "selected", "drawing"], repaint),
    store.watch(["cursor"], speak),
  );
}
