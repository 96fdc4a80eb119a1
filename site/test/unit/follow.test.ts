// A task that is followed: the selection goes with it, and the picture no further than it must.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Followed, NodeReport, ToWorker } from "../../src/base/messages.ts";
import { pointOf } from "../../src/model/camera.ts";
import { FrameKeeper, receive } from "../../src/model/engine.ts";
import { makeGrid, middleOf } from "../../src/model/grid.ts";
import { follow, select, whereabouts } from "../../src/model/look.ts";
import { emptyState, Store } from "../../src/model/store.ts";

const CELLS = 100; // in one row

function start() {
  const sent: ToWorker[] = [];
  const store = new Store(
    {
      ...emptyState(),
      grid: makeGrid({
        columns: CELLS,
        rows: 1,
        blocks: [],
        x: Uint16Array.from({ length: CELLS }, (_, i) => i),
        y: new Uint16Array(CELLS),
        rack: new Int32Array(CELLS),
        pitch: { width: 0, height: 0, gapX: 0, gapY: 0, tall: 1 },
      }),
      stage: { width: 400, height: 300 },
      camera: { x: -2, y: -6.5, zoom: 20 },
    },
    (message) => sent.push(message),
  );
  const reported = (node: number, followed?: Partial<Followed>) =>
    receive(
      store,
      {
        type: "node",
        report: { node } as NodeReport,
        ...(followed ? { followed: { task: "17", name: "3-1", state: "running", to: -1, ...followed } } : {}),
      },
      new FrameKeeper(),
      () => {},
    );
  const seen = (cell: number) => {
    const { grid, camera, stage, insets } = store.state;
    assert.ok(grid);
    const [x] = pointOf(camera, middleOf(grid, cell));
    return x > insets.left && x < stage.width - insets.right;
  };
  return { store, sent, reported, seen };
}

test("the selection goes with a followed task, and its node is kept on the stage", () => {
  const { store, sent, reported, seen } = start();
  select(store, 3);
  reported(3);
  follow(store, { task: "17", name: "3-1" });
  const asked = sent.at(-1);
  assert.ok(asked?.type === "inspect" && asked.node === 3 && asked.follow?.task === "17" && asked.follow.name === "3-1");
  reported(3, {});
  const before = store.state.camera;
  reported(5, {});
  assert.equal(store.state.selected, 5);
  assert.equal(store.state.report?.node, 5);
  assert.equal(store.state.camera, before, "node 5 is on the stage anyway");
  assert.ok(!seen(90));
  reported(90, { state: "migrating", to: 91 });
  assert.equal(store.state.selected, 90);
  assert.ok(seen(90));
  assert.equal(store.state.camera.zoom, before.zoom);
  assert.deepEqual(store.state.followed, { task: "17", name: "3-1", state: "migrating", to: 91 });
});

test("another node ends it, and so does the viewer; what comes late changes nothing", () => {
  const { store, sent, reported } = start();
  select(store, 3);
  follow(store, { task: "17", name: "3-1" });
  select(store, 8);
  assert.deepEqual(sent.at(-1), { type: "inspect", node: 8 });
  reported(5, {});
  assert.equal(store.state.selected, 8);
  assert.equal(store.state.report, undefined);

  follow(store, { task: "17", name: "3-1" });
  reported(9, {});
  follow(store);
  assert.deepEqual(sent.at(-1), { type: "inspect", node: 9 });
  reported(10, {});
  assert.equal(store.state.selected, 9);
  assert.equal(store.state.followed, undefined);

  follow(store, { task: "18", name: "3-2" });
  reported(11, {}); // of the task that was followed before
  assert.equal(store.state.selected, 9);
});

test("how a followed task is, in a sentence", () => {
  const task = { task: "17", name: "3-1", state: "running", to: -1 };
  assert.equal(whereabouts(task, 77), "Task 3-1 runs on node 77.");
  assert.equal(whereabouts({ ...task, state: "migrating", to: 0 }, 77), "Task 3-1 moves from node 77 to node 0.");
  assert.equal(whereabouts({ ...task, state: "waiting" }, 77), "Task 3-1 waits for a place. It was last on node 77.");
  assert.match(whereabouts({ ...task, state: "" }, 77), /^Task 3-1 is not found at this moment/);
});
