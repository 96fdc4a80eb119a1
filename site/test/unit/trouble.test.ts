// What is offered beside trouble with a file.
import assert from "node:assert/strict";
import { test } from "node:test";
import { hasRows } from "../../src/panel/trouble.ts";

test("rows are left out of tables alone: a workflow is read whole or not at all", () => {
  assert.deepEqual(
    ["part-0.csv.gz", "a.swf", "", undefined, "montage.dax", "graph.JSON", "rand.stg.gz", "platform.xml"].map((name) => hasRows(name)),
    [true, true, true, true, false, false, false, false],
  );
});
