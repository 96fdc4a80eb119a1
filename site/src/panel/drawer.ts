// The drawer under the map: its tabs, of which one is open and kept up to date.
import { fill, h } from "../base/dom.ts";
import type { Comparison } from "../model/compare.ts";
import type { Lab } from "../model/lab.ts";
import type { Planner } from "../model/planner.ts";
import { all, type Store } from "../model/store.ts";
import { applies, firstTab, systemOf } from "../model/systems.ts";
import { mountCharts } from "./charts.ts";
import { mountCompare } from "./compare.ts";
import { mountGantt } from "./course.ts";
import { mountLab } from "./lab.ts";
import { mountMessages } from "./messages.ts";
import { mountPlanner } from "./planner.ts";
import { mountReport } from "./report.ts";
import { mountTable } from "./table.ts";
import { mountTasks } from "./tasks.ts";

/** What works beside the simulation, each in workers of its own. */
export interface Benches {
  lab: Lab;
  planner: Planner;
  comparison: Comparison;
}

const TABS: [id: string, name: string, mount: (element: HTMLElement, store: Store, benches: Benches) => () => void][] = [
  ["gantt", "Gantt", mountGantt],
  ["charts", "Charts", mountCharts],
  ["messages", "Messages", mountMessages],
  ["tasks", "Tasks", mountTasks],
  ["compare", "Compare", (element, store, { comparison }) => mountCompare(element, store, comparison)],
  ["table", "Table", mountTable],
  ["report", "Report", mountReport],
  ["planner", "Planner", (element, store, { planner }) => mountPlanner(element, store, planner)],
  ["lab", "Paper lab", (element, _, { lab }) => mountLab(element, lab)],
];

export function mountDrawer(element: HTMLElement, store: Store, benches: Benches): () => void {
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
