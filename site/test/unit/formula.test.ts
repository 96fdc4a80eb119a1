// Formulas over the map: when the engine is asked, what its answer becomes, and a
// scheduler of the user's own beside what ran before.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { SystemInfo, ToWorker } from "../../src/base/messages.ts";
import type { Scenario } from "../../src/base/scenario.ts";
import { numberOf, valueText } from "../../src/model/cell.ts";
import { FORMULA, followFormulas, takeScored } from "../../src/model/formula.ts";
import { wordsOf } from "../../src/model/nodes.ts";
import { beforeName, compareOwn, formerOf, formulasOf, runOwn, setChart, withFormulas } from "../../src/model/own.ts";
import type { Scored } from "../../src/model/slices.ts";
import { emptyState, type State, Store } from "../../src/model/store.ts";
import { chartsOf } from "../../src/model/systems.ts";

const layers = [
  { id: "cpu", name: "CPU used", unit: "share of the node" },
  { id: "state", name: "State", unit: "", names: ["up", "down"] },
];
const scored: Scored = {
  type: "scored",
  wrong: [],
  keep: Uint8Array.of(1, 0).buffer,
  kept: 1,
  low: -1,
  high: 0,
  ends: [-1, 0],
  unit: "a plain number",
  best: [],
};

test("the map's own words are no formulas", () => {
  for (const words of ["", "rack 14", "4711", "down", "cpu > 90", "CPU used<10%"]) assert.ok(wordsOf(layers, words), words);
  for (const formula of ["cpu.used > 0.5", "rack > 3", "cpu > 90 and tasks < 3"])
    assert.equal(wordsOf(layers, formula), undefined, formula);
});

test("the engine is asked once for each change, and again by another run", async () => {
  const sent: ToWorker[] = [];
  const store = new Store(emptyState(), (message) => sent.push(message));
  const turn = () => new Promise((done) => setTimeout(done));
  followFormulas(store);
  store.set({ filter: "tasks < 4" });
  await turn();
  assert.deepEqual(sent, [], "no run, no question");
  store.set({ layers });
  await turn();
  assert.deepEqual(sent, [{ type: "formulas", where: "tasks < 4", score: "" }]);
  takeScored(store, scored);
  await turn();
  assert.equal(sent.length, 1, "the answer asks nothing");
  store.set({ score: "-cpu.used", fill: FORMULA });
  await turn();
  assert.deepEqual(sent.slice(1), [{ type: "formulas", where: "tasks < 4", score: "-cpu.used" }]);
  store.set({ scored: undefined, layers }); // another run
  await turn();
  assert.equal(sent.length, 3);
  takeScored(store, scored);
  store.set({ filter: "down", fill: "cpu" });
  await turn();
  assert.deepEqual(sent.at(-1), { type: "formulas", where: "", score: "" }, "words of the map are not sent");
});

test("a score is a layer from its lowest to its highest value", () => {
  const store = new Store(emptyState(), () => {});
  store.set({ layers, score: "-cpu.used / cpu.capacity" });
  takeScored(store, scored);
  assert.deepEqual([...store.state.kept], [1, 0]);
  const layer = store.state.layers[2];
  assert.equal(layer.id, FORMULA);
  assert.deepEqual([numberOf(layer, 0), numberOf(layer, 100), numberOf(layer, 200)], [-1, -0.5, 0]);
  assert.equal(valueText(layer, 100), "-0.5");
  takeScored(store, { ...scored, ends: [] });
  assert.equal(store.state.layers.length, 2);
});

test("formulas take the place of the scheduler, and are compared with it", () => {
  const policy = { id: "policy", name: "", about: "", default: "kube", choices: ["kube", "formula"] };
  const where = { id: "formula.where", name: "", about: "", default: "", formula: "where" };
  const score = { id: "formula.score", name: "", about: "", default: "", formula: "score" };
  const systems = [
    { id: "agents", name: "Agents", settings: [] },
    { id: "central", name: "Central", settings: [policy, where, score] },
  ] as unknown as SystemInfo[];
  const scenario = { v: 1, system: "agents", seed: 4, settings: { x: 1 } };
  const own = withFormulas(scenario, systems, "tasks < 4", "-cpu.used");
  const formula = { where: "tasks < 4", score: "-cpu.used" };
  assert.deepEqual(own, { v: 1, system: "central", seed: 4, settings: { policy: "formula", formula } });
  assert.deepEqual(formulasOf({ ...emptyState(), systems, scenario: own }), formula);
  assert.equal(formulasOf({ ...emptyState(), systems, scenario }), undefined);
  assert.equal(withFormulas(scenario, systems.slice(0, 1), "", "1"), undefined);
  assert.equal(beforeName({ ...emptyState(), systems, before: "central.best-fit" }), "best fit");
  assert.equal(beforeName({ ...emptyState(), systems, before: "agents" }), "agents");
});

test("a chart of all nodes is played to the present moment, and drawn before the system's own", () => {
  const sent: ToWorker[] = [];
  const store = new Store(emptyState(), (message) => sent.push(message));
  setChart(store, "sum(tasks)");
  assert.deepEqual(sent, [], "no run, no chart");
  const charts = [
    { title: "Used", lines: [] },
    { title: "Jobs", lines: [], of: "jobs" },
  ];
  const systems = [{ id: "agents", name: "Agents", settings: [], charts }] as unknown as SystemInfo[];
  const status = { at: 9e6, digest: "12345678", playing: true } as State["status"];
  store.set({ systems, shape: "tasks", scenario: { v: 1, system: "agents", chart: "max(tasks)" }, status });
  setChart(store, "sum(tasks)");
  const scenario = { v: 1, system: "agents", chart: "sum(tasks)" };
  assert.deepEqual(sent, [{ type: "open", scenario, at: 9e6, play: false }]);
  assert.equal(store.state.tab, "charts");
  store.set({ scenario });
  const titles = () => chartsOf(store.state).map(({ title }) => title);
  assert.deepEqual(titles(), ["sum(tasks)", "Used"]);
  assert.equal(chartsOf(store.state)[0].lines[0].column, "chart");
  setChart(store, "");
  assert.deepEqual(sent[1], { type: "open", scenario: { v: 1, system: "agents" }, at: 9e6, play: false });
  store.set({ scenario: { v: 1, system: "agents" } });
  assert.deepEqual(titles(), ["Used"]);
});

test("a formula is compared with what ran before it and with the formula before, in its own words", () => {
  const policy = { id: "policy", name: "", about: "", default: "best-fit", choices: ["best-fit", "formula"] };
  const of = (id: string) => ({ id: `formula.${id}`, name: "", about: "", default: "", formula: id });
  const system = { id: "central", name: "Central", settings: [policy, of("where"), of("score")], supports: ["tasks"] };
  const systems = [system, { id: "own", name: "Program", program: true, settings: [], supports: ["tasks"] }] as unknown as SystemInfo[];
  const store = new Store(emptyState(), () => {});
  const run = (next: Scenario | undefined) => {
    assert.ok(next);
    runOwn(store, next);
    store.set({ scenario: next });
  };
  const typed = (score: string) => store.state.scenario && withFormulas(store.state.scenario, systems, "", score);
  store.set({ systems, shape: "tasks", scenario: { v: 1, system: "central", seed: 4 } });
  run(typed("-tasks"));
  assert.equal(beforeName(store.state), "best fit");
  run(typed("-tasks"));
  assert.deepEqual(formerOf(store.state), [], "the same formula again is no other");
  run(typed("-cpu.used"));
  assert.equal(beforeName(store.state), "best fit and the formula before");
  const [former] = formerOf(store.state);
  assert.deepEqual(former.scenario.settings, { policy: "formula", formula: { where: "", score: "-tasks" } });
  assert.equal(former.scenario.seed, 4);
  compareOwn(store);
  assert.deepEqual(store.state.comparison.rivals, ["central.best-fit", former.id]);
  run({ v: 1, system: "own", seed: 4, program: "# one" });
  assert.deepEqual(formerOf(store.state)[0].scenario.settings, { policy: "formula", formula: { where: "", score: "-cpu.used" } });
  assert.equal(formerOf(store.state)[0].scenario.program, undefined);
  run(typed("1"));
  assert.equal(formerOf(store.state)[0].scenario.program, "# one");
  assert.equal(beforeName(store.state), "best fit and the program before");
});
