// The page's state in slices: what a part of the page may read, set and watch.
import assert from "node:assert/strict";
import { test } from "node:test";
import { emptyState, Store } from "../../src/model/store.ts";

test("a part of the page sees the slices that it names, by its types, and changes the one state", async () => {
  const store = new Store(emptyState(), () => {});
  const paint = (look: Store<"look">) => {
    look.set({ palette: "grey" });
    // @ts-expect-error the filter is in another slice
    look.set({ filter: "down" });
    // @ts-expect-error so is the selection
    return [look.state.palette, look.state.selected];
  };
  const wider = (look: Store<"look">): Store<"look" | "chosen"> => {
    // @ts-expect-error a store of one slice is not one of two
    return look;
  };
  assert.deepEqual(paint(store), ["grey", -1]);
  assert.equal(wider(store), store);
  assert.equal(store.state.palette, "grey");

  let called = 0;
  const both: Store<"look" | "chosen"> = store;
  const stop = both.watch(["palette", "selected"], () => void called++);
  both.set({ palette: "dusk" });
  both.set({ selected: 3 });
  await Promise.resolve();
  assert.equal(called, 2, "once at first, and once for the changes of a turn");
  stop();
});
