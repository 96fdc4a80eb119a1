// Rows that are taken away: of Gantt charts, graphs and offers, and of comparisons.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Course } from "../../src/model/course.ts";
import { bidRows, cell, courseRows, graphRows, reportRows, rowsCSV, rowsJSON } from "../../src/model/export.ts";
import { figureSVG } from "../../src/model/figure.ts";
import { GraphPicture } from "../../src/model/graph.ts";
import { Series } from "../../src/model/series.ts";
import { emptyState, type State } from "../../src/model/store.ts";
import { comparisonFigure, comparisonJSON } from "../../src/place/compare/model/figures.ts";
import type { Outcome } from "../../src/place/compare/model/outcome.ts";
import { tableOf } from "./estimated.ts";

test("the pieces of a load, with what did not happen left empty", () => {
  const course = new Course();
  const kinds = ["load_arrived", "chunk_sent", "chunk_received", "chunk_started", "chunk_done"];
  course.take({
    type: "course",
    reset: true,
    whole: true,
    kinds,
    figures: {},
    marks: Float64Array.of(0, 0, 0, 0, 9, 1e6, 1, 0, 1, 4, 2e6, 2, 0, 1, 4, 2e6, 3, 0, 1, 4, 3e6, 1, 1, 2, 5, 6e6, 4, 0, 1, 4),
  });
  assert.deepEqual(courseRows(course).slice(1), [
    [0, 1, 4, 1, 2, 2, 6, ""],
    [1, 2, 5, 3, "", "", "", ""],
  ]);
  assert.equal(rowsCSV(courseRows(course)), "worker,round,amount,sent_s,arrived_s,began_s,ended_s,lost_s\n0,1,4,1,2,2,6,\n1,2,5,3,,,,\n");
});

test("the subtasks of a graph, with those that each waits for", () => {
  const graph = new GraphPicture({
    type: "graphpicture",
    number: 3,
    depth: Int32Array.of(0, 0, 1),
    from: Int32Array.of(0, 1),
    to: Int32Array.of(2, 2),
    agents: Int32Array.of(-2 - 7, 4, -1),
  } as ConstructorParameters<typeof GraphPicture>[0]);
  assert.deepEqual(graphRows(graph).slice(1), [
    [0, 0, "done", 7, ""],
    [1, 0, "taken", 4, ""],
    [2, 1, "open", "", "0 1"],
  ]);
  assert.deepEqual(JSON.parse(rowsJSON(graphRows(graph))), [
    { subtask: 0, depth: 0, state: "done", node: 7, waits_for: "" },
    { subtask: 1, depth: 0, state: "taken", node: 4, waits_for: "" },
    { subtask: 2, depth: 1, state: "open", node: "", waits_for: "0 1" },
  ]);
});

test("offers, refusals and what was agreed", () => {
  const rows = bidRows({
    messages: [],
    outcome: "",
    over: true,
    choices: [],
    rounds: [
      {
        item: "CPU",
        number: 1,
        askingPrice: 9,
        bids: [
          { by: "site 2", price: 8 },
          { by: "=site 3", price: 0, why: "no room" },
        ],
      },
    ],
    deals: [{ item: "CPU", by: "site 2", price: 8 }],
  } as unknown as Parameters<typeof bidRows>[0]);
  assert.equal(rowsCSV(rows), "item,round,asked,by,price,refused\nCPU,1,9,site 2,8,\nCPU,1,9,'=site 3,,no room\nCPU,agreed,,site 2,8,\n");
});

test("no cell is a formula to a spreadsheet, whatever stands before it; numbers stay numbers", () => {
  for (const text of ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", " =1", "\n=1", "＝1", "\r@x"])
    assert.match(cell(text), /^"?'/, JSON.stringify(text));
  assert.equal(cell(-1), "-1");
  assert.equal(cell("a=1"), "a=1");
  assert.equal(cell('say "hi", =1'), '"say ""hi"", =1"');
});

const run = (name: string, values: number[], at = values.map((_, i) => (i + 1) * 60e6)): Outcome => {
  const series = new Series();
  series.append(true, at, [{ id: "waiting", name: "Waiting tasks", unit: "", values }]);
  const report = { metrics: { waiting: values[0] }, system: { migrations: 2 }, warnings: [] };
  return {
    id: name,
    name,
    scenario: { v: 1, system: name },
    link: "#v=1",
    seed: 7,
    state: "done",
    at: 120e6,
    phase: "starting",
    share: 0,
    series,
    digest: "1".repeat(16),
    report,
    why: "",
    repeats: [],
  };
};

test("a comparison as JSON has every seed's digest, figures and series", () => {
  const runs = [run("a", [1, 2]), run("b", [3, 4])];
  const told = JSON.parse(comparisonJSON(runs, tableOf(runs), 120e6, "0.1.0")) as {
    systems: { name: string; seeds: { digest: string; metrics: object; columns: { values: number[] }[] }[] }[];
    figures: { differences: ({ mean: number; low?: number } | null)[] }[];
  };
  assert.deepEqual(
    told.systems.map(({ name }) => name),
    ["a", "b"],
  );
  assert.deepEqual(told.systems[1].seeds[0].columns[0].values, [3, 4]);
  assert.deepEqual([told.systems[0].seeds[0].digest, told.systems[0].seeds[0].metrics], ["1".repeat(16), { waiting: 1 }]);
  assert.deepEqual([told.figures[0].differences[1]?.mean, told.figures[0].differences[1]?.low], [2, undefined], "one seed has no interval");
});

test("a comparison's chart has a line a run, over the moments that all have", () => {
  const { figure, series } = comparisonFigure(
    [run("a", [1, 2, 3]), run("<b>", [5, 6], [60e6, 120e6])],
    { id: "waiting", name: "Waiting tasks", unit: "" },
    ["#000001", "#000002"],
  );
  assert.deepEqual(series.at, [60e6, 120e6]);
  assert.deepEqual(
    [...series.tracks.values()].map(({ values }) => values),
    [
      [1, 2],
      [5, 6],
    ],
  );
  const svg = figureSVG(figure, series, [], { scenario: { v: 1, system: "a" } });
  assert.match(svg, /B &lt;b&gt;: 6/);
  assert.equal(svg.match(/<polyline/g)?.length, 2);
  assert.match(svg, /"scenario":\{"v":1,"system":"a"\}/);
});

test("the report's means are those of the window, and what the work has not is left out", () => {
  const state = emptyState();
  const column = (id: string, ...values: number[]) => ({ id, name: id, unit: "", values });
  state.series.append(true, [1, 2], [column("cpu_used_pct", 10, 30), column("running", 1, 3), column("own", 4, 8)]);
  const names = () => reportRows(state).rows.map(({ name, now, mean }) => `${name} ${now} ${mean}`);
  assert.deepEqual([names(), reportRows(state).over], [["cpu_used_pct 30 20", "running 3 2", "own 8 6"], "mean so far"]);
  const ended = {
    metrics: { cpu_used_pct: 25 },
    system: { own: 7 },
    at_end: { cpu_used_pct: 31, own: 9 },
    window: { from_s: 600, to_s: 5400 },
  };
  state.ended = ended as unknown as State["ended"];
  assert.deepEqual([names(), reportRows(state).over], [["cpu_used_pct 31 25", "own 9 7"], "mean from 10m to 1h30m"]);
});
