// What is broken at a moment, by the scenario's faults and by the map.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Frame } from "../../src/base/frame.ts";
import type { Layer } from "../../src/base/messages.ts";
import type { Scenario } from "../../src/base/scenario.ts";
import {
  actInWords,
  agentFaults,
  answerTo,
  breaks,
  brokenNow,
  faultTimes,
  inForce,
  nextFault,
  targetName,
  targetOf,
} from "../../src/model/faults.ts";
import { makeGrid } from "../../src/model/grid.ts";
import { emptyState, type State } from "../../src/model/store.ts";
import { countOf } from "../../src/model/systems.ts";
import { described } from "./describe.ts";

const system = described({
  id: "negotiation",
  settings: [{ id: "brokers", name: "", about: "", default: 1 }],
  agents: [
    {
      id: "node",
      name: "node agent",
      about: "",
      on: "node",
      faults: [{ id: "partition", revert: "partition_healed", name: "Cut off", repair: "Heal", label: "is cut off", target: "rack" }],
    },
    {
      id: "broker",
      name: "broker",
      about: "",
      setting: "brokers",
      faults: [{ id: "broker_down", revert: "broker_up", name: "Crash", repair: "Restart", label: "is down", target: "broker" }],
    },
    {
      id: "mail",
      name: "mail",
      about: "",
      faults: [
        { id: "mail_loss", name: "Messages lost", target: "mail", unique: true, value: { min: 0, max: 1, below: true } },
        { id: "mail_delay", name: "Messages delayed", target: "mail", unique: true, unit: "s", value: { min: 0, max: 3600 } },
      ],
    },
    {
      id: "settings",
      name: "settings",
      about: "",
      faults: [
        { id: "candidates", name: "Candidates", target: "settings", unique: true, setting: "candidates", value: { min: 1, max: 32 } },
      ],
    },
  ],
});

const scenario: Scenario = {
  v: 1,
  system: "negotiation",
  faults: [
    { at: "2m", kind: "rack_down", target: "rack.0" },
    { at: "1m", kind: "node_down", target: "node.3" },
    { at: "3m", kind: "mail_loss", target: "mail", value: 0.2 },
    { at: "4m", kind: "mail_loss", target: "mail", value: 0.125 },
    { at: "4m", kind: "partition", target: "rack.1" },
    { at: "4m", kind: "broker_down", target: "broker.0" },
    { at: "5m", kind: "broker_up", target: "broker.0" },
    { at: "6m", kind: "mail_delay", value: 2, target: "mail" },
    { at: "7m", kind: "mail_loss", target: "mail", value: 0 },
    { at: "7m", kind: "partition_healed", target: "rack.1" },
  ],
};

const at = (minutes: number) => inForce(scenario, minutes * 60e6, system).map(({ what }) => what);

test("faults are in force from their moment until they are mended", () => {
  assert.deepEqual(at(0), []);
  assert.deepEqual(at(1), ["node 3 is down"]);
  assert.deepEqual(at(3), ["node 3 is down", "rack 0 is down", "Messages lost: 20 %"]);
  assert.deepEqual(at(4), ["node 3 is down", "rack 0 is down", "Messages lost: 12.5 %", "rack 1 is cut off", "broker 0 is down"]);
  assert.deepEqual(at(10), ["node 3 is down", "rack 0 is down", "Messages delayed: 2 s"]);
  assert.deepEqual(
    inForce(scenario, 600e6, system).map(({ heal }) => heal),
    [
      { kind: "node_up", target: "node.3" },
      { kind: "rack_up", target: "rack.0" },
      { kind: "mail_delay", target: "mail", value: 0 },
    ],
  );
  assert.deepEqual(
    (scenario.faults ?? []).map((fault) => breaks(fault, system)),
    [true, true, true, true, true, true, false, true, false, false],
  );
});

test("the next problem in time has its moment and its cause", () => {
  const next = (minutes: number) => {
    const found = nextFault({
      ...emptyState(),
      systems: [system],
      scenario,
      status: { at: minutes * 60e6 } as ReturnType<typeof emptyState>["status"],
    });
    return found && [found.at / 60e6, found.what];
  };
  assert.deepEqual(
    faultTimes({ ...emptyState(), systems: [system], scenario }).map((time) => time / 60e6),
    [1, 2, 3, 4, 4, 4, 6],
  );
  assert.deepEqual(next(0), [1, "node 3 is down"]);
  assert.equal(next(60), undefined);
});

test("a fault of a rack or a node that the cluster does not have is no problem in time", () => {
  const faults = ["rack.0", "rack.137", "node.4", "node.2500"].map((target, i) => ({
    at: `${i + 1}m`,
    kind: `${target.split(".")[0]}_down`,
    target,
  }));
  const grid = { cells: 5, layout: { rack: new Int32Array([0, 0, 0, 1, 1]) } } as unknown as State["grid"];
  const state = { ...emptyState(), systems: [system], scenario: { ...scenario, faults }, grid };
  assert.deepEqual(
    faultTimes(state).map((time) => time / 60e6),
    [1, 3],
  );
  const after = (minutes: number) => nextFault({ ...state, status: { at: minutes * 60e6 } as State["status"] })?.what;
  assert.deepEqual([after(0), after(1), after(3)], ["rack 0 is down", "node 4 is down", undefined]);
});

test("what a fault will do is told before it is done, and why it does nothing", () => {
  const layers: Layer[] = [{ id: "state", name: "State", unit: "", names: ["up", "down"] }];
  const frame: Frame = { at: 0, sequence: 0, cells: 3, layers: [new Uint8Array([1, 1, 0])], arcs: [] };
  const grid = { cells: 3, layout: { rack: new Int32Array([0, 0, 1]) } } as unknown as State["grid"];
  const told = (kind: string, target: string, value = 0) => {
    const { text, done } = answerTo(
      { kind, target, value },
      { ...emptyState(), systems: [system], scenario: { v: 1, system: "negotiation" }, layers, frame, grid },
    );
    return `${text} ${done}`;
  };
  assert.equal(told("rack_down", "rack.7"), "There is no rack 7. false");
  assert.equal(told("node_down", "node.1"), "Node 1 is down already: nothing changed. false");
  assert.equal(told("rack_down", "rack.0"), "Rack 0 is down already: nothing changed. false");
  assert.equal(told("rack_up", "rack.1"), "Rack 1 needs no repair: nothing changed. false");
  assert.equal(told("node_down", "node.2"), "Node 2 is down. true");
  assert.equal(told("node_up", "node.1"), "Node 1 works again. true");
  assert.equal(told("broker_down", "broker.0"), "Broker 0 is down. true");
  assert.equal(told("broker_up", "broker.0"), "Broker 0 works again. true");
  assert.equal(told("mail_loss", "mail", 0.2), "Messages lost: 20 %. true");
});

test("crashes of agents and lost messages are told, the newest first, and nodes are not among them", () => {
  const told = (minutes: number) => agentFaults(scenario, minutes * 60e6, system).map(({ what }) => what);
  assert.deepEqual(told(2), []);
  assert.deepEqual(told(4), ["Messages lost: 12.5 %", "Rack 1 is cut off", "Broker 0 is down", "Messages lost: 20 %"]);
});

test("the map has the last word on nodes and racks", () => {
  const layers: Layer[] = [{ id: "state", name: "State", unit: "", names: ["up", "down"] }];
  const grid = makeGrid({
    columns: 5,
    rows: 1,
    x: new Uint16Array([0, 1, 2, 3, 4]),
    y: new Uint16Array(5),
    rack: new Int32Array([0, 0, 0, 1, 1]),
    blocks: [],
    pitch: { width: 0, height: 0, gapX: 0, gapY: 0, tall: 0 },
  });
  const see = (...states: number[]) => {
    const frame: Frame = { at: 0, sequence: 0, cells: 5, layers: [new Uint8Array(states)], arcs: [] };
    const status = { at: 120e6 } as ReturnType<typeof emptyState>["status"];
    const { list, others } = brokenNow({ ...emptyState(), scenario, status, frame, layers, grid });
    return [list.map(({ what }) => what), others];
  };
  assert.deepEqual(see(1, 1, 1, 1, 0), [["node 3 is down", "rack 0 is down"], 0]);
  assert.deepEqual(see(1, 0, 0, 0, 1), [["rack 0 is down"], 1], "somebody restored node 3, and node 4 failed by chance");
  assert.deepEqual(see(0, 0, 0, 0, 0), [[], 0]);
});

test("faults that only another system knows break nothing", () => {
  const other = described({ id: "central" });
  assert.deepEqual(
    inForce(scenario, 600e6, other).map(({ what }) => what),
    ["node 3 is down", "rack 0 is down"],
  );
  assert.equal(breaks({ kind: "mail_loss", value: 0.5 }, other), false);
});

test("the number of agents is the scenario's, or the usual one, or one", () => {
  const [nodes, brokers, mail] = system.agents;
  assert.equal(countOf(brokers, system, scenario), 1);
  assert.equal(countOf(brokers, system, { ...scenario, settings: { brokers: 3 } }), 3);
  assert.equal(countOf(mail, system, scenario), 1);
  assert.equal(countOf(nodes, system, scenario), undefined, "one on each node");
});

test("nodes that are added and settings that are changed break nothing", () => {
  const acts = [
    { at: "1m", kind: "cluster_grow", target: "cluster", value: 100 },
    { at: "2m", kind: "candidates", target: "settings", value: 5 },
  ];
  assert.deepEqual(
    acts.map((act) => breaks(act, system)),
    [false, false],
  );
  assert.deepEqual(inForce({ ...scenario, faults: acts }, 5 * 60e6, system), []);
  assert.deepEqual(
    acts.map((act) => actInWords(act, system)),
    ["100 nodes are added", "Candidates: 5"],
  );
});

test("a rack that is a zone has its name, and an incident the target of its fault", () => {
  const grid = {
    layout: {
      rack: Int32Array.of(0, 1),
      zones: [
        { name: "KTH", rack: 1 },
        { name: "large", rack: -1 },
      ],
    },
  } as unknown as State["grid"];
  const market = described({ id: "market", zone: "site" });
  assert.deepEqual(
    ["rack.1", "rack.0", "node.1", "mail"].map((target) => targetName(target, market, grid)),
    ["site KTH", "rack 0", "node 1", "mail"],
  );
  assert.equal(actInWords({ kind: "rack_down", target: "rack.1", value: 0 }, market, grid), "site KTH is down");
  assert.deepEqual(
    inForce({ v: 1, system: "market", faults: [{ at: "1m", kind: "rack_down", target: "rack.1" }] }, 60e6, market, grid).map(
      ({ what }) => what,
    ),
    ["site KTH is down"],
  );
  const incident = { rack: 1, node: 12 } as unknown as Parameters<typeof targetOf>[0];
  assert.deepEqual([targetOf({ ...incident, nodes: 64 }), targetOf({ ...incident, nodes: 1 })], ["rack.1", "node.12"]);
});
