// The rows of what is planned, workers or jobs, as a table of fields, some of them at a time;
// and what the files of graphs and of SimGrid leave open.
import { h, render, say } from "../../../base/dom.ts";
import { count } from "../../../base/format.ts";
import { icon } from "../../../base/icon.ts";
import { FIELDS, type GraphChoice, MOST_COLUMNS } from "../../../model/instances.ts";
import { MOST_ROWS, nameOf, type Planner, type PlannerState, rowsOf } from "../model/planner.ts";

const HEADS: Record<string, [head: string, unit: string]> = {
  speed: ["speed", "units/s"],
  bandwidth: ["bandwidth", "units/s"],
  comp_latency: ["comp. latency", "s"],
  comm_latency: ["comm. latency", "s"],
  cpu: ["CPU a task", "of a host"],
  mem: ["memory a task", "of a host"],
  tasks: ["tasks", ""],
};
const WORDS = { load: ["Workers", "Add a worker"], jobs: ["Jobs", "Add a job"], graph: ["", ""] };
const PAGE = 50; // rows listed

/** What is edited row by row. */
export function rowList(planner: Planner): { element: HTMLElement; draw: () => void } {
  const element = h("div.workers");
  let drawn = -1;
  let page = 0;
  const cell = (row: number, field: string) => {
    const { state } = planner;
    const label = `${HEADS[field][0]} of ${row < 0 ? `all ${WORDS[state.kind][0].toLowerCase()}` : nameOf(state, row)}`;
    const input = h("input.num", {
      inputmode: "decimal",
      autocomplete: "off",
      "aria-label": label,
      id: `plan-${row < 0 ? "all" : row}-${field}`,
      placeholder: row < 0 ? "all" : undefined,
      oninput: () => (row >= 0 || input.value !== "") && planner.type(row, field, input.value),
    });
    input.value = row < 0 ? common(state, field) : rowsOf(state)[row][field];
    return h("td", {}, input);
  };
  const line = (row: number, fields: readonly string[]) => {
    const name = nameOf(planner.state, row);
    const remove = h(
      "button.btn.quiet.square",
      { type: "button", "aria-label": `Remove ${name}`, title: "Remove", onclick: () => planner.remove(row) },
      icon("close"),
    );
    const short = planner.state.kind === "load" ? (planner.state.names[row] ?? String(row)) : String(row);
    return h("tr", {}, h("th", { scope: "row", title: name }, short), ...fields.map((field) => cell(row, field)), h("td", {}, remove));
  };
  const draw = () => {
    const { state } = planner;
    if (state.edition === drawn) return;
    drawn = state.edition;
    if (state.kind === "graph") return render(graphFields(planner), element);
    const rows = rowsOf(state);
    const fields = FIELDS[state.kind];
    const [title, add] = WORDS[state.kind];
    page = Math.min(page, Math.max(0, Math.ceil(rows.length / PAGE) - 1));
    const size = h("input.num", {
      id: "plan-workers",
      type: "number",
      min: 0,
      max: MOST_ROWS,
      step: 1,
      onchange: () => size.value !== "" && planner.resize(Number(size.value)),
    });
    size.value = String(rows.length);
    const turn = (label: string, to: number) =>
      h(
        "button.btn",
        { type: "button", disabled: to < 0 || to * PAGE >= rows.length, onclick: () => ((page = to), (drawn = -1), draw()) },
        label,
      );
    render(
      [
        h("div.field", {}, h("label", { for: "plan-workers" }, title), size),
        ...(state.kind === "load" && state.grid ? gridFields(planner) : []),
        h(
          "table",
          {},
          h("caption.hidden", {}, title),
          h(
            "thead",
            {},
            h(
              "tr",
              {},
              h("th", { scope: "col" }, h("span.hidden", {}, title)),
              ...fields.map((field) => h("th", { scope: "col" }, HEADS[field][0])),
              h("td"),
            ),
            h("tr", {}, h("td"), ...fields.map((field) => h("td.quiet", {}, HEADS[field][1])), h("td")),
          ),
          h(
            "tbody",
            {},
            h("tr.all", {}, h("th", { scope: "row" }, "all"), ...fields.map((field) => cell(-1, field)), h("td")),
            ...rows.slice(page * PAGE, (page + 1) * PAGE).map((_, i) => line(page * PAGE + i, fields)),
          ),
        ),
        h(
          "div.buttons",
          {},
          h("button.btn", { type: "button", onclick: () => planner.resize(rows.length + 1) }, add),
          rows.length > PAGE && turn("Previous", page - 1),
          rows.length > PAGE && turn("Next", page + 1),
          rows.length > PAGE &&
            h("span.quiet.num", {}, `${page * PAGE}–${Math.min(rows.length, (page + 1) * PAGE) - 1} of ${count(rows.length)}`),
        ),
      ],
      element,
    );
  };
  return { element, draw };
}

/** What all rows have in common, or nothing. */
function common(state: PlannerState, field: string): string {
  const rows = rowsOf(state);
  const first = rows[0]?.[field] ?? "";
  return rows.every((row) => row[field] === first) ? first : "";
}

/** A field of a graph with its label. */
function graphFields(planner: Planner): HTMLElement[] {
  const { graph } = planner.state;
  const field = (name: keyof GraphChoice, label: string, title: string) => {
    const input = h("input.num", {
      id: `plan-graph-${name}`,
      inputmode: "decimal",
      autocomplete: "off",
      title,
      oninput: () => planner.edit({ graph: { ...planner.state.graph, [name]: input.value } }),
    });
    input.value = graph[name];
    return h("div.field", {}, h("label", { for: input.id }, label), input);
  };
  const example = () => planner.edit({ graph: { ...planner.state.graph, name: "", text: "" }, edition: planner.state.edition + 1 });
  const equal = [
    field("processors", "Processors", "All equal; a file may have its own"),
    field("bandwidth", "Bandwidth, MB/s", "Between two processors; 0: results take no time"),
    field("latency", "Latency, s", "That every result takes beside its bytes"),
  ];
  if (graph.text)
    return [
      h("p", {}, h("b", {}, graph.name), " ", h("span.quiet", { id: "plan-graph-own" })),
      ...equal,
      h("div.buttons", {}, h("button.btn", { type: "button", onclick: example }, "Back to the example")),
    ];
  return [
    h("p.quiet", {}, "Gaussian elimination of a matrix: a pivot for each column, then an update of every column right of it."),
    field("size", "Columns", `2 to ${MOST_COLUMNS}`),
    ...equal,
  ];
}

/** Says whether the file of a graph brings its processors, and takes the fields about equal ones away then. */
export function tellOwn(planner: Planner): void {
  const { plan, graph } = planner.state;
  const own = planner.state.kind === "graph" && graph.text !== "" && plan?.kind === "graph" && plan.result.format === undefined;
  for (const name of ["processors", "bandwidth", "latency"]) {
    const input = document.querySelector<HTMLInputElement>(`#plan-graph-${name}`);
    if (input?.parentElement) input.parentElement.hidden = own;
  }
  const note = document.querySelector("#plan-graph-own");
  if (note) say(note, own ? "has its own processors" : "");
}

/** What a platform of SimGrid does not say. */
function gridFields(planner: Planner): HTMLElement[] {
  const { grid } = planner.state;
  if (!grid) return [];
  const again = (change: Partial<typeof grid>) => planner.read(grid.name, grid.text, { ...grid, ...change });
  const field = (id: string, label: string, value: string, set: (text: string) => void) => {
    const input = h("input", {
      id,
      autocomplete: "off",
      list: id === "grid-master" ? "grid-hosts" : undefined,
      onchange: () => set(input.value),
    });
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
