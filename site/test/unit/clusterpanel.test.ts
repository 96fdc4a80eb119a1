// The place "Your cluster", as an element.
import "./browser.ts"; // before lit-html

import assert from "node:assert/strict";
import { test } from "node:test";
import type { FromCluster } from "../../src/base/messages.ts";
import { Cluster } from "../../src/model/cluster.ts";
import { emptyState, Store } from "../../src/model/store.ts";
import { mountCluster } from "../../src/panel/cluster.ts";
import { byId, pass, place } from "./browser.ts";

const DUMP = {
  type: "dump",
  name: "dump.json",
  sentence: "1 node, 1 pod in 1 namespace.",
  bytes: 100,
  wall_us: 1e5,
  owners: [],
  labels: [],
  resources: [["cpu", "4 cores", "1 core"]],
  nodes: [{ name: "a", zone: "z1", type: "m", pods: 1, parts: [10, 20] }],
  summary: { nodes: { count: 1 }, pods: { bound: 1, pending: 0, of_daemonsets: 0, finished: 0 }, namespaces: 1, kinds: [], unmodelled: [] },
} as unknown as Extract<FromCluster, { type: "dump" }>;

test("Cancel stands half a second after a question, whenever it is asked", async () => {
  let say: (message: FromCluster) => void = () => {};
  const cluster = new Cluster(() => ({ send: () => {}, listen: (listener) => void (say = listener), end: () => {} }));
  const ticks = new Map<number, { each: () => void; ms: number }>();
  let numbers = 0;
  Object.assign(window, {
    setInterval: (each: () => void, ms: number) => (ticks.set(++numbers, { each, ms }), numbers),
    clearInterval: (number: number) => ticks.delete(number),
  });
  Object.assign(globalThis, { clearInterval: window.clearInterval });
  const element = place();
  const stop = mountCluster(element, new Store(emptyState(), () => {}), cluster);
  cluster.read([new File([""], "dump.json")]);
  say(DUMP);
  await pass(130); // the question comes at any moment
  assert.equal(ticks.size, 0, "nothing runs while nothing is asked");
  cluster.ask();
  await pass(0);
  assert.ok(byId(element, "cluster-cancel").hidden);
  const [tick] = ticks.values();
  assert.equal(500 % tick.ms, 0, "it looks at half a second");
  for (let passed = 0; passed < 500; passed += tick.ms) {
    assert.ok(byId(element, "cluster-cancel").hidden, `after ${passed} ms`);
    await pass(tick.ms);
    tick.each();
  }
  assert.ok(!byId(element, "cluster-cancel").hidden);
  say({ type: "answer", question: "drain", digest: "0123456789abcdef", wall_us: 6e5, documents: [], nodes: [] } as unknown as FromCluster);
  await pass(0);
  assert.ok(byId(element, "cluster-cancel").hidden);
  assert.equal(ticks.size, 0);
  stop();
});
