// The drawer under the map: its tabs, of which one is open and kept up to date. The
// panels come when they are first opened.
import { h } from "../../../base/dom.ts";
import { BREAKPOINTS } from "../../../base/tokens.ts";
import { loadPrograms } from "../../../model/run.ts";
import { all, type Store } from "../../../model/store.ts";
import { applies, firstTab, systemOf } from "../../../model/systems.ts";
import { later, type Mount } from "../../../panel/later.ts";
import { mountIncident } from "./incident.ts";
import { mountLedger } from "./ledger.ts";
import { mountLesson } from "./lesson.ts";
import { mountMessages } from "./messages.ts";

const STORY = "story"; // the tab where there is no room for the story beside the map
const LESSON = "lesson"; // likewise
const TABS: [id: string, name: string, load: (store: Store) => Promise<Mount>][] = [
  [LESSON, "Lesson", (store) => Promise.resolve((element) => mountLesson(element, store, "sheet-lesson"))],
  [STORY, "Story", (store) => Promise.resolve((element) => mountLedger(element, store, "sheet"))],
  [
    "graph",
    "Graphs",
    async (store) => {
      const { mountGraphs } = await import("./graphs.ts");
      return (element) => mountGraphs(element, store);
    },
  ],
  [
    "gantt",
    "Gantt",
    async (store) => {
      const { mountGantt } = await import("../../../panel/course.ts");
      return (element) => mountGantt(element, store);
    },
  ],
  [
    "bids",
    "Offers",
    async (store) => {
      const { mountBids } = await import("./bids.ts");
      return (element) => mountBids(element, store);
    },
  ],
  [
    "charts",
    "Charts",
    async (store) => {
      const { mountCharts } = await import("./charts.ts");
      return (element) => mountCharts(element, store);
    },
  ],
  ["messages", "Messages", (store) => Promise.resolve((element) => mountMessages(element, store))],
  [
    "accounts",
    "Accounts",
    async (store) => {
      const { mountAccounts } = await import("./accounts.ts");
      return (element) => mountAccounts(element, store);
    },
  ],
  [
    "tasks",
    "Tasks",
    async (store) => {
      const { mountTasks } = await import("./tasks.ts");
      return (element) => mountTasks(element, store);
    },
  ],
  [
    "table",
    "Table",
    async (store) => {
      const { mountTable } = await import("./table.ts");
      return (element) => mountTable(element, store);
    },
  ],
  [
    "formula",
    "Formula",
    async (store) => {
      const { mountFormula } = await import("./formula.ts");
      return (element) => mountFormula(element, store);
    },
  ],
  [
    "program",
    "Program",
    async (store) => {
      const [{ mountEditor }, programs] = await Promise.all([import("./editor.ts"), loadPrograms()]);
      return (element) => mountEditor(element, store, programs);
    },
  ],
  [
    "report",
    "Report",
    async (store) => {
      const { mountReport } = await import("./report.ts");
      return (element) => mountReport(element, store);
    },
  ],
];

/** Windows in which nothing stands beside the map (layout.css). */
const NARROW = `(max-width: ${BREAKPOINTS.narrow}px)`;

export function mountDrawer(element: HTMLElement, store: Store): () => void {
  const tabs = TABS.map(([id, name]) =>
    h(
      "button",
      {
        type: "button",
        role: "tab",
        id: `tab-${id}`,
        "aria-controls": "drawer-panel",
        onclick: () => {
          enlarge(store.state.tab !== id || !enlarged());
          store.set({ tab: id });
        },
      },
      name,
    ),
  );
  const list = h("div.tabs", { role: "tablist", "aria-label": "Details" }, ...tabs);
  const panel = h("div.panel", { role: "tabpanel", id: "drawer-panel", tabindex: 0 });
  const handle = h(
    "button.handle",
    { type: "button", "aria-controls": "drawer-panel", onclick: () => enlarge(!enlarged()) },
    h("span.hidden", {}, "Details"),
  );
  const incident = h("section.pinned", { "aria-label": "The latest fault", hidden: true });
  element.replaceChildren(handle, incident, list, panel);
  const enlarged = () => document.body.classList.contains("show-drawer");
  const enlarge = (open: boolean) => {
    document.body.classList.toggle("show-drawer", open); // where it is a sheet
    handle.setAttribute("aria-expanded", String(open));
  };
  enlarge(false);
  handle.addEventListener("keydown", ({ key }) => {
    if (key === "ArrowUp" || key === "ArrowDown") enlarge(key === "ArrowUp");
  });
  element.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !enlarged() || !handle.checkVisibility()) return;
    event.stopPropagation();
    enlarge(false);
    handle.focus();
  });
  const narrow = matchMedia(NARROW);
  const framed = document.documentElement.classList.contains("embed");
  /** Whether a tab is here: in a frame those that its link shows, else those that are not beside the map. */
  const here = (id: string) => {
    if (framed && (id === LESSON || !store.state.show?.some((part) => part === id))) return false; // there the lesson is below
    if (id === LESSON && store.state.lesson.length === 0) return false;
    return applies(id, systemOf(store.state)) && (framed || narrow.matches || (id !== STORY && id !== LESSON));
  };
  const first = () => {
    const system = systemOf(store.state);
    const usual = system ? firstTab(system) : "charts";
    return here(usual) ? usual : (TABS.find(([id]) => here(id))?.[0] ?? usual);
  };
  const seat = () => {
    TABS.forEach(([id], i) => (tabs[i].hidden = !here(id)));
    list.hidden = framed && tabs.filter(({ hidden }) => !hidden).length < 2;
    if (store.state.scenario && !here(store.state.tab)) store.set({ tab: first() });
  };
  narrow.addEventListener("change", seat);
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
    () => narrow.removeEventListener("change", seat),
    mountIncident(incident, store, "sheet-incident"),
    store.watch(["systems", "scenario"], () => {
      const system = systemOf(store.state);
      if (!system || system.id === fitted) return;
      const before = store.state.systems.find(({ id }) => id === fitted);
      const usual = !TABS.some(([id]) => id === store.state.tab) || (before !== undefined && store.state.tab === firstTab(before)); // no other was chosen
      fitted = system.id;
      if (usual || !applies(store.state.tab, system))
        store.set({ tab: narrow.matches && before === undefined && !framed ? STORY : first() });
      seat();
    }),
    store.watch(["lesson", "show"], () => {
      const begins = store.state.lesson.length > 0 && tabs[0].hidden; // TABS begins with the lesson
      seat();
      if (begins && !tabs[0].hidden) store.set({ tab: LESSON });
    }),
    store.watch(["tab"], () => {
      const { tab } = store.state;
      if (tab === open) return;
      open = tab;
      unmount();
      panel.replaceChildren();
      TABS.forEach(([id, , load], i) => {
        tabs[i].setAttribute("aria-selected", String(id === tab));
        tabs[i].tabIndex = id === tab ? 0 : -1;
        if (id !== tab) return;
        panel.className = `panel ${id}`;
        panel.setAttribute("aria-labelledby", tabs[i].id);
        unmount = later(panel, () => load(store));
      });
    }),
  );
}
