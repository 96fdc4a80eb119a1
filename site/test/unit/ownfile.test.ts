// Files for the page itself: what opens Plan, and what runs as a program.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import type { ToWorker } from "../../src/base/messages.ts";
import { planKindOf, takeOwn } from "../../src/model/ownfile.ts";
import { emptyState, Store } from "../../src/model/store.ts";
import { described } from "./describe.ts";

test("a platform alone, workers and jobs are for Plan; a workflow and a log are not", () => {
  const sample = (name: string) => readFileSync(`../docs/samples/${name}`, "utf8");
  for (const [text, kind] of [
    [sample("workers.json"), "load"],
    ['<?xml version="1.0"?><platform version="4.1"></platform>', "load"],
    ['{"hosts":1,"jobs":[]}', "jobs"],
    [sample("montage.xml"), undefined],
    [sample("log.swf"), undefined],
    ['{"workflow":{"tasks":[]}}', undefined],
    ["{", undefined],
  ] as const)
    assert.equal(planKindOf(text), kind, text.slice(0, 40));
});

test("a program runs in place of the scheduler; one that is too large is said", async () => {
  const sent: ToWorker[] = [];
  const store = new Store(emptyState(), (one) => void sent.push(one));
  store.set({ systems: [described({ id: "program", program: true })], scenario: { v: 1, system: "central", seed: 4 } });
  assert.equal(await takeOwn(store, new File(["def tick():\n  pass\n"], "own.star")), true);
  const [opened] = sent;
  assert.ok(opened?.type === "open");
  assert.deepEqual(opened.scenario, { v: 1, system: "program", seed: 4, program: "def tick():\n  pass\n" });
  assert.equal(store.state.tab, "program");
  await takeOwn(store, new File(["#".repeat(70_000)], "large.star"));
  assert.match(store.state.trouble?.sentence ?? "", /^large\.star: The program has 70000 bytes/);
  assert.equal(await takeOwn(store, new File(["1 2"], "log.swf")), false);
});
