// The right side: one node with its load, its tasks and its latest messages;
// without a selection, the cluster as a whole.
import { atMostEvery, type Drawn, h, html, nothing, render, repeat, say, type TemplateResult } from "../../../base/dom.ts";
import { bytes, capital, count, digits, fraction } from "../../../base/format.ts";
import { icon } from "../../../base/icon.ts";
import type { NodeReport } from "../../../base/messages.ts";
import { nodeName, targetName } from "../../../model/faults.ts";
import { follow, select, whereabouts } from "../../../model/look.ts";
import { all, type State, type Store } from "../../../model/store.ts";
import { applies, systemOf } from "../../../model/systems.ts";
import { explained } from "../../../panel/term.ts";
import { listJobs } from "./nodejobs.ts";
import { mountOverview } from "./overview.ts";
import { hasShares, listShares } from "./shares.ts";
import { feed, feedItem } from "./story.ts";
import { followButton, heads, showWhy, tellWhy, whyButton } from "./why.ts";

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
  const followed = h("section.followed", { "aria-label": "The followed task", hidden: true });
  const chosen = h("section.chosen", { "aria-label": "The chosen task", hidden: true });
  const tasks = h("section", { "aria-label": "Tasks of the node" });
  const messages = h("section", { "aria-label": "Messages of the node" });
  node.append(
    h("section", { "aria-label": "Node" }, h("div.heading", {}, title, close), facts, actions),
    followed,
    chosen,
    tasks,
    messages,
  );
  element.replaceChildren(overview, node);

  const update = atMostEvery(250, () => {
    const { report, selected } = store.state;
    if (!report || report.node !== selected) return;
    render(describe(report, store), facts);
    render(listWork(report, store), tasks);
    render(listMessages(report, store), messages);
    const { grid } = store.state;
    const system = systemOf(store.state);
    render(offerActions(report, nodeName(system), grid?.layout.noRacks ? "" : targetName(`rack.${report.rack}`, system, grid)), actions);
  });
  return all(
    mountOverview(overview, store),
    mountFollowed(followed, store),
    mountChosen(chosen, store),
    store.watch(["selected"], () => {
      const { selected } = store.state;
      if (selected < 0 && node.contains(document.activeElement)) document.querySelector<HTMLElement>("#stage .map")?.focus(); // where nodes are chosen
      overview.hidden = selected >= 0;
      node.hidden = selected < 0;
      element.classList.toggle("selected", selected >= 0);
      title.textContent = `${capital(systemOf(store.state)?.node ?? "node")} ${selected}`;
      for (const part of [actions, tasks, messages]) render(nothing, part);
      render(html`<p class="quiet">Asking the simulation …</p>`, facts);
      element.scrollTop = 0;
    }),
    store.watch(["report"], update),
  );
}

/** The task that is followed: where it is, and a button that ends it. */
function mountFollowed(element: HTMLElement, store: Store<"reported" | "chosen">): () => void {
  const where = h("p", { "aria-live": "polite" });
  const stop = h("button.btn", { type: "button", onclick: () => follow(store) }, "Stop following");
  element.append(h("h2", {}, "Followed task"), where, h("div.buttons", {}, stop));
  return store.watch(["followed", "selected"], () => {
    const { followed, selected } = store.state;
    if (!followed && element.contains(document.activeElement)) document.querySelector<HTMLElement>("#stage .map")?.focus();
    element.hidden = !followed;
    say(where, followed ? whereabouts(followed, selected) : "");
  });
}

/** The task that was chosen on the stage: what it is, and why it is here. */
function mountChosen(element: HTMLElement, store: Store<"engine" | "run" | "reported" | "look" | "chosen">): () => void {
  let stop = () => {};
  let node = -1; // that the panel describes
  const tell = () => {
    const { task, cards, selected } = store.state;
    stop();
    stop = () => {};
    node = selected;
    const found = cards.find(({ node }) => node === selected)?.tasks.find(({ id }) => id === task);
    element.hidden = !found;
    if (!found) return render(nothing, element);
    const close = () => store.set({ task: "" });
    const body = h("div", { "aria-live": "polite" });
    const used = found.used.map((share, i) => `${["CPU", "memory"][i] ?? ""} ${digits(Math.round(1000 * share) / 10)} %`).join(" · ");
    render(
      html`<div class="heading"><h2>Task ${found.name}</h2><button type="button" class="btn quiet square" aria-label="Close the task"
          title="Close" @click=${close}>${icon("close")}</button></div>
        <div class="row fact"><span>${found.production ? "production" : "batch"}</span><b class="num">${used}</b></div>
        <h3>Why here?</h3>${body}${followButton(store, task, found.name)}`,
      element,
    );
    stop = tellWhy(body, store, task, selected, found.name, `Task ${found.name}`, close);
  };
  const moved = ({ task, followed, selected, cards }: State<"reported" | "chosen">) =>
    task !== "" && followed?.task === task && selected !== node && cards.some(({ node }) => node === selected);
  return all(
    store.watch(["task"], tell),
    store.watch(["cards"], () => moved(store.state) && tell()),
  );
}

function describe(report: NodeReport, store: Store<"engine" | "run" | "reported">): TemplateResult {
  const { rack, name, facts, up, resources } = report;
  const system = systemOf(store.state);
  const stands = store.state.grid?.layout.noRacks ? "" : `${targetName(`rack.${rack}`, system, store.state.grid)} · `;
  return html`<p class="quiet">${stands}machine ${name}</p>
    ${facts.map((fact) => html`<div class="row fact"><span>${fact.name}</span><b class="num">${fact.value}</b></div>`)}
    ${system?.classes || !up ? html`<div class="row"><span>${system?.classes ? "Class" : "State"}</span><b class=${up ? "" : "bad"}>${up ? explained(report.class, store) : "down"}</b></div>` : nothing}
    ${resources.map((resource, i) => bars(resource, report, i))}`;
}

/** One resource: what is used, requested, and promised to production, against the capacity. */
function bars(resource: string, report: NodeReport, i: number): TemplateResult | typeof nothing {
  const [capacity, used, requested, production] = [report.capacity, report.used, report.requested, report.production].map(
    (of) => of[i] ?? 0,
  );
  if (capacity <= 0) return nothing;
  const line = (name: string, value: number, kind: string) => html`<div class="meter"><span>${name}</span><span class="bar"><i
    class=${kind} .style=${`width: ${Math.min(100, (100 * value) / capacity)}%`}></i></span><b
    class="num">${Math.round((100 * value) / capacity)} %</b></div>`;
  const over = used > capacity;
  return html`<div class="row resource"><span>${resource}</span><b class="num ${over ? "bad" : ""}">${fraction(used)} / ${fraction(capacity)}</b></div>
    ${line("used", used, over ? "over" : "used")}${line("requested", requested, "requested")}${line("production", production, "production")}`;
}

function offerActions({ up }: NodeReport, node: string, rack: string): Drawn {
  const action = (id: string, label: string, key?: string) => html`<button type="button" class="btn" id=${`do-${id}`}
    data-command=${id}>${label}${key ? html`<kbd>${key}</kbd>` : nothing}</button>`;
  const offers: [id: string, label: string, key?: string][] = up
    ? [
        ["fail-node", `Fail ${node}`, "K"],
        ["fail-rack", `Fail ${rack}`],
      ]
    : [
        ["restore-node", `Restore ${node}`, "R"],
        ["restore-rack", `Restore ${rack}`],
      ];
  return repeat(
    rack ? offers : offers.slice(0, 1),
    ([id]) => id,
    (offer) => action(...offer),
  );
}

/** What runs there: tasks, with their shares where they have some, and rigid jobs. */
function listWork(report: NodeReport, store: Store<"engine" | "run" | "reported" | "look" | "chosen">): TemplateResult {
  const works = applies("tasks", systemOf(store.state)) ? systemOf(store.state)?.supports : undefined;
  if (works?.includes("jobs") && report.tasks.length === 0) return listJobs(report, store);
  return hasShares(report) ? listShares(report, store) : listTasks(report, store);
}

function listTasks({ tasks, more, node }: NodeReport, store: Store<"engine" | "run" | "reported" | "look" | "chosen">): TemplateResult {
  const rest = more + Math.max(0, tasks.length - TASKS);
  const row = ({ id, name, state, priority, production, used, image_mb }: NodeReport["tasks"][number]) => html`<tr
    title=${`${state}, priority ${priority}`}>
    <td>${name}${production ? html`<span class="good"> prod</span>` : nothing}${state === "running" ? nothing : html`<span class="quiet"> ${state}</span>`}</td>
    <td class="n">${fraction(used[0] ?? 0)}</td><td class="n">${fraction(used[1] ?? 0)}</td><td class="n">${bytes(image_mb * 1e6)}</td>
    <td class="n">${whyButton(id, "Why here?", `task ${name}`, () => showWhy(store, id, node))}</td>
  </tr>`;
  const table = html`<table><thead>${heads("task", "CPU", "mem", "move")}</thead>
    <tbody>${repeat(tasks.slice(0, TASKS), ({ id }) => id, row)}</tbody></table>`;
  return html`<h2>${count(tasks.length + more)} tasks</h2>${tasks.length > 0 ? table : nothing}
    ${rest > 0 ? html`<p class="quiet">and ${count(rest)} more</p>` : nothing}`;
}

function listMessages({ lines }: NodeReport, store: Store<"engine" | "run" | "reported">): TemplateResult {
  const said = html`<ol class="feed">${feed(lines, (line) => feedItem(line, store, "node"))}</ol>`;
  return html`<h2>Latest messages</h2>${lines.length > 0 ? said : html`<p class="quiet">None yet.</p>`}`;
}
