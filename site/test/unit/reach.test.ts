// How high a chart reaches.
import assert from "node:assert/strict";
import { test } from "node:test";
import { reach } from "../../src/model/reach.ts";

test("a chart reaches its highest value, but for a first one far above all others", () => {
  assert.deepEqual(
    reach([
      [1, 5, 2],
      [4, 3],
    ]),
    { top: 5, first: 0 },
  );
  assert.deepEqual(reach([[15, 5, 2]]), { top: 15, first: 0 }, "three times as high is still drawn");
  assert.deepEqual(reach([[16, 5, 2]]), { top: 5, first: 16 });
  assert.deepEqual(reach([[1, 5, 2], [16, 0, 1], [20]]), { top: 5, first: 20 }, "of all lines together");
  assert.deepEqual(reach([[16, 0, 0]]), { top: 16, first: 0 }, "nothing else is there to be seen");
  assert.deepEqual(reach([[16]]), { top: 16, first: 0 });
  assert.deepEqual(reach([[], [null, undefined, 2]]), { top: 2, first: 0 });
});

test("a line may begin after others", () => {
  assert.deepEqual(reach([[null, null, 600, 1, 2, 3]]), { top: 3, first: 600 });
});
