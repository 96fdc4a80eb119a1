// What the simulation's messages do to the page's state.
import assert from "node:assert/strict";
import { test } from "node:test";
import { percent } from "../../src/base/format.ts";
import type { Layout, Status, ToWorker } from "../../src/base/messages.ts";
import { FrameKeeper, receive } from "../../src/model/engine.ts";
import { follow } from "../../src/model/look.ts";
import { change, horizon, open, openAddress, openEntry, openFiles } from "../../src/model/run.ts";
import { verdictOf } from "../../src/model/session.ts";
import { emptyState, Store } from "../../src/model/store.ts";
import { described } from "./describe.ts";

const layout: Layout = {
  columns: 1,
  rows: 1,
  blocks: [],
  x: Uint16Array.of(0),
  y: Uint16Array.of(0),
  rack: Int32Array.of(0),
  pitch: { width: 0, height: 0, gapX: 0, gapY: 0, tall: 0 },
};
const still: Status = {
  at: 0,
  until: 3600e6,
  playing: false,
  ended: false,
  speed: 60,
  reached: 0,
  possible: 0,
  events: 0,
  eventsPerSecond: 0,
  memory: 0,
  digest: "0123456789abcdef",
  present: {},
  counts: {},
};

/** A store whose messages to the worker are kept. */
function start() {
  const sent: ToWorker[] = [];
  const store = new Store(emptyState(), (message) => sent.push(message));
  const tell = (message: Parameters<typeof receive>[1]) => receive(store, message, new FrameKeeper(), () => {});
  const opened = () => {
    const { session } = store.state;
    const scenario = session.is === "opening" ? session.request.scenario : { v: 1, system: "negotiation" };
    tell({
      type: "opened",
      scenario: { ...scenario, until: "29d" },
      hasMachines: false,
      shape: "tasks",
      choices: [],
      layers: [{ id: "cpu", name: "CPU", unit: "" }],
      layout,
      files: [],
    });
  };
  return { store, sent, tell, opened };
}

test("a link's digest is compared at its own time, standing still, and then play goes on", () => {
  for (const [digest, verdict] of [
    ["01234567", "reproduced"],
    ["76543210", "differs"],
  ] as const) {
    const { store, sent, tell, opened } = start();
    open(store, { v: 1, system: "negotiation" }, { base: "google-cell", at: 60e6, digest, play: true, push: false });
    assert.deepEqual(sent.at(-1), { type: "open", scenario: { v: 1, system: "negotiation" }, at: 60e6, play: false });
    opened();
    assert.equal(verdictOf(store.state.session), "checking");
    tell({ type: "status", status: { ...still, at: 30e6 } });
    assert.equal(verdictOf(store.state.session), "checking");
    tell({ type: "status", status: { ...still, at: 60e6 } });
    assert.equal(verdictOf(store.state.session), verdict);
    assert.deepEqual(sent.at(-1), { type: "play" });
  }
});

test("where another system plays dropped files, its own layer is shown", () => {
  const { store, tell } = start();
  const layers = [
    { id: "cpu", name: "CPU", unit: "" },
    { id: "community", name: "Community", unit: "" },
  ];
  store.set({ systems: [described({ id: "negotiation" }), described({ id: "boards", layers: [layers[1]] })], fill: "cpu" });
  for (const [system, shown] of [
    ["boards", "community"],
    ["negotiation", "cpu"],
  ] as const) {
    store.set({ fill: "cpu" });
    open(store, { v: 1, system: "negotiation" }, { files: [new File(["x"], "fan.stg")] });
    tell({
      type: "opened",
      scenario: { v: 1, system, until: "1h" },
      hasMachines: true,
      shape: "graphs",
      choices: [],
      layers,
      layout,
      files: [],
    });
    assert.equal(store.state.fill, shown, system);
  }
});

test("what is left out of files stands beside what was chosen for them", () => {
  const { store, tell } = start();
  open(store, { v: 1, system: "central" }, { files: [new File(["x"], "a.swf")] });
  const sha256 = "0".repeat(64);
  const file = { file: "a.swf", format: "swf/jobs", label: "jobs", sha256, rows: 4, bad: 0, bytes: 9 };
  tell({
    type: "opened",
    scenario: { v: 1, system: "central", until: "1h" },
    hasMachines: true,
    shape: "jobs",
    choices: ["machines assumed"],
    layers: [],
    layout,
    files: [{ ...file, notes: ["1 of the 4 jobs in the files are played"] }],
  });
  assert.deepEqual(store.state.choices, ["machines assumed", "1 of the 4 jobs in the files are played"]);
});

test("trouble leaves the running scenario as it is", () => {
  const { store, tell, opened } = start();
  open(store, { v: 1, system: "negotiation", seed: 7 }, { base: "google-cell", play: true });
  opened();
  const before = store.state.scenario;
  openFiles(store, [new File(["x"], "bad.csv")]);
  tell({ type: "trouble", trouble: { class: "unknown", sentence: "bad.csv is nothing" } });
  assert.equal(store.state.scenario, before);
  assert.equal(store.state.base, "google-cell");
  assert.deepEqual(
    store.state.trouble?.files?.map(({ name }) => name),
    ["bad.csv"],
  );
  assert.deepEqual(store.state.session, { is: "running", verdict: "" });
});

test("the same run from its start keeps scenario, base and selection", () => {
  const { store, sent, tell, opened } = start();
  open(store, { v: 1, system: "negotiation", seed: 7 }, { base: "google-cell", selected: 0, play: true });
  opened();
  tell({ type: "status", status: { ...still, at: 50e6, playing: true } });
  const before = store.state.scenario;
  opened();
  assert.equal(store.state.scenario, before);
  assert.equal(store.state.base, "google-cell");
  assert.equal(store.state.selected, 0);
  assert.equal(store.state.head, 50e6);
  assert.deepEqual(sent.at(-1), { type: "inspect", node: 0 });
  follow(store, { task: "17", name: "3-1" });
  opened();
  assert.deepEqual(sent.at(-1), { type: "inspect", node: 0, follow: { task: "17", name: "3-1", state: "asked", to: -1 } });
});

test("a change is asked for, and true only when the engine has opened it", () => {
  const { store, sent, opened } = start();
  open(store, { v: 1, system: "central", settings: { policy: "best-fit" }, seed: 7 }, { base: "b", play: true });
  opened();
  change(store, { nodes: 5 });
  const asked = sent.at(-1);
  assert.deepEqual(asked?.type === "open" && asked.scenario, {
    v: 1,
    system: "central",
    settings: { policy: "best-fit" },
    seed: 7,
    cluster: { nodes: 10 },
  });
  assert.equal(store.state.scenario?.cluster, undefined);
  opened();
  assert.deepEqual(store.state.scenario?.cluster, { nodes: 10 });
});

test("a fault becomes part of the scenario that links carry", () => {
  const { store, tell, opened } = start();
  open(store, { v: 1, system: "negotiation" }, { base: "google-cell", play: true });
  opened();
  const faults = [{ at: "6s", kind: "rack_down", target: "rack.14" }];
  tell({ type: "scenario", scenario: { v: 1, system: "negotiation", until: "29d", faults } });
  assert.deepEqual(store.state.scenario, { v: 1, system: "negotiation", faults });
  assert.equal(store.state.push, true);
});

test("the timeline grows with the run and ends with it", () => {
  const at = (head: number) => horizon({ ...emptyState(), status: { ...still, until: 86_400e6 }, head });
  assert.equal(at(0), 600e6);
  assert.equal(at(590e6), 1800e6);
  assert.equal(at(86_000e6), 86_400e6);
});

test("percent is whole and never 100 while there is work", () => {
  assert.deepEqual([percent(0, 0), percent(1, 3), percent(999, 1000), percent(1000, 1000), percent(5, 4)], [0, 33, 99, 99, 99]);
});

test("of two scenarios that are asked for, the later one opens, whichever comes first", async (t) => {
  const { store, sent } = start();
  const come = new Map<string, () => void>();
  t.mock.method(
    globalThis,
    "fetch",
    (address: string) =>
      new Promise((resolve) => come.set(address, () => resolve(new Response(JSON.stringify({ v: 1, system: address }))))),
  );
  const first = openAddress(store, { settings: {}, base: "one" }, false);
  const second = openEntry(store, "two");
  come.get("scenarios/two.json")?.();
  await second;
  come.get("scenarios/one.json")?.();
  await first;
  const opened = sent.filter((message) => message.type === "open");
  assert.deepEqual(
    opened.map(({ scenario }) => scenario.system),
    ["scenarios/two.json"],
  );
});

test("a link's fork is asked of the engine, and one that no act has is said", async () => {
  const { store, sent } = start();
  const packed = { v: 1 as const, system: "central", faults: [{ at: "6m", kind: "rack_down", target: "rack.1" }] };
  const forks = () => sent.filter((message) => message.type === "open").map((message) => (message as { fork?: number }).fork);
  await openAddress(store, { settings: {}, packed, fork: 1 }, false);
  assert.deepEqual([forks(), store.state.notice], [[1], ""]);
  await openAddress(store, { settings: {}, packed, fork: 2 }, false, false, "Of the link.");
  assert.deepEqual(
    [forks(), store.state.notice],
    [[1, undefined], "Of the link. The link branches at act 2, but its scenario has 1 act: it opens without the original."],
  );
  await openAddress(store, { settings: {}, packed: { v: 1, system: "central" }, fork: 1 }, false);
  assert.match(store.state.notice, /^The link branches at act 1, but its scenario has none/);
});

const held = { of: "jobs", rows: 100, played: 100, leftOut: [], repaired: [], jobs: 100, processors: 8, first: 120e6, end: 20_120e6 };

test("files are played by the system that the engine chose for them, and the page says so", () => {
  const { store, sent, tell, opened } = start();
  open(store, { v: 1, system: "negotiation", settings: { brokers: 2 } }, { base: "google-cell", play: true });
  opened();
  openFiles(store, [new File(["1"], "small.swf")]);
  assert.equal((sent.at(-1) as { any?: boolean }).any, true);
  tell({
    type: "opened",
    scenario: { v: 1, system: "central", settings: { policy: "easy" }, until: "1h" },
    hasMachines: true,
    shape: "jobs",
    choices: ["central plays them", "machines assumed: 4"],
    layers: [{ id: "cpu", name: "CPU", unit: "" }],
    layout,
    files: [{ file: "small.swf", format: "swf/jobs", label: "jobs", sha256: "", rows: 100, bad: 0, bytes: 9, notes: [], held }],
  });
  assert.equal(store.state.scenario?.system, "central");
  assert.deepEqual(store.state.scenario?.settings, { policy: "easy" });
  assert.equal(store.state.scenario?.name, "small.swf");
  assert.deepEqual([store.state.card, store.state.choices], [true, ["central plays them", "machines assumed: 4"]], "the card says them");
  assert.equal(store.state.notice, "");
  assert.deepEqual(sent.slice(-2), [
    { type: "speed", speed: 600 },
    { type: "seek", at: 120e6 },
  ]);
  assert.equal(store.state.shape, "jobs");
  change(store, { seed: 3 });
  assert.equal((sent.at(-1) as { any?: boolean }).any, undefined); // by now somebody chose it
});
