// What the timeline's band marks, and in which words.
import assert from "node:assert/strict";
import { test } from "node:test";
import { MINUTE } from "../../src/base/format.ts";
import type { Incident } from "../../src/base/messages.ts";
import { Series } from "../../src/model/series.ts";
import { emptyState, type State } from "../../src/model/store.ts";
import { marksOf, nextMark, wordsAround } from "../../src/place/watch/model/marks.ts";
import { described } from "./describe.ts";

const system = described({
  id: "market",
  omissions: [
    { column: "failed_sum", when: "grows", words: "Auctions failed" },
    { column: "late_sum", when: "grows", words: "Deadlines missed", of: "graphs" },
    { column: "late_sum", when: "grows", words: "Jobs late", of: "jobs" },
    { column: "forced", when: "above", words: "Forced a minute" },
    { column: "nobody_measures", when: "above", words: "Nothing" },
  ],
});

function told(at: number): State {
  const series = new Series();
  const column = (id: string, unit: string, values: number[]) => ({ id, name: id, unit, values });
  series.append(
    true,
    [1, 2, 3, 4].map((i) => i * MINUTE),
    [
      column("migrations", "", [0, 12, 3, 0]),
      column("failed_sum", "", [2, 2, 5, 5]),
      column("late_sum", "", [0, 0, 0, 2]),
      column("forced", "", [0, 0.25, 0, 0]),
    ],
  );
  const down = {
    rack: 137,
    node: 1,
    nodes: 40,
    whole: true,
    back: 0,
    again: 0,
    ended: 0,
    first: 0,
    half: 0,
    last: 0,
    noun: "task",
    summary: "",
    cost: "",
  };
  const incidents: Incident[] = [
    { ...down, at: 2.5 * MINUTE, subject: "Node 7", lost: 1 },
    { ...down, at: 2 * MINUTE, subject: "Rack 137", lost: 1312 },
    { ...down, at: 3 * MINUTE, subject: "Rack 3", lost: 0, summary: "Nothing was running there." },
  ];
  const state = emptyState();
  state.status = { at, until: 10 * MINUTE } as State["status"];
  return Object.assign(state, {
    series,
    incidents,
    systems: [system],
    shape: "graphs",
    scenario: {
      v: 1,
      system: "market",
      faults: [
        { at: "2m", kind: "rack_down", target: "rack.137" },
        { at: "3m", kind: "rack_up", target: "rack.137" },
        { at: "9m", kind: "node_down", target: "node.4" },
      ],
    },
  });
}

test("failures, moves and misses up to the playhead have words", () => {
  assert.deepEqual(
    marksOf(told(4 * MINUTE)).map(({ at, kind, words }) => `${at / MINUTE} ${kind} ${words}`),
    [
      "1 miss Auctions failed: 2",
      "2 failure Rack 137 is down: 1,312 tasks were displaced",
      "2 moves 12 tasks a minute moved",
      "2 miss Forced a minute: 0.3",
      "2.5 failure Node 7 failed: 1 task was displaced",
      "3 failure Rack 3 failed: nothing was running there",
      "3 moves 3 tasks a minute moved",
      "3 miss Auctions failed: 3",
      "4 miss Deadlines missed: 2",
    ],
  );
  assert.deepEqual(
    marksOf(told(MINUTE)).map(({ kind }) => kind),
    ["miss"],
    "what is to come is not told",
  );
});

test("a fault of what the cell has not is none", () => {
  const state = told(4 * MINUTE);
  state.grid = { cells: 5, layout: { rack: [0, 0, 0, 136, 136] } } as unknown as State["grid"];
  state.incidents = [];
  assert.deepEqual(
    marksOf(state).filter(({ kind }) => kind === "failure"),
    [],
  );
  state.grid = { cells: 5, layout: { rack: [0, 0, 0, 137, 137] } } as unknown as State["grid"];
  assert.equal(marksOf(state).filter(({ kind }) => kind === "failure").length, 1);
});

test("what lies near a moment is told, failures first, and marks are gone to one by one", () => {
  const marks = marksOf(told(4 * MINUTE));
  assert.equal(
    wordsAround(marks, 2 * MINUTE, 1e6),
    "Rack 137 is down: 1,312 tasks were displaced (00:02:00)\nForced a minute: 0.3 (00:02:00)\n12 tasks a minute moved (00:02:00)",
  );
  assert.equal(
    wordsAround(marks, 2.5 * MINUTE, MINUTE, 2)
      .split("\n")
      .at(-1),
    "and 5 marks more within 2m",
  );
  assert.equal(wordsAround(marks, 3.5 * MINUTE, 1e6), "");
  assert.deepEqual(
    [nextMark(marks, 2 * MINUTE, false)?.at, nextMark(marks, 2 * MINUTE, true)?.at, nextMark(marks, 4 * MINUTE, false)],
    [2.5 * MINUTE, MINUTE, undefined],
  );
});

test("a system without a notion of a miss for the work that comes marks none", () => {
  const state = told(4 * MINUTE);
  state.systems = [described({ id: "market", omissions: [{ column: "late_sum", when: "grows", words: "Jobs late", of: "jobs" }] })];
  assert.deepEqual(
    marksOf(state).filter(({ kind }) => kind === "miss"),
    [],
  );
  state.shape = "jobs";
  assert.deepEqual(
    marksOf(state)
      .filter(({ kind }) => kind === "miss")
      .map(({ words }) => words),
    ["Jobs late: 2"],
  );
});
