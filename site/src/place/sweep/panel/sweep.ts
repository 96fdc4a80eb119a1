// The place Sweep: what is varied, as a form and as a document; how far the runs are;
// and the grid as a map.

import { atMostEvery, h, render, say } from "../../../base/dom.ts";
import { number } from "../../../base/format.ts";
import type { Starts } from "../../../model/engines.ts";
import { followAsked } from "../../../model/placelink.ts";
import { coresFor } from "../../../model/pool.ts";
import { all, type Store } from "../../../model/store.ts";
import type { Mount } from "../../../panel/later.ts";
import { documentOf, type Form, fieldsOf, formTrouble, kindOfFile, nameOfField, usualForm } from "../model/form.ts";
import { askingSweep } from "../model/link.ts";
import { doneOf, Sweep, sayOf } from "../model/sweep.ts";
import { saveFile } from "./file.ts";
import { mountSweepMap } from "./map.ts";

const MOST_AXES = 4; // of the form; a document may have more
const PAUSE = 400; // ms without a key before a document is read
const SPAN = 200; // ms between two drawings

/** Opens the place with what a link says of it. */
export async function openBench(store: Store, { sweep: start, simulation }: Starts): Promise<Mount> {
  const sweep = new Sweep(store, start, simulation, coresFor((navigator.hardwareConcurrency || 2) + 1), () => performance.now());
  await followAsked(store, askingSweep(store, sweep));
  return (element) => mountSweep(element, store, sweep);
}

function mountSweep(element: HTMLElement, store: Store, sweep: Sweep): () => void {
  const paper = paperOf(sweep);
  const form = formOf(store, sweep);
  const standing = standingOf(store, sweep);
  const map = h("section.grids", { "aria-label": "Results" });
  element.replaceChildren(h("div.wishes", {}, form.element, paper.element), standing.element, map);
  const draw = () => {
    paper.draw();
    form.draw();
    standing.draw();
  };
  const soon = atMostEvery(SPAN, () => element.isConnected && draw());
  const given = () => {
    const { sweepFile } = store.state;
    if (!sweepFile) return;
    store.set({ sweepFile: undefined });
    void take(sweep, sweepFile.name, sweepFile.text);
  };
  return all(
    store.watch(
      ["scenario", "systems", "status"],
      () => !sweep.state.document && !sweep.state.form && !store.state.sweepFile && form.fresh(),
    ),
    store.watch(["sweepFile"], given),
    sweep.watched.watch(["sweep"], () => (sweep.state.running ? soon() : draw())),
    mountSweepMap(map, store, sweep),
  );
}

/** Takes a file: a sweep, or results of one. */
async function take(sweep: Sweep, name: string, text: string): Promise<void> {
  if (kindOfFile(name, text) === "results") return sweep.merge(name, text);
  sweep.set({ form: undefined });
  await sweep.write(text);
}

/** The form: fields and values, seeds, an end. */
function formOf(
  store: Store<"engine" | "run" | "reported" | "chosen">,
  sweep: Sweep,
): { element: HTMLElement; draw: () => void; fresh: () => void } {
  const rows = h("div");
  const add = h("button.btn", { type: "button", id: "sweep-add" }, "Add a field");
  const seeds = h("input.num", { id: "sweep-seeds", type: "text", inputmode: "numeric", autocomplete: "off" });
  const until = h("input.num", { id: "sweep-until", type: "text", autocomplete: "off" });
  const compare = h("input", { id: "sweep-compare", type: "checkbox" });
  const bad = h("p.bad", { id: "sweep-bad" });
  const anew = h(
    "button.btn",
    { type: "button", id: "sweep-anew", title: "Replaces the sweep with one of the run on the page" },
    "Reset to current run",
  );
  const hand = h("p.quiet", {}, "This document was opened or edited by hand, so the form does not show it.");
  const start = h("button.btn.primary", { type: "button", id: "sweep-start" }, "Play");
  const parts = h(
    "div",
    {},
    rows,
    add,
    h("div.field", {}, h("label", { for: "sweep-seeds" }, "Seeds"), seeds),
    h("div.field", {}, h("label", { for: "sweep-until" }, "Up to"), until),
    h("label.check", {}, compare, " Differences to the first value"),
    bad,
  );
  const element = h("div", {}, h("fieldset", {}, h("legend", {}, "Vary"), hand, parts), start, anew);

  const change = (form: Form) => {
    sweep.set({ form });
    if (formTrouble(form) === "") void sweep.write(documentOf(form, store.state));
    else if (sweep.state.running) sweep.cancel();
  };
  const edit = (part: Partial<Form>) => sweep.state.form && change({ ...sweep.state.form, ...part });
  const editAxis = (i: number, part: Partial<Form["axes"][number]>) =>
    edit({ axes: sweep.state.form?.axes.map((axis, j) => (i === j ? { ...axis, ...part } : axis)) });
  const fresh = () => {
    const { scenario, systems, status } = store.state;
    if (scenario && status && systems.length > 0) change(usualForm(store.state));
  };
  const next = () => fieldsOf(store.state).find(({ path }) => !sweep.state.form?.axes.some((axis) => axis.path === path));
  add.addEventListener("click", () => {
    const field = next();
    const { form } = sweep.state;
    if (!field || !form) return;
    edit({ axes: [...form.axes, { path: field.path, values: field.values }] });
    queueMicrotask(() => document.getElementById(`sweep-field-${form.axes.length}`)?.focus());
  });
  seeds.addEventListener("input", () => edit({ seeds: seeds.value.trim() }));
  until.addEventListener("input", () => edit({ until: until.value.trim() }));
  compare.addEventListener("change", () => edit({ compare: compare.checked }));
  anew.addEventListener("click", fresh);
  start.addEventListener("click", () => {
    sweep.start();
    queueMicrotask(() => document.getElementById("sweep-cancel")?.focus());
  });

  let listed = ""; // which rows stand there
  const row = (axis: Form["axes"][number], i: number) => {
    const fields = fieldsOf(store.state);
    const known = fields.some(({ path }) => path === axis.path);
    const menu = h(
      "select",
      {
        id: `sweep-field-${i}`,
        "aria-label": `Field ${i + 1}`,
        onchange: () => editAxis(i, { path: menu.value, values: fields.find(({ path }) => path === menu.value)?.values ?? "" }),
      },
      ...fields.map(({ path, name }) => h("option", { value: path, selected: path === axis.path }, name)),
      !known && h("option", { value: axis.path, selected: true }, axis.path),
    );
    const values = h("input", {
      id: `sweep-values-${i}`,
      type: "text",
      autocomplete: "off",
      "aria-label": `Values of field ${i + 1}`,
      title: "Values with commas between them, or a range such as 0.8 to 1.2 by 0.1",
      oninput: () => editAxis(i, { values: values.value }),
    });
    values.value = axis.values;
    const remove = h(
      "button.btn.quiet.square",
      {
        type: "button",
        id: `sweep-remove-${i}`,
        "aria-label": `Leave field ${i + 1} out`,
        title: "Leave it out",
        onclick: () => {
          edit({ axes: sweep.state.form?.axes.filter((_, j) => j !== i) });
          queueMicrotask(() => add.focus());
        },
      },
      "×",
    );
    return h("div.axis", {}, menu, remove, values, h("small.quiet", {}, fields.find(({ path }) => path === axis.path)?.about));
  };
  const draw = () => {
    const { form, read, wrong, running, gone } = sweep.state;
    hand.hidden = form !== undefined || !sweep.state.document;
    parts.hidden = !form;
    say(start, read?.goal === "" ? `Play ${number(read.runs, "run")}` : "Play");
    start.disabled =
      running ||
      !read ||
      wrong !== "" ||
      gone ||
      (form !== undefined && formTrouble(form) !== "") ||
      (read.goal === "" && doneOf(sweep.state) >= read.runs);
    anew.disabled = !store.state.status;
    if (!form) return void (listed = "");
    const says = form.axes.map(({ path }) => path).join("\n") + fieldsOf(store.state).length;
    if (says !== listed) render(form.axes.map(row), rows);
    listed = says;
    add.disabled = form.axes.length >= MOST_AXES || !next();
    if (document.activeElement !== seeds) seeds.value = form.seeds;
    if (document.activeElement !== until) until.value = form.until;
    compare.checked = form.compare;
    bad.hidden = formTrouble(form) === "";
    say(bad, formTrouble(form));
  };
  return { element, draw, fresh };
}

/** The document, to read, write, open and save. */
function paperOf(sweep: Sweep): { element: HTMLElement; draw: () => void } {
  const text = h("textarea.num", {
    id: "sweep-document",
    rows: 14,
    spellcheck: "false",
    "aria-label": "The sweep as a document",
    "aria-describedby": "sweep-wrong",
  });
  const wrong = h("p.bad", { id: "sweep-wrong", role: "status" });
  const input = h("input", { type: "file", id: "sweep-file", accept: ".json,.jsonl", hidden: true, tabindex: -1, "aria-hidden": "true" });
  let timer = 0;
  text.addEventListener("input", () => {
    clearTimeout(timer);
    sweep.set({ form: undefined });
    timer = window.setTimeout(() => void sweep.write(text.value), PAUSE);
  });
  input.addEventListener("change", () => {
    const file = input.files?.[0];
    input.value = "";
    if (file)
      void file.text().then(
        (content) => take(sweep, file.name, content),
        () => sweep.set({ why: `${file.name} cannot be read: it was moved or removed. Open it again.` }),
      );
  });
  const open = h(
    "button.btn",
    {
      type: "button",
      id: "sweep-open",
      title: "A sweep (.json), or results of one (.jsonl) that parley sweep or this page has played",
      onclick: () => input.click(),
    },
    "Open a file",
  );
  const save = h(
    "button.btn",
    { type: "button", id: "sweep-save", title: "The sweep as a file for parley sweep", onclick: () => void saveFile(sweep, "sweep") },
    "Save",
  );
  const element = h("details", { id: "sweep-paper" }, h("summary", {}, "As JSON"), text, wrong, h("div.buttons", {}, open, save), input);
  const draw = () => {
    const { document: content, wrong: why } = sweep.state;
    if (document.activeElement !== text && text.value !== content) text.value = content;
    say(wrong, why);
    wrong.hidden = why === "";
    if (why !== "") element.open = true;
    text.setAttribute("aria-invalid", String(why !== ""));
  };
  return { element, draw };
}

/** How far it is. */
function standingOf(store: Store<"engine" | "run" | "reported" | "chosen">, sweep: Sweep): { element: HTMLElement; draw: () => void } {
  const bar = h("progress", { max: 1, "aria-label": "Runs that are done" });
  const text = h("p", { role: "status" });
  const why = h("p.bad", { role: "alert" });
  const cancel = h(
    "button.btn",
    {
      type: "button",
      id: "sweep-cancel",
      onclick: () => {
        sweep.cancel();
        queueMicrotask(() => document.getElementById("sweep-start")?.focus());
      },
    },
    "Cancel",
  );
  const retry = h("button.btn", { type: "button", id: "sweep-retry", onclick: () => sweep.retry() }, "Try again");
  const element = h("div.standing", {}, h("div.toolbar", {}, bar, text, cancel, retry), why);
  const draw = () => {
    const { state } = sweep;
    bar.hidden = cancel.hidden = !state.running;
    if (state.running && state.read)
      bar.value = Math.min(1, (doneOf(state) + state.failed + state.playing.reduce((sum, { share }) => sum + share, 0)) / state.read.runs);
    say(text, sayOf(state, (path) => nameOfField(store.state, path)) || (state.gone || state.wrong ? "" : "Reading the sweep …"));
    say(why, state.failed > 1 ? `${state.why} The first of ${state.failed}.` : state.why);
    why.hidden = state.why === "";
    retry.hidden = !state.gone;
  };
  return { element, draw };
}
