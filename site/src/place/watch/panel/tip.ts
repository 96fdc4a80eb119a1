// The tooltip beside the cell under the pointer or the keyboard's cursor.
import { h } from "../../../base/dom.ts";
import { pointOf } from "../../../model/camera.ts";
import { cellValue } from "../../../model/cell.ts";
import { targetName } from "../../../model/faults.ts";
import { middleOf } from "../../../model/grid.ts";
import type { Store } from "../../../model/store.ts";
import { systemOf } from "../../../model/systems.ts";

export function mountTip(element: HTMLElement, store: Store<"engine" | "run" | "reported" | "look" | "chosen">): () => void {
  const title = h("b");
  const rack = h("span.quiet");
  const load = h("div.num");
  const state = h("div.quiet");
  element.replaceChildren(h("div", {}, title, rack), load, state);
  return store.watch(["cursor", "camera", "frame", "grid"], () => {
    const { cursor, grid, camera, stage, insets, frame, layers } = store.state;
    element.hidden = cursor < 0 || !grid || cursor >= grid.cells;
    if (element.hidden || !grid) return;
    const told = (id: string) => cellValue(frame, layers, id, cursor);
    const system = systemOf(store.state);
    title.textContent = targetName(`node.${cursor}`, system, grid);
    rack.textContent = grid.layout.noRacks ? "" : ` · ${targetName(`rack.${grid.layout.rack[cursor]}`, system, grid)}`;
    load.textContent = [`CPU ${told("cpu")}`, `memory ${told("memory")}`, `${told("tasks")} tasks`].join(" · ");
    const up = told("state");
    state.textContent = [system?.classes ? told("class") : "", up === "migrating" ? "migrating" : ""].filter(Boolean).join(" · ");
    const [x, y] = pointOf(camera, middleOf(grid, cursor));
    const away = camera.zoom / 2 + 10;
    const { offsetWidth: width, offsetHeight: height } = element;
    // Beside the cell, and clear of the menus and the legend as long as the cell is.
    const left = x + away + width < stage.width - Math.min(insets.right, 16) ? x + away : x - away - width;
    const top = Math.max(Math.min(insets.top, stage.height - height), Math.min(stage.height - insets.bottom - height, y - height / 2));
    element.style.transform = `translate(${Math.round(Math.max(8, left))}px, ${Math.round(top)}px)`;
  });
}
