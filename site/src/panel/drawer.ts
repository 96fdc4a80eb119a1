// The drawer under the map: its tabs, of which one is open and kept up to date.
import { fill, h } from "../base/dom.ts";
import type { Comparison } from "../model/compare.ts";
import type { Lab } from "../model/lab.ts";
import type { Planner } from "../model/planner.ts";
import { all, type Store } from "../model/store.ts";
import { mountCharts } from "./charts.ts";
import { mountCompare } from "./compare.ts";
import { mountLab } from "./lab.ts";
import { mountMessages } from "./messages.ts";
import { mountPlanner } from "./planner.ts";
import { mountReport } from "./report.ts";
import { mountRounds } from "./rounds.ts";
import { mountTable } from "./table.ts";
import { mountTasks } from "./tasks.ts";

/** What works beside the simulation, each in workers of its own. */
export interface Benches {
  lab: Lab;
  planner: Planner;
  comparison: Comparison;
}

const TABS: [id: string, name: string, mount: (element: HTMLElement, store: Store, benches: Benches) => () => void][] = [
  ["charts", "Charts", mountCharts],
  ["messages", "Messages", mountMessages],
  ["tasks", "Tasks", mountTasks],
  ["compare", "Compare", (element, store, { comparison }) => mountCompare(element, store, comparison)],
  ["table", "Table", mountTable],
  ["rounds", "Gantt", mountRounds],
  ["report", "Report", mountReport],
  ["planner", "Planner", (element, store, { planner }) => mountPlanner(element, store, planner)],
  ["lab", "Paper lab", (element, store, { lab }) => mountLab(element, store, lab)],
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
    const next = (tabs.findIndex((tab) => tab.id === `tab-${store.state.tab}`) + step + TABS.length) % TABS.length;
    store.set({ tab: TABS[next][0] });
    tabs[next].focus();
  });
  let unmount = () => {};
  let open = "";
  return all(
    () => unmount(),
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
