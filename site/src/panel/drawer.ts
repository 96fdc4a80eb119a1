// The drawer under the map: its tabs, of which one is open and kept up to date.
import { fill, h } from "../base/dom.ts";
import type { FromLab, FromPlanner, ToLab, ToPlanner } from "../base/messages.ts";
import type { Engine, Simulation } from "../model/engines.ts";
import { all, type Store } from "../model/store.ts";
import { applies, firstTab, systemOf } from "../model/systems.ts";
import { mountCharts } from "./charts.ts";
import { later, once } from "./later.ts";
import { mountMessages } from "./messages.ts";
import { mountReport } from "./report.ts";
import { mountTable } from "./table.ts";
import { mountTasks } from "./tasks.ts";

/** Starts what works beside the simulation, each in workers of its own. */
export interface Starts {
  lab: () => Engine<ToLab, FromLab>;
  planner: () => Engine<ToPlanner, FromPlanner>;
  simulation: (reader: boolean) => Simulation;
}

/** The model and the panel of each, which stay while the tab is another. */
function makeBenches(store: Store, starts: Starts) {
  return {
    comparison: once(async () => {
      const [{ Comparison }, { mountCompare }] = await Promise.all([import("../model/compare.ts"), import("./compare.ts")]);
      const comparison = new Comparison(store, starts.simulation);
      return (element: HTMLElement) => mountCompare(element, store, comparison);
    }),
    planner: once(async () => {
      const [{ Planner }, { mountPlanner }] = await Promise.all([import("../model/planner.ts"), import("./planner.ts")]);
      const planner = new Planner(starts.planner);
      return (element: HTMLElement) => mountPlanner(element, store, planner);
    }),
    lab: once(async () => {
      const [{ Lab }, { mountLab }] = await Promise.all([import("../model/lab.ts"), import("./lab.ts")]);
      const lab = new Lab(starts.lab);
      return (element: HTMLElement) => mountLab(element, lab);
    }),
    gantt: once(async () => {
      const { mountGantt } = await import("./course.ts");
      return (element: HTMLElement) => mountGantt(element, store);
    }),
  };
}

type Benches = ReturnType<typeof makeBenches>;

const TABS: [id: string, name: string, mount: (element: HTMLElement, store: Store, benches: Benches) => () => void][] = [
  ["gantt", "Gantt", (element, _, { gantt }) => later(element, gantt)],
  ["charts", "Charts", mountCharts],
  ["messages", "Messages", mountMessages],
  ["tasks", "Tasks", mountTasks],
  ["compare", "Compare", (element, _, { comparison }) => later(element, comparison)],
  ["table", "Table", mountTable],
  ["report", "Report", mountReport],
  ["planner", "Planner", (element, _, { planner }) => later(element, planner)],
  ["lab", "Paper lab", (element, _, { lab }) => later(element, lab)],
];

export function mountDrawer(element: HTMLElement, store: Store, starts: Starts): () => void {
  const benches = makeBenches(store, starts);
  const tabs = TABS.map(([id, name]) =>
    h("button", { type: "button", role: "tab", id: `tab-${id}`, "aria-controls": "drawer-panel", onclick: () => store.set({ tab: id }) }, name),
  );
  const list = h("div.tabs", { role: "tablist", "aria-label": "Details" }, ...tabs);
  const panel = h("div.panel", { role: "tabpanel", id: "drawer-panel", tabindex: 0 });
  fill(element, list, panel);
  list.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step) return;
    const shown = tabs.filter((tab) => !tab.hidden);
    const next = shown[(shown.findIndex((tab) => tab.id === `tab-${store.state.tab}`) + step + shown.length) % shown.length];
    store.set({ tab: next.id.slice("tab-".length) });
    next.focus();
  });
  let unmount = () => {};
  let open = "";
  let fitted = ""; // the system whose tabs are shown
  return all(
    () => unmount(),
    store.watch(["systems", "scenario"], () => {
      const system = systemOf(store.state);
      if (!system || system.id === fitted) return;
      TABS.forEach(([id], i) => (tabs[i].hidden = !applies(id, system)));
      const before = fitted && store.state.systems.find(({ id }) => id === fitted);
      const usual = store.state.tab === (before ? firstTab(before) : "charts"); // nobody chose another
      fitted = system.id;
      if (usual || !applies(store.state.tab, system)) store.set({ tab: firstTab(system) });
    }),
    store.watch(["tab"], () => {
      const { tab } = store.state;
      if (tab === open) return;
      open = tab;
      unmount();
      fill(panel);
      TABS.forEach(([id, , mount], i) => {
        tabs[i].setAttribute("aria-selected", String(id === tab));
        tabs[i].tabIndex = id === tab ? 0 : -1;
        if (id !== tab) return;
        panel.className = `panel ${id}`;
        panel.setAttribute("aria-labelledby", tabs[i].id);
        unmount = mount(panel, store, benches);
      });
    }),
  );
}
