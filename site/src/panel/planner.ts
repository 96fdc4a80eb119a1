// The planner: a load and workers to edit, how they are shared out in rounds,
// and what that costs, at once after every letter.
import { download, fill, h, say } from "../base/dom.ts";
import { count, digits, number, MINUTE, SECOND, duration } from "../base/format.ts";
import { icon } from "../base/icon.ts";
import { documentOf, FIELDS, MOST_WORKERS, nameOf, type Field, type Planner, type PlannerState } from "../model/planner.ts";
import { open } from "../model/run.ts";
import { USUAL_FILL } from "../model/scenario.ts";
import { all, type Store } from "../model/store.ts";
import { firstTab, playerOf, policySetting } from "../model/systems.ts";
import { Gantt } from "./gantt.ts";
import { courseTables } from "./course.ts";

const HEADS: Record<Field, string> = { speed: "speed", bandwidth: "bandwidth", comp_latency: "comp. latency", comm_latency: "comm. latency" };
const PAGE = 50; // workers listed
const PATIENCE = 400; // ms before a plan under way is worth a word
const SIZE = 64 << 20; // bytes of a file

export function mountPlanner(element: HTMLElement, store: Store, planner: Planner): () => void {
  const list = workerList(planner);
  const outcome = outcomeOf(planner);
  fill(element, controls(store, planner), outcome.element, list.element);
  if (!planner.state.plan && planner.state.asked === 0) planner.plan();
  const timer = window.setInterval(outcome.tick, 200);
  return all(
    () => clearInterval(timer),
    outcome.end,
    planner.watched.watch(["planner"], () => {
      list.draw();
      outcome.draw();
    }),
  );
}

function controls(store: Store, planner: Planner): HTMLElement {
  const { state } = planner;
  const load = h("input.num", { id: "plan-load", inputmode: "decimal", autocomplete: "off", oninput: () => planner.edit({ load: load.value }) });
  const algorithm = h("select", { id: "plan-algorithm", onchange: () => planner.edit({ algorithm: algorithm.value }) });
  const player = playerOf("loads", store.state.systems); // that plays what is planned
  const known = (player && policySetting(player)?.words) ?? [state.algorithm];
  for (const name of known) algorithm.append(h("option", { value: name }, name));
  algorithm.value = state.algorithm;
  load.value = state.load;
  const file = h("input", { type: "file", id: "plan-file", hidden: true, accept: ".json,.xml", tabindex: -1, "aria-hidden": "true", onchange: () => void take() });
  const take = async () => {
    const [chosen] = file.files ?? [];
    file.value = "";
    if (!chosen) return;
    if (chosen.size > SIZE) return store.set({ notice: `${chosen.name} is too large for a platform: plan it with parley plan rounds.` });
    const text = await chosen.text().catch(() => undefined);
    if (text === undefined) return store.set({ notice: `${chosen.name} cannot be read: it changed, was removed or is a folder. Choose it again.` });
    planner.read(chosen.name, text);
    load.value = planner.state.load;
  };
  const live = () => {
    const { load: text, workers, algorithm: chosen, plan } = planner.state;
    const document = JSON.parse(documentOf({ load: text, workers })) as Record<string, unknown>;
    const until = Math.max(10, Math.ceil(((plan?.result.makespan_s ?? 0) * 1.5 * SECOND) / MINUTE)) * MINUTE;
    const lead = player && policySetting(player);
    if (!player || !lead) return store.set({ notice: "No system here plays a divisible load." });
    const fill = player.layers[0]?.id ?? USUAL_FILL;
    open(store, { v: 1, name: "A planned load", system: player.id, workload: { system: document }, settings: { [lead.id]: chosen }, until: duration(until), view: { fill } });
    store.set({ tab: firstTab(player), fill });
  };
  return h(
    "div.wants",
    {},
    h("div.field", {}, h("label", { for: "plan-load" }, "Load, work units"), load),
    h("div.field", {}, h("label", { for: "plan-algorithm" }, "Algorithm"), algorithm),
    h(
      "div.buttons",
      {},
      h("button.btn", { type: "button", title: "The JSON of parley plan rounds, or a platform of SimGrid in XML", onclick: () => file.click() }, "Open workers"),
      h("button.btn", { type: "button", onclick: () => download("platform.json", "application/json", documentOf(planner.state) + "\n") }, "Save"),
      h("button.btn", { type: "button", id: "plan-live", title: "Runs this load and these workers in the simulation", onclick: live }, "Run it"),
      file,
    ),
  );
}

/** The workers as a table of fields, some of them at a time. */
function workerList(planner: Planner): { element: HTMLElement; draw: () => void } {
  const element = h("div.workers");
  const gridPart = h("div");
  const size = h("input.num", { id: "plan-workers", type: "number", min: 0, max: MOST_WORKERS, step: 1, onchange: () => size.value !== "" && planner.resize(Number(size.value)) });
  const body = h("tbody");
  const foot = h("div.buttons");
  const heads = FIELDS.map((field) => h("th", { scope: "col" }, HEADS[field]));
  const units = FIELDS.map((_, i) => h("td.quiet", {}, i < 2 ? "units/s" : "s"));
  fill(
    element,
    h("div.field", {}, h("label", { for: "plan-workers" }, "Workers"), size),
    gridPart,
    h("table", {}, h("caption.hidden", {}, "Workers"), h("thead", {}, h("tr", {}, h("th", { scope: "col" }, h("span.hidden", {}, "worker")), ...heads, h("td")), h("tr", {}, h("td"), ...units, h("td"))), body),
    foot,
  );
  let drawn = -1;
  let page = 0;
  const cell = (worker: number, field: Field) => {
    const { state } = planner;
    const label = `${HEADS[field]} of ${worker < 0 ? "all workers" : nameOf(state, worker)}`;
    const input = h("input.num", {
      inputmode: "decimal", autocomplete: "off", "aria-label": label, id: `plan-${worker < 0 ? "all" : worker}-${field}`,
      placeholder: worker < 0 ? "all" : undefined, oninput: () => (worker >= 0 || input.value !== "") && planner.type(worker, field, input.value),
    });
    input.value = worker < 0 ? common(state, field) : state.workers[worker][field];
    return h("td", {}, input);
  };
  const row = (worker: number) => {
    const remove = h("button.btn.quiet.square", { type: "button", "aria-label": `Remove ${nameOf(planner.state, worker)}`, title: "Remove", onclick: () => planner.remove(worker) }, icon("close"));
    return h("tr", {}, h("th", { scope: "row", title: nameOf(planner.state, worker) }, planner.state.names[worker] ?? String(worker)), ...FIELDS.map((field) => cell(worker, field)), h("td", {}, remove));
  };
  const draw = () => {
    const { edition, workers, grid } = planner.state;
    if (edition === drawn) return;
    drawn = edition;
    page = Math.min(page, Math.max(0, Math.ceil(workers.length / PAGE) - 1));
    size.value = String(workers.length);
    const rows = workers.slice(page * PAGE, (page + 1) * PAGE).map((_, i) => row(page * PAGE + i));
    fill(body, h("tr.all", {}, h("th", { scope: "row" }, "all"), ...FIELDS.map((field) => cell(-1, field)), h("td")), ...rows);
    const turn = (label: string, to: number) => h("button.btn", { type: "button", disabled: to < 0 || to * PAGE >= workers.length, onclick: () => ((page = to), (drawn = -1), draw()) }, label);
    fill(
      foot,
      h("button.btn", { type: "button", onclick: () => planner.resize(workers.length + 1) }, "Add a worker"),
      workers.length > PAGE && turn("Previous", page - 1),
      workers.length > PAGE && turn("Next", page + 1),
      workers.length > PAGE && h("span.quiet.num", {}, `${page * PAGE}–${Math.min(workers.length, (page + 1) * PAGE) - 1} of ${count(workers.length)}`),
    );
    fill(gridPart, ...(grid ? gridFields(planner) : []));
  };
  return { element, draw };
}

/** What all workers have in common, or nothing. */
function common({ workers }: PlannerState, field: Field): string {
  const first = workers[0]?.[field] ?? "";
  return workers.every((worker) => worker[field] === first) ? first : "";
}

/** What a platform of SimGrid does not say. */
function gridFields(planner: Planner): HTMLElement[] {
  const { grid } = planner.state;
  if (!grid) return [];
  const again = (change: Partial<typeof grid>) => planner.read(grid.name, grid.text, { ...grid, ...change });
  const field = (id: string, label: string, value: string, set: (text: string) => void) => {
    const input = h("input", { id, autocomplete: "off", list: id === "grid-master" ? "grid-hosts" : undefined, onchange: () => set(input.value) });
    input.value = value;
    return h("div.field", {}, h("label", { for: id }, label), input);
  };
  return [
    h("p", {}, h("b", {}, grid.name), ` ${count(grid.hosts.length)} hosts${grid.notes.length > 0 ? `; ${grid.notes[0]}` : ""}`),
    field("grid-master", "Master", grid.master, (master) => again({ master })),
    h("datalist", { id: "grid-hosts" }, ...grid.hosts.slice(0, 1000).map((name) => h("option", { value: name }))),
    field("grid-flops", "Flops of a work unit", grid.flops, (flops) => again({ flops })),
    field("grid-bytes", "Bytes of a work unit", grid.bytes, (bytes) => again({ bytes })),
  ];
}

function outcomeOf(planner: Planner): { element: HTMLElement; draw: () => void; tick: () => void; end: () => void } {
  const chart = new Gantt("The plan", () => {});
  const note = h("p.summary", { role: "status" });
  const doing = h("span", {});
  const busy = h("p.doing", { hidden: true }, h("progress", { "aria-label": "Planning" }), " ", doing, " ", h("button.btn", { type: "button", onclick: () => planner.cancel() }, "Cancel"));
  const retry = h("button.btn", { type: "button", id: "plan-retry", hidden: true, onclick: () => planner.plan() }, "Try again");
  const tables = h("div.tables");
  const element = h("div.outcome", { tabindex: 0, role: "region", "aria-label": "Plan" }, note, retry, busy, chart.element, tables);
  let shown: unknown;
  const tick = () => {
    const { asked, algorithm } = planner.state;
    const waited = asked > 0 ? performance.now() - asked : 0;
    busy.hidden = waited < PATIENCE;
    if (!busy.hidden) say(doing, `${algorithm} plans … ${Math.floor(waited / 1000)} s`);
  };
  const draw = () => {
    const { plan, why, load } = planner.state;
    tick();
    const loadField = document.querySelector<HTMLInputElement>("#plan-load");
    if (loadField && loadField.value !== load) loadField.value = load; // a file named another one
    retry.hidden = !planner.gone;
    note.classList.toggle("bad", why !== "");
    if (why) say(note, why);
    if (plan === shown) return;
    shown = plan;
    chart.element.hidden = !plan?.course;
    tables.hidden = !plan;
    if (!plan) return;
    const { result, course, wall } = plan;
    const names = (worker: number) => nameOf(planner.state, worker);
    const off = 100 * (result.makespan_predicted_s / result.makespan_s - 1);
    fill(
      note,
      h("b.num", { id: "plan-makespan" }, `${seconds(result.makespan_s)} s`),
      ` simulated · ${Math.abs(off) < 0.005 ? "the same" : `${seconds(result.makespan_predicted_s)} s (${off >= 0 ? "+" : "−"}${digits(Math.abs(off))} %)`} by the formula · ${number(result.rounds, "round")}, ${result.order.length} of ${planner.state.workers.length} workers, idle ${digits(result.idle_pct)} % · ${[result.algorithm, result.policy].filter(Boolean).join(" ")} · planned in ${digits(wall / 1000)} ms`,
      ...(result.warning ? [h("br", {}), h("span.bad", { id: "plan-warning" }, `Warning: ${result.warning}.`)] : []),
    );
    if (!course) return fill(tables, h("p.quiet", {}, "The plan has too many pieces to draw."));
    const moments = [{ at: result.makespan_s, name: "simulated end", kind: "real" as const }, { at: result.makespan_predicted_s, name: "by the formula", kind: "formula" as const }];
    chart.show({ course, moments: Math.abs(off) < 0.1 ? moments.slice(0, 1) : moments, now: course.latest, names });
    fill(tables, ...courseTables(course, course.latest, names));
  };
  return { element, draw, tick, end: () => chart.end() };
}

/** Seconds with four digits that matter. */
function seconds(at: number): string {
  return at >= 1e4 ? digits(at) : String(Number(at.toPrecision(4)));
}
