// What is planned and what is varied in the address: told as it is, and taken as a link says.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { FromPlanner, FromSweep, Status, ToPlanner, ToSweep } from "../../src/base/messages.ts";
import { pack, unpack } from "../../src/base/pack.ts";
import { followAsked } from "../../src/model/placelink.ts";
import { emptyState, Store } from "../../src/model/store.ts";
import { Lab, type Recording } from "../../src/place/papers/model/lab.ts";
import { askingLab } from "../../src/place/papers/model/link.ts";
import { askingPlan } from "../../src/place/plan/model/link.ts";
import { Planner } from "../../src/place/plan/model/planner.ts";
import { askingSweep } from "../../src/place/sweep/model/link.ts";
import { Sweep } from "../../src/place/sweep/model/sweep.ts";
import { choice, described } from "./describe.ts";

/** Waits until something is so; the test's limit ends a wait that is in vain. */
async function until(so: () => boolean): Promise<void> {
  while (!so()) await new Promise((resolve) => setTimeout(resolve, 5));
}

async function plan(link?: string) {
  const store = new Store(emptyState(), () => {});
  store.set({ asked: { plan: link } });
  const planner = new Planner(() => ({
    send: (_: ToPlanner) => {},
    listen: (_: (message: FromPlanner) => void) => {},
    end: () => {},
  }));
  const stop = await followAsked(store, askingPlan(planner));
  return { store, planner, stop };
}

test("an instance that was planned opens from its link: kind, algorithm, rows and text", async (t) => {
  const first = await plan();
  t.after(first.stop);
  first.planner.resize(3);
  first.planner.type(1, "speed", "7x");
  first.planner.edit({ load: "250" });
  first.planner.choose("umr");
  await until(() => first.store.state.asked.plan !== undefined);
  const second = await plan(first.store.state.asked.plan);
  t.after(second.stop);
  const { kind, load, workers, chosen } = second.planner.state;
  assert.deepEqual([kind, load, workers, chosen.load], ["load", "250", first.planner.state.workers, "umr"]);
  assert.equal(workers[1].speed, "7x");

  first.planner.turn("jobs");
  first.planner.edit({ hosts: "4" });
  first.planner.remove(0);
  const before = first.store.state.asked.plan;
  await until(() => first.store.state.asked.plan !== before);
  second.store.set({ asked: first.store.state.asked }); // as the way back does
  await until(() => second.planner.state.kind === "jobs");
  assert.deepEqual([second.planner.state.hosts, second.planner.state.jobs], ["4", first.planner.state.jobs]);

  second.store.set({ asked: {} }); // a link that says nothing of it
  await until(() => second.planner.state.kind === "load");
  assert.equal(second.planner.state.workers.length, 10);
});

test("a graph of a file is in the link; one that is too large is said, and is not", async (t) => {
  const { store, planner, stop } = await plan();
  t.after(stop);
  planner.turn("graph");
  planner.read("small.json", '{"tasks":[]}');
  await until(() => store.state.asked.plan !== undefined);
  const { graph } = (await unpack(store.state.asked.plan ?? "")) as { graph: { name: string; text: string } };
  assert.deepEqual([graph.name, graph.text], ["small.json", '{"tasks":[]}']);
  let noise = "";
  for (let i = 1; noise.length < 40_000; i++) noise += ((i * 2_654_435_761) % 4_294_967_296).toString(36);
  planner.read("large.json", noise);
  await until(() => store.state.notice !== "");
  assert.match(store.state.notice, /^This plan is too large for a link: save it as a file/);
  assert.equal(store.state.asked.plan, undefined);
});

test("nonsense of a link is said in one sentence, and the example is planned", async (t) => {
  for (const link of [
    "1.!",
    await pack({ kind: "poem", algorithm: "best", load: "1", workers: [], names: [] }),
    await pack({ kind: "load", algorithm: "best", load: "1", workers: [{ speed: 3 }], names: [] }),
    await pack({ kind: "load", algorithm: "best", workers: [], names: [] }),
    await pack({ kind: "jobs", algorithm: 3, hosts: "1", jobs: [] }),
    await pack(null),
    await pack("load"),
  ]) {
    const { store, planner, stop } = await plan(link);
    t.after(stop);
    assert.equal(store.state.notice, "The link's plan cannot be read: it is damaged. Ask its sender for another link.", link);
    assert.deepEqual([planner.state.kind, planner.state.workers.length], ["load", 10]);
  }
});

test("what else a link says is left out", async (t) => {
  const { planner, stop } = await plan(await pack({ kind: "jobs", algorithm: "mcb8", hosts: "1", jobs: [], trials: 3, known: null }));
  t.after(stop);
  assert.deepEqual([planner.state.hosts, planner.state.trials, planner.state.known.jobs], ["1", [], []]);
});

async function sweep(link?: string) {
  const store = new Store(emptyState(), () => {});
  store.set({
    asked: { sweep: link },
    systems: [described({ id: "central", settings: [choice("policy", "best-fit", "worst-fit")] })],
    scenario: { v: 1, system: "central" },
    status: { at: 0, until: 3600e6, counts: { nodes: 100 } } as unknown as Status,
  });
  const written: string[] = [];
  const model = new Sweep(
    store,
    () => ({
      send: (message: ToSweep) => void (message.type === "sweep" && written.push(message.document)),
      listen: (_: (message: FromSweep) => void) => {},
      end: () => {},
    }),
    () => {
      throw new Error("nothing plays");
    },
    1,
    () => 0,
  );
  const stop = await followAsked(store, askingSweep(store, model));
  return { store, model, written, stop };
}

test("a sweep's fields, seeds and figure open from its link, and a document that a hand wrote", async (t) => {
  const first = await sweep();
  t.after(first.stop);
  const form = { axes: [{ path: "workload.scale", values: "0.8 to 1.2 by 0.1" }], seeds: "7", until: "20m", compare: false };
  first.model.set({ form, metric: "tasks_waiting", differences: true });
  await until(() => first.store.state.asked.sweep !== undefined);
  const second = await sweep(first.store.state.asked.sweep);
  t.after(second.stop);
  assert.deepEqual([second.model.state.form, second.model.state.metric, second.model.state.differences], [form, "tasks_waiting", true]);
  assert.match(second.written.at(-1) ?? "", /"from": 0\.8,\s+"to": 1\.2/);

  const before = first.store.state.asked.sweep;
  first.model.set({ form: undefined, document: '{"v":1}' });
  await until(() => first.store.state.asked.sweep !== before);
  const third = await sweep(first.store.state.asked.sweep);
  t.after(third.stop);
  assert.deepEqual([third.model.state.form, third.model.state.document, third.written.at(-1)], [undefined, '{"v":1}', '{"v":1}']);
});

test("what no sweep is, is said", async (t) => {
  for (const value of [{}, { form: { axes: [{ path: 3 }], seeds: "1", until: "1m" } }, { form: { axes: [], seeds: 1, until: "1m" } }, 7]) {
    const { store, stop } = await sweep(await pack(value));
    t.after(stop);
    assert.match(store.state.notice, /^The link's sweep cannot be read/);
  }
});

test("an experiment that was looked at opens from its link; one that is not here is the first", async (t) => {
  const open = async (papers?: string) => {
    const store = new Store(emptyState(), () => {});
    store.set({ asked: { papers } });
    const lab = new Lab(() => ({ send: () => {}, listen: () => {}, end: () => {} }));
    t.after(await followAsked(store, askingLab(lab)));
    lab.record(["a", "b"].map((id) => ({ id }) as Recording));
    return { store, lab };
  };
  const first = await open();
  first.lab.show("b");
  await until(() => first.store.state.asked.papers !== undefined);
  assert.equal((await open(first.store.state.asked.papers)).lab.state.shown, "b");
  assert.equal((await open(await pack({ shown: "c" }))).lab.state.shown, "a");
  first.lab.show("a");
  await until(() => first.store.state.asked.papers === undefined);
});
