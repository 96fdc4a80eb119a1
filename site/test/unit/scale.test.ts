// The scale of the cells, which spends its colours where the values are.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Layer } from "../../src/base/messages.ts";
import { fitScale, tally, WHOLE } from "../../src/model/scale.ts";
import { emptyState, type State, Store } from "../../src/model/store.ts";
import { followScale } from "../../src/place/watch/model/followscale.ts";

const layers: Layer[] = [
  { id: "cpu", name: "CPU used", unit: "" },
  { id: "state", name: "State", unit: "", names: ["up", "down"] },
];
const frameOf = (values: number[], down: number[] = []) => ({
  at: 0,
  sequence: 0,
  cells: values.length,
  arcs: [],
  layers: [Uint8Array.from(values), Uint8Array.from(values, (_, i) => (down.includes(i) ? 1 : 0))],
});

test("from the 1st to the 99.5th percentile of the nodes that are up", () => {
  const values = Array.from({ length: 1000 }, (_, i) => 60 + (i % 80));
  const fitted = fitScale(tally(frameOf([0, 0, 0, ...values, 250], [0, 1, 2]), layers, 0));
  assert.deepEqual(fitted, { low: 60, high: 140 }, "nodes that are down and one outlier do not count");
  assert.deepEqual(fitScale(tally(frameOf([100, 100, 101, 102]), layers, 0)), { low: 100, high: 120 }, "noise is not blown up");
  assert.equal(fitScale(tally(frameOf([0, 0]), layers, 0)), undefined, "nothing to scale yet");
});

test("of several layers the largest value of a node counts", () => {
  const frame = frameOf([100, 7, 200], [1]);
  frame.layers.push(Uint8Array.of(20, 250, 30), Uint8Array.of(110, 3, 40));
  const counts = tally(frame, layers, 0, 2, 3);
  assert.deepEqual(
    [...counts.entries()].filter(([, nodes]) => nodes > 0),
    [
      [110, 1],
      [200, 1],
    ],
  ); // the second node is down
});

test("the range stays while a run goes on", async () => {
  const store = new Store(emptyState(), () => {});
  followScale(store);
  const given = async (change: Partial<State>) => {
    store.set(change);
    await Promise.resolve();
    await Promise.resolve(); // what followed from it, too
    return store.state.scale;
  };
  assert.deepEqual(await given({ layers, frame: frameOf([0, 0, 0]) }), WHOLE);
  assert.deepEqual(await given({ frame: frameOf([40, 60, 80]) }), { low: 40, high: 80 });
  assert.deepEqual(await given({ frame: frameOf([...new Array<number>(19).fill(60), 200]) }), { low: 40, high: 80 }, "values moved on");
  assert.deepEqual(await given({ whole: true }), WHOLE);
  assert.deepEqual(await given({ whole: false }), { low: 60, high: 200 });
  await given({ frame: undefined });
  assert.deepEqual(await given({ frame: frameOf([100, 120, 140]) }), { low: 100, high: 140 }, "another run");
});

test("the moment of a link has its own range, whatever was seen on the way there", async () => {
  const seen = async (on: number[][]) => {
    const store = new Store(emptyState(), () => {});
    followScale(store);
    const given = async (change: Partial<State>) => {
      store.set(change);
      await Promise.resolve();
      await Promise.resolve();
    };
    await given({ session: { is: "running", verdict: "", arrival: { at: 9, digest: "", play: false, shared: false } }, layers });
    for (const [i, values] of on.entries()) await given({ frame: { ...frameOf(values), at: i } });
    await given({ session: { is: "running", verdict: "" } }); // its status may be there before its frame
    await given({ frame: { ...frameOf([50, 60, 90]), at: 9 } });
    return store.state.scale;
  };
  assert.deepEqual(await seen([]), { low: 48, high: 92 });
  assert.deepEqual(await seen([[40, 60, 80]]), { low: 48, high: 92 });
  assert.deepEqual(
    await seen([
      [0, 60, 200],
      [40, 100, 101],
    ]),
    { low: 48, high: 92 },
  );
});
