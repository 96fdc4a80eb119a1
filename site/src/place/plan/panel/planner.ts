// The planner: what is planned and edited, by which algorithm, and what that costs, at
// once after every letter.

import { download, h, render } from "../../../base/dom.ts";
import { duration, MINUTE, SECOND } from "../../../base/format.ts";
import type { Starts } from "../../../model/engines.ts";
import type { PlanKind } from "../../../model/instances.ts";
import { followAsked } from "../../../model/placelink.ts";
import { open } from "../../../model/run.ts";
import { USUAL_FILL } from "../../../model/scenario.ts";
import { all, type Store } from "../../../model/store.ts";
import { firstTab, playerOf, policySetting } from "../../../model/systems.ts";
import type { Mount } from "../../../panel/later.ts";
import { askingPlan } from "../model/link.ts";
import { documentOf, Planner } from "../model/planner.ts";
import { outcomeOf } from "./outcome.ts";
import { rowList, tellOwn } from "./rows.ts";

const SIZE = 64 << 20; // bytes of a file
const KINDS: Record<PlanKind, { name: string; open: string; title: string; accept: string; file: string; command: string }> = {
  load: {
    name: "Divisible load",
    open: "Open workers",
    title: "The JSON of parley plan rounds, or a platform of SimGrid in XML",
    accept: ".json,.xml",
    file: "platform.json",
    command: "parley plan rounds",
  },
  jobs: {
    name: "Virtual clusters",
    open: "Open jobs",
    title: "The JSON of parley plan yield",
    accept: ".json",
    file: "instance.json",
    command: "parley plan yield",
  },
  graph: {
    name: "Task graph",
    open: "Open a graph",
    title: "WfFormat of WfCommons, Pegasus DAX, Standard Task Graph, or the JSON of parley plan graph",
    accept: ".json,.xml,.dax,.stg,.txt",
    file: "graph.json",
    command: "parley plan graph",
  },
};

/** Opens the place with what a link says of it. */
export async function openBench(store: Store<"engine" | "run" | "reported" | "look" | "page">, starts: Starts): Promise<Mount> {
  const planner = new Planner(starts.planner);
  await followAsked(store, askingPlan(planner));
  return (element) => mountPlanner(element, store, planner);
}

function mountPlanner(element: HTMLElement, store: Store<"engine" | "run" | "reported" | "look" | "page">, planner: Planner): () => void {
  const list = rowList(planner);
  const outcome = outcomeOf(planner);
  const wants = h("div.wants");
  element.replaceChildren(wants, outcome.element, list.element);
  let drawn: PlanKind | undefined;
  let named: unknown;
  const draw = () => {
    const { kind, known, chosen, load } = planner.state;
    if (kind !== drawn) render([kinds(planner), ...controls(store, planner)], wants);
    if (kind !== drawn || known !== named) {
      const menu = wants.querySelector<HTMLSelectElement>("#plan-algorithm");
      const listed = known[kind].length > 0 ? known[kind] : [chosen[kind]];
      if (menu) menu.replaceChildren(...listed.map((name) => h("option", { value: name }, name)));
    }
    [drawn, named] = [kind, known];
    for (const [id, text] of [
      ["plan-algorithm", chosen[kind]],
      ["plan-load", load],
      ["plan-hosts", planner.state.hosts],
    ]) {
      const field = wants.querySelector<HTMLInputElement | HTMLSelectElement>(`#${id}`);
      if (field && field.value !== text) field.value = text; // a file, or a line of the table, named another one
    }
    list.draw();
    outcome.draw();
    tellOwn(planner);
  };
  const given = () => {
    const { planFile } = store.state;
    if (!planFile) return;
    store.set({ planFile: undefined });
    planner.turn(planFile.kind);
    planner.read(planFile.name, planFile.text);
  };
  if (!planner.state.plan && planner.state.asked === 0 && !store.state.planFile) planner.plan();
  const timer = window.setInterval(outcome.tick, 200);
  return all(() => clearInterval(timer), outcome.end, store.watch(["planFile"], given), planner.watched.watch(["planner"], draw));
}

/** What is planned. */
function kinds(planner: Planner): HTMLElement {
  const one = (kind: PlanKind) => {
    const input = h("input", {
      type: "radio",
      id: `plan-kind-${kind}`,
      name: "plan-kind",
      value: kind,
      onchange: () => planner.turn(kind),
    });
    input.checked = kind === planner.state.kind;
    return h("label", {}, input, h("span", {}, KINDS[kind].name));
  };
  return h("div.segments", { role: "radiogroup", "aria-label": "What is planned" }, one("load"), one("jobs"), one("graph"));
}

function controls(store: Store<"engine" | "run" | "reported" | "look" | "page">, planner: Planner): HTMLElement[] {
  const { kind } = planner.state;
  const words = KINDS[kind];
  const text = (id: string, label: string, set: (value: string) => void) => {
    const input = h("input.num", { id, inputmode: "decimal", autocomplete: "off", oninput: () => set(input.value) });
    return h("div.field", {}, h("label", { for: id }, label), input);
  };
  const algorithm = h("select", { id: "plan-algorithm", onchange: () => planner.choose(algorithm.value) });
  const file = h("input", {
    type: "file",
    id: "plan-file",
    hidden: true,
    accept: words.accept,
    tabindex: -1,
    "aria-hidden": "true",
    onchange: () => void take(),
  });
  const take = async () => {
    const [chosen] = file.files ?? [];
    file.value = "";
    if (!chosen) return;
    if (chosen.size > SIZE) return store.set({ notice: `${chosen.name} is too large for this page: plan it with ${words.command}.` });
    const found = await chosen.text().catch(() => undefined);
    if (found === undefined)
      return store.set({ notice: `${chosen.name} cannot be read: it changed, was removed or is a folder. Choose it again.` });
    if (planner.state.kind === kind) planner.read(chosen.name, found);
  };
  return [
    ...(kind === "load" ? [text("plan-load", "Load, work units", (load) => planner.edit({ load }))] : []),
    ...(kind === "jobs" ? [text("plan-hosts", "Hosts", (hosts) => planner.edit({ hosts }))] : []),
    h("div.field", {}, h("label", { for: "plan-algorithm" }, "Algorithm"), algorithm),
    h(
      "div.buttons",
      {},
      h("button.btn", { type: "button", title: words.title, onclick: () => file.click() }, words.open),
      h(
        "button.btn",
        { type: "button", onclick: () => download(words.file, "application/json", documentOf(planner.state) + "\n") },
        "Save",
      ),
      kind === "load" &&
        h(
          "button.btn",
          {
            type: "button",
            id: "plan-live",
            title: "Runs this load and these workers in the simulation",
            onclick: () => live(store, planner),
          },
          "Run it",
        ),
      file,
    ),
  ];
}

/** Runs what is planned as a scenario. */
function live(store: Store<"engine" | "run" | "reported" | "look" | "page">, planner: Planner): void {
  const { chosen, plan } = planner.state;
  const player = playerOf("loads", store.state.systems); // that plays what is planned
  const lead = player && policySetting(player);
  if (!player || !lead) return store.set({ notice: "No system here plays a divisible load." });
  const end = plan?.kind === "load" ? plan.result.makespan_s : 0;
  const until = Math.max(10, Math.ceil((end * 1.5 * SECOND) / MINUTE)) * MINUTE;
  const fill = player.layers[0]?.id ?? USUAL_FILL;
  const document = JSON.parse(documentOf(planner.state)) as Record<string, unknown>;
  open(store, {
    v: 1,
    name: "A planned load",
    system: player.id,
    workload: { system: document },
    settings: { [lead.id]: chosen.load },
    until: duration(until),
    view: { fill },
  });
  store.set({ tab: firstTab(player), fill });
}
