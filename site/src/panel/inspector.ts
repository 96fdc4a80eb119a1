// The right side: one node with its load, its tasks and its latest messages;
// without a selection, the cluster as a whole.
import { atMostEvery, fill, h } from "../base/dom.ts";
import { bytes, count, digits, fraction } from "../base/format.ts";
import { icon } from "../base/icon.ts";
import type { NodeReport } from "../base/messages.ts";
import { select } from "../model/look.ts";
import { all, type Store } from "../model/store.ts";
import { applies, systemOf } from "../model/systems.ts";
import { listJobs } from "./nodejobs.ts";
import { mountOverview } from "./overview.ts";
import { hasShares, listShares } from "./shares.ts";
import { feedItem } from "./story.ts";
import { explained } from "./term.ts";
import { showWhy, tellWhy } from "./why.ts";

const TASKS = 40; // listed here; the Tasks tab lists all that are told

export function mountInspector(element: HTMLElement, store: Store): () => void {
  const overview = h("div");
  const node = h("div", { hidden: true });
  const title = h("h2");
  const close = h(
    "button.btn.quiet.square",
    { type: "button", "aria-label": "Close", title: "Close (Esc)", onclick: () => select(store, -1) },
    icon("close"),
  );
  const facts = h("div");
  const actions = h("div.buttons");
  const chosen = h("section.chosen", { "aria-label": "The chosen task", hidden: true });
  const tasks = h("section", { "aria-label": "Tasks of the node" });
  const messages = h("section", { "aria-label": "Messages of the node" });
  fill(node, h("section", { "aria-label": "Node" }, h("div.heading", {}, title, close), facts, actions), chosen, tasks, messages);
  fill(element, overview, node);

  let offered = ""; // which actions stand there
  let listed = ""; // which jobs stand there
  const update = atMostEvery(250, () => {
    const { report } = store.state;
    if (!report) return;
    if (!facts.matches(":focus-within")) fill(facts, ...describe(report, store));
    const jobs = report.tasks.length === 0 && report.jobs.length > 0 ? JSON.stringify([report.node, report.jobs]) : "";
    if (tasks.childElementCount === 0 || (!tasks.matches(":hover, :focus-within") && (jobs === "" || jobs !== listed)))
      fill(tasks, ...listWork(report, store));
    listed = jobs;
    if (messages.childElementCount === 0 || !messages.matches(":hover, :focus-within")) fill(messages, ...listMessages(report, store));
    const offer = `${report.up} ${report.rack}`;
    if (offer !== offered) fill(actions, ...offerActions(report));
    offered = offer;
  });
  return all(
    mountOverview(overview, store),
    mountChosen(chosen, store),
    store.watch(["selected"], () => {
      const { selected } = store.state;
      if (selected < 0 && node.contains(document.activeElement)) document.querySelector<HTMLElement>("#stage .map")?.focus(); // where nodes are chosen
      overview.hidden = selected >= 0;
      node.hidden = selected < 0;
      element.classList.toggle("selected", selected >= 0);
      title.textContent = `Node ${selected}`;
      offered = "";
      for (const part of [actions, tasks, messages]) fill(part);
      fill(facts, h("p.quiet", {}, "Asking the simulation …"));
      element.scrollTop = 0;
    }),
    store.watch(["report"], update),
  );
}

/** The task that was chosen on the stage: what it is, and why it is here. */
function mountChosen(element: HTMLElement, store: Store<"engine" | "run" | "told" | "look" | "chosen">): () => void {
  let stop = () => {};
  return store.watch(["task"], () => {
    const { task, cards, selected } = store.state;
    stop();
    stop = () => {};
    const found = cards.find(({ node }) => node === selected)?.tasks.find(({ id }) => id === task);
    element.hidden = !found;
    if (!found) return fill(element);
    const close = () => store.set({ task: "" });
    const body = h("div", { "aria-live": "polite" });
    fill(
      element,
      h(
        "div.heading",
        {},
        h("h2", {}, `Task ${found.name}`),
        h("button.btn.quiet.square", { type: "button", "aria-label": "Close the task", title: "Close", onclick: close }, icon("close")),
      ),
      h(
        "div.row.fact",
        {},
        h("span", {}, found.production ? "production" : "batch"),
        h(
          "b.num",
          {},
          found.used.map((share, i) => `${["CPU", "memory"][i] ?? ""} ${digits(Math.round(1000 * share) / 10)} %`).join(" · "),
        ),
      ),
      h("h3", {}, "Why here?"),
      body,
    );
    stop = tellWhy(body, store, task, selected, found.name, `Task ${found.name}`, close);
  });
}

function describe(report: NodeReport, store: Store<"engine" | "run">): HTMLElement[] {
  const parts: HTMLElement[] = [
    h("p.quiet", {}, `rack ${report.rack} · machine ${report.name}`),
    ...report.facts.map(({ name, value }) => h("div.row.fact", {}, h("span", {}, name), h("b.num", {}, value))),
    h(
      "div.row",
      {},
      h("span", {}, "Class"),
      h("b", { class: report.up ? "" : "bad" }, ...(report.up ? explained(report.class, store) : ["down"])),
    ),
  ];
  report.resources.forEach((resource, i) => {
    const capacity = report.capacity[i] ?? 0;
    if (capacity > 0) parts.push(...bars(resource, capacity, report.used[i] ?? 0, report.requested[i] ?? 0, report.production[i] ?? 0));
  });
  return parts;
}

/** One resource: what is used, requested, and promised to production, against the capacity. */
function bars(resource: string, capacity: number, used: number, requested: number, production: number): HTMLElement[] {
  const line = (name: string, value: number, kind: string) => {
    const part = h("i", { class: kind });
    part.style.width = `${Math.min(100, (100 * value) / capacity)}%`;
    return h("div.meter", {}, h("span", {}, name), h("span.bar", {}, part), h("b.num", {}, `${Math.round((100 * value) / capacity)} %`));
  };
  const over = used > capacity;
  return [
    h(
      "div.row.resource",
      {},
      h("span", {}, resource),
      h("b.num", { class: over ? "bad" : "" }, `${fraction(used)} / ${fraction(capacity)}`),
    ),
    line("used", used, over ? "over" : "used"),
    line("requested", requested, "requested"),
    line("production", production, "production"),
  ];
}

function offerActions({ up, rack }: NodeReport): HTMLElement[] {
  const action = (id: string, label: string, key?: string) =>
    h("button.btn", { type: "button", id: `do-${id}`, "data-command": id }, label, key && h("kbd", {}, key));
  return up
    ? [action("fail-node", "Fail node", "K"), action("fail-rack", `Fail rack ${rack}`)]
    : [action("restore-node", "Restore node", "R"), action("restore-rack", `Restore rack ${rack}`)];
}

/** What runs there: tasks, with their shares where they have some, and rigid jobs. */
function listWork(report: NodeReport, store: Store<"engine" | "run" | "told" | "look" | "chosen">): HTMLElement[] {
  const works = applies("tasks", systemOf(store.state)) ? systemOf(store.state)?.suits : undefined;
  if (works?.includes("jobs") && report.tasks.length === 0) return listJobs(report, store);
  return hasShares(report) ? listShares(report, store) : listTasks(report, store);
}

function listTasks({ tasks, more, node }: NodeReport, store: Store<"engine" | "run" | "told" | "look" | "chosen">): HTMLElement[] {
  const rest = more + Math.max(0, tasks.length - TASKS);
  const parts: HTMLElement[] = [h("h2", {}, `${count(tasks.length + more)} tasks`)];
  if (tasks.length > 0) {
    const head = h(
      "tr",
      {},
      ...["task", "CPU", "mem", "move"].map((name, i) => h("th", { scope: "col", class: i > 0 ? "n" : "" }, name)),
      h("th", { scope: "col" }, h("span.hidden", {}, "why here")),
    );
    const rows = tasks.slice(0, TASKS).map((task) =>
      h(
        "tr",
        { title: `${task.state}, priority ${task.priority}` },
        h(
          "td",
          {},
          task.name,
          task.production && h("span.good", {}, " prod"),
          task.state !== "running" && h("span.quiet", {}, ` ${task.state}`),
        ),
        h("td.n", {}, fraction(task.used[0] ?? 0)),
        h("td.n", {}, fraction(task.used[1] ?? 0)),
        h("td.n", {}, bytes(task.image_mb * 1e6)),
        h(
          "td.n",
          {},
          h(
            "button.link.why-here",
            {
              type: "button",
              id: `why-${task.id}`,
              title: "Why here?",
              "aria-label": `Why is task ${task.name} here?`,
              onclick: () => showWhy(store, task.id, node),
            },
            "?",
          ),
        ),
      ),
    );
    parts.push(h("table", {}, h("thead", {}, head), h("tbody", {}, ...rows)));
  }
  if (rest > 0) parts.push(h("p.quiet", {}, `and ${count(rest)} more`));
  return parts;
}

function listMessages({ lines }: NodeReport, store: Store<"engine" | "run" | "told">): HTMLElement[] {
  const said = lines.map((line) => feedItem(line, store, "node"));
  return [h("h2", {}, "Latest messages"), said.length > 0 ? h("ol.feed", {}, ...said) : h("p.quiet", {}, "None yet.")];
}
