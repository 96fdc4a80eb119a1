// What is offered beside trouble with a file.
import assert from "node:assert/strict";
import { test } from "node:test";
import { adviceOf, hasRows } from "../../src/panel/trouble.ts";

test("rows are left out of tables alone: a workflow is read whole or not at all", () => {
  assert.deepEqual(
    [
      "part-0.csv.gz",
      "a.swf",
      "",
      undefined,
      "montage.dax",
      "graph.JSON",
      "rand.stg.gz",
      "platform.xml",
      "flow.dot",
      "flow.gv",
      "a.jsonl",
    ].map((name) => hasRows(name)),
    [true, true, true, true, false, false, false, false, false, false, true],
  );
});

test("advice is about what was opened: one file is not told of others, and a graph has no rows", () => {
  const one = (part: object) => adviceOf({ class: "wrong-table", sentence: "", ...part } as Parameters<typeof adviceOf>[0]);
  const file = {} as File;
  assert.doesNotMatch(one({ files: [file] }).join(), /together/);
  assert.match(one({ files: [file, file] }).join(), /together/);
  assert.match(one({ class: "bad-line", file: "a.csv" }).join(), /skip rows/);
  assert.doesNotMatch(one({ class: "bad-line", file: "cycle.dot" }).join(), /row/);
});
