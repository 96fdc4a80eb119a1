// What is compared with a scenario, how the runs are played one after the
// other, and what the figures say.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { FromWorker, RunReport, Status, SystemInfo, ToWorker } from "../../src/base/messages.ts";
import type { Scenario } from "../../src/base/scenario.ts";
import { decodeAddress } from "../../src/model/address.ts";
import { Comparison, MOST_RIVALS, progressOf, type Outcome } from "../../src/model/compare.ts";
import { columnOf, figuresCSV, figuresOf, linesOf } from "../../src/model/figures.ts";
import { contestOf, usualChoice } from "../../src/model/rivals.ts";
import { Series } from "../../src/model/series.ts";
import { emptyState, Store } from "../../src/model/store.ts";
import { choice, described } from "./describe.ts";

const systems: SystemInfo[] = [
  described({ id: "negotiation", name: "Agent negotiation", settings: [{ id: "brokers", name: "", about: "", default: 1 }, choice("draw", "best", "weighted")] }),
  described({ id: "central", name: "Central scheduler", settings: [choice("policy", "best-fit", "worst-fit"), choice("admission", "use", "request")] }),
  described({ id: "rounds", name: "Divisible-load rounds", suits: ["loads"], settings: [choice("algorithm", "best", "umr")], brings: "always" }),
  described({ id: "hosting", name: "Hosting", brings: "asked" }),
];
const cell: Scenario = { v: 1, name: "A cell", system: "negotiation", seed: 7, cluster: { nodes: 100 }, settings: { brokers: 2 }, faults: [{ at: "6m", kind: "rack_down", target: "rack.1" }] };
const ids = (list: { id: string }[]) => list.map(({ id }) => id);

test("the same machines, workload, seed and faults under every other system and policy", () => {
  const contest = contestOf(cell, systems);
  assert.ok(contest);
  assert.equal(contest.own.scenario, cell);
  assert.deepEqual(ids(contest.others), ["central.best-fit", "central.worst-fit", "hosting"]);
  const { settings: _, ...rest } = cell;
  assert.deepEqual(contest.others[0].scenario, { ...rest, system: "central" }, "the usual policy needs no setting");
  assert.deepEqual(contest.others[1].scenario, { ...rest, system: "central", settings: { policy: "worst-fit" } });
  assert.deepEqual(contest.absent, ["Divisible-load rounds cannot be compared here: it schedules loads, and this scenario brings tasks."]);
  assert.deepEqual(usualChoice(contest), ["central.best-fit"]);
});

test("a policy is compared with the others of its system, whose settings stay", () => {
  const contest = contestOf({ ...cell, system: "central", settings: { policy: "worst-fit", admission: "request" } }, systems);
  assert.ok(contest);
  assert.deepEqual([contest.own.id, contest.own.name], ["central.worst-fit", "Central scheduler, worst fit"]);
  assert.deepEqual(ids(contest.others), ["negotiation", "central.best-fit", "hosting"]);
  assert.deepEqual(contest.others[1].scenario.settings, { policy: "best-fit", admission: "request" });
  assert.deepEqual(usualChoice(contest), ["negotiation"]);
});

test("a workload that one system alone can play is compared within that system", () => {
  for (const workload of [{ system: { load: 1000 } }, undefined]) {
    const contest = contestOf({ v: 1, system: "rounds", ...(workload ? { workload } : {}) }, systems);
    assert.ok(contest);
    assert.deepEqual(ids(contest.others), ["rounds.umr"]);
    assert.equal(contest.absent[0], "Agent negotiation cannot be compared here: it schedules tasks, and this scenario brings loads.");
    assert.equal(contest.absent.length, 3);
  }
  const hosted = contestOf({ v: 1, system: "hosting", workload: { system: { hosts: 4 } } }, systems);
  assert.equal(hosted?.absent[0], "Agent negotiation cannot be compared here: only hosting can make this scenario's workload.");
  assert.equal(contestOf(undefined, systems), undefined);
});

interface Worker {
  sent: ToWorker[];
  tell: (message: FromWorker) => void;
  ended: boolean;
}

/** A page with the cell at ten minutes of a day, and a comparison whose workers are kept. */
function start(status: Partial<Status> = {}) {
  const sent: ToWorker[] = [];
  const store = new Store(emptyState(), (message) => void sent.push(message));
  store.set({ scenario: cell, base: "google-cell", bases: { "google-cell": cell }, systems, status: { at: 600e6, until: 86_400e6, playing: true, ...status } as Status });
  const workers: Worker[] = [];
  const comparison = new Comparison(store, () => {
    const worker: Worker = { sent: [], tell: () => {}, ended: false };
    workers.push(worker);
    return { send: (message) => void worker.sent.push(message), listen: (listener) => void (worker.tell = listener), end: () => void (worker.ended = true) };
  });
  return { store, comparison, workers, sent };
}

const samples = (values: number[]): FromWorker => ({ type: "columns", reset: true, at: values.map((_, i) => (i + 1) * 60e6), columns: [{ id: "waiting", name: "Waiting tasks", unit: "", values }] });
const ended = (digest: string, waiting: number, placed: number): FromWorker => ({ type: "ended", digest, report: { metrics: { waiting }, system: { tasks_placed: placed, waiting }, warnings: [] as string[] } as unknown as RunReport });

test("every run has a worker of its own, from the start to the same time, one after the other", async () => {
  const { comparison, workers, sent } = start();
  comparison.start();
  comparison.start(); // one comparison at a time
  assert.equal(workers.length, 1);
  assert.deepEqual(workers[0].sent, [{ type: "speed", speed: 0 }, { type: "open", scenario: { ...cell, until: "1h" }, play: true }]);
  assert.equal(progressOf(comparison.state), "Playing Agent negotiation, 1 of 2");
  workers[0].tell(samples([1, 3]));
  workers[0].tell({ type: "status", status: { at: 3600e6 } as Status });
  workers[0].tell(ended("1111111122222222", 2, 40));
  assert.deepEqual([workers.length, workers[0].ended], [2, true]);
  assert.equal((workers[1].sent[1] as { scenario: Scenario }).scenario.system, "central");
  workers[0].tell({ type: "trouble", trouble: { class: "gone", sentence: "too late" } });
  workers[1].tell(samples([5, 7]));
  workers[1].tell(ended("3333333344444444", 6, 41));
  assert.equal(progressOf(comparison.state), "Compared 2 runs up to 1h.");
  assert.deepEqual(comparison.state.runs.map(({ state, digest }) => `${state} ${digest}`), ["done 1111111122222222", "done 3333333344444444"]);
  assert.deepEqual(sent, [], "the run on the page goes on");
  await new Promise((resolve) => setTimeout(resolve));
  const { address } = await decodeAddress(comparison.state.runs[0].link);
  assert.deepEqual([address.base, address.system, address.at, address.digest], [undefined, undefined, 3600e6, "11111111"]);
});

test("a run that is refused says why, and the others go on", () => {
  const { comparison, workers } = start();
  comparison.start();
  workers[0].tell({ type: "trouble", trouble: { class: "setting", sentence: "no such fault here" } });
  workers[1].tell(samples([1]));
  workers[1].tell(ended("3333333344444444", 6, 41));
  assert.deepEqual(comparison.state.runs.map(({ state, why }) => `${state} ${why}`.trim()), ["failed no such fault here", "done"]);
  assert.equal(progressOf(comparison.state), "Compared 1 run up to 1h; 1 could not be played.");
});

test("cancelling ends the worker and keeps what is done; the page's run stands still only if wanted", () => {
  const { comparison, workers, sent } = start();
  comparison.set({ pausing: true });
  comparison.start();
  workers[0].tell(ended("1111111122222222", 2, 40));
  comparison.cancel();
  workers[1].tell(ended("3333333344444444", 6, 41));
  assert.deepEqual([workers.length, workers[1].ended], [2, true]);
  assert.deepEqual(comparison.state.runs.map(({ state }) => state), ["done", "cancelled"]);
  assert.equal(progressOf(comparison.state), "Cancelled; 1 run of 2 came to the end.");
  assert.deepEqual(sent.map(({ type }) => type), ["pause", "play"]);
});

test("the time is the page's in whole minutes, an hour at least, never beyond the end", () => {
  const until = (status: Partial<Status>, typed = "") => {
    const { comparison } = start(status);
    comparison.set({ until: typed });
    return comparison.until();
  };
  assert.equal(until({ at: 600e6 }), 3600e6);
  assert.equal(until({ at: 7201e6 }), 7260e6);
  assert.equal(until({ until: 1800e6 }), 1800e6);
  assert.equal(until({}, "2h"), 7200e6);
  assert.equal(until({}, "3d"), 86_400e6);
  assert.equal(until({}, "1s"), 60e6);
  assert.equal(until({}, "soon"), undefined);
});

test("so many are chosen that their lines can be told apart", () => {
  const { store, comparison } = start();
  const policies = Array.from({ length: 9 }, (_, i) => `p${i}`);
  store.set({ systems: [systems[0], { ...systems[1], settings: [choice("policy", ...(policies as [string]))] }] });
  assert.deepEqual(ids(comparison.chosen()), ["central.p0"], "nobody chose");
  for (const policy of policies) comparison.choose(`central.${policy}`, true);
  assert.equal(comparison.chosen().length, MOST_RIVALS);
  comparison.choose("central.p0", false);
  assert.equal(ids(comparison.chosen()).includes("central.p0"), false);
});

test("files that the page plays go to the other workers as well", () => {
  const { store, comparison, workers } = start();
  const file = new File(["x"], "task_events.csv");
  store.set({ traceFiles: [file] });
  comparison.start();
  assert.deepEqual((workers[0].sent[1] as { files?: File[] }).files, [file]);
  workers[0].tell({ type: "progress", files: [], phase: "reading", done: 1, total: 4 });
  assert.deepEqual([comparison.state.runs[0].phase, comparison.state.runs[0].share], ["reading", 0.25]);
  workers[0].tell({ type: "progress", files: [], phase: "starting", done: 70_000, total: 140_000 });
  assert.deepEqual([comparison.state.runs[0].phase, comparison.state.runs[0].share], ["starting", 0.5]);
});

/** A run as it came out. */
function outcome(name: string, values: number[], system: Record<string, unknown>, state: Outcome["state"] = "done"): Outcome {
  const series = new Series();
  series.append(true, values.map((_, i) => (i + 1) * 60e6), [{ id: "migrations", name: "Migrations a minute", unit: "", values }]);
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return { id: name, name, scenario: cell, state, at: 0, phase: "starting", share: 0, series, digest: "abcd", report: { metrics: { migrations: mean }, system, warnings: [] }, why: "", link: "" };
}

test("figures are means, totals and what is a system's own, with differences to the first run", () => {
  const runs = [outcome("a", [1, 3], { migrations: 40, negotiations: 5, note: "text" }), outcome("=b", [4, 6], { migrations: 30, idle_s: 1.5 }), outcome("c", [9, 9], { migrations: 1 }, "cancelled")];
  const rows = figuresOf(runs).map(({ kind, name, unit, values, differences }) => [kind, name, unit, values, differences]);
  assert.deepEqual(rows, [
    ["mean", "Migrations a minute", "", [2, 5, undefined], [0, 3, undefined]],
    ["total", "Migrations", "", [40, 30, undefined], [0, -10, undefined]],
    ["own", "Idle", "s", [undefined, 1.5, undefined], [undefined, undefined, undefined]],
    ["own", "Negotiations", "", [5, undefined, undefined], [0, undefined, undefined]],
  ]);
  assert.deepEqual(figuresCSV(runs.slice(0, 2)).split("\n").slice(0, 3), [
    'figure,kind,unit,a,\'=b,"\'=b, difference"',
    "Migrations a minute,Mean of the run,,2,5,3",
    "Migrations,At the end,,40,30,-10",
  ]);
});

test("lines share their times, and one that ended early is shorter", () => {
  assert.deepEqual(linesOf([outcome("a", [1, 3], {}), outcome("b", [4], {})], "migrations"), { at: [60e6, 120e6], lines: [[1, 3], [4, undefined]] });
});

test("a figure that says something is drawn unless one is chosen", () => {
  const run = outcome("a", [0], {});
  run.series.append(false, [120e6], ["overloaded_pct", "waiting"].map((id, i) => ({ id, name: id, unit: "", values: [i] })));
  assert.deepEqual(["", "overloaded_pct", "gone"].map((chosen) => columnOf([run], chosen)?.id), ["waiting", "overloaded_pct", "waiting"]);
  assert.equal(columnOf([], ""), undefined);
});
