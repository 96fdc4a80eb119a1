// Which lines of a feed are one story, and how it is told.
import assert from "node:assert/strict";
import { test } from "node:test";
import { SECOND } from "../../src/base/format.ts";
import type { Line } from "../../src/base/messages.ts";
import { told } from "../../src/model/feed.ts";

const line = (seconds: number, text: string, ref = 0): Line => ({ at: Math.round(seconds * SECOND), text, ref });
const shown = (lines: Line[]) => told(lines).map(({ text, follows }) => (follows ? "… " : "") + text);

test("what one node does within a second is told from its beginning", () => {
  const lines = [
    line(9.7, "Node 7870 moves a task to node 3796 by force", 806),
    line(9.5, "Node 7870 moves a task to node 9615 (score 9.8)", 808),
    line(9.1, "Node 7870 is overloaded and looks for tasks to move (7 candidates)"),
    line(8.9, "Node 7584 moves a task to node 6108 by force", 804),
  ];
  assert.deepEqual(shown(lines), [
    "Node 7870 is overloaded and looks for tasks to move (7 candidates)",
    "… moves a task to node 9615 (score 9.8)",
    "… moves a task to node 3796 by force",
    "Node 7584 moves a task to node 6108 by force",
  ]);
  assert.deepEqual(
    told(lines).map(({ ref }) => ref),
    [0, 808, 806, 804],
    "each keeps its log",
  );
});

test("another node, another second and words without a node begin a story of their own", () => {
  const apart = [
    line(2, "Node 12 is down"),
    line(1.99, "Node 12 is up"),
    line(1.5, "Node 7 asks node 12"),
    line(1.2, "Node 12 answers node 7"),
    line(1.1, "broker 1 is down"),
    line(1, "broker 1 is up"),
  ];
  assert.deepEqual(
    shown(apart),
    apart.map(({ text }) => text),
  );
  assert.deepEqual(shown([line(1, "The same words"), line(1, "The same words")]), ["The same words", "The same words"]);
  assert.deepEqual(told([]), []);
});
