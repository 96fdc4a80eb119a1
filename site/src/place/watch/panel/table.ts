// The twin of the map: racks and nodes with all their values, as a table that
// is read page by page. While the pointer or the focus is in it, its rows keep their places.
import { asShown, atMostEvery, h, html, isRead, nothing, render, repeat, say, type TemplateResult } from "../../../base/dom.ts";
import { count } from "../../../base/format.ts";
import { valueText } from "../../../model/cell.ts";
import { nodeName, targetName } from "../../../model/faults.ts";
import { focus, select } from "../../../model/look.ts";
import { matchingNodes, orderNodes, rackRows } from "../../../model/nodes.ts";
import { all, type Store } from "../../../model/store.ts";
import { systemOf } from "../../../model/systems.ts";

const PAGE = 50;

type RackRow = ReturnType<typeof rackRows>[number];

export function mountTable(element: HTMLElement, store: Store<"engine" | "run" | "reported" | "look" | "chosen">): () => void {
  let page = 0;
  let by = -1; // the layer that nodes are ordered by
  const view = h(
    "select",
    { "aria-label": "Rows", onchange: () => turn(0) },
    h("option", { value: "nodes" }, "Nodes"),
    h("option", { value: "racks" }, "Racks"),
  );
  const filter = h("input", {
    id: "table-filter",
    type: "search",
    placeholder: "4711, rack 14, down, cpu > 90",
    "aria-label": "Filter nodes",
    oninput: () => {
      store.set({ filter: filter.value });
      turn(0);
    },
  });
  filter.value = store.state.filter;
  const back = h("button.btn", { type: "button", onclick: () => turn(page - 1) }, "Previous");
  const next = h("button.btn", { type: "button", onclick: () => turn(page + 1) }, "Next");
  const place = h("span.quiet.num", { role: "status" });
  const caption = h("caption.hidden");
  const head = h("tr");
  const body = h("tbody");
  const table = h("table.full", {}, caption, h("thead", {}, head), body);
  element.replaceChildren(h("div.toolbar", {}, view, filter, h("span.grow"), place, back, next), table);

  let shown: number[] = []; // the nodes or racks of the rows
  const draw = (still = false) => {
    const { grid, frame, layers, kept } = store.state;
    if (!grid || !frame) return;
    const racks = view.value === "racks" && !grid.layout.noRacks;
    view.hidden = grid.layout.noRacks === true;
    filter.hidden = racks;
    const rows = racks ? rackRows(grid, frame, layers) : orderNodes(matchingNodes(grid, frame, layers, filter.value, kept), frame, by);
    const last = Math.max(0, Math.ceil(rows.length / PAGE) - 1);
    page = Math.min(page, last);
    back.disabled = page === 0;
    next.disabled = page >= last;
    const from = page * PAGE;
    place.textContent =
      rows.length === 0 ? "nothing matches" : `${count(from + 1)}–${count(Math.min(rows.length, from + PAGE))} of ${count(rows.length)}`;
    const key = (row: number | RackRow) => (typeof row === "number" ? row : row.rack);
    const part: (number | RackRow)[] = still ? asShown<number | RackRow, number>(rows, key, shown) : rows.slice(from, from + PAGE);
    shown = part.map(key);
    render(
      repeat(part, key, (row) => (typeof row === "number" ? nodeRow(row) : rackRow(row))),
      body,
    );
    say(caption, racks ? "Racks of the cluster" : "Nodes of the cluster");
    render(heads(racks), head);
  };
  const heads = (racks: boolean) => {
    const { layers, grid } = store.state;
    const column = (name: string, layer: number | undefined, number: boolean) => {
      const sortable = !racks && layer !== undefined;
      const sorted = sortable ? (layer === by ? (by < 0 ? "ascending" : "descending") : "none") : nothing;
      const sort = () => ((by = layer ?? by), turn(0));
      const label = sortable ? html`<button type="button" class="sort" id=${`sort-${layer}`} @click=${sort}>${name}</button>` : name;
      return html`<th scope="col" class=${number ? "n" : ""} aria-sort=${sorted}>${label}</th>`;
    };
    if (racks)
      return [
        column("rack", undefined, false),
        column("nodes", undefined, true),
        column("down", undefined, true),
        column("overloaded", undefined, true),
        ...layers.flatMap((layer) => (layer.names ? [] : [column(layer.name, undefined, true)])),
      ];
    const rack = grid?.layout.noRacks ? [] : [column("rack", undefined, true)];
    return [column(nodeName(systemOf(store.state)), -1, false), ...rack, ...layers.map((layer, i) => column(layer.name, i, !layer.names))];
  };
  const nodeRow = (node: number): TemplateResult => {
    const { grid, frame, layers, selected } = store.state;
    const show = () => {
      select(store, node);
      focus(store);
    };
    return html`<tr aria-selected=${node === selected ? "true" : nothing}>
      <th scope="row"><button type="button" class="link num" id=${`row-${node}`} @click=${show}>${targetName(`node.${node}`, systemOf(store.state), grid)}</button></th>
      ${grid?.layout.noRacks ? nothing : html`<td class="n">${grid?.layout.rack[node]}</td>`}
      ${layers.map((layer, i) => html`<td class=${layer.names ? "" : "n"}>${valueText(layer, frame?.layers[i]?.[node] ?? 0)}</td>`)}</tr>`;
  };
  const rackRow = (row: RackRow): TemplateResult => {
    const show = () => {
      view.value = "nodes";
      filter.value = `rack ${row.rack}`;
      store.set({ filter: filter.value });
      turn(0);
      filter.focus();
    };
    const means = store.state.layers.flatMap((layer, i) => (layer.names ? [] : [valueText(layer, Math.round(row.means[i]))]));
    return html`<tr>
      <th scope="row"><button type="button" class="link num" id=${`row-rack-${row.rack}`} @click=${show}>rack ${row.rack}</button></th>
      ${[row.nodes, row.down, row.overloaded, ...means].map((value) => html`<td class="n">${value}</td>`)}</tr>`;
  };
  const turn = (to: number) => {
    page = Math.max(0, to);
    draw();
  };
  const follow = atMostEvery(1000, () => draw(isRead(body)));
  return all(
    store.watch(["filter"], () => {
      if (filter.value === store.state.filter) return;
      filter.value = store.state.filter; // typed on the map
      turn(0);
    }),
    store.watch(["frame", "selected", "scored"], follow),
  );
}
