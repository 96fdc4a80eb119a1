// The comparison in the address: told as it is, and opened as a link says.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { FromWorker, Status, SystemInfo, ToWorker } from "../../src/base/messages.ts";
import type { Scenario } from "../../src/base/scenario.ts";
import { type Compared, comparisonText } from "../../src/model/address.ts";
import { emptyState, Store } from "../../src/model/store.ts";
import { Comparison } from "../../src/place/compare/model/compare.ts";
import { comparedOf, followLink } from "../../src/place/compare/model/link.ts";
import { Pair } from "../../src/place/compare/model/pair.ts";
import { choice, described } from "./describe.ts";

const systems: SystemInfo[] = [
  described({ id: "negotiation", name: "Agent negotiation" }),
  described({ id: "central", name: "Central scheduler", settings: [choice("policy", "best-fit", "worst-fit")] }),
];
const cell: Scenario = { v: 1, name: "A cell", system: "negotiation", seed: 7 };

function start(comparison: Compared = {}, running = true) {
  const store = new Store(emptyState(), () => {});
  const run = () =>
    store.set({
      scenario: cell,
      systems,
      session: { is: "running", verdict: "" },
      status: { at: 60e6, until: 3600e6, playing: true } as Status,
    });
  store.set({ comparison });
  if (running) run();
  const opened: ToWorker[] = [];
  const engine = () => ({
    send: (message: ToWorker) => void (message.type === "open" && opened.push(message)),
    listen: (_: (message: FromWorker) => void) => {},
    end: () => {},
  });
  const compare = new Comparison(store, engine, 8);
  const pair = new Pair(
    engine,
    () => ({ palette: "dusk", light: false, reducedMotion: false }),
    () => 0,
  );
  const stop = followLink(store, compare, pair);
  return { store, compare, pair, opened, run, stop, text: () => comparisonText(store.state.comparison) };
}

/** After the watchers of this turn. */
const soon = () => new Promise((resolve) => setTimeout(resolve));

test("what the viewer chooses, starts and watches is told", async () => {
  const { compare, pair, text } = start();
  assert.equal(text(), "");
  compare.choose("central.best-fit", false);
  compare.choose("central.worst-fit", true);
  await soon();
  assert.equal(text(), "with=central.worst-fit");
  compare.set({ until: "10m", seeds: "2" });
  await soon();
  assert.equal(text(), "with=central.worst-fit&until=10m&seeds=2");
  compare.start();
  await soon();
  assert.equal(text(), "with=central.worst-fit&until=10m&seeds=2&run=1");
  compare.watch(pair);
  pair.lay("difference");
  await soon();
  assert.equal(text(), "with=central.worst-fit&until=10m&seeds=2&run=1&beside=difference&moment=1m");
  pair.end();
  compare.clear();
  await soon();
  assert.equal(text(), "with=central.worst-fit&until=10m&seeds=2");
});

test("nothing is compared while another scenario opens, and what the link says is there once it has", async () => {
  const { store, compare, opened, run } = start({ until: 600e6, seeds: 2 }, false);
  const status = { at: 60e6, until: 3600e6, playing: true } as Status; // of the run that goes on until then
  const request = { base: "", scenario: cell, files: [], push: false, at: 0, digest: "", play: true, shared: false, selected: -1 };
  store.set({ scenario: cell, systems, status, session: { is: "opening", request, before: { is: "empty" } } });
  await soon();
  compare.start();
  await soon();
  assert.deepEqual([compare.ready(), opened.length, compare.state.runs.length], [false, 0, 0]);
  run();
  await soon();
  compare.start();
  await soon();
  assert.deepEqual(
    [compare.ready(), compare.state.runs.length, compare.state.runs[0]?.repeats.length, compare.state.to],
    [true, 2, 1, 600e6],
  );
});

test("a link starts and watches what its sender did, once the run is there", async () => {
  const { compare, pair, opened, run, text } = start(
    { rivals: ["central.worst-fit"], until: 600e6, seeds: 2, started: true, beside: "swipe", besideAt: 120e6 },
    false,
  );
  await soon();
  assert.equal(opened.length, 0, "nothing runs yet");
  run();
  await soon();
  const told = opened.map(
    (message) => message.type === "open" && [message.scenario.system, message.scenario.until ?? "", message.at ?? 0, message.play],
  );
  assert.deepEqual(told, [
    ["negotiation", "10m", 0, true],
    ["central", "10m", 0, true],
    ["negotiation", "10m", 0, true],
    ["central", "10m", 0, true],
    ["negotiation", "", 120e6, false],
    ["central", "", 120e6, false],
  ]);
  assert.deepEqual([compare.state.running, pair.state.view, pair.state.sides.length], [true, "swipe", 2]);
  assert.equal(text(), "with=central.worst-fit&until=10m&seeds=2&run=1&beside=swipe&moment=2m");
});

test("the way back ends what was started after it, and a link without a start only chooses", async () => {
  const { store, compare, pair, opened } = start({ rivals: ["central.worst-fit"] });
  await soon();
  assert.deepEqual([compare.chosen().map(({ id }) => id), opened.length], [["central.worst-fit"], 0]);
  const before = store.state.comparison;
  compare.start();
  compare.watch(pair);
  await soon();
  assert.deepEqual([store.state.comparison.started, store.state.comparison.beside], [true, "split"]);
  store.set({ comparison: before });
  await soon();
  assert.deepEqual([compare.state.runs.length, compare.state.running, pair.state.sides.length], [0, false, 0]);
});

test("a fork is compared with its parent, whatever number that has here", async () => {
  const act = { at: "6m", kind: "rack_down", target: "rack.1" };
  const first = { parent: -1, at: 0, act: "", target: "", value: 0, shared: 0, head: 360e6, scenario: cell };
  const fork = {
    parent: 0,
    at: 360e6,
    act: "rack_down",
    target: "rack.1",
    value: 0,
    shared: 0,
    head: 600e6,
    scenario: { ...cell, faults: [act] },
  };
  const forked = { scenario: { ...cell, faults: [act] }, branches: [first, fork], branch: 1 };
  const { store, compare, pair, opened, text, run } = start(
    { rivals: ["parent"], until: 600e6, seeds: 1, started: true, beside: "split", besideAt: 120e6 },
    false,
  );
  store.set(forked);
  run();
  store.set(forked);
  await soon();
  assert.equal(store.state.notice, "");
  assert.deepEqual(
    compare.chosen().map(({ id, name }) => [id, name]),
    [["course.0", "original"]],
  );
  assert.deepEqual(
    opened.map((message) => message.type === "open" && [message.scenario.until ?? "", message.scenario.faults?.length ?? 0]),
    [
      ["10m", 1],
      ["10m", 0],
      ["", 1],
      ["", 0],
    ],
  );
  assert.equal(pair.state.sides.length, 2);
  assert.equal(text(), "with=parent&until=10m&seeds=1&run=1&beside=split&moment=2m");
  store.set({ branch: 0, scenario: cell }); // the parent itself has none
  await soon();
  assert.deepEqual([comparedOf(store, compare, pair).rivals?.includes("parent") ?? false, text().includes("parent")], [false, false]);
});

test("what cannot play the scenario is said, and the rest is compared", async () => {
  const { store, compare } = start({ rivals: ["central.worst-fit", "central.gone"] });
  await soon();
  assert.equal(store.state.notice, "The link compares with “central.gone”, which cannot play this scenario here; the rest is compared.");
  assert.deepEqual(
    compare.chosen().map(({ id }) => id),
    ["central.worst-fit"],
  );
});

test("results of a scenario that is no longer on the page are in no link", async () => {
  const { store, compare, pair } = start();
  compare.start();
  compare.watch(pair);
  await soon();
  assert.deepEqual([store.state.comparison.started, store.state.comparison.beside], [true, "split"]);
  store.set({ scenario: { ...cell, seed: 8 } });
  await soon();
  assert.deepEqual([store.state.comparison.started, store.state.comparison.beside], [undefined, undefined]);
});
