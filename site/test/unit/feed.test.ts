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
    line(9.7, "7870 tells 3796 to take the task by force", 806),
    line(9.5, "7870 tells 9615 to take the task (score 9.76)", 808),
    line(9.1, "7870 is overloaded and chooses among 7 tasks"),
    line(8.9, "7584 tells 6108 to take the task by force", 804),
  ];
  assert.deepEqual(shown(lines), [
    "7870 is overloaded and chooses among 7 tasks",
    "… tells 9615 to take the task (score 9.76)",
    "… tells 3796 to take the task by force",
    "7584 tells 6108 to take the task by force",
  ]);
  assert.deepEqual(
    told(lines).map(({ ref }) => ref),
    [0, 808, 806, 804],
    "each keeps its log",
  );
});

test("another node, another second and words without a node begin a story of their own", () => {
  const apart = [
    line(2, "12 is down"),
    line(1.99, "12 is up"),
    line(1.5, "7 asks 12"),
    line(1.2, "12 answers 7"),
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
