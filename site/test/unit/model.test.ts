// The small models: camera, grid, nodes, commands, exports, store.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Layer, Layout } from "../../src/base/messages.ts";
import { fit, hold, placeAt, zoomAt } from "../../src/model/camera.ts";
import { nextProblem, valueText } from "../../src/model/cell.ts";
import { Commands } from "../../src/model/commands.ts";
import { cell } from "../../src/model/export.ts";
import { cellAtPlace, cellOn, makeGrid, middleOf, neighbour } from "../../src/model/grid.ts";
import { aimAt, aimOf } from "../../src/model/look.ts";
import { matchingNodes, orderNodes, rackRows } from "../../src/model/nodes.ts";
import { emptyState, Store } from "../../src/model/store.ts";

// Two racks of 2 × 2 cells with a gap of half a cell between them, cells that are
// half as high again as wide:  01.45
//                              23.67
const layout: Layout = {
  columns: 5,
  rows: 2,
  blocks: [],
  x: Uint16Array.of(0, 1, 0, 1, 3, 4, 3, 4),
  y: Uint16Array.of(0, 0, 1, 1, 0, 0, 1, 1),
  rack: Int32Array.of(0, 0, 0, 0, 1, 1, 1, 1),
  pitch: { width: 2, height: 2, gapX: 0.5, gapY: 0.5, tall: 1.5 },
};
const grid = makeGrid(layout);
const layers: Layer[] = [
  { id: "cpu", name: "CPU used", unit: "" },
  { id: "state", name: "State", unit: "", names: ["up", "down", "overloaded"] },
  { id: "tasks", name: "Tasks", unit: "tasks", top: 40 },
];
const frame = {
  at: 0,
  sequence: 0,
  cells: 8,
  arcs: [],
  layers: [Uint8Array.of(100, 50, 0, 200, 220, 10, 20, 30), Uint8Array.of(0, 0, 1, 0, 2, 0, 0, 0), new Uint8Array(8)],
};

test("a point finds its cell, a gap none", () => {
  assert.equal(cellOn(grid, 3, 1), 6);
  assert.equal(cellOn(grid, 2, 0), -1);
  assert.equal(cellOn(grid, -1, 0), -1);
  assert.equal(cellOn(grid, 5, 0), -1);
  assert.deepEqual([grid.width, grid.height], [4.5, 3]);
  for (let cell = 0; cell < grid.cells; cell++) assert.equal(cellAtPlace(grid, ...middleOf(grid, cell)), cell);
  assert.equal(cellAtPlace(grid, 2.4, 1), -1, "in the gap");
  assert.equal(cellAtPlace(grid, 2.6, 1.4), 4);
  assert.equal(cellAtPlace(grid, -0.1, 1), -1);
});

test("where racks have no pitch, gaps are as wide as cells", () => {
  const plain = makeGrid({ ...layout, pitch: { width: 0, height: 0, gapX: 0, gapY: 0, tall: 0 } });
  assert.deepEqual([plain.width, plain.height], [5, 2]);
  assert.deepEqual(middleOf(plain, 4), [3.5, 0.5]);
  assert.equal(cellAtPlace(plain, 3.5, 0.5), 4);
});

test("the cursor steps over gaps and stays at the edge", () => {
  assert.equal(neighbour(grid, 1, 1, 0), 4);
  assert.equal(neighbour(grid, 5, 1, 0), 5);
  assert.equal(neighbour(grid, 4, 0, 1), 6);
  assert.equal(neighbour(grid, -1, 1, 0), 0);
});

test("the whole grid is in the middle of what is free, as large as it fits", () => {
  const none = { top: 0, right: 0, bottom: 0, left: 0 };
  const shown = (columns: number, rows: number, insets: typeof none) => {
    const { zoom, x, y } = fit(columns, rows, { width: 1000, height: 500 }, insets, 1);
    return { zoom, x: x + 0, y: y + 0 }; // never -0
  };
  assert.deepEqual(shown(100, 20, none), { zoom: 10, x: 0, y: -15 }, "wide: 150 pixels are free above and below");
  assert.deepEqual(shown(20, 100, none), { zoom: 5, x: -90, y: 0 }, "high: 450 pixels to the left and right");
  assert.deepEqual(shown(100, 20, { top: 40, right: 100, bottom: 0, left: 400 }), { zoom: 5, x: -80, y: -44 }, "beside menus");
});

test("zooming keeps the point under the pointer", () => {
  const stage = { width: 500, height: 300 };
  const camera = fit(5, 2, stage, { top: 10, right: 10, bottom: 10, left: 10 }, 1);
  const before = [camera.x + 123 / camera.zoom, camera.y + 45 / camera.zoom];
  const near = zoomAt(camera, 1.7, 123, 45, 1);
  assert.ok(Math.abs(near.x + 123 / near.zoom - before[0]) < 1e-9);
  assert.ok(Math.abs(near.y + 45 / near.zoom - before[1]) < 1e-9);
  assert.deepEqual(placeAt({ x: -1, y: 2, zoom: 10 }, 250, 150), [24, 17]);
  const held = hold({ x: 900, y: -900, zoom: 10 }, 5, 2, stage);
  assert.deepEqual([held.x + 25, held.y + 15], [5, 0]);
});

test("nodes are found by number, rack and state", () => {
  const found = (filter: string) => matchingNodes(grid, frame, layers, filter);
  assert.deepEqual(found(""), [0, 1, 2, 3, 4, 5, 6, 7]);
  assert.deepEqual(found("rack 1"), [4, 5, 6, 7]);
  assert.deepEqual(found("node 3"), [3]);
  assert.deepEqual(found("3"), [3]);
  assert.deepEqual(found("down"), [2]);
  assert.deepEqual(found("nonsense"), []);
  assert.deepEqual(found("cpu > 49"), [0, 3, 4], "bytes of 200 are 100 %");
  assert.deepEqual(found("cpu > 50"), [3, 4], "a node at 50 % is not above it");
  assert.deepEqual(found("cpu < 50"), [1, 2, 5, 6, 7], "nor below it");
  assert.deepEqual(found("CPU used<10%"), [2, 5]);
  assert.deepEqual(found("speed > 1"), [], "no such layer");
  assert.deepEqual(found("state > 1"), [], "a category has no size");
  assert.deepEqual(orderNodes([0, 1, 2, 3, 4], frame, 0), [4, 3, 0, 1, 2]);
});

test("a rack's means are those of its nodes that are up", () => {
  const [first, second] = rackRows(grid, frame, layers);
  assert.deepEqual({ ...first, means: first.means[0] }, { rack: 0, nodes: 4, down: 1, overloaded: 0, means: 350 / 3 });
  assert.equal(second.overloaded, 1);
});

test("bytes of a layer in words", () => {
  assert.equal(valueText(layers[0], 166), "83 %");
  assert.equal(valueText(layers[0], 255), "127 % or more");
  assert.equal(valueText(layers[1], 1), "down");
  assert.equal(valueText(layers[2], 70), "14");
});

test("characters go before places on the keyboard, and nothing else does", () => {
  const ran: string[] = [];
  const commands = new Commands();
  commands.add(
    { id: "step", title: "Step", group: "Run", keys: [{ code: "Period", label: "." }], run: () => ran.push("step") },
    { id: "palette", title: "Palette", group: "Help", keys: [{ code: ">", label: ">" }], run: () => ran.push("palette") },
    {
      id: "open",
      title: "Open",
      group: "Run",
      keys: [{ code: "KeyO", label: "Ctrl+O", ctrl: true }],
      unavailable: () => "not now",
      run: () => ran.push("open"),
    },
  );
  const press = (code: string, key: string, held: Partial<Record<"ctrlKey" | "shiftKey" | "altKey", boolean>> = {}, letters = true) =>
    commands.find({ code, key, ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, ...held }, letters)?.id;
  assert.equal(press("Period", "."), "step");
  assert.equal(press("Period", ">", { shiftKey: true }), "palette");
  assert.equal(press("Period", ".", {}, false), undefined);
  assert.equal(press("KeyO", "o"), undefined);
  assert.equal(press("KeyO", "o", { ctrlKey: true }, false), "open");
  assert.equal(press("KeyO", "o", { ctrlKey: true, altKey: true }), undefined);
  assert.equal(commands.run("open"), false);
  assert.equal(commands.run("step"), true);
  assert.deepEqual(ran, ["step"]);
  assert.throws(() => commands.add({ id: "step", title: "", group: "Run", run: () => {} }), /twice/);
});

test("a cell of CSV is never a formula", () => {
  assert.equal(cell("=1+1"), "'=1+1");
  assert.equal(cell("@x,y"), '"\'@x,y"');
  assert.equal(cell('say "hi"'), '"say ""hi"""');
  assert.equal(cell(-5), "-5");
});

test("watchers hear once of all changes of a turn", async () => {
  const store = new Store(emptyState(), () => {});
  let heard = 0;
  const stop = store.watch(["fill", "palette"], () => heard++);
  assert.equal(heard, 1);
  store.set({ fill: "memory" });
  store.set({ palette: "grey", tab: "table" });
  assert.equal(heard, 1);
  await Promise.resolve();
  assert.equal(heard, 2);
  store.set({ tab: "charts" });
  stop();
  store.set({ fill: "cpu" });
  await Promise.resolve();
  assert.equal(heard, 2);
});

test("the next problem is found all around", () => {
  const layers = [{ id: "state", name: "State", unit: "", names: ["up", "down", "overloaded"] }];
  const frame = { at: 0, sequence: 0, cells: 5, layers: [new Uint8Array([0, 2, 0, 1, 0])], arcs: [] };
  assert.deepEqual(
    [-1, 1, 3, 4].map((after) => nextProblem(frame, layers, after)),
    [1, 3, 1, 1],
  );
  assert.equal(nextProblem({ ...frame, layers: [new Uint8Array(5)] }, layers, 2), -1);
  assert.equal(nextProblem(undefined, [], -1), -1);
});

test("where a viewer looks is the same node and size in a window of another size", () => {
  Object.assign(globalThis, { devicePixelRatio: 1 });
  const columns = 40;
  const x = Uint16Array.from({ length: 1600 }, (_, i) => i % columns);
  const y = Uint16Array.from({ length: 1600 }, (_, i) => Math.floor(i / columns));
  const grid = makeGrid({
    columns,
    rows: 40,
    blocks: [],
    x,
    y,
    rack: new Int32Array(1600),
    pitch: { width: 10, height: 10, gapX: 1, gapY: 1, tall: 1 },
  });
  for (const [width, height] of [
    [1280, 600],
    [390, 500],
  ]) {
    const store = new Store(emptyState(), () => {});
    store.set({ grid, stage: { width, height } });
    assert.equal(aimOf(store.state), undefined, "all is shown");
    for (const aim of [
      { node: 777, zoom: 3.5 },
      { node: 0, zoom: 1 },
      { node: 1599, zoom: 2.25 },
    ]) {
      aimAt(store, aim);
      assert.deepEqual(aimOf(store.state), aim, `${width}`);
    }
    aimAt(store, { node: 999_999, zoom: 1 });
    assert.deepEqual(aimOf(store.state), { node: 1599, zoom: 1 });
  }
});
