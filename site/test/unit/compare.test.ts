// What is compared with a scenario, how the runs are played, and what the figures say.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { FromWorker, RunReport, Status, SystemInfo, ToWorker } from "../../src/base/messages.ts";
import type { Scenario } from "../../src/base/scenario.ts";
import { decodeAddress, MOST_RIVALS } from "../../src/model/address.ts";
import { contestOf, shortNames, usualChoice } from "../../src/model/rivals.ts";
import { Series } from "../../src/model/series.ts";
import { emptyState, Store } from "../../src/model/store.ts";
import { Comparison, progressOf, shareOf } from "../../src/place/compare/model/compare.ts";
import { askedOf, columnOf, figuresCSV, linesOf, toldBy } from "../../src/place/compare/model/figures.ts";
import { type Outcome, type Played, seedsChangeNothing } from "../../src/place/compare/model/outcome.ts";
import { choice, described } from "./describe.ts";
import { estimated, tableOf } from "./estimated.ts";

const systems: SystemInfo[] = [
  described({
    id: "negotiation",
    name: "Agent negotiation",
    settings: [{ id: "brokers", name: "", about: "", default: 1 }, choice("draw", "best", "weighted")],
  }),
  described({
    id: "central",
    name: "Central scheduler",
    settings: [choice("policy", "best-fit", "worst-fit"), choice("admission", "use", "request")],
  }),
  described({
    id: "rounds",
    name: "Divisible-load rounds",
    supports: ["loads"],
    settings: [choice("algorithm", "best", "umr")],
    provides: "always",
  }),
  described({ id: "hosting", name: "Hosting", provides: "on_request" }),
];
const cell: Scenario = {
  v: 1,
  name: "A cell",
  system: "negotiation",
  seed: 7,
  cluster: { nodes: 100 },
  settings: { brokers: 2 },
  faults: [{ at: "6m", kind: "rack_down", target: "rack.1" }],
};
const ids = (list: { id: string }[]) => list.map(({ id }) => id);

test("the same machines, workload, seed and faults under every other system and policy", () => {
  const contest = contestOf(cell, systems);
  assert.ok(contest);
  assert.equal(contest.own.scenario, cell);
  assert.deepEqual(ids(contest.others), ["central.best-fit", "central.worst-fit", "hosting"]);
  const { settings: _, ...rest } = cell;
  assert.deepEqual(contest.others[0].scenario, { ...rest, system: "central" }, "the usual policy needs no setting");
  assert.deepEqual(contest.others[1].scenario, { ...rest, system: "central", settings: { policy: "worst-fit" } });
  assert.deepEqual(contest.absent, ["Divisible-load rounds cannot be compared here: it schedules loads, and this scenario has tasks."]);
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
    assert.equal(contest.absent[0], "Agent negotiation cannot be compared here: it schedules tasks, and this scenario has loads.");
    assert.equal(contest.absent.length, 3);
  }
  const hosted = contestOf({ v: 1, system: "hosting", workload: { system: { hosts: 4 } } }, systems);
  assert.equal(hosted?.absent[0], "Agent negotiation cannot be compared here: only hosting can make this scenario's workload.");
  assert.equal(contestOf(undefined, systems), undefined);
});

test("a policy for other work, and one that follows records, is not offered, and it is said why", () => {
  const lead = {
    ...choice("policy", "best-fit", "replay", "easy", "easy-sjbf"),
    for: { "best-fit": "tasks", replay: "tasks", easy: "jobs", "easy-sjbf": "jobs" },
    recorded: ["replay"],
  };
  const list = [systems[0], described({ id: "central", name: "Central scheduler", supports: ["tasks", "jobs"], settings: [lead] })];
  const told = (shape: string, files: boolean) => {
    const contest = contestOf(cell, list, { shape, files });
    return [ids(contest?.others ?? []), contest?.absent];
  };
  const recorded = "Central scheduler cannot be compared here by replay: that follows what a trace recorded, and no file is open.";
  const batch = "Central scheduler cannot be compared here by easy, easy sjbf: they schedule jobs, and this scenario has tasks.";
  assert.deepEqual(told("tasks", false), [["central.best-fit"], [batch, recorded]]);
  assert.deepEqual(told("tasks", true), [["central.best-fit", "central.replay"], [batch]]);
  assert.deepEqual(told("", false), told("tasks", false), "what generators make are tasks");
  assert.deepEqual(told("jobs", true)[0], ["central.easy", "central.easy-sjbf"]);
});

test("faults after the compared end are not played, which would only be warned of", () => {
  const { store, comparison, workers } = start();
  store.set({
    scenario: {
      ...cell,
      faults: [
        { at: "10m", kind: "rack_down", target: "rack.1" },
        { at: "10m0.000001s", kind: "rack_up", target: "rack.1" },
      ],
    },
  });
  comparison.set({ until: "10m" });
  comparison.start();
  const [open] = workers[0].sent.filter(({ type }) => type === "open") as Extract<ToWorker, { type: "open" }>[];
  assert.deepEqual(
    open.scenario.faults?.map(({ at }) => at),
    ["10m"],
  );
  assert.equal(comparison.state.runs[0].scenario.faults?.length, 2, "the link to the run keeps them");
});

interface Worker {
  sent: ToWorker[];
  tell: (message: FromWorker) => void;
  ended: boolean;
}

/** A page with the cell at ten minutes of a day, and a comparison whose workers are kept. */
function start(status: Partial<Status> = {}, { cores = 1, seeds = "1" } = {}) {
  const sent: ToWorker[] = [];
  const store = new Store(emptyState(), (message) => void sent.push(message));
  store.set({
    scenario: cell,
    base: "google-cell",
    bases: { "google-cell": cell },
    systems,
    status: { at: 600e6, until: 86_400e6, playing: true, ...status } as Status,
  });
  const workers: Worker[] = [];
  const comparison = new Comparison(
    store,
    () => {
      const worker: Worker = { sent: [], tell: () => {}, ended: false };
      workers.push(worker);
      return {
        send: (message) => {
          if (message.type === "compare") worker.tell({ type: "compared", figures: estimated(message.figures) });
          else worker.sent.push(message);
        },
        listen: (listener) => void (worker.tell = listener),
        end: () => void (worker.ended = true),
      };
    },
    cores,
  );
  comparison.set({ seeds });
  return { store, comparison, workers, sent };
}

const samples = (values: number[]): FromWorker => ({
  type: "columns",
  reset: true,
  at: values.map((_, i) => (i + 1) * 60e6),
  columns: [{ id: "waiting", name: "Waiting tasks", unit: "", values }],
});
const ended = (digest: string, waiting: number, placed: number): FromWorker => ({
  type: "ended",
  digest,
  report: { metrics: { waiting }, system: { tasks_placed: placed, waiting }, warnings: [] as string[] } as unknown as RunReport,
});

test("every run has a worker of its own, from the start to the same time, one after the other", async () => {
  const { comparison, workers, sent } = start();
  comparison.start();
  comparison.start(); // one comparison at a time
  assert.equal(workers.length, 1);
  assert.deepEqual(workers[0].sent, [
    { type: "speed", speed: 0 },
    { type: "open", scenario: { ...cell, until: "1h" }, play: true, once: true },
  ]);
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
  assert.deepEqual(
    comparison.state.runs.map(({ state, digest }) => `${state} ${digest}`),
    ["done 1111111122222222", "done 3333333344444444"],
  );
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
  assert.deepEqual(
    comparison.state.runs.map(({ state, why }) => `${state} ${why}`.trim()),
    ["failed no such fault here", "done"],
  );
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
  assert.deepEqual(
    comparison.state.runs.map(({ state }) => state),
    ["done", "cancelled"],
  );
  assert.equal(progressOf(comparison.state), "Cancelled; 1 run of 2 came to the end.");
  assert.deepEqual(
    sent.map(({ type }) => type),
    ["pause", "play"],
  );
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

test("with several seeds all systems come first with the scenario's own, as many at a time as there are cores", () => {
  const { comparison, workers, store } = start({}, { cores: 3, seeds: "2" });
  comparison.start();
  const asked = () =>
    workers.map(({ sent }) => (sent[1] as { scenario: Scenario }).scenario).map(({ system, seed }) => `${system} ${seed}`);
  assert.deepEqual(asked(), ["negotiation 7", "central 7", "negotiation 8"]);
  assert.equal(
    progressOf(comparison.state),
    "Playing Agent negotiation, seed 7; Agent negotiation, seed 8; Central scheduler, best fit, seed 7, 3 of 4",
  );
  workers[1].tell(ended("3333333344444444", 6, 41));
  assert.deepEqual(asked().slice(3), ["central 8"]);
  assert.equal(shareOf(comparison.state), 0.25);
  workers[0].tell(ended("1111111122222222", 2, 40));
  workers[2].tell(ended("5555555566666666", 4, 40));
  workers[3].tell(ended("7777777788888888", 9, 41));
  assert.equal(progressOf(comparison.state), "Compared 2 systems with 2 seeds each up to 1h.");
  assert.deepEqual(
    comparison.state.runs.map(({ digest, repeats }) => [digest, ...repeats.map((one) => one.digest)].join()),
    ["1111111122222222,5555555566666666", "3333333344444444,7777777788888888"],
  );

  store.set({ traceFiles: [new File(["x"], "task_events.csv")] });
  const counts = ["", "0", "1.5", "30", "31", "many"].map((typed) => {
    comparison.set({ seeds: typed });
    return comparison.seeds();
  });
  assert.deepEqual(counts, [1, undefined, undefined, 30, undefined, undefined], "files bring their workload: one seed unless asked");
  comparison.set({ seeds: "" });
  store.set({ traceFiles: [] });
  assert.equal(comparison.seeds(), 5);

  store.set({ status: { ...(store.state.status as Status), counts: { nodes: 100_000 } } });
  comparison.start();
  assert.equal(workers.length, 5, "a large cell is played alone");
});

test("a system that is refused is not asked again with other seeds", () => {
  const { comparison, workers } = start({}, { seeds: "3" });
  comparison.start();
  workers[0].tell({ type: "trouble", trouble: { class: "setting", sentence: "no such fault here" } });
  for (const worker of [1, 2, 3]) workers[worker].tell(ended("3333333344444444", 6, 41));
  assert.equal(workers.length, 4);
  assert.equal(progressOf(comparison.state), "Compared 2 systems with 3 seeds each up to 1h; 3 could not be played.");
});

/** A run as it came out. */
function played(values: number[], system: Record<string, unknown>, state: Played["state"] = "done", seed = 7): Played {
  const series = new Series();
  series.append(
    true,
    values.map((_, i) => (i + 1) * 60e6),
    [{ id: "migrations", name: "Migrations a minute", unit: "", values }],
  );
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return {
    seed,
    state,
    at: 0,
    phase: "starting",
    share: 0,
    series,
    digest: "abcd",
    report: { metrics: { migrations: mean }, system, warnings: [] },
    why: "",
  };
}

function outcome(
  name: string,
  values: number[],
  system: Record<string, unknown>,
  state: Played["state"] = "done",
  repeats: Played[] = [],
): Outcome {
  return { id: name, name, scenario: cell, ...played(values, system, state), link: "", repeats };
}

test("figures are means, totals and what is a system's own, with differences to the first run", () => {
  const runs = [
    outcome("a", [1, 3], { migrations: 40, negotiations: 5, note: "text" }),
    outcome("=b", [4, 6], { migrations: 30, idle_s: 1.5 }),
    outcome("c", [9, 9], { migrations: 1 }, "cancelled"),
  ];
  const rows = tableOf(runs).map(({ kind, name, unit, values, differences }) => [
    kind,
    name,
    unit,
    values.map((one) => one?.mean),
    differences.map((one) => one?.mean),
  ]);
  assert.deepEqual(rows, [
    ["mean", "Migrations a minute", "", [2, 5, undefined], [0, 3, undefined]],
    ["total", "Migrations", "", [40, 30, undefined], [0, -10, undefined]],
    ["own", "Idle", "s", [undefined, 1.5, undefined], [undefined, undefined, undefined]],
    ["own", "Negotiations", "", [5, undefined, undefined], [0, undefined, undefined]],
  ]);
  assert.deepEqual(
    figuresCSV(runs.slice(0, 2), tableOf(runs.slice(0, 2)))
      .split("\n")
      .slice(0, 3),
    ["figure,kind,unit,a,'=b,\"'=b, difference\"", "Migrations a minute,Mean of the run,,2,5,3", "Migrations,At the end,,40,30,-10"],
  );
});

test("a worker is asked for the seeds that are done, each with its place", () => {
  const runs = [
    outcome("a", [2], { migrations: 40 }, "cancelled", [played([4], { migrations: 44 })]),
    outcome("b", [5], { migrations: 41 }, "done", [played([9], { migrations: 46 })]),
  ];
  assert.deepEqual(askedOf(toldBy(runs)), [
    [
      { seeds: [1], values: [4] },
      { seeds: [0, 1], values: [5, 9] },
    ],
    [
      { seeds: [1], values: [44] },
      { seeds: [0, 1], values: [41, 46] },
    ],
  ]);
});

test("the table is of the latest answer, and a run makes room when its worker has answered", () => {
  const { comparison, workers } = start({}, { cores: 2, seeds: "2" });
  const asked: (() => void)[] = [];
  comparison.start();
  for (const [i, worker] of workers.entries()) {
    const tell = worker.tell;
    worker.tell = (message) => (message.type === "compared" ? void asked.push(() => tell(message)) : tell(message));
    worker.tell(samples([1, 3]));
    worker.tell(ended(`${i}`.repeat(16), 2 + i, 40));
  }
  assert.deepEqual([workers.length, asked.length, workers[0].ended], [2, 2, false]);
  asked[1](); // knows both runs
  assert.deepEqual([workers.length, workers[1].ended], [3, true]);
  const waiting = () => comparison.state.figures[0].values.map((one) => one?.mean);
  assert.deepEqual(waiting(), [2, 3]);
  asked[0](); // knew the first alone
  assert.deepEqual([waiting(), workers.length, workers[0].ended], [[2, 3], 4, true]);
});

test("figures of several seeds are their means, and the CSV has spread and interval", () => {
  const runs = [
    outcome("a", [2], { migrations: 40 }, "done", [played([4], { migrations: 44 })]),
    outcome("b", [5], { migrations: 41 }, "done", [played([9], { migrations: 46 }), played([100], {}, "cancelled")]),
  ];
  const [mean, total] = tableOf(runs);
  assert.deepEqual(
    mean.values.map((one) => [one?.mean, one?.sd, one?.n]),
    [
      [3, Math.SQRT2, 2],
      [7, Math.sqrt(8), 2],
    ],
  );
  assert.deepEqual([mean.differences[1]?.mean, mean.differences[1]?.n, total.differences[1]?.mean], [4, 2, 1.5]);
  const [head, first, , digests] = figuresCSV(runs, tableOf(runs)).split("\n");
  assert.equal(
    head,
    'figure,kind,unit,a,"a, standard deviation","a, seeds",b,"b, standard deviation","b, seeds","b, difference","b, difference, 95 % from","b, difference, 95 % to"',
  );
  assert.match(first, /^Migrations a minute,Mean of the run,,3,1\.414\d*,2,7,2\.828\d*,2,4,-8\.706\d*,16\.706\d*$/);
  assert.equal(digests, "Digest,,,abcd abcd,,,abcd abcd abcd,,,,,");
});

test("lines share their times, and one that ended early is shorter", () => {
  const { at, lines } = linesOf([outcome("a", [1, 3], {}), outcome("b", [4], {})], "migrations");
  assert.deepEqual(
    [at, lines],
    [
      [60e6, 120e6],
      [
        [1, 3],
        [4, undefined],
      ],
    ],
  );
  const { least, most } = linesOf([outcome("a", [1, 3], {}, "done", [played([2], {}), played([0, 5], {})])], "migrations");
  assert.deepEqual([least, most], [[[0, 3]], [[2, 5]]], "from the least to the most of the seeds");
});

test("a figure that says something is drawn unless one is chosen", () => {
  const run = outcome("a", [0], {});
  run.series.append(
    false,
    [120e6],
    ["overloaded_pct", "waiting"].map((id, i) => ({ id, name: id, unit: "", values: [i] })),
  );
  assert.deepEqual(
    ["", "overloaded_pct", "gone"].map((chosen) => columnOf([run], chosen)?.id),
    ["waiting", "overloaded_pct", "waiting"],
  );
  assert.equal(columnOf([], ""), undefined);
});

test("what is done in a scenario is done under every system that knows it, and a sentence says where it is not", () => {
  const own = described({
    id: "negotiation",
    name: "Agent negotiation",
    agents: [
      {
        id: "settings",
        name: "settings",
        about: "",
        faults: [{ id: "candidates", name: "Candidates", target: "settings", unique: true, setting: "candidates" }],
      },
    ],
  });
  const rack = { at: "6m", kind: "rack_down", target: "rack.1" };
  const grown = { at: "7m", kind: "cluster_grow", target: "cluster", value: 12 };
  const set = { at: "8m", kind: "candidates", target: "settings", value: 2 };
  const central = described({ id: "central", name: "Central scheduler" });
  const told = (...faults: Record<string, unknown>[]) => contestOf({ v: 1, system: "negotiation", faults }, [own, central]);
  assert.deepEqual(told(rack, { ...rack, kind: "rack_up" }, grown)?.absent, []);
  assert.deepEqual(told(rack, grown, set)?.absent, [
    "Central scheduler does not support Candidates: 2 (8m): its run continues as if that had not happened.",
  ]);
  assert.deepEqual(told(set)?.others[0].scenario.faults, [set], "the scenario stays what it is");
  assert.match(told(set, set, set, set, set)?.absent[0] ?? "", /\(8m\), Candidates: 2 \(8m\), Candidates: 2 \(8m\) and 2 more: /);
});

test("where no seed changes a result there is no interval; where one does, or one has none yet, there is", () => {
  const run = (digest: string, ...repeats: string[]) => ({ digest, repeats: repeats.map((one) => ({ digest: one })) });
  assert.ok(seedsChangeNothing([run("a", "a", "a"), run("b", "b", "b")]));
  assert.ok(!seedsChangeNothing([run("a", "a"), run("b", "c")]));
  assert.ok(!seedsChangeNothing([run("a", "a"), run("b", "")]));
  assert.ok(!seedsChangeNothing([run("a"), run("b")]));
});

test("what is compared is named by what differs", () => {
  assert.deepEqual(shortNames(["Central scheduler, best fit", "Central scheduler, worst fit"]), ["Best fit", "Worst fit"]);
  for (const names of [
    ["Agent negotiation", "Central scheduler, best fit"],
    ["Central scheduler, best fit", "Virtual clusters, greedy"],
    [],
  ])
    assert.deepEqual(shortNames(names), names);
});
