// The place "Your cluster", as an element.
import "./browser.ts"; // before lit-html

import assert from "node:assert/strict";
import { test } from "node:test";
import type { FromCluster, ToCluster } from "../../src/base/messages.ts";
import { emptyState, Store } from "../../src/model/store.ts";
import { Cluster } from "../../src/place/cluster/model/cluster.ts";
import { mountCluster } from "../../src/place/cluster/panel/cluster.ts";
import { byId, pass, place } from "./browser.ts";

const DUMP = {
  type: "dump",
  name: "dump.json",
  sentence: "1 node, 1 pod in 1 namespace.",
  bytes: 100,
  wall_us: 1e5,
  owners: [],
  budgets: ["shop/web"],
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
  cluster.show("drain");
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

test("a changed world is a list of changes that are asked about, with both answers side by side", async () => {
  let say: (message: FromCluster) => void = () => {};
  const sent: ToCluster[] = [];
  const cluster = new Cluster(() => ({
    send: (message) => void sent.push(message),
    listen: (listener) => void (say = listener),
    end: () => {},
  }));
  const element = place();
  const stop = mountCluster(element, new Store(emptyState(), () => {}), cluster);
  cluster.read([new File([""], "dump.json")]);
  cluster.show("drain");
  say(DUMP);
  await pass(130);
  const menu = byId(element, "cluster-change") as HTMLSelectElement;
  const [object, value] = ["object", "value"].map((name) => byId(element, `cluster-change-${name}`) as HTMLInputElement);
  const add = async (kind: number, what: string, how?: string) => {
    menu.selectedIndex = kind;
    menu.dispatchEvent(new window.Event("change"));
    object.value = what;
    if (how !== undefined) value.value = how;
    byId(element, "cluster-change-add").click();
    await pass(0);
  };
  await add(0, "a");
  await add(1, "pdb/shop/web");
  await add(2, "shop/web", "2");
  await add(3, "a", 'k"=x=y');
  await add(4, "deploy/shop/web", '{"spec":null}');
  await add(2, "shop/web", "");
  assert.match(element.querySelector(".world")?.textContent ?? "", /Write pods, as 2 or 25% first\./);
  assert.deepEqual(
    [...element.querySelectorAll(".changes code")].map((one) => one.textContent),
    [
      "more node/a=1",
      "without pdb/shop/web",
      'patch pdb/shop/web={"spec":{"minAvailable":null,"maxUnavailable":2}}',
      'patch node/a={"metadata":{"labels":{"k\\"":"x=y"}}}',
      'patch deploy/shop/web={"spec":null}',
    ],
  );
  for (const _ of [1, 2, 3, 4]) (element.querySelector(".changes li:last-child button") as HTMLElement).click(), await pass(0);
  cluster.ask();
  const asked = sent.at(-1);
  assert.deepEqual(asked?.type === "ask" && asked.changes, [{ how: "more", text: "node/a=1" }]);
  const one = (sentence: string) => ({ title: "Drain", sentence, grids: [], method: [] });
  const both = { documents: [one("2 of 2 nodes.")], before: [one("1 of 1 node.")] };
  say({ type: "answer", question: "drain", digest: "0123456789abcdef", wall_us: 6e5, nodes: [], ...both });
  await pass(0);
  const worlds = [...element.querySelectorAll(".worlds > section")].map((world) => [
    world.querySelector("h3")?.textContent,
    world.querySelector("h2")?.textContent,
  ]);
  assert.deepEqual(worlds, [
    ["As the dump has it", "1 of 1 node."],
    ["With more node/a=1", "2 of 2 nodes."],
  ]);
  stop();
});
