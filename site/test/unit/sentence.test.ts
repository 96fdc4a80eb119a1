// The sentence above the map: true at every moment, of every system.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Incident, Layer, SystemInfo } from "../../src/base/messages.ts";
import { emptyState, type State } from "../../src/model/store.ts";
import { plain, sentenceOf } from "../../src/place/watch/model/sentence.ts";
import { described, fault } from "./describe.ts";

const MINUTE = 60e6;
const broker = {
  id: "broker",
  name: "broker",
  about: "",
  faults: [{ id: "broker_down", revert: "broker_up", name: "Crash", repair: "Restart", label: "is down", target: "broker" }],
};
const system = described({ id: "one", agents: [broker], now: [{ words: "{running:task} running, {waiting} waiting.", of: "tasks" }] });

function state(part: Partial<State>, info: SystemInfo = system): State {
  const layers: Layer[] = [
    { id: "cpu", name: "CPU used", unit: "" },
    { id: "class", name: "Load class", unit: "", names: [] },
  ];
  return {
    ...emptyState(),
    grid: { cells: 12_500, layout: { rack: new Int32Array(12_500) } } as unknown as State["grid"],
    layers,
    systems: [info],
    scenario: { v: 1, system: info.id },
    shape: "tasks",
    status: status(6 * MINUTE, { running: 138_462, waiting: 5 }),
    ...part,
  };
}

const status = (at: number, present: Record<string, number> = {}, ended = false) => ({ at, present, ended }) as unknown as State["status"];
const texts = (now: State) => sentenceOf(now)?.texts.map(plain);
const incident = (part: Partial<Incident>) => fault({ at: 6 * MINUTE, node: 6576, half: 1, last: 1, ...part });

test("while nothing is wrong the system's own figures are told", () => {
  assert.deepEqual(texts(state({})), [
    "12,500 machines, coloured by CPU used. 138,462 tasks running, 5 waiting.",
    "138,462 tasks running, 5 waiting.",
  ]);
  assert.deepEqual(
    texts(state({ fill: "class", status: status(1, { running: 1, waiting: 0 }) }))?.[0],
    "12,500 machines, coloured by load class. 1 task running, 0 waiting.",
  );
  assert.deepEqual(texts(state({ shape: "graphs" })), ["12,500 machines, coloured by CPU used."], "it has no words for that work");
  assert.equal(sentenceOf(state({ grid: undefined })), undefined);
});

test("glyphs have the colour of the fuller of CPU and memory, whichever of the two is chosen", () => {
  Object.assign(globalThis, { devicePixelRatio: 1 });
  const layers = ["cpu", "memory", "cpu_requested", "memory_requested", "class"].map((id) => ({ id, name: id.toUpperCase(), unit: "" }));
  const first = (zoom: number, fill: string) =>
    texts(
      state({
        layers,
        fill,
        camera: { x: 0, y: 0, zoom },
        grid: { cells: 200, down: { cell: 1 }, layout: { rack: new Int32Array(200) } } as unknown as State["grid"],
      }),
    )?.[0].split(".")[0];
  for (const fill of ["cpu", "memory"]) assert.equal(first(14, fill), "200 machines, coloured by the fuller resource");
  assert.equal(first(13.9, "memory"), "200 machines, coloured by MEMORY");
  assert.equal(first(14, "class"), "200 machines, coloured by CLASS");
});

test("figures are rounded, shares are percent, and what is not measured is not told", () => {
  const info = described({ id: "one", node: "worker", now: [{ words: "{left:unit} left, {busy} % busy, at least {least:%}." }] });
  const now = state({}, info);
  assert.deepEqual(texts(now), ["12,500 workers, coloured by CPU used."]);
  now.status = status(1, { left: 3241.4, busy: 71.26, least: 0.9599 });
  assert.equal(texts(now)?.[1], "3,241 units left, 71.3 % busy, at least 95.9 %.");
});

test("a fault is told until nothing of it matters any more", () => {
  const now = (part: Partial<Incident>, seconds = 20) => state({ status: status(6 * MINUTE + seconds * 1e6), incidents: [incident(part)] });
  assert.deepEqual(texts(now({})), [
    "12,500 machines, coloured by CPU used. Rack 137 failed 20 s ago: 618 of 623 tasks ran again elsewhere, 5 wait.",
    "Rack 137 failed 20 s ago: 618 of 623 tasks ran again elsewhere, 5 wait.",
    "Rack 137: 618 of 623 tasks ran again, 5 wait.",
  ]);
  const middle = (part: Partial<Incident>, seconds?: number) => texts(now(part, seconds))?.at(-2);
  assert.equal(middle({ again: 620, ended: 2 }), "Rack 137 failed 20 s ago: 620 of 623 tasks ran again elsewhere, 2 ended, 1 waits.");
  assert.equal(middle({ again: 623 }), "Rack 137 failed 20 s ago: all 623 tasks ran again elsewhere.");
  assert.equal(middle({ again: 600, ended: 23 }), "Rack 137 failed 20 s ago: 600 of 623 tasks ran again elsewhere, 23 ended.");
  assert.equal(middle({ lost: 1, again: 1, noun: "job" }), "Rack 137 failed 20 s ago: its job ran again elsewhere.");
  assert.equal(middle({ lost: 2, again: 0, ended: 2 }), "Rack 137 failed 20 s ago: 2 tasks ended instead.");
  assert.equal(
    middle({ lost: 0, again: 0, summary: "Nothing was running there." }),
    "Rack 137 failed 20 s ago: nothing was running there.",
  );
  assert.equal(middle({ again: 623, back: 20 }), "Rack 137 failed 20 s ago: all 623 tasks ran again. 20 of its 48 nodes are back.");
  assert.match(middle({ again: 623, back: 48 }, 119) ?? "", /The rack is back\.$/);
  const two = { subject: "2 nodes of rack 137", nodes: 2, whole: false, lost: 9, again: 9 };
  assert.equal(middle({ ...two, back: 2 }), "2 nodes of rack 137 failed 20 s ago: all 9 tasks ran again. All 2 nodes are back.");
  const graphs = { noun: "subtask", lost: 5, again: 2, ended: 2 };
  assert.equal(middle(graphs), "Rack 137 failed 20 s ago: 2 of 5 subtasks ran again elsewhere, 2 ended, 1 waits.");
  assert.doesNotMatch(texts(now({ again: 623, back: 48 }, 121))?.[0] ?? "", /Rack 137/, "all of it is over");
  assert.match(texts(now({ again: 623 }, 7200))?.[0] ?? "", /Rack 137/, "it is still down");
  assert.doesNotMatch(texts(now({}, -1))?.[0] ?? "", /Rack 137/, "the playhead is before it");
});

test("a fault of agents is told where it is the newest", () => {
  const faults = [{ at: "6m30s", kind: "broker_down", target: "broker.2" }];
  const now = (seconds: number, incidents: Incident[] = []) =>
    texts(state({ scenario: { v: 1, system: "one", faults }, incidents, status: status(6 * MINUTE + seconds * 1e6) }))?.[0] ?? "";
  assert.match(now(40), /\. Broker 2 is down since 00:06:30\.$/);
  faults.push({ at: "1m", kind: "broker_down", target: "broker.1" });
  assert.match(now(40), /\. Broker 2 is down since 00:06:30\. 1 other fault of agents or messages lasts\.$/);
  faults.pop();
  assert.doesNotMatch(now(20), /Broker/);
  assert.match(now(40, [incident({})]), /Broker 2 is down/);
  assert.match(now(40, [incident({ at: 6 * MINUTE + 35e6 })]), /Rack 137 failed 5 s ago/);
});

test("a run that is over says so", () => {
  assert.match(texts(state({ status: status(30 * MINUTE, {}, true) }))?.[0] ?? "", /The run ended at 00:30:00\.$/);
});

test("what is read out changes with what matters, not with every number", () => {
  const spoken = (running: number) => sentenceOf(state({ status: status(1, { running, waiting: 0 }) }))?.spoken;
  assert.equal(spoken(5), spoken(6));
});

test("before anything runs again, and of pieces of work, the sentence is as short as what there is to tell", () => {
  const told = (part: Partial<Incident>) =>
    texts(state({ status: status(6 * MINUTE + 20e6), incidents: [incident(part)] }))?.map((text) =>
      text.replace(/^12,500.*CPU used\. /, ""),
    );
  assert.deepEqual(told({ again: 0 }), [
    "Rack 137 failed 20 s ago: 623 tasks stopped, and all wait.",
    "Rack 137 failed 20 s ago: 623 tasks stopped, and all wait.",
    "Rack 137: 623 tasks stopped, and all wait.",
  ]);
  assert.equal(told({ lost: 1, again: 0 })?.[1], "Rack 137 failed 20 s ago: 1 task stopped, and it waits.");
  const lost = { subject: "Node 31", nodes: 1, whole: false, lost: 0, again: 0, pieces: 1, work: 3241.2 };
  assert.deepEqual(told(lost)?.slice(1), ["Node 31 failed 20 s ago: 3,241 work units were lost.", "Node 31: 3,241 work units lost."]);
});

test("what failed is back by the name that the system has for it", () => {
  const info = described({ id: "one", zone: "site" });
  const grid = { cells: 64, layout: { rack: new Int32Array(64).fill(7), zones: [{ name: "KTH", rack: 7 }] } } as unknown as State["grid"];
  const one = incident({ subject: "Site KTH", rack: 7, nodes: 64, back: 64, lost: 4, again: 4, noun: "job" });
  assert.equal(
    texts(state({ grid, status: status(6 * MINUTE + 20e6), incidents: [one] }, info))?.[1],
    "Site KTH failed 20 s ago: all 4 jobs ran again. The site is back.",
  );
});
