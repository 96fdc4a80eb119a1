// A comparison as a challenge: what its link has, who is added when it is handed on, and
// which comparisons make none.
import assert from "node:assert/strict";
import { test } from "node:test";
import { pack } from "../../src/base/pack.ts";
import type { Scenario } from "../../src/base/scenario.ts";
import { decodeAddress } from "../../src/model/address.ts";
import { type Beat, beatOf, linkOf, scoreOf, tableOf, unpackBeat } from "../../src/place/compare/model/beat.ts";
import type { Outcome } from "../../src/place/compare/model/outcome.ts";

const MINUTE = 60_000_000;
const cell: Scenario = {
  v: 1,
  name: "A cell",
  about: "for people",
  system: "negotiation",
  seed: 7,
  cluster: { nodes: 100 },
  faults: [
    { at: "1m", kind: "rack_down", target: "rack.1" },
    { at: "9m", kind: "rack_up", target: "rack.1" },
  ],
};

type Metrics = [overloaded: number, waiting: number, running: number];

function outcome(id: string, change: Partial<Scenario>, ...seeds: Metrics[]): Outcome {
  const [first, ...repeats] = seeds.map(([overloaded_pct, waiting, running], i) => ({
    seed: 7 + i,
    state: "done",
    report: { metrics: { overloaded_pct, waiting, running } },
  }));
  return { id, name: id, scenario: { ...cell, ...change }, ...first, repeats } as unknown as Outcome;
}

const made = (runs: Outcome[], to: number, before?: Beat) => beatOf({ runs, to, title: "A cell" }, before);

const best = outcome("central.best-fit", { system: "central", settings: { policy: "best-fit" } }, [4, 1, 9], [6, 0, 9]);
const own = outcome("negotiation", {}, [0, 0, 9], [1, 0, 9]);

test("the score costs a point for each per cent of overloaded nodes and of waiting tasks", () => {
  assert.equal(scoreOf(best), (86 + 94) / 2);
  assert.equal(scoreOf(outcome("idle", {}, [0, 0, 0])), 100);
  assert.equal(scoreOf(outcome("other", {}, [Number.NaN, 0, 1])), undefined);
  assert.equal(scoreOf({ ...best, state: "playing" }), undefined);
  assert.equal(scoreOf({ ...best, report: undefined }), undefined);
});

test("a comparison makes a link that has its scenario, its seeds and its table, the best first", async () => {
  const beat = made([best, own], 5 * MINUTE);
  assert.ok(beat);
  assert.deepEqual(beat.seeds, [7, 8]);
  assert.deepEqual(beat.cells, [
    {
      name: "A cell",
      about: "",
      plays: { v: 1, system: "central", cluster: { nodes: 100 }, faults: [cell.faults?.[0]], until: "5m" },
    },
  ]);
  assert.deepEqual(tableOf(beat), [
    { rank: 1, name: "negotiation", score: 99.5 },
    { rank: 2, name: "central.best-fit", score: 90 },
  ]);
  const link = await linkOf(beat);
  assert.ok(link);
  const { address } = await decodeAddress(`#${link.link}`);
  assert.deepEqual([address.place, address.until, address.seeds, address.ask], ["compare", 5 * MINUTE, 2, link.ask]);
  assert.equal((address.packed as Scenario | undefined)?.system, "negotiation", "it opens with the one to beat");
  assert.deepEqual(await unpackBeat(link.ask), JSON.parse(JSON.stringify(beat)));
});

test("who is new is added when it is handed on, to the same scenario and seeds alone", () => {
  const before = made([own, best], 5 * MINUTE);
  assert.ok(before);
  const formula = { system: "central", settings: { formula: { score: "-cpu.used" }, policy: "formula" } };
  const mine = outcome("mine", formula, [0, 0, 9], [0, 0, 9]);
  const after = made([mine, own], 5 * MINUTE, before);
  assert.deepEqual(
    after?.known.map(({ name }) => name),
    ["negotiation", "central.best-fit", "mine"],
  );
  assert.equal(after?.name, before.name);
  assert.equal(made([own, best], 5 * MINUTE, before), undefined, "nothing is new");
  const other = { ...formula, settings: { policy: "formula", formula: { score: "-cpu.used" } } };
  assert.equal(made([outcome("again", other, [0, 0, 9], [0, 0, 9])], 5 * MINUTE, after), undefined, "keys have no order");
  assert.equal(made([mine, own], 4 * MINUTE, before), undefined, "another time");
  assert.equal(made([{ ...mine, repeats: [] }], 5 * MINUTE, before), undefined, "other seeds");
  assert.equal(
    made([{ ...mine, scenario: { ...mine.scenario, cluster: { nodes: 99 } } }], 5 * MINUTE, before),
    undefined,
    "another cluster",
  );
  assert.equal(made([], 5 * MINUTE), undefined);
});

test("what is no challenge is refused", async () => {
  const good = JSON.parse(JSON.stringify(made([own], MINUTE)));
  await unpackBeat(await pack(good));
  for (const bad of [
    null,
    7,
    {},
    { ...good, known: [] },
    { ...good, known: [null] },
    { ...good, known: [{ name: "x", system: "y", score: "1" }] },
    { ...good, cells: [] },
    { ...good, seeds: ["1"] },
    { ...good, v: 2 },
  ])
    await assert.rejects(unpackBeat(await pack(bad)), /no challenge/);
});
