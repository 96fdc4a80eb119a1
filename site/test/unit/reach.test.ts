// How high a chart reaches.
import assert from "node:assert/strict";
import { test } from "node:test";
import { afterFirst, reach } from "../../src/place/watch/model/reach.ts";

test("a chart reaches its highest value, but for a first one far above all others", () => {
  assert.deepEqual(
    reach([
      [1, 5, 2],
      [4, 3],
    ]),
    { top: 5, first: 0, many: 0 },
  );
  assert.deepEqual(reach([[15, 5, 2]]), { top: 15, first: 0, many: 0 }, "three times as high is still drawn");
  assert.deepEqual(reach([[16, 5, 2]]), { top: 5, first: 16, many: 1 });
  assert.deepEqual(reach([[1, 5, 2], [16, 0, 1], [20]]), { top: 5, first: 20, many: 1 }, "of all lines together");
  assert.deepEqual(reach([[16, 0, 0]]), { top: 16, first: 0, many: 0 }, "nothing else is there to be seen");
  assert.deepEqual(reach([[16]]), { top: 16, first: 0, many: 0 });
  assert.deepEqual(reach([[], [null, undefined, 2]]), { top: 2, first: 0, many: 0 });
});

test("a line may begin after others", () => {
  assert.deepEqual(reach([[null, null, 600, 1, 2, 3]]), { top: 3, first: 600, many: 1 });
});

test("a first value that stands until the next minute is one, and two minutes may be a beginning", () => {
  assert.deepEqual(reach([[null, 6091, 6091, 6091, 27, 30]]), { top: 30, first: 6091, many: 1 });
  assert.deepEqual(reach([[6091, 900, 900, 30, 27]]), { top: 30, first: 6091, many: 2 });
  assert.deepEqual(reach([[6091, 900, 800, 700]]), { top: 900, first: 6091, many: 1 }, "as few as possible");
  assert.deepEqual(reach([[100, 0, 0.056, 0]]), { top: 0.056, first: 100, many: 1 });
  assert.deepEqual(reach([[9, 8, 7, 6, 1]]), { top: 9, first: 0, many: 0 }, "what falls slowly is drawn");
  assert.equal(afterFirst([null, 5, 5, 3, 3, 1], 2), 5);
  assert.equal(afterFirst([], 1), 0);
});
