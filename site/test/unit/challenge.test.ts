// The challenge: cells that the scheduler to beat plays, and the table of known ones.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { type Challenge, cellOf, linesOf } from "../../src/model/challenge.ts";

const challenge = JSON.parse(readFileSync("../assets/challenge.json", "utf8")) as Challenge;

test("a cell begins with the scheduler to beat", () => {
  const { name, system, settings, cluster, faults, until } = cellOf(challenge, 2);
  assert.deepEqual(
    [name, system, settings, cluster, until],
    ["Beat best fit: a rack fails", "central", { policy: "best-fit" }, { nodes: 300 }, "3h"],
  );
  assert.equal(faults?.length, 2);
});

test("a line has the score with its interval, each cell, and the difference with its sign", () => {
  const lines = linesOf(challenge);
  assert.equal(lines.length, challenge.known.length);
  assert.deepEqual([lines[0][0], ...lines[0].slice(-2)], ["best fit", "", ""], "the one to beat differs from nothing");
  assert.match(lines[1][1], /^[\d.]+ \([\d.]+ to [\d.]+\)$/);
  assert.match(lines[1][5], /^\+[\d.]+ \([\d.]+ to [\d.]+\)$/);
  assert.equal(lines[1][6], "beats best fit");
  const [best, worst] = challenge.rows;
  assert.ok(
    worst.name === "worst fit" && worst.cells.every((score, i) => score > best.cells[i]),
    "the challenge says that worst fit beats best fit in every cell",
  );
  const row = { name: "x", score: { mean: 1 }, cells: [], difference: { mean: -1, low: -2, high: -0.5 }, verdict: "" };
  assert.deepEqual(linesOf({ ...challenge, rows: [row] }), [["x", "1", "-1 (-2 to -0.5)", ""]]);
});
