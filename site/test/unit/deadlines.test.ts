// Task graphs by deadline: their order, what is said of each, and its colour.
import assert from "node:assert/strict";
import { test } from "node:test";
import { HOUR, MINUTE, SECOND } from "../../src/base/format.ts";
import { byDeadline, cellOf, timeLeft } from "../../src/place/watch/model/deadlines.ts";

const graph = (number: number, done: number, arrived: number, deadline: number) => ({
  number,
  name: `${number}-0`,
  arrived,
  deadline,
  state: "working",
  subtasks: 10,
  taken: 0,
  done,
  agents: 1,
});

test("late graphs come first, then those that are behind, each by its deadline", () => {
  const graphs = [
    graph(1, 9, 0, 2 * HOUR), // half of the time is used
    graph(2, 0, 0, -1), // has no deadline
    graph(3, 4, 0, 2 * HOUR), // less is done than time is used
    graph(4, 1, 0, 50 * MINUTE), // late
    graph(5, 5, 0, 2 * HOUR), // just as much is done as time is used
    graph(6, 0, 59 * MINUTE, 61 * MINUTE), // behind, and nearer to its deadline
  ];
  assert.deepEqual(
    byDeadline(graphs, HOUR).map((one) => `${one.number} ${one.standing}: ${timeLeft(one)}`),
    [
      "4 late: late by 10 min",
      "6 behind: 1 min left",
      "3 behind: 1 h left",
      "1 on time: 1 h left",
      "5 on time: 1 h left",
      "2 no deadline: no deadline",
    ],
  );
});

test("what is used of the time stays within it, also before the arrival and after the deadline", () => {
  const used = (now: number) => byDeadline([graph(1, 0, HOUR, 2 * HOUR)], now)[0].used;
  assert.deepEqual([used(0), used(1.25 * HOUR), used(5 * HOUR)], [0, 0.25, 1]);
  assert.equal(timeLeft(byDeadline([graph(1, 0, 0, HOUR)], HOUR + SECOND / 2)[0]), "late by under 1 s");
});

test("a graph has the colour of its cells", () => {
  const layer = { id: "whose", name: "Whose", unit: "", graphs: 6 };
  assert.deepEqual(
    [1, 6, 7, 33].map((number) => cellOf(layer, number)),
    [1, 6, 1, 3],
  );
  assert.equal(cellOf({ id: "cpu", name: "CPU", unit: "" }, 1), undefined);
});
