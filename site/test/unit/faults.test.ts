// What is broken at a moment, by the scenario's faults and by the map.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Frame } from "../../src/base/frame.ts";
import type { Layer, Scenario } from "../../src/base/protocol.ts";
import { breaks, brokenNow, brokersOf, inForce } from "../../src/model/faults.ts";
import { makeGrid } from "../../src/model/grid.ts";
import { emptyState } from "../../src/model/store.ts";

const scenario: Scenario = {
  v: 1,
  system: "negotiation",
  faults: [
    { at: "2m", kind: "rack_down", target: "rack.0" },
    { at: "1m", kind: "node_down", target: "node.3" },
    { at: "3m", kind: "mail_loss", target: "mail", value: 0.2 },
    { at: "4m", kind: "mail_loss", target: "mail", value: 0.125 },
    { at: "4m", kind: "rack_cut", target: "rack.1" },
    { at: "4m", kind: "broker_down", target: "broker.0" },
    { at: "5m", kind: "broker_up", target: "broker.0" },
    { at: "6m", kind: "mail_delay", value: 2, target: "mail" },
    { at: "7m", kind: "mail_loss", target: "mail", value: 0 },
    { at: "7m", kind: "rack_healed", target: "rack.1" },
  ],
};

const at = (minutes: number) => inForce(scenario, minutes * 60e6).map(({ what }) => what);

test("faults are in force from their moment until they are mended", () => {
  assert.deepEqual(at(0), []);
  assert.deepEqual(at(1), ["node 3 is down"]);
  assert.deepEqual(at(3), ["node 3 is down", "rack 0 is down", "20 % of messages get lost"]);
  assert.deepEqual(at(4), ["node 3 is down", "rack 0 is down", "12.5 % of messages get lost", "rack 1 is cut off", "broker 0 is down"]);
  assert.deepEqual(at(10), ["node 3 is down", "rack 0 is down", "messages take 2 s longer"]);
  assert.deepEqual(inForce(scenario, 600e6).map(({ heal }) => heal), [{ kind: "node_up", target: "node.3" }, { kind: "rack_up", target: "rack.0" }, { kind: "mail_delay", target: "mail", value: 0 }]);
  assert.deepEqual((scenario.faults ?? []).map(breaks), [true, true, true, true, true, true, false, true, false, false]);
});

test("the map has the last word on nodes and racks", () => {
  const layers: Layer[] = [{ id: "state", name: "State", unit: "", names: ["up", "down"] }];
  const grid = makeGrid({ columns: 5, rows: 1, x: new Uint16Array([0, 1, 2, 3, 4]), y: new Uint16Array(5), rack: new Int32Array([0, 0, 0, 1, 1]), blocks: [] });
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

test("the number of brokers is the scenario's, or the usual one, or none", () => {
  const systems = [{ id: "negotiation", name: "", settings: { brokers: 1 } }, { id: "central", name: "", settings: {} }];
  assert.equal(brokersOf({ systems, scenario }), 1);
  assert.equal(brokersOf({ systems, scenario: { ...scenario, settings: { brokers: 3 } } }), 3);
  assert.equal(brokersOf({ systems, scenario: { ...scenario, system: "central" } }), 0);
});
