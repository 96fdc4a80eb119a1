// "Break or repair": nodes, racks, the system's agents, or by chance; and what is
// broken at present, each with a button that mends it. It lies beside the map,
// which stays usable: what is selected there is what is broken here.
import { atMostEvery, h, html, nothing, render, repeat, say } from "../../../base/dom.ts";
import { clock, number, parseDuration, words } from "../../../base/format.ts";
import { icon } from "../../../base/icon.ts";
import { answerTo, brokenNow, targetOf } from "../../../model/faults.ts";
import { open } from "../../../model/run.ts";
import { all, type Store } from "../../../model/store.ts";
import { countOf, systemOf } from "../../../model/systems.ts";
import { lossOf } from "../model/marks.ts";
import { agentFaults, liveSettings } from "./agentfaults.ts";
import { line, numeric } from "./breakerline.ts";
import { mountPick } from "./pick.ts";

const LISTED = 12; // broken things

export function mountBreaker(
  element: HTMLElement,
  store: Store<"engine" | "run" | "reported" | "look" | "chosen">,
  toggle: () => void,
): () => void {
  const said = h("p.said", { "aria-live": "polite" });
  let asked: { target: string; at: number } | undefined; // whose price is still to be told
  const inject = (kind: string, target: string, value?: number) => {
    const act = { kind, target, value: value ?? 0 };
    const { text, done } = answerTo(act, store.state);
    say(said, text);
    asked = done ? { target, at: store.state.status?.at ?? 0 } : undefined;
    if (done) store.send({ type: "fault", kind, target, ...(value === undefined ? {} : { value }) });
  };
  const tellPrice = () => {
    const { incidents } = store.state;
    const came = asked && incidents.find((one) => one.at >= (asked?.at ?? 0) && targetOf(one) === asked?.target);
    if (!came) return;
    asked = undefined;
    say(said, `${came.subject} failed: ${lossOf(came)}.`);
  };
  const button = (id: string, label: string, work: () => void, name?: string) =>
    h("button.btn", { type: "button", id: `break-${id}`, "aria-label": name, onclick: work }, label);

  const picked = h("div.pick");
  const node = numeric("break-node");
  const rack = numeric("break-rack");
  /** Whether a field holds a number that it may; else it is said which, and the field waits for it. */
  const whole = (field: HTMLInputElement, what: string) => {
    if (field.value !== "" && field.checkValidity()) return true;
    const range = field.max === "" ? "" : ` from ${field.min} to ${field.max}`;
    const map = what === "node" || what === "rack" ? `, or select a node on the map` : "";
    say(said, `Type the number of ${what === "node" || what === "rack" ? `a ${what}` : what}${range}${map}.`);
    field.focus();
    return false;
  };
  const at = (field: HTMLInputElement, what: string, kind: string) => () =>
    void (whole(field, what) && inject(kind, `${what}.${field.valueAsNumber}`));
  const racks = line(
    "break-rack",
    "Rack",
    rack,
    button("rack-down", "Fail", at(rack, "rack", "rack_down"), "Fail the rack"),
    button("rack-up", "Restore", at(rack, "rack", "rack_up"), "Restore the rack"),
  );
  const places = h(
    "div",
    {},
    line(
      "break-node",
      "Node",
      node,
      button("node-down", "Fail", at(node, "node", "node_down"), "Fail the node"),
      button("node-up", "Restore", at(node, "node", "node_up"), "Restore the node"),
    ),
    racks,
  );
  const agents = h("div.agents");
  const more = numeric("break-grow", 100_000, 1, "100");
  more.min = "1";
  const growth = line(
    "break-grow",
    "Add nodes",
    more,
    button(
      "grow-add",
      "Add",
      () => whole(more, "nodes to add") && inject("cluster_grow", "cluster", more.valueAsNumber),
      "Add nodes like those there are",
    ),
  );
  const live = h("div.agents");

  const chaos = chaosOf(store);
  const list = h("ul.broken");
  const sum = h("p", { role: "status" });
  const close = h(
    "button.btn.quiet.square",
    { type: "button", "aria-label": "Close", title: "Close (Esc)", onclick: toggle },
    icon("close"),
  );
  element.replaceChildren(
    h("div.heading", {}, h("h2", {}, "Break or repair"), close),
    said,
    picked,
    places,
    agents,
    h("h3", {}, "Change something"),
    growth,
    live,
    chaos.element,
    h("h3", {}, "Broken now"),
    sum,
    list,
  );
  element.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    toggle();
  });

  const update = atMostEvery(300, () => {
    if (element.hidden) return;
    const { list: broken, others } = brokenNow(store.state);
    const rest = others > 0 ? `${number(others, "node")} ${others === 1 ? "is" : "are"} down by random failures or by the workload.` : "";
    say(sum, broken.length === 0 && rest === "" ? "Nothing." : rest);
    sum.hidden = broken.length > 0 && rest === "";
    const focused = list.contains(document.activeElement);
    const heal = (id: string, name: string, label: string, work: () => void) =>
      html`<button type="button" class="btn" id=${id} aria-label=${label} @click=${work}>${name}</button>`;
    const one = ({ id, what, since, heal: by }: (typeof broken)[number]) => html`<li>
      <span>${words(what)} <small>since ${clock(since)}</small></span>
      ${heal(`break-heal-${id}`, "Heal", `Heal: ${what}`, () => inject(by.kind, by.target, by.value))}</li>`;
    const whole = () => broken.forEach(({ heal: by }) => inject(by.kind, by.target, by.value));
    render(
      html`${repeat(broken.slice(0, LISTED), ({ id }) => id, one)}
        ${broken.length > LISTED ? html`<li class="quiet">and ${broken.length - LISTED} more</li>` : nothing}
        ${broken.length > 1 ? html`<li>${heal("break-heal-all", "Heal everything", "Heal everything", whole)}</li>` : nothing}`,
      list,
    );
    if (focused && !list.contains(document.activeElement)) close.focus(); // its button went with what it healed
  });
  element.addEventListener("focusin", update); // it was just opened
  const follow = () => {
    const { selected, grid } = store.state;
    if (!grid) return;
    racks.hidden = grid.layout.noRacks === true;
    node.max = String(grid.cells - 1);
    rack.max = String(Math.max(0, ...grid.layout.blocks.map((block) => block.rack)));
    if (selected < 0) return;
    node.value = String(selected);
    rack.value = String(grid.layout.rack[selected]);
  };
  let known = "";
  return all(
    mountPick(picked, element, store, inject),
    store.watch(["selected", "grid"], follow),
    store.watch(["systems", "scenario"], () => {
      const { scenario } = store.state;
      const system = systemOf(store.state);
      if (!system) return;
      const now = JSON.stringify([system.id, system.agents.map((role) => countOf(role, system, scenario))]);
      if (now === known) return;
      known = now;
      agents.replaceChildren(...agentFaults(system, scenario, { inject, whole, place: { node, rack } }));
      live.replaceChildren(...liveSettings(system, { inject, whole, place: {} }));
    }),
    store.watch(["scenario"], chaos.follow),
    store.watch(["frame", "scenario", "status"], update),
    store.watch(["incidents"], tellPrice),
  );
}

/** Random failures. They belong to the scenario from its start, so setting them starts it again. */
function chaosOf(store: Store<"run" | "reported" | "look">): { element: HTMLElement; follow: () => void } {
  const fields = [
    ["node_mtbf", "A node fails every, h"],
    ["rack_mtbf", "A rack fails every, h"],
    ["mttr", "Repair takes, min"],
  ] as const;
  const scale = (name: string) => (name === "mttr" ? 60e6 : 3600e6); // µs
  const inputs = fields.map(([name]) => numeric(`chaos-${name}`, 1e6, "any", "never"));
  inputs[2].placeholder = "30";
  const apply = () => {
    const { scenario, base, traceFiles } = store.state;
    if (!scenario || inputs.some((input) => !input.reportValidity())) return;
    const chaos = Object.fromEntries(
      fields.flatMap(([name], i) =>
        inputs[i].valueAsNumber > 0 ? [[name, `${Math.round((inputs[i].valueAsNumber * scale(name)) / 1e6)}s`] as const] : [],
      ),
    );
    const { chaos: _, ...rest } = scenario;
    open(store, Object.keys(chaos).length > 0 ? { ...rest, chaos } : rest, { base, files: traceFiles });
  };
  const element = h(
    "details",
    {},
    h("summary", {}, "Random failures"),
    ...fields.map(([name, label], i) => line(`chaos-${name}`, label, inputs[i])),
    h("div.buttons", {}, h("button.btn", { type: "button", id: "chaos-set", onclick: apply }, "Apply and restart")),
  );
  const follow = () => {
    const chaos = store.state.scenario?.chaos;
    fields.forEach(([name], i) => {
      const set = parseDuration(String(chaos?.[name] ?? ""));
      if (document.activeElement !== inputs[i]) inputs[i].value = set ? String(Number((set / scale(name)).toPrecision(6))) : "";
    });
  };
  return { element, follow };
}
