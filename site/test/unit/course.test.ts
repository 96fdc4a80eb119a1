// The course of a divisible load, and where a Gantt chart looks.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Course, type CourseMessage, roundRows, workerRows } from "../../src/model/course.ts";
import { fitWindow, holdWindow, panWindow, pieceAt, step, ticks, zoomTime } from "../../src/model/gantt.ts";

const KINDS = [
  "node_up",
  "node_down",
  "load_arrived",
  "chunk_sent",
  "chunk_received",
  "chunk_started",
  "chunk_done",
  "chunk_lost",
  "subtask_assigned",
  "subtask_ready",
  "subtask_withdrawn",
];

/** A message of marks: seconds, kind, node, round, work units. */
function message(...marks: [number, string, number, number, number][]): CourseMessage {
  const numbers = marks.flatMap(([at, kind, node, round, amount]) => [at * 1e6, KINDS.indexOf(kind), node, round, amount]);
  return { type: "course", reset: false, whole: true, kinds: KINDS, marks: new Float64Array(numbers), figures: { rounds: 2 } };
}

/** Two workers; the second goes down with two chunks and the one on the port. */
function story(): Course {
  const course = new Course();
  course.take(
    message(
      [0, "load_arrived", -1, 0, 100],
      [0, "chunk_sent", 0, 1, 30],
      [1, "chunk_received", 0, 0, 30],
      [1, "chunk_started", 0, 0, 30],
      [1, "chunk_sent", 1, 1, 20],
    ),
  );
  course.take(
    message(
      [2, "chunk_received", 1, 0, 20],
      [2, "chunk_started", 1, 0, 20],
      [2, "chunk_sent", 1, 2, 10],
      [3, "chunk_received", 1, 0, 10],
      [3, "chunk_sent", 1, 2, 40],
    ),
  );
  course.take(
    message(
      [4, "chunk_lost", 1, 0, 20],
      [4, "chunk_lost", 1, 0, 10],
      [4, "chunk_lost", 1, 0, 40],
      [4, "node_down", 1, 0, 0],
      [4, "chunk_sent", 0, 0, 70],
    ),
  );
  course.take(
    message(
      [5, "chunk_received", 0, 0, 70],
      [6, "chunk_done", 0, 0, 30],
      [6, "chunk_started", 0, 0, 70],
      [7, "node_up", 1, 0, 0],
      [20, "chunk_done", 0, 0, 70],
    ),
  );
  return course;
}

test("marks become pieces that were computed once or lost", () => {
  const course = story();
  assert.deepEqual([course.load, course.done, course.lost, course.workers, course.rounds, course.latest], [100, 100, 70, 2, 2, 20]);
  assert.equal(course.finished, 20);
  assert.deepEqual(
    course.pieces.map(({ worker, round, amount, send, arrive, begin, end, lost }) => [
      worker,
      round,
      amount,
      send,
      arrive,
      begin,
      end,
      lost,
    ]),
    [
      [0, 1, 30, 0, 1, 1, 6, NaN],
      [1, 1, 20, 1, 2, 2, NaN, 4], // was being computed
      [1, 2, 10, 2, 3, NaN, NaN, 4], // waited
      [1, 2, 40, 3, NaN, NaN, NaN, 4], // was on the port
      [0, 0, 70, 4, 5, 6, 20, NaN],
    ],
  );
  assert.deepEqual(course.outages, [{ worker: 1, from: 4, to: 7 }]);
  assert.deepEqual(
    workerRows(course, 20).map(({ pieces, amount, busy, lost }) => [pieces, amount, busy, lost]),
    [
      [2, 100, 19, 0],
      [0, 0, 2, 70],
    ],
  );
  assert.deepEqual(
    roundRows(course).map(({ round, pieces, amount }) => [round, pieces, amount]),
    [
      [1, 2, 50],
      [2, 2, 50],
      [0, 1, 70],
    ],
  );
  assert.deepEqual(
    roundRows(course).map(({ to }) => to),
    [6, 0, 20],
    "what was lost does not hold a round open",
  );
});

test("a course that is under way has no end", () => {
  const course = new Course();
  course.take(message([0, "load_arrived", -1, 0, 100], [0, "chunk_sent", 3, 1, 100]));
  assert.ok(Number.isNaN(course.finished));
  assert.equal(course.workers, 4);
});

test("the pointer finds what is computed before what is received, and near misses", () => {
  const course = story();
  assert.equal(pieceAt(course, 0, 0.5, 0, 20)?.piece.amount, 30);
  assert.equal(pieceAt(course, 1, 4.5, 0, 20)?.piece.amount, 30);
  assert.equal(pieceAt(course, 2, 1.5, 0, 20)?.piece.amount, 20, "nothing is computed there, the first is received");
  assert.equal(pieceAt(course, 1, 20.5, 0.4, 20), undefined);
  assert.equal(pieceAt(course, 1, 20.5, 0.6, 20)?.piece.amount, 70);
  assert.equal(pieceAt(course, 9, 1, 1, 20), undefined);
});

test("arrows go along a row and to the nearest piece of the next row", () => {
  const course = story();
  let spot = step(course, undefined, 1, 0, 20);
  assert.deepEqual([spot?.row, spot?.piece.amount], [0, 30]);
  spot = step(course, spot, 1, 0, 20);
  assert.deepEqual([spot?.row, spot?.piece.amount], [0, 20]);
  spot = step(course, spot, 0, 1, 20);
  assert.deepEqual([spot?.row, spot?.piece.amount], [1, 30]);
  spot = step(course, spot, 0, 1, 20);
  assert.equal(spot?.row, 2);
  assert.equal(step(course, spot, 0, 1, 20), spot, "below the last row is nothing");
  assert.equal(step(course, spot, Infinity, 0, 20)?.piece.amount, 40);
  assert.equal(step(new Course(), undefined, 1, 0, 0), undefined);
});

test("zooming keeps the time under the pointer, panning moves it, and the chart is not lost", () => {
  const plot = { width: 500, height: 200 };
  const whole = fitWindow(100, 10, plot);
  assert.deepEqual([whole.from, whole.to, whole.row], [0, 102, 20]);
  const near = zoomTime(whole, 4, 125, plot);
  assert.ok(Math.abs(near.from + (near.to - near.from) / 4 - 102 / 4) < 1e-9);
  assert.ok(Math.abs(near.to - near.from - 102 / 4) < 1e-9);
  assert.ok(Math.abs(panWindow(near, -50, 0, plot).from - near.from - 2.55) < 1e-9);
  for (const far of [
    panWindow(near, -1e6, -1e6, plot),
    panWindow(near, 1e6, 1e6, plot),
    zoomTime(near, 1e-9, 0, plot),
    zoomTime(near, 1e12, 0, plot),
  ]) {
    const held = holdWindow(far, 100, 10, plot);
    assert.ok(held.from < 100 && held.to > 0 && held.to > held.from && held.top === 0, JSON.stringify(held));
  }
  assert.equal(holdWindow({ ...whole, row: 40, top: 1e6 }, 100, 10, plot).top, 200);
  assert.deepEqual(ticks(whole, plot), [0, 20, 40, 60, 80, 100]);
});

test("what was planned stays beside what was played, and what is planned anew replaces what has not begun", () => {
  const course = new Course();
  course.take(
    message(
      [10, "subtask_assigned", 1, 3, 5],
      [10, "subtask_ready", 1, 3, 20],
      [10, "subtask_assigned", 1, 3, 30],
      [10, "subtask_ready", 1, 3, 8],
      [10, "subtask_assigned", 0, 4, 0],
      [10, "subtask_ready", 0, 4, 90],
    ),
  );
  const intents = () => course.intents.map((lane) => lane.map(({ round, from, to }) => [round, from, to]));
  assert.deepEqual(intents(), [
    [[4, 10, 100]],
    [
      [3, 15, 35],
      [3, 40, 48],
    ],
  ]);
  assert.deepEqual([course.planEnd, course.pieces.length, course.latest], [100, 0, 0], "nothing has happened yet");
  course.take(message([20, "subtask_withdrawn", -1, 3, 0], [20, "subtask_assigned", 0, 3, 2], [20, "subtask_ready", 0, 3, 8]));
  assert.deepEqual(intents(), [
    [
      [4, 10, 100],
      [3, 22, 30],
    ],
    [[3, 15, 35]],
  ]);
});
