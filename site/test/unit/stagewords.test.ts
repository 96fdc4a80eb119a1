// The words of the stage are those of the system that runs: its noun for a node, and no rack where racks mean nothing.

import "./browser.ts"; // before lit-html

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Frame } from "../../src/base/frame.ts";
import { actInWords, targetName } from "../../src/model/faults.ts";
import { fuller } from "../../src/model/look.ts";
import { titleOf } from "../../src/model/scenario.ts";
import { emptyState, type State, Store } from "../../src/model/store.ts";
import { ledger } from "../../src/place/watch/model/ledger.ts";
import { plain, sentenceOf } from "../../src/place/watch/model/sentence.ts";
import { sentence } from "../../src/place/watch/model/why.ts";
import { mountIncident } from "../../src/place/watch/panel/incident.ts";
import { pickedOf } from "../../src/place/watch/panel/pick.ts";
import { mountTable } from "../../src/place/watch/panel/table.ts";
import { all, pass, place, text } from "./browser.ts";
import { described, fault } from "./describe.ts";

Object.assign(globalThis, { devicePixelRatio: 1, matchMedia: () => ({ matches: false, addEventListener: () => {} }) });
const system = described({ id: "rounds", node: "worker" });
const layers = ["cpu", "memory", "cpu_requested", "memory_requested"].map((id) => ({ id, name: id.toUpperCase(), unit: "" }));
const bytes = (...values: number[]) => Uint8Array.from(values);

function state(part: Partial<State> = {}, noRacks = true): State {
  const layout = { rack: Int32Array.of(0, 0, 1), blocks: [], noRacks };
  return {
    ...emptyState(),
    systems: [system],
    scenario: { v: 1, system: "rounds" },
    grid: { cells: 3, down: { cell: 1 }, across: { cell: 1 }, layout } as unknown as State["grid"],
    status: { at: 60e6, present: {} } as unknown as State["status"],
    layers,
    ...part,
  };
}

test("a node has its system's noun in all that is said of a fault", () => {
  assert.equal(targetName("node.31", system, undefined), "worker 31");
  assert.equal(targetName("node.31", undefined, undefined), "node 31");
  assert.equal(targetName("rack.3", system, undefined), "rack 3");
  assert.equal(actInWords({ kind: "node_down", target: "node.31", value: 0 }, system), "worker 31 is down");
  assert.equal(actInWords({ kind: "cluster_grow", target: "cluster", value: 1 }, system), "1 worker is added");
  assert.equal(actInWords({ kind: "cluster_grow", target: "cluster", value: 20 }, system), "20 workers are added");
  const one = fault({
    at: 10e6,
    subject: "Worker 31",
    nodes: 1,
    whole: false,
    lost: 0,
    again: 0,
    summary: "Nothing was running there.",
    back: 1,
    healed: 20e6,
  });
  const said = (part: Partial<typeof one>) => plain(sentenceOf(state({ incidents: [{ ...one, ...part }] }))?.texts[0] ?? []);
  assert.match(said({}), /The worker is back\.$/);
  assert.match(said({ nodes: 3, back: 3, whole: true, subject: "3 workers" }), /All 3 workers are back\.$/, "nobody said which rack it is");
  assert.match(said({ nodes: 3, back: 2 }), /2 of its 3 workers are back\.$/);
  const [line] = ledger(state({ incidents: [one] }), 9);
  assert.equal(`${line.count} ${line.words}`, "1 worker failed: worker 31");
  assert.deepEqual(line.details.at(-1), { count: "1", words: "of 1 worker back at 00:00:20" });
  const moved = { at: 0, from: 1, to: 2, candidates: [], messages: [] } as unknown as Parameters<typeof sentence>[0];
  assert.equal(sentence(moved, "7", 2, "the master", "worker"), "Task 7 was moved from worker 1 to worker 2 at 00:00:00.");
});

test("where racks mean nothing, none is offered, picked or listed", async () => {
  const one = fault({ at: 50e6, subject: "3 workers", nodes: 3, whole: true });
  const panel = place();
  const store = new Store(state({ incidents: [one], selected: 2, picksRack: true }), () => {});
  const end = mountIncident(panel, store);
  assert.match(text(panel), /3 workers failed/);
  assert.equal(text(all(panel, "#incident-restore")[0]), "Restore them");
  assert.equal(pickedOf(store.state)?.name, "worker 2");
  assert.equal(pickedOf(state({ selected: 2, picksRack: true }, false))?.name, "rack 1");
  end();
  const table = place();
  const frame = { cells: 3, layers: layers.map(() => bytes(1, 2, 3)), arcs: [] } as unknown as Frame;
  for (const [noRacks, heads] of [
    [true, ["worker"]],
    [false, ["worker", "rack"]],
  ] as const) {
    const stop = mountTable(table, new Store({ ...state({}, noRacks), frame }, () => {}));
    await pass(2000);
    assert.deepEqual(all(table, "th[scope=col]").slice(0, heads.length).map(text), heads);
    assert.equal(all(table, "th[scope=col]").length, heads.length + layers.length);
    assert.match(text(all(table, "tbody th")[1]), /^worker 1/);
    stop();
  }
});

test("a log without memory has no fuller resource", () => {
  Object.assign(globalThis, { devicePixelRatio: 1, matchMedia: () => ({ matches: false, addEventListener: () => {} }) });
  const frame = (memory: number) =>
    ({ cells: 3, layers: [bytes(9, 9, 9), bytes(0, 0, memory), bytes(9, 9, 9), bytes(0, 0, 0)], arcs: [] }) as unknown as Frame;
  const now = (shape: string, memory: number) =>
    fuller(state({ shape, frame: frame(memory), fill: "cpu", camera: { x: 0, y: 0, zoom: 20 } })) !== undefined;
  assert.deepEqual([now("jobs", 0), now("jobs", 1), now("tasks", 0)], [false, true, true]);
});

test("another cluster than the gallery's has not the gallery's name", () => {
  const base = { v: 1, system: "a", name: "Rack loss", cluster: { nodes: 12_500 } };
  assert.equal(titleOf(base, base), "Rack loss");
  assert.equal(titleOf({ ...base, seed: 9, system: "b", faults: [] }, base), "Rack loss", "the same cell under another scheduler");
  assert.equal(titleOf({ ...base, cluster: { nodes: 2500 } }, base), "2,500 nodes");
  assert.equal(titleOf({ ...base, cluster: { nodes: 2500 }, name: "Mine" }, base), "Mine");
  assert.equal(titleOf(base, undefined), "Rack loss");
  assert.equal(titleOf(undefined, undefined), undefined);
});

test("the palette offers racks only where there are some", async () => {
  const { makeCommands } = await import("../../src/page/actions.ts"); // after the browser's parts that it asks at once
  const listed = (noRacks: boolean) => {
    const page = {} as Parameters<typeof makeCommands>[1];
    return makeCommands(new Store(state({}, noRacks), () => {}), page)
      .listed()
      .filter(({ title }) => / racks?\b/.test(title))
      .map(({ id }) => id);
  };
  assert.deepEqual(listed(false), ["group", "fail-rack", "restore-rack"]);
  assert.deepEqual(listed(true), []);
});
