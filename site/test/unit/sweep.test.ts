// A sweep on the page: who plays which run when, what the form writes, and how the grid
// lies and is coloured. What runs are missing and what they tell is core/study's.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { FromSweep, FromWorker, RunReport, Status, SweepFigure, SystemInfo, ToSweep, ToWorker } from "../../src/base/messages.ts";
import type { Scenario } from "../../src/base/scenario.ts";
import { Pool } from "../../src/model/pool.ts";
import { emptyState, Store } from "../../src/model/store.ts";
import { documentOf, fieldsOf, formTrouble, kindOfFile, usualForm, valuesOf } from "../../src/place/sweep/model/form.ts";
import { colourOfDifference, colourOfMean, inkOn, MOST_CELLS, mapsOf, reachOf } from "../../src/place/sweep/model/grid.ts";
import { doneOf, Sweep, type SweepTable, sayOf } from "../../src/place/sweep/model/sweep.ts";
import { choice, described } from "./describe.ts";

interface Worker {
  sent: ToWorker[];
  tell: (message: FromWorker) => void;
  ended: boolean;
}

const ended: FromWorker = { type: "ended", digest: "0123456789abcdef", report: { digest: "0123456789abcdef" } as unknown as RunReport };
const opened = { type: "opened" } as FromWorker;
const scenario = (system: string, nodes = 100): Scenario => ({ v: 1, system, cluster: { nodes } });
const turn = () => new Promise((resolve) => setTimeout(resolve));

function workers(): {
  list: Worker[];
  begin: () => { send: (m: ToWorker) => void; listen: (to: (m: FromWorker) => void) => void; end: () => void };
} {
  const list: Worker[] = [];
  return {
    list,
    begin: () => {
      const worker: Worker = { sent: [], tell: () => {}, ended: false };
      list.push(worker);
      return {
        send: (message) => void worker.sent.push(message),
        listen: (to) => void (worker.tell = to),
        end: () => void (worker.ended = true),
      };
    },
  };
}

test("a worker whose run is over plays the next one of its system, and what it still says of the one before is not heard", () => {
  const { list, begin } = workers();
  const pool = new Pool(begin, true);
  const heard: string[] = [];
  const hear = (name: string) => (message: FromWorker) => void heard.push(`${name} ${message.type}`);
  pool.play(scenario("a"), [], hear("one"));
  list[0].tell(opened);
  list[0].tell(ended);
  pool.play(scenario("a"), [], hear("two"));
  assert.equal(list.length, 1);
  assert.deepEqual(
    list[0].sent.map(({ type }) => type),
    ["speed", "open", "open"],
  );
  list[0].tell({ type: "status", status: {} as Status }); // of the first one
  list[0].tell(ended); // likewise
  list[0].tell({ type: "progress", files: [], phase: "starting", done: 0, total: 1 });
  list[0].tell(opened);
  list[0].tell(ended);
  assert.deepEqual(heard, ["one opened", "one ended", "two progress", "two opened", "two ended"]);
  pool.play(scenario("b"), [], hear("three"));
  assert.deepEqual([list.length, list[0].ended], [2, true], "another system gets a worker of its own, and the idle one goes");
  const four = pool.play(scenario("b"), [], hear("four"));
  assert.equal(list.length, 3);
  four.end();
  list[2].tell(ended);
  list[1].tell({ type: "trouble", trouble: { class: "engine", sentence: "it broke" } });
  assert.deepEqual(
    list.map((worker) => worker.ended),
    [true, true, true],
  );
  assert.equal(heard.at(-1), "three trouble");
});

test("a worker that is not kept can be asked of its run until that is ended", () => {
  const { list, begin } = workers();
  const run = new Pool(begin, false).play(scenario("a"), [], () => {});
  list[0].tell(opened);
  list[0].tell(ended);
  run.send({ type: "compare", figures: [] });
  assert.deepEqual([list[0].sent.at(-1)?.type, list[0].ended], ["compare", false]);
  run.end();
  run.send({ type: "cancel" });
  assert.deepEqual([list[0].sent.at(-1)?.type, list[0].ended], ["compare", true]);
});

interface Desk {
  sent: ToSweep[];
  answer: (message: FromSweep) => void;
  ended: boolean;
}

const run = (id: string, system = "a") => ({ id, scenario: scenario(system), where: `run ${id}` });
const read: FromSweep = {
  type: "sweep",
  name: "",
  runs: 3,
  groups: [{ name: "x", values: ["1", "2", "3"] }],
  seeds: 1,
  compare: "",
  goal: "",
  nodes: 100,
  files: [],
};
const table = (done: number): SweepTable => ({ type: "table", runs: 3, done, metrics: ["load"], metric: "load", cells: [], notes: [] });

/** A sweep whose desk and workers are kept, with a document that was read. */
async function start(what: FromSweep = read, cores = 2) {
  const store = new Store(emptyState(), () => {});
  const desks: Desk[] = [];
  const { list, begin } = workers();
  let now = 0;
  const sweep = new Sweep(
    store,
    () => {
      const desk: Desk = { sent: [], answer: () => {}, ended: false };
      desks.push(desk);
      return {
        send: (message) => void desk.sent.push(message),
        listen: (to) => void (desk.answer = to),
        end: () => void (desk.ended = true),
      };
    },
    begin,
    cores,
    () => now,
  );
  void sweep.write("{}");
  const tell = async (message: FromSweep) => {
    desks[desks.length - 1].answer(message);
    await turn();
  };
  await tell(what);
  await tell(table(0));
  return { store, sweep, desks, list, tell, last: () => desks[desks.length - 1].sent.at(-1), pass: (ms: number) => void (now += ms) };
}

test("all cores play, each worker one run after the other, and the table comes at once", async () => {
  const { sweep, list, tell, last, pass } = await start();
  assert.equal(sayOf(sweep.state), "3 runs: 3 of x × 1 seed.");
  sweep.start();
  sweep.start(); // once
  assert.deepEqual(last(), { type: "take", runs: 2 });
  await tell({ type: "runs", runs: [run("1"), run("2")], over: false });
  assert.equal(list.length, 2);
  pass(2000);
  list[1].tell(opened);
  list[1].tell(ended);
  assert.deepEqual(last(), { type: "done", id: "2", runs: 1, wall_s: 2, report: { digest: "0123456789abcdef" } });
  await tell({ type: "runs", runs: [run("3")], over: false });
  assert.equal(list.length, 2, "the worker that was done plays on");
  assert.deepEqual(list[1].sent.at(-1), { type: "open", scenario: scenario("a"), play: true, once: true });
  assert.deepEqual(last(), { type: "table", metric: "" });
  await tell(table(1));
  assert.equal(sayOf(sweep.state), "1 of 3 runs, 0.5 a second, 4s left");
  list[1].tell(opened);
  list[1].tell(ended);
  await tell({ type: "runs", runs: [], over: false });
  list[0].tell(ended);
  await tell({ type: "runs", runs: [], over: true });
  assert.deepEqual([sweep.state.running, list[0].ended, list[1].ended, doneOf(sweep.state)], [false, true, true, 1]);
  await tell(table(3));
  assert.equal(doneOf(sweep.state), 3);
  assert.equal(sayOf(sweep.state), "3 runs in 2 s, 1.5 a second.");
});

test("cancelling ends the workers and keeps what is done; what comes later is not counted", async () => {
  const { sweep, desks, list, tell } = await start();
  sweep.start();
  await tell({ type: "runs", runs: [run("1"), run("2")], over: false });
  list[0].tell(ended);
  sweep.cancel();
  assert.deepEqual(
    desks[0].sent.slice(-3).map(({ type }) => type),
    ["done", "cancel", "table"],
  );
  await tell({ type: "runs", runs: [run("3")], over: false });
  await tell({ type: "cancelled" });
  await tell(table(1));
  list[1].tell(ended);
  assert.deepEqual([list.length, list.every((worker) => worker.ended), sweep.state.running], [2, true, false]);
  assert.equal(sayOf(sweep.state), "Cancelled; 1 of 3 runs are done and kept.");
});

test("a run that fails is told with its place, and the others go on", async () => {
  const { sweep, list, tell, last } = await start();
  sweep.start();
  await tell({ type: "runs", runs: [run("1"), run("2")], over: false });
  list[0].tell({ type: "trouble", trouble: { class: "setting", sentence: "too hot" } });
  assert.deepEqual(last(), { type: "done", id: "1", runs: 1, wall_s: 0, why: "too hot" });
  await tell({ type: "runs", runs: [run("3")], over: false });
  assert.deepEqual([list.length, list[0].ended], [3, true], "its worker is not trusted with another");
  assert.deepEqual([sweep.state.failed, sweep.state.why, sweep.state.running], [1, "run 1: too hot", true]);
});

test("cells of very many nodes are played one by one, each in a worker of its own", async () => {
  const { sweep, list, tell, last } = await start({ ...read, nodes: 60_000 });
  sweep.start();
  assert.deepEqual(last(), { type: "take", runs: 1 });
  await tell({ type: "runs", runs: [run("1")], over: false });
  list[0].tell(ended);
  await tell({ type: "runs", runs: [run("2")], over: false });
  assert.deepEqual([list.length, list[0].ended], [2, true]);
});

test("a sweep of files that are not open here says so, and plays nothing", async () => {
  const { sweep, store, list, last } = await start({ ...read, files: ["e3b0"] });
  sweep.start();
  assert.match(sweep.state.why, /trace files that are not open/);
  assert.equal(list.length, 0);
  const file = new File(["x"], "a.csv");
  store.set({ traceFiles: [file], files: [{ sha256: "e3b0" }] as never });
  sweep.start();
  assert.deepEqual(last(), { type: "take", runs: 2 });
});

test("a document that cannot be read says why, and the one before stays; only the latest counts", async () => {
  const { sweep, tell } = await start();
  void sweep.write("a");
  void sweep.write("b");
  await tell({ ...read, runs: 7 } as FromSweep);
  assert.equal(sweep.state.read?.runs, 3, "of a, which is not there any more");
  await tell({ type: "trouble", trouble: { class: "setting", sentence: "no b" } });
  assert.deepEqual([sweep.state.wrong, sweep.state.read?.runs, sweep.state.document], ["no b", 3, "b"]);
  sweep.start();
  assert.equal(sweep.state.running, false);
});

test("a desk that ends takes the sweep with it, and can be tried again", async () => {
  const { sweep, desks, list, tell } = await start();
  sweep.start();
  await tell({ type: "runs", runs: [run("1")], over: false });
  await tell({ type: "trouble", trouble: { class: "gone", sentence: "The sweep stopped: no memory." } });
  assert.deepEqual(
    [sweep.state.gone, sweep.state.running, list[0].ended, sweep.state.why],
    [true, false, true, "The sweep stopped: no memory."],
  );
  sweep.retry();
  await tell(read);
  assert.deepEqual([desks.length, sweep.state.gone, sweep.state.read?.runs, sweep.state.why], [2, false, 3, ""]);
});

const systems: SystemInfo[] = [
  described({
    id: "central",
    name: "Central",
    settings: [
      choice("policy", "best-fit", "worst-fit", "first-fit", "random", "most"),
      { id: "quota", name: "Quota", about: "", default: 5, stops: [1, 2] },
    ],
  }),
];
const page = {
  systems,
  scenario: { v: 1, name: "A cell", about: "words", system: "central", seed: 7, settings: { policy: "worst-fit" } } as Scenario,
  resolvedScenario: undefined,
  traceFiles: [],
  status: { until: 3600e6, counts: { nodes: 100 } } as unknown as Status,
};

test("the form varies what the system describes, and writes a sweep of the run that is open", () => {
  assert.deepEqual(
    fieldsOf(page).map(({ path, values }) => `${path}: ${values}`),
    [
      "settings.policy: worst-fit, best-fit, first-fit, random",
      "settings.quota: 1, 2",
      "workload.scale: 0.8, 1, 1.2",
      "cluster.nodes: 50, 100, 200",
    ],
  );
  const form = usualForm(page);
  assert.equal(formTrouble(form), "");
  assert.deepEqual(JSON.parse(documentOf(form, page)), {
    v: 1,
    name: "A cell",
    base: { v: 1, system: "central", settings: { policy: "worst-fit" }, until: "10m" },
    axes: { "settings.policy": ["worst-fit", "best-fit", "first-fit", "random"], "workload.scale": [0.8, 1, 1.2] },
    seeds: { from: 7, to: 9 },
    compare: { axis: "settings.policy" },
  });
  assert.match(formTrouble({ ...form, seeds: "0" }), /seeds from 1/);
  assert.match(formTrouble({ ...form, until: "soon" }), /1h30m/);
  assert.match(formTrouble({ ...form, axes: [{ path: "workload.scale", values: " , " }] }), /workload\.scale/);
});

test("values are lists or ranges, as they are typed", () => {
  assert.deepEqual(valuesOf("0.8 to 1.2 by 0.1"), { from: 0.8, to: 1.2, step: 0.1 });
  assert.deepEqual(valuesOf("1…3"), { from: 1, to: 3 });
  assert.deepEqual(valuesOf("1, .5, -2e3, true, best-fit, 5m"), [1, 0.5, -2000, true, "best-fit", "5m"]);
  assert.deepEqual([valuesOf(""), valuesOf("1 to 1.2.3")], [undefined, undefined]);
});

test("a file is a sweep, results of one, or neither", () => {
  const line = '{"id":"0","engine":"0.1.0","digest":"0","figures":{}}\n';
  assert.equal(kindOfFile("a.json", '{"v":1,"base":"google-cell"}'), "sweep");
  assert.deepEqual(
    [kindOfFile("results.jsonl", line + line), kindOfFile("a.jsonl", line.trim()), kindOfFile("a.json", line)],
    ["results", "results", "results"],
  );
  assert.deepEqual(
    [kindOfFile("a.json", '{"v":1,"system":"central"}'), kindOfFile("a.json", "["), kindOfFile("a.jsonl", "3\n")],
    ["", "", ""],
  );
});

test("the last axis lies across, the one before down, and each value of the others has a map", () => {
  const axis = (name: string, size: number) => ({ name, values: Array.from({ length: size }, (_, i) => `${name}${i}`) });
  const maps = mapsOf([axis("a", 2), axis("b", 3), axis("c", 2), axis("d", 4)]);
  assert.deepEqual(
    maps.map(({ title }) => title),
    ["a a0, b b0", "a a0, b b1", "a a0, b b2", "a a1, b b0", "a a1, b b1", "a a1, b b2"],
  );
  assert.deepEqual(maps[4].cells, [
    [32, 33, 34, 35],
    [36, 37, 38, 39],
  ]);
  assert.deepEqual(mapsOf([axis("a", 3)])[0].cells, [[0], [1], [2]]);
  assert.deepEqual(
    mapsOf([]).map(({ cells }) => cells),
    [[[0]]],
  );
  assert.ok(mapsOf([axis("a", 900), axis("b", 700)]).flatMap(({ cells }) => cells.flat()).length <= MOST_CELLS);
});

test("nobody is coloured where the interval touches zero; ink is read on every colour", () => {
  const judged = (mean: number, verdict: SweepFigure["verdict"]) => ({ difference: { name: "x", n: 3, mean, sd: 1, verdict } });
  const cells = [judged(9, "none"), judged(2, "higher"), judged(-4, "lower"), judged(8, "unknown")];
  assert.equal(reachOf(cells), 4);
  for (const i of [0, 3]) assert.equal(colourOfDifference(cells[i].difference, 4, true), undefined);
  assert.deepEqual(
    [colourOfDifference(cells[2].difference, 4, true), colourOfDifference(cells[2].difference, 4, false)],
    ["#0072b2", "#0072b2"],
  );
  assert.notEqual(colourOfDifference(cells[1].difference, 4, true), "#d55e00");
  const contrast = (a: string, b: string) => {
    const light = (hex: string) =>
      [1, 3, 5]
        .map((i) => parseInt(hex.slice(i, i + 2), 16) / 255)
        .map((x) => (x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4))
        .reduce((sum, x, i) => sum + [0.2126, 0.7152, 0.0722][i] * x, 0);
    const [low, high] = [light(a), light(b)].sort((x, y) => x - y);
    return (high + 0.05) / (low + 0.05);
  };
  for (const palette of ["dusk", "cividis", "viridis", "grey"] as const) {
    for (let mean = 0; mean <= 40; mean++) {
      const colour = colourOfMean(mean, { low: 0, high: 40 }, palette, mean % 2 === 0);
      assert.ok(contrast(colour, inkOn(colour)) >= 4.5, `${palette} ${mean}: ${colour}`);
    }
  }
  assert.equal(colourOfMean(3, { low: 3, high: 3 }, "grey", false), "#181818");
});
