// Names upon the stage: zones and other groups with a figure, racks while cells are
// glyphs, and each rack that is down. A name has the room of its own cells.
import { atMostEvery, h, say } from "../../../base/dom.ts";
import { count } from "../../../base/format.ts";
import { pointOf } from "../../../model/camera.ts";
import { place } from "../../../model/grid.ts";
import { all, type Store } from "../../../model/store.ts";
import { waitingOf } from "../model/sentence.ts";

const MOST = 60; // at once
const RACKS = 14; // CSS pixels a cell from which on racks have their numbers
const HIGH = 16; // of a label in the usual type
const TYPE = 11; // pixels of that type
const FRAME = 16; // that the label of what failed is wider than its text

export function mountLabels(element: HTMLElement, store: Store<"reported" | "look">): () => void {
  const labels: HTMLElement[] = [];
  const pen = h("canvas").getContext("2d");
  const widths = new Map<string, number>();
  let high = HIGH;
  let used = 0;
  let taken: { x: number; y: number; right: number }[] = []; // where the labels of what failed lie beside their cells
  const widthOf = (text: string) => {
    let width = widths.get(text) ?? 0;
    if (width > 0 || !pen) return width;
    if (widths.size === 0) pen.font = getComputedStyle(element).font;
    width = pen.measureText(text).width;
    widths.set(text, width);
    return width;
  };
  const isFree = (text: string, x: number, y: number, more = 0) =>
    taken.every((other) => x > other.right || x + widthOf(text) + more < other.x || Math.abs(y - other.y) >= high + 4);
  const put = (text: string, kind: string, x: number, y: number) => {
    const { stage, insets } = store.state;
    if (used >= MOST || x > stage.width - 30 || x < -90 || y < insets.top - high || y > stage.height - insets.bottom) return;
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
    const { grid, camera, incidents, status, insets, stage } = store.state;
    used = 0;
    taken = [];
    const now = HIGH * (Number.parseFloat(getComputedStyle(element).fontSize) / TYPE || 1); // before a hall it is larger
    if (now !== high) widths.clear();
    high = now;
    if (grid) {
      const { blocks, groups = [], zones = [] } = grid.layout;
      const point = (x: number, y: number) => pointOf(camera, [place(grid.across, x), place(grid.down, y)]);
      const figures = new Map(zones.map(({ name }, i) => [name, status?.zones?.[i]]));
      const at = status?.at ?? 0;
      const failed = new Set<number>();
      for (const one of incidents) {
        const block = one.at <= at && one.whole && one.back < one.nodes ? blocks.find(({ rack }) => rack === one.rack) : undefined;
        if (!block || failed.has(one.rack)) continue;
        failed.add(one.rack);
        const [x, y] = point(block.x, block.y);
        const [right, bottom] = point(block.x + block.width, block.y + block.height);
        const waiting = waitingOf(one);
        const what = `${zones.find(({ rack }) => rack === one.rack)?.name ?? one.subject} down`;
        const texts = [...(waiting > 0 ? [`${what} · ${count(waiting)} waiting`] : []), what];
        const room = bottom - y > high + 6 ? right - x + 2 * grid.across.gap * camera.zoom : 0;
        const fits = texts.find((text) => widthOf(text) + FRAME <= room);
        const above = y - high - 6;
        if (fits)
          put(fits, "fails", (x + right - widthOf(fits) - FRAME) / 2, y + 3); // upon its own cells, which say nothing
        else {
          const left = Math.max(4, Math.min(x - 2, stage.width - widthOf(what) - FRAME - 4));
          const y = above < insets.top - 8 ? bottom + 4 : above; // below the tools
          if (!isFree(what, left, y, FRAME)) continue;
          put(what, "fails", left, y);
          taken.push({ x: left, y, right: left + widthOf(what) + FRAME });
        }
      }
      const gap = grid.down.gap * camera.zoom;
      let last = -1;
      for (const [i, block] of blocks.entries()) {
        const { group = 0 } = block;
        const [x, y] = point(block.x, block.y);
        const named = groups[group] ?? "";
        const above = gap >= high - 4;
        if (named && group !== last && !failed.has(block.rack)) {
          const next = blocks.slice(i).find((other) => (other.group ?? 0) !== group);
          const room = (next && next.y === block.y ? point(next.x, next.y)[0] : stage.width) - x;
          const figure = figures.get(named);
          const top = above ? y - high + 1 : y; // where nothing lies between groups, upon its own cells
          const text = [...(figure ? [`${named} · ${figure}`] : []), named].find(
            (words) => widthOf(words) <= room && isFree(words, x, top),
          );
          if (text) put(text, "group", x, top);
        } else if (camera.zoom >= RACKS && !named && block.rack >= 0 && above) {
          const text = `rack ${block.rack}`;
          if (isFree(text, x, y - high + 1)) put(text, "", x, y - high + 1);
        }
        last = group;
      }
    }
    for (let i = used; i < labels.length; i++) labels[i].hidden = true;
  };
  const soon = atMostEvery(250, draw);
  return all(store.watch(["camera", "grid", "stage", "insets"], draw), store.watch(["incidents", "status"], soon));
}
