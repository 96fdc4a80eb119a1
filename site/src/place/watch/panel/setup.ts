// The left side: the gallery, and what the running scenario is made of.
import { h, render } from "../../../base/dom.ts";
import { bytes, count, stopped, words } from "../../../base/format.ts";
import { icon } from "../../../base/icon.ts";
import type { Scenario } from "../../../base/scenario.ts";
import { MIN_NODES, TAB_NODES } from "../../../model/address.ts";
import { may } from "../../../model/may.ts";
import { change, openEntry } from "../../../model/run.ts";
import { numberIn } from "../../../model/scenario.ts";
import { all, type Store } from "../../../model/store.ts";
import { offered } from "../../../model/systems.ts";
import { mountPolicy } from "./policy.ts";

export function mountSetup(element: HTMLElement, store: Store<"engine" | "run" | "reported" | "look" | "page">): () => void {
  const gallery = h("section", { "aria-label": "Scenarios" });
  const systems = h("section", { "aria-label": "System" });
  const workload = h("section", { "aria-label": "Workload" });
  const cluster = h("section", { "aria-label": "Cluster" });
  const policy = h("section", { "aria-label": "Policy" });
  element.replaceChildren(gallery, systems, workload, cluster, policy);
  return all(
    mountGallery(gallery, store),
    mountSystems(systems, store),
    mountWorkload(workload, store),
    mountCluster(cluster, store),
    mountPolicy(policy, store),
  );
}

function mountGallery(element: HTMLElement, store: Store<"engine" | "run" | "reported" | "look" | "page">): () => void {
  return store.watch(["gallery", "base"], () => {
    const { gallery, base } = store.state;
    if (gallery.length === 0) return;
    render(
      [
        h("h2", {}, "Scenarios"),
        ...gallery.map((entry) =>
          h(
            "button.card",
            {
              type: "button",
              id: `entry-${entry.id}`,
              "aria-current": entry.id === base ? "true" : undefined,
              title: entry.question,
              onclick: () => void openEntry(store, entry.id),
            },
            h("span", {}, entry.name),
            h("small", {}, `${entry.system} · ${count(entry.nodes)} nodes`),
          ),
        ),
      ],
      element,
    );
  });
}

function mountSystems(element: HTMLElement, store: Store<"engine" | "run" | "reported" | "look" | "page">): () => void {
  return store.watch(["systems", "scenario"], () => {
    const { systems, scenario } = store.state;
    if (systems.length === 0) return;
    render(
      [
        h("h2", {}, "System"),
        h(
          "div.segments",
          { role: "radiogroup", "aria-label": "System" },
          ...offered(systems).map(({ id, name }) => {
            const input = h("input", {
              type: "radio",
              id: `system-${id}`,
              name: "system",
              value: id,
              onchange: () => change(store, { system: id }),
            });
            input.checked = id === scenario?.system;
            input.disabled = !may(scenario, "system");
            return h("label", { title: name }, input, h("span", {}, words(id)));
          }),
        ),
      ],
      element,
    );
  });
}

function mountWorkload(element: HTMLElement, store: Store<"run" | "reported">): () => void {
  const facts = h("dl.facts");
  const said = h("div.said");
  element.replaceChildren(
    h("h2", {}, "Workload"),
    facts,
    said,
    h("button.btn.wide", { type: "button", "data-command": "open-trace" }, "Open trace files"),
  );
  const numbers = ["running", "waiting", "submitted"].map((name) => [name, h("dd.num", {}, "–")] as const);
  return all(
    store.watch(["files", "resolvedScenario"], () => {
      const { files, resolvedScenario } = store.state;
      const rows: HTMLElement[] = [];
      const fact = (name: string, value: string, title = "") => rows.push(h("div", { title }, h("dt", {}, name), h("dd", {}, value)));
      if (files.length === 0) fact("Source", sourceOf(resolvedScenario));
      for (const { file, label, format, rows: read, bad, bytes: size } of files) {
        fact(label, `${count(read)} rows`, `${file}: ${format}, ${bytes(size)}`);
        if (bad > 0) fact("Rows skipped", count(bad));
      }
      render([...rows, ...numbers.map(([name, value]) => h("div", {}, h("dt", {}, words(name)), value))], facts);
    }),
    store.watch(["choices"], () =>
      render(
        store.state.choices.map((sentence) => h("p.quiet", {}, stopped(sentence))),
        said,
      ),
    ),
    store.watch(["status"], () => {
      for (const [name, value] of numbers) {
        const n = store.state.status?.counts[name];
        if (n !== undefined) value.textContent = count(n);
      }
    }),
  );
}

/** Where a scenario's workload comes from when it plays no files. */
function sourceOf(scenario: Scenario | undefined): string {
  if (scenario?.workload?.system !== undefined) return "the system's own";
  const preset = String(scenario?.workload?.preset ?? "");
  return preset === "google2011" ? "generated, Google 2011" : words(preset);
}

function mountCluster(element: HTMLElement, store: Store<"run" | "reported" | "look" | "page">): () => void {
  const nodes = numberField({ id: "nodes", min: MIN_NODES, max: TAB_NODES, list: "sizes" }, (value) => change(store, { nodes: value }));
  const sizes = h(
    "datalist",
    { id: "sizes" },
    ...[100, 1250, 12_583, 25_000, 50_000, 100_000, 250_000].map((n) => h("option", { value: n })),
  );
  const seed = numberField({ id: "seed", min: 0, max: Number.MAX_SAFE_INTEGER }, (value) => change(store, { seed: value }));
  const another = h(
    "button.btn.square",
    {
      type: "button",
      title: "Another seed",
      "aria-label": "Another seed",
      onclick: () => change(store, { seed: crypto.getRandomValues(new Uint16Array(1))[0] }),
    },
    icon("dice"),
  );
  element.replaceChildren(
    h("h2", {}, "Cluster"),
    h("div.field", {}, h("label", { for: "nodes" }, "Nodes"), nodes.input, sizes),
    h("div.field", {}, h("label", { for: "seed" }, "Seed"), h("span.joined", {}, seed.input, another)),
  );
  return store.watch(["resolvedScenario", "grid", "hasMachines"], () => {
    const { resolvedScenario, grid, hasMachines } = store.state;
    nodes.show(hasMachines ? (grid?.cells ?? "") : (numberIn(resolvedScenario?.cluster, "nodes") ?? grid?.cells ?? ""));
    const { scenario } = store.state;
    nodes.input.disabled = hasMachines || !may(scenario, "cluster.nodes");
    seed.input.disabled = another.disabled = !may(scenario, "seed");
    nodes.input.title = hasMachines ? "The workload says which machines there are" : "";
    seed.show(resolvedScenario?.seed ?? 0);
  });
}

/** A field for a whole number. What the viewer is typing stays until it is entered, also when a run opens meanwhile. */
function numberField(attributes: { id: string; min: number; max: number; list?: string }, enter: (value: number) => void) {
  let typing = false;
  let shown = "";
  const input = h("input.num", {
    type: "number",
    step: 1,
    inputmode: "numeric",
    ...attributes,
    oninput: () => {
      typing = true;
    },
    onchange: () => {
      typing = false;
      if (input.reportValidity()) enter(Number(input.value));
    },
    onblur: () => {
      if (!typing || document.activeElement === input) return; // the window lost the focus, not the field
      input.value = shown; // the viewer took back what was typed: the field says what the run has
      typing = false;
    },
  });
  const show = (value: string | number) => {
    shown = String(value);
    if (!typing) input.value = shown;
  };
  return { input, show };
}
