// Lists that change while the run goes on: a row that stays is the same element, and so
// keeps focus, selection and what the pointer is over.
import "./browser.ts"; // before lit-html

import assert from "node:assert/strict";
import { test } from "node:test";
import { h, html, render, repeat } from "../../src/base/dom.ts";
import type { Counted, Layer, Line, NodeJob, NodeReport, TaskReport } from "../../src/base/messages.ts";
import type { Scenario } from "../../src/base/scenario.ts";
import { emptyState, Store } from "../../src/model/store.ts";
import { explained, mountTerms } from "../../src/panel/term.ts";
import { mountIncident } from "../../src/place/watch/panel/incident.ts";
import { mountInspector } from "../../src/place/watch/panel/inspector.ts";
import { mountLedger } from "../../src/place/watch/panel/ledger.ts";
import { mountMessages } from "../../src/place/watch/panel/messages.ts";
import { mountTable } from "../../src/place/watch/panel/table.ts";
import { all, byId, pass, place, text } from "./browser.ts";
import { described, fault } from "./describe.ts";

const SECOND = 1e6;
const scenario: Scenario = { v: 1, system: "a" };
const story = [
  { kind: 0, one: "task moved", many: "tasks moved", look: "move" },
  { kind: 1, one: "task refused", many: "tasks refused", look: "no" },
];
const store = (supports = ["tasks"]) =>
  new Store({ ...emptyState(), systems: [described({ id: "a", supports, story })], scenario }, () => {});
const task = (id: string, more: Partial<TaskReport> = {}): TaskReport => ({
  id,
  name: `t${id}`,
  production: false,
  priority: 0,
  state: "running",
  used: [0.1, 0.1],
  requested: [0.2, 0.2],
  image_mb: 10,
  ...more,
});
const report = (part: Partial<NodeReport>): NodeReport => ({
  node: 4,
  name: "m4",
  rack: 1,
  up: true,
  class: "proportional",
  resources: ["CPU"],
  capacity: [1],
  used: [0.5],
  requested: [0.6],
  production: [0.1],
  tasks: [],
  more: 0,
  jobs: [],
  more_jobs: 0,
  facts: [],
  lines: [],
  ...part,
});
const status = (at: number) => ({ ...({} as NonNullable<ReturnType<typeof emptyState>["status"]>), at });

/** Selects the words of an element, and returns what is selected later. */
function select(element: Element): () => string {
  const range = document.createRange();
  range.selectNodeContents(element);
  document.getSelection()?.removeAllRanges();
  document.getSelection()?.addRange(range);
  return () => String(document.getSelection());
}

test("the tasks of a node are the same rows while the report changes", async () => {
  const one = store();
  const element = place();
  mountInspector(element, one);
  one.set({ selected: 4 });
  await pass(1000);
  one.set({ report: report({ tasks: [task("1"), task("2")], lines: [{ at: SECOND, text: "node 4 takes a task" }] }) });
  await pass(1000);
  const why = byId(element, "why-2");
  const row = why.closest("tr");
  const said = all(element, ".feed li span")[0];
  why.focus();
  const selected = select(said);
  one.set({
    report: report({
      used: [0.9],
      tasks: [task("3"), task("1"), task("2", { used: [0.8, 0.1] })],
      lines: [
        { at: 2 * SECOND, text: "node 4 is full" },
        { at: SECOND, text: "node 4 takes a task" },
      ],
    }),
  });
  await pass(1000);
  assert.equal(all(element, "tbody tr").length, 3);
  assert.equal(all(element, "tbody tr")[2], row);
  assert.match(text(row as Element), /0\.8/);
  assert.equal(document.activeElement, why);
  assert.equal(all(element, ".feed li span")[1], said);
  assert.equal(selected(), "node 4 takes a task");
});

test("a job that a system placed is asked about its site", async () => {
  const one = store(["tasks", "jobs"]);
  const element = place();
  mountInspector(element, one);
  one.set({ selected: 4 });
  await pass(1000);
  const job = (id: string, decided: boolean): NodeJob => ({
    id,
    name: `job ${id}`,
    decided,
    here: 2,
    processors: 8,
    started: 0,
    until: SECOND,
  });
  one.set({ report: report({ jobs: [job("1", true), job("2", false)] }) });
  await pass(1000);
  assert.equal(byId(element, "why-1").title, "Why this site?");
  assert.equal(byId(element, "why-1").getAttribute("aria-label"), "Why is job 1 here?");
  assert.equal(all(element, "#why-2").length, 0);
});

test("a task's yield and share stand in the row of their task, the smallest yield first", async () => {
  const one = store();
  const element = place();
  mountInspector(element, one);
  one.set({ selected: 4 });
  await pass(1000);
  const shares = (a: number, b: number) => report({ tasks: [task("1", { share: 0.1, yield: a }), task("2", { share: 0.2, yield: b })] });
  one.set({ report: shares(0.4, 0.5) });
  await pass(1000);
  const row = byId(element, "why-1").closest("tr");
  assert.deepEqual(all(element, ".gauge").map(text), ["40 %", "50 %"]);
  assert.deepEqual(
    all(element, ".gauge i").map(({ style, className }) => [style.width, className]),
    [
      ["40%", "over"],
      ["50%", "used"],
    ],
  );
  one.set({ report: shares(0.6, 0.5) });
  await pass(1000);
  assert.deepEqual(all(element, ".gauge").map(text), ["50 %", "60 %"]);
  assert.equal(byId(element, "why-1").closest("tr"), row);
});

test("an incident is told with what stopped, and its buttons stay while it goes on", async () => {
  const one = store();
  const element = place();
  mountIncident(element, one);
  assert.equal(element.hidden, true);
  one.set({ incidents: [fault({ again: 0, first: 0, half: 0 })], status: status(20 * SECOND) });
  await pass(1000);
  assert.equal(element.hidden, false);
  assert.match(text(element), /Rack 137 failed/);
  assert.match(text(element), /623 *waiting/);
  const button = byId(element, "incident-restore");
  assert.equal(text(button), "Restore rack");
  button.focus();
  one.set({ incidents: [fault({ again: 600 })], status: status(30 * SECOND) });
  await pass(1000);
  assert.match(text(element), /600 *ran again/);
  assert.equal(byId(element, "incident-restore"), button);
  assert.equal(document.activeElement, button);
  one.set({ incidents: [], status: status(30 * SECOND) });
  await pass(1000);
  assert.equal(text(element), "");
});

test("the story's lines keep their places while the focus is in it, and go on counting", async () => {
  const one = store();
  const element = place();
  mountLedger(element, one);
  const counted = (moved: number, refused: number): Counted[] => [
    { kind: 0, count: 3, since: 0, at: moved * SECOND, lines: [{ at: SECOND, text: "node 1 takes a task", ref: 7 } as Line] },
    { kind: 1, count: refused, since: 0, at: 5 * SECOND, lines: [] },
  ];
  const words = () => all(element, ".happenings > li > button").map((button) => text(button).replace(/\s+/g, " ").trim());
  one.set({ counted: counted(4, 1), status: status(9 * SECOND) });
  await pass(2000);
  assert.deepEqual(words(), ["1task refused 4 s", "3tasks moved 5 s"]);
  const [first, second] = all(element, ".happenings > li > button");
  second.focus();
  second.click();
  assert.match(text(second.parentElement as Element), /node 1 takes a task/);
  one.set({ counted: counted(10, 2), status: status(12 * SECOND) });
  await pass(2000);
  assert.deepEqual(words(), ["2tasks refused 7 s", "3tasks moved 2 s"]);
  second.blur();
  one.set({ status: status(13 * SECOND) });
  await pass(2000);
  assert.deepEqual(words(), ["3tasks moved 3 s", "2tasks refused 8 s"]);
  assert.deepEqual(all(element, ".happenings > li > button"), [second, first]);
});

test("messages of all nodes keep their rows, also those that say the same at one time", async () => {
  const one = store();
  const element = place();
  mountMessages(element, one);
  const line = (at: number, words = "node 3 waits"): Line => ({ at, text: words, nodes: [3] }) as Line;
  one.set({ lines: [line(2), line(1), line(1)] });
  await pass(1000);
  const rows = all(element, "li");
  one.set({ lines: [line(3), line(2), line(1), line(1)] });
  await pass(1000);
  assert.deepEqual(all(element, "li").slice(1), rows);
  assert.equal(all(element, "button")[0].getAttribute("aria-label"), "Show node 3");
});

test("a row that has to move gets its focus back", () => {
  const element = place();
  const draw = (...keys: string[]) =>
    render(
      repeat(
        keys,
        (key) => key,
        (key) => html`<button id=${key}>${key}</button>`,
      ),
      element,
    );
  draw("a", "b", "c");
  const moved = byId(element, "c");
  moved.focus();
  moved.addEventListener("focus", () => moved.setAttribute("data-back", ""));
  const before = element.insertBefore.bind(element);
  element.insertBefore = ((node: Node, at: Node | null) => {
    if (node === moved) moved.blur(); // as browsers do with what is taken out
    return before(node, at);
  }) as typeof element.insertBefore;
  draw("c", "a", "b");
  assert.equal(document.activeElement, moved);
  assert.ok(moved.hasAttribute("data-back"), "the browser took its focus away");
});

test("the words of the field say what they mean, and go on saying it when the word changes", async () => {
  const one = store();
  one.set({
    systems: [
      described({
        id: "a",
        terms: [
          { words: ["STA"], means: "Too full." },
          { words: ["DA"], means: "Uneven." },
        ],
      }),
    ],
  });
  await pass(0);
  const element = place();
  const draw = (words: string) => render(html`<p>${explained(words, one)}</p>`, element);
  draw("STA and DA and STA");
  assert.deepEqual(
    all(element, ".term").map((term) => [text(term), term.dataset.means, term.getAttribute("tabindex")]),
    [
      ["STA", "Too full.", "0"],
      ["DA", "Uneven.", "0"],
      ["STA", "Too full.", null],
    ],
  );
  mountTerms(place());
  const [word] = all(element, ".term");
  word.focus();
  assert.equal(text(byId(document, "means")), "Too full.");
  const noted = new Promise((resolve) =>
    new MutationObserver(resolve).observe(element, { subtree: true, attributes: true, attributeFilter: ["data-means"] }),
  );
  draw("DA and DA and STA");
  await noted;
  assert.equal(all(element, ".term")[0], word);
  assert.equal(text(byId(document, "means")), "Uneven.");
});

test("the table of nodes keeps its rows and their order while one of them has the focus", async () => {
  const one = store();
  const element = place();
  mountTable(element, one);
  const layers = [{ id: "cpu", name: "CPU", unit: "%", top: 100 } as Layer];
  const grid = { layout: { rack: Int32Array.of(0, 0, 1) }, cells: 3 } as unknown as NonNullable<ReturnType<typeof emptyState>["grid"]>;
  const frame = (...values: number[]) =>
    ({ at: 0, cells: 3, layers: [new Uint8Array(values)] }) as unknown as ReturnType<typeof emptyState>["frame"];
  one.set({ grid, layers, frame: frame(10, 30, 20) });
  await pass(2000);
  byId(element, "sort-0").click();
  const names = () => all(element, "tbody button").map(text);
  assert.deepEqual(names(), ["node 1", "node 2", "node 0"]);
  const row = byId(element, "row-2");
  row.focus();
  one.set({ frame: frame(10, 30, 200) });
  await pass(2000);
  assert.deepEqual(names(), ["node 1", "node 2", "node 0"]);
  assert.match(text(row.closest("tr") as Element), /100$/);
  row.blur();
  one.set({ frame: frame(10, 30, 201) });
  await pass(2000);
  assert.deepEqual(names(), ["node 2", "node 1", "node 0"]);
  assert.equal(byId(element, "row-2"), row);
});

test("what an element held before goes when it is drawn in", () => {
  const element = place();
  element.append("Reading …");
  const draw = (words: string) => render(words, element);
  draw("one");
  draw("two");
  assert.equal(text(element), "two");
});

test("what is made anew with the same id gets the focus; templates stand in elements as well", async () => {
  const one = store();
  one.set({ systems: [described({ id: "a", terms: [{ words: ["STA"], means: "Too full." }] })] });
  await pass(0);
  const element = place();
  const draw = (words: string) => render([h("b", {}, words), h("button", { id: "again" }, ...explained(words, one))], element);
  draw("a STA");
  byId(element, "again").focus();
  draw("the STA");
  assert.equal(document.activeElement, byId(element, "again"));
  assert.equal(text(byId(element, "again")), "the STA");
  assert.equal(all(element, ".term")[0].dataset.means, "Too full.");
});
