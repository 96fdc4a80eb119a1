// What the engine is asked about time after a fault.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ToWorker } from "../../src/base/messages.ts";
import { followCareful } from "../../src/model/slow.ts";
import { emptyState, Store } from "../../src/model/store.ts";

test("time slows while a fault heals, and further in its first second unless the system asks for reduced motion", () => {
  for (const [state, careful, stretch] of [
    [{}, true, true],
    [{ reducedMotion: true }, true, false],
    [{ careful: false }, false, true],
    [{ replayed: true }, false, true],
  ] as const) {
    const sent: ToWorker[] = [];
    const store = new Store(
      { ...emptyState(), layers: [{ id: "cpu" }] as never, reducedMotion: false, ...state },
      (one) => void sent.push(one),
    );
    followCareful(store)();
    assert.deepEqual(sent, [{ type: "slow_healing", on: careful, stretch }]);
  }
});
