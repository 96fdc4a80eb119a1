// Names upon the stage: what stands together, racks while cells are glyphs, and each
// rack that is down.
import { atMostEvery, h, say } from "../base/dom.ts";
import { count } from "../base/format.ts";
import { pointOf } from "../model/camera.ts";
import { place } from "../model/grid.ts";
import { all, type Store } from "../model/store.ts";

const MOST = 60; // at once
const RACKS = 14; // CSS pixels a cell from which on racks have their numbers
const HIGH = 16; // of a label

export function mountLabels(element: HTMLElement, store: Store<"told" | "look">): () => void {
  const labels: HTMLElement[] = [];
  let used = 0;
  const put = (text: string, kind: string, x: number, y: number) => {
    const { stage, insets } = store.state;
    if (used >= MOST || x > stage.width - 30 || x < -90 || y < insets.top - HIGH || y > stage.height - insets.bottom) return;
    let label = labels[used];
    if (!label) {
      label = h("span");
      labels.push(label);
      element.append(label);
    }
    used++;
    if (label.className !== kind) label.className = kind;
    say(label, text);
    label.hidden = false;
    label.style.transform = `translate(${Math.round(Math.max(4, x))}px, ${Math.round(y)}px)`;
  };
  const draw = () => {
    const { grid, camera, incidents, status, insets } = store.state;
    used = 0;
    if (grid) {
      const { blocks, groups = [] } = grid.layout;
      const corner = (block: (typeof blocks)[number]) => pointOf(camera, [place(grid.across, block.x), place(grid.down, block.y)]);
      const at = status?.at ?? 0;
      for (const one of incidents) {
        const block = one.at <= at && one.whole && one.back < one.nodes ? blocks.find(({ rack }) => rack === one.rack) : undefined;
        if (!block) continue;
        const [x, y] = corner(block);
        const above = y - HIGH - 6;
        const under = above < insets.top - 8; // the tools lie there
        put(`${one.what} down${one.lost > 0 ? ` · ${count(one.lost)} lost` : ""}`, "fails", x - 2, under ? y + 3 : above);
      }
      const gap = grid.down.gap * camera.zoom;
      let last = -1;
      let [row, right] = [-1, 0]; // the last name of a group, in its row
      for (const block of blocks) {
        const { group = 0 } = block;
        const [x, y] = corner(block);
        const named = groups[group] ?? "";
        if (named && group !== last && (block.y !== row || x > right)) {
          put(named, "group", x, gap >= HIGH - 4 ? y - HIGH + 1 : y); // where nothing lies between groups, upon its own cells
          [row, right] = [block.y, x + 7 * named.length + 12];
        } else if (camera.zoom >= RACKS && block.rack >= 0 && gap >= HIGH - 4) put(`rack ${block.rack}`, "", x, y - HIGH + 1);
        last = group;
      }
    }
    for (let i = used; i < labels.length; i++) labels[i].hidden = true;
  };
  const soon = atMostEvery(250, draw);
  return all(store.watch(["camera", "grid", "stage", "insets"], draw), store.watch(["incidents", "status"], soon));
}
