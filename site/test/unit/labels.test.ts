// The names upon the stage: of zones with their figures, where there is room for them, and
// of what failed.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Incident, Layout } from "../../src/base/messages.ts";
import { makeGrid } from "../../src/model/grid.ts";
import { emptyState, Store } from "../../src/model/store.ts";
import { fitName } from "../../src/panel/ganttdraw.ts";
import { mountLabels } from "../../src/place/watch/panel/labels.ts";
import { all, pass, place } from "./browser.ts";

const WIDE = 6; // pixels a character
Object.assign(globalThis, { getComputedStyle: () => ({ font: "" }) });
Object.assign(Object.getPrototypeOf(document.createElement("canvas")) as object, {
  getContext: () => ({ measureText: (words: string) => ({ width: WIDE * words.length }) }),
});

/** Three sites beside one another, each of two cells by two, with the figures of two of them. */
function stage(zoom: number, incidents: Partial<Incident>[] = [], y = 0, gapY = 0.1, groups = ["north", "south", "west"]): string[] {
  const layout = {
    columns: 8,
    rows: 2,
    x: Uint16Array.of(0, 1, 0, 1, 3, 4, 3, 4, 6, 7, 6, 7),
    y: Uint16Array.of(0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1),
    rack: Int32Array.of(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2),
    blocks: [0, 1, 2].map((rack) => ({ rack, ...(rack > 0 && { group: rack }), x: 3 * rack, y: 0, width: 2, height: 2 })), // as JSON leaves 0 out
    pitch: { width: 2, height: 2, gapX: 0.2, gapY, tall: 1 },
    groups,
    zones: ["north", "south", "west"].map((name, rack) => ({ name, rack })),
  } as unknown as Layout;
  const status = { at: 60e6, zones: ["3 waiting", "", "12 waiting"] } as unknown as NonNullable<ReturnType<typeof emptyState>["status"]>;
  const one = { at: 0, whole: true, back: 0, nodes: 4, lost: 5, again: 2, ended: 0, subject: "Site south", rack: 1 };
  const store = new Store(
    {
      ...emptyState(),
      grid: makeGrid(layout),
      camera: { x: 0, y, zoom },
      stage: { width: 6.6 * zoom, height: 400 },
      insets: { top: 0, right: 0, bottom: 0, left: 0 },
      status,
      incidents: incidents.map((part) => ({ ...one, ...part }) as Incident),
    },
    () => {},
  );
  const element = place();
  const stop = mountLabels(element, store);
  const shown = all(element, "span").map((label) => `${label.className} ${label.textContent}`);
  stop();
  return shown;
}

test("each zone has its name and its figure, the first one too, and the name alone where there is no room for both", async () => {
  await pass(1000);
  assert.deepEqual(stage(60), ["group north · 3 waiting", "group south", "group west · 12 waiting"]);
  assert.deepEqual(stage(20), ["group north", "group south", "group west"], "a zone ends where the next one begins");
  assert.deepEqual(stage(10), [], "no name is cut, and none lies upon another");
});

test("what failed is named once, upon its own cells where these have room", async () => {
  await pass(1000);
  assert.deepEqual(stage(80, [{}]), ["fails south down · 3 waiting", "group north · 3 waiting", "group west · 12 waiting"]);
  assert.deepEqual(stage(60, [{}])[0], "fails south down", "the number is in the sentence");
  const lower = stage(20, [{}], -3, 1); // where there is room above its cells
  assert.deepEqual(lower, ["fails south down", "group north"], "beside its cells it lies upon no other name");
  assert.deepEqual(stage(60, [{ back: 4 }, { at: 90e6 }]), stage(60), "it is back, and what is to come is not told");
});

test("the name of a row keeps its number where it has no room", () => {
  const fits = (most: number) => (shown: string) => shown.length <= most;
  assert.equal(fitName("× resource 53", fits(20)), "× resource 53");
  assert.equal(fitName("× resource 53", fits(9)), "× res… 53");
  assert.equal(fitName("× resource 53", fits(1)), "×… 53");
  assert.equal(fitName("node-of-a-platform", fits(8)), "node-of…");
});

test("before a hall, where names are larger, racks have theirs only where there is room between the cells", () => {
  const before = globalThis.getComputedStyle;
  const named = (fontSize: string) => {
    Object.assign(globalThis, { getComputedStyle: () => ({ font: "", fontSize }) });
    return stage(20, [], -3, 1, []);
  };
  assert.deepEqual([named("11px"), named("22px")], [[" rack 0", " rack 1", " rack 2"], []]);
  Object.assign(globalThis, { getComputedStyle: before });
});
