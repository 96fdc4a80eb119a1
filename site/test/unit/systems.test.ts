// The page draws a system that it has never heard of from its description:
// form, charts, legend, what can be broken, tabs and comparison.
import "./browser.ts"; // before lit-html

import assert from "node:assert/strict";
import { test } from "node:test";
import { render } from "../../src/base/dom.ts";
import type { Range, Setting, SystemInfo } from "../../src/base/messages.ts";
import type { Scenario } from "../../src/base/scenario.ts";
import type { Scalar } from "../../src/model/address.ts";
import { inForce } from "../../src/model/faults.ts";
import { contestOf } from "../../src/model/rivals.ts";
import { withSetting } from "../../src/model/scenario.ts";
import { emptyState, Store } from "../../src/model/store.ts";
import { applies, chartsOf, firstTab, groupName, settingValue, workOf } from "../../src/model/systems.ts";
import { drawn } from "../../src/panel/chartlist.ts";
import { keyOf } from "../../src/panel/key.ts";
import { agentFaults } from "../../src/place/watch/panel/agentfaults.ts";
import { mountLegend } from "../../src/place/watch/panel/legend.ts";
import { groupsOf } from "../../src/place/watch/panel/policy.ts";
import { holds, settingField } from "../../src/place/watch/panel/setting.ts";
import { feedItem } from "../../src/place/watch/panel/story.ts";
import { all, byId, place, text, type } from "./browser.ts";
import { choice, described, example } from "./describe.ts";

const system = example();
const scenario: Scenario = { v: 1, system: system.id, faults: [{ at: "1m", kind: "dealer_down", target: "dealer" }] };

test("its setting is a field with meaning, unit and range, which takes only what lies in it", () => {
  const set: Scalar[] = [];
  const element = settingField(system.settings[0], settingValue(system.settings[0], scenario), (value) => set.push(value));
  const field = byId(element, "setting-choices");
  assert.match(text(element), /^Choices.*nodes$/);
  assert.equal(
    field.getAttribute("aria-description"),
    "Nodes drawn for each task; two are much better than one, three little better than two. 1 to 16 nodes.",
  );
  assert.deepEqual(
    [field.value, field.type, field.getAttribute("min"), field.getAttribute("max"), field.getAttribute("step")],
    ["2", "number", "1", "16", "1"],
  );
  type(field, "17");
  type(field, "5");
  assert.deepEqual(set, [5]);
});

test("its charts come first, with its metric, and every line has a colour", () => {
  const charts = system.charts.map(drawn);
  assert.deepEqual([charts[0].title, charts[0].lines[0].column], ["Probes for a task", system.metrics[0].id]);
  for (const { lines } of charts) for (const { colour } of lines) assert.match(colour, /^(--[a-z0-9-]+|#[0-9a-f]{6})$/);
  const classes = drawn({
    title: "Classes",
    stacked: true,
    lines: [0, 1, 2, 3].map((i) => ({ column: `c${i}`, name: `c${i}`, tone: `cycle.${i}` })),
  });
  assert.equal(new Set(classes.lines.map(({ colour }) => colour)).size, 4, "parts of a whole can be told apart");
});

test("a layout with devices calls processors devices, and the policy decides the kind of work", () => {
  const lead = { ...choice("policy", "near", "easy", "parts"), for: { near: "tasks", easy: "jobs", parts: "tasks" }, devices: ["parts"] };
  const charts = [{ title: "Processors used", of: "jobs", lines: [{ column: "cpu_used_pct", name: "processors", tone: "accent" }] }];
  const one = described({ id: "x", supports: ["tasks", "jobs"], provides: "on_request", settings: [lead], charts });
  const run: Scenario = { v: 1, system: "x", settings: { policy: "easy" }, workload: { system: {} } };
  const layer = { ...system.layers[0], name: "GPUs held" };
  const titles = (devices?: string) =>
    chartsOf({ systems: [one], scenario: run, shape: "jobs", layers: [{ ...layer, devices }] }).map(
      ({ title, lines }) => `${title}: ${lines[0].name}`,
    );
  assert.deepEqual(titles(), ["Processors used: processors"]);
  assert.deepEqual(titles("GPU"), ["GPUs held: GPUs"]);
  assert.deepEqual(workOf(run, one), { shape: "jobs", own: true });
  assert.deepEqual(workOf({ ...run, settings: {} }, one), { shape: "tasks", own: true });
  const rivals = (settings: Record<string, Scalar>) => contestOf({ v: 1, system: "x", settings }, [one])?.others.map(({ id }) => id);
  assert.deepEqual(rivals({}), [], "no node has devices, as far as is known");
  assert.deepEqual(rivals({ policy: "parts" }), ["x.near"]);
});

test("the legend counts what the system does: nothing moves and nothing is forced where its description does not say so", () => {
  const state = () => ({ ...emptyState(), shape: "tasks", layers: system.layers, fill: system.layers[0].id });
  const counted = (part: Partial<SystemInfo>) => {
    const store = new Store({ ...state(), systems: [described({ id: "x", ...part })], scenario: { v: 1, system: "x" } }, () => {});
    const element = place();
    mountLegend(element, store)();
    return all(element, ".marks > span")
      .filter(({ hidden }) => !hidden)
      .map((span) => text(span).replace(/[\s\d]+/g, ""));
  };
  assert.deepEqual(counted({}), ["down", "overloaded"]);
  assert.deepEqual(counted({ moves: true }), ["down", "overloaded", "moving"]);
  assert.deepEqual(counted({ moves: true, forces: true }), ["down", "overloaded", "moving", "forced"]);
});

test("its layer has a legend in its own numbers", () => {
  const legend = keyOf(system.layers[0], "dusk", false, { low: 0, high: 200 });
  assert.match(legend.map(text).join(" "), /^Probes 050100$/);
});

test("its agent can be broken and mended, and is listed while it is", () => {
  const sent: [string, string][] = [];
  const lines = agentFaults(system, scenario, { inject: (kind, target) => sent.push([kind, target]), whole: () => true, place: {} });
  assert.deepEqual(lines.map(text), ["DealerCrashRestart"]);
  byId(lines[0], "break-dealer_down").click();
  byId(lines[0], "break-dealer_up").click();
  assert.deepEqual(sent, [
    ["dealer_down", "dealer"],
    ["dealer_up", "dealer"],
  ]);
  assert.deepEqual(
    inForce(scenario, 90e6, system).map(({ what, heal }) => [what, heal.kind]),
    [["dealer is down", "dealer_up"]],
  );
});

test("its notes, tabs and rivals follow from it", () => {
  const others = [
    system,
    described({ id: "central", settings: [choice("policy", "best-fit", "random")] }),
    described({ id: "loads", supports: ["loads"] }),
  ];
  assert.equal(groupName({ systems: others, scenario }, 12), "draw 12");
  assert.deepEqual(
    ["charts", "messages", "tasks", "gantt", "compare"].map((tab) => applies(tab, system)),
    [true, true, true, false, true],
  );
  assert.equal(firstTab(system), "charts");
  assert.equal(firstTab(described({ id: "x", supports: ["loads"], views: ["gantt"] })), "gantt");
  const contest = contestOf(scenario, others);
  assert.deepEqual(
    contest?.others.map(({ id }) => id),
    ["central.best-fit", "central.random"],
  );
  assert.deepEqual(contest?.absent, [
    "central does not support dealer is down (1m): its run continues as if that had not happened.",
    "loads cannot be compared here: it schedules loads, and this scenario has tasks.",
  ]);
});

test("a note of it in the inspector's feed leads to its log", () => {
  const store = new Store({ ...emptyState(), systems: [system], scenario }, () => {});
  const list = place();
  render(feedItem({ at: 60e6, text: "node 3 is the least loaded of 2 and takes a task", nodes: [3], ref: 7 }, store, "node"), list);
  assert.equal(all(list, "button")[0].getAttribute("aria-label"), "Log of draw 7");
});

test("an agent each, a place and a value are lines of their own", () => {
  const sent: unknown[] = [];
  const rack = { value: "3", valueAsNumber: 3, reportValidity: () => true } as HTMLInputElement;
  const town = described({
    id: "town",
    settings: [{ id: "banks", name: "", about: "", default: 1 }],
    agents: [
      {
        id: "bank",
        name: "bank",
        about: "",
        setting: "banks",
        faults: [{ id: "bank_run", revert: "bank_saved", name: "Run", repair: "Save", label: "has no money", target: "bank" }],
      },
      {
        id: "post",
        name: "post",
        about: "",
        faults: [{ id: "post_lost", name: "Letters lost", target: "post", unique: true, value: { min: 0, max: 1, below: true } }],
      },
      {
        id: "road",
        name: "road",
        about: "",
        on: "node",
        faults: [{ id: "rack_shut", revert: "rack_open", name: "Shut", repair: "Open", label: "is shut", target: "rack" }],
      },
    ],
  });
  const lines = agentFaults(
    town,
    { v: 1, system: "town", settings: { banks: 2 } },
    { inject: (...fault) => sent.push(fault), whole: (field) => field.value !== "", place: { rack } },
  );
  assert.deepEqual(lines.map(text), ["Bank 0RunSave", "Bank 1RunSave", "Letters lost, %Set", "Rack, roadsShutOpen"]);
  byId(lines[1], "break-bank_run-1").click();
  byId(lines[3], "break-rack_open").click();
  byId(lines[2], "break-post_lost").value = "25";
  byId(lines[2], "break-post_lost-set").click();
  assert.deepEqual(sent, [
    ["bank_run", "bank.1"],
    ["rack_open", "rack.3"],
    ["post_lost", "post", 0.25],
  ]);
});

test("settings inside others are read and set without touching their neighbours", () => {
  const quota: Setting = { id: "later.quota", name: "Quota", about: "", default: 0, group: "Later" };
  const changed = { v: 1, system: "x", settings: { draw: "best", later: { spread: "node", quota: 0.5 } } };
  assert.equal(settingValue(quota, changed), 0.5);
  assert.equal(settingValue(quota, { v: 1, system: "x", settings: { later: 5 } }), 0);
  assert.deepEqual(withSetting(changed.settings, "later.quota", 0.2), { draw: "best", later: { spread: "node", quota: 0.2 } });
  assert.deepEqual(withSetting(undefined, "later.quota", 0.2), { later: { quota: 0.2 } });
  assert.deepEqual(
    groupsOf([choice("draw", "best"), quota]).map(([name, list]) => [name, list.length]),
    [
      ["", 1],
      ["Later", 1],
    ],
  );
});

test("a range holds what the core takes: its ends where they belong to it, and 0 beside it", () => {
  const taken = (range: Partial<Range>, ...values: number[]) => values.map((value) => holds({ min: 1, max: 4, ...range }, value));
  assert.deepEqual(taken({}, 0, 0.9, 1, 4, 4.1), [false, false, true, true, false]);
  assert.deepEqual(taken({ above: true, below: true }, 1, 1.1, 3.9, 4), [false, true, true, false]);
  assert.deepEqual(taken({ zero: true }, 0, 0.5, 1, 4), [true, false, true, true]);
});

test("a time is shown in seconds, a choice is a menu, a switch is a box, stops are a slider", () => {
  const set: Scalar[] = [];
  const field = (setting: Partial<Setting>) =>
    settingField({ id: "s", name: "S", about: "what", default: 0, ...setting }, setting.default, (value) => set.push(value));
  const time = byId(field({ unit: "µs", default: 30e6, whole: true, range: { min: 1e6, max: 3600e6 } }), "setting-s");
  assert.deepEqual(
    [time.value, time.getAttribute("min"), time.getAttribute("max"), time.getAttribute("aria-description")],
    ["30", "1", "3600", "What. 1 to 3600 s."],
  );
  type(time, "2.5");
  type(byId(field({ default: "a", choices: ["a", "b"] }), "setting-s"), "b");
  const box = byId(field({ default: false }), "setting-s");
  box.checked = true;
  type(box, "");
  const slider = byId(field({ default: 8000, unit: "MB", stops: [0, 8000, 16_000] }), "setting-s");
  assert.deepEqual([slider.value, slider.getAttribute("max"), slider.getAttribute("aria-valuetext")], ["1", "2", "8 GB"]);
  type(slider, "2");
  const off = byId(field({ unit: "µs", whole: true, range: { min: 10e6, max: 60e6, zero: true } }), "setting-s");
  assert.deepEqual(
    [off.getAttribute("min"), off.getAttribute("max"), off.getAttribute("aria-description")],
    ["0", "60", "What. 0, or 10 to 60 s. The usual value is 0 s."],
  );
  type(off, "20");
  assert.deepEqual(set, [2.5e6, "b", true, 16_000, 20e6]);
  assert.equal(all(field({ default: "a", choices: ["a", "b"] }), "option").length, 2);
});
