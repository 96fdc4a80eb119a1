// The twin of the map: racks and nodes with all their values, as a table that
// is read page by page. It stands still while the focus is in it.
import { atMostEvery, fill, h, say } from "../base/dom.ts";
import { count } from "../base/format.ts";
import { valueText } from "../model/cell.ts";
import { focus, select } from "../model/look.ts";
import { matchingNodes, orderNodes, rackRows } from "../model/nodes.ts";
import { all, type Store } from "../model/store.ts";

const PAGE = 50;

export function mountTable(element: HTMLElement, store: Store<"told" | "look" | "chosen">): () => void {
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
  let headed = ""; // what the head says: it stays while that does
  fill(element, h("div.toolbar", {}, view, filter, h("span.grow"), place, back, next), table);

  const draw = () => {
    const { grid, frame, layers, kept } = store.state;
    if (!grid || !frame) return;
    const racks = view.value === "racks";
    filter.hidden = racks;
    const rows = racks ? rackRows(grid, frame, layers) : orderNodes(matchingNodes(grid, frame, layers, filter.value, kept), frame, by);
    const last = Math.max(0, Math.ceil(rows.length / PAGE) - 1);
    page = Math.min(page, last);
    back.disabled = page === 0;
    next.disabled = page >= last;
    const from = page * PAGE;
    place.textContent =
      rows.length === 0 ? "nothing matches" : `${count(from + 1)}–${count(Math.min(rows.length, from + PAGE))} of ${count(rows.length)}`;
    const part = rows.slice(from, from + PAGE);
    const bodies = part.map((row) => (typeof row === "number" ? nodeRow(row) : rackRow(row)));
    fill(body, ...bodies);
    const says = `${racks} ${by} ${layers.map(({ name }) => name).join()}`;
    if (says === headed) return;
    headed = says;
    say(caption, racks ? "Racks of the cluster" : "Nodes of the cluster");
    fill(head, ...heads(racks));
  };
  const heads = (racks: boolean) => {
    const { layers } = store.state;
    const column = (name: string, layer: number | undefined, number: boolean) => {
      const sortable = !racks && layer !== undefined;
      const label = sortable
        ? h("button.sort", { type: "button", id: `sort-${layer}`, onclick: () => ((by = layer), turn(0)) }, name)
        : name;
      return h(
        "th",
        {
          scope: "col",
          class: number ? "n" : "",
          "aria-sort": sortable ? (layer === by ? (by < 0 ? "ascending" : "descending") : "none") : undefined,
        },
        label,
      );
    };
    if (racks)
      return [
        column("rack", undefined, false),
        column("nodes", undefined, true),
        column("down", undefined, true),
        column("overloaded", undefined, true),
        ...layers.flatMap((layer) => (layer.names ? [] : [column(layer.name, undefined, true)])),
      ];
    return [column("node", -1, false), column("rack", undefined, true), ...layers.map((layer, i) => column(layer.name, i, !layer.names))];
  };
  const nodeRow = (node: number) => {
    const { grid, frame, layers, selected } = store.state;
    const show = () => {
      select(store, node);
      focus(store);
    };
    return h(
      "tr",
      { "aria-selected": node === selected ? "true" : undefined },
      h("th", { scope: "row" }, h("button.link.num", { type: "button", id: `row-${node}`, onclick: show }, `node ${node}`)),
      h("td.n", {}, grid?.layout.rack[node]),
      ...layers.map((layer, i) => h("td", { class: layer.names ? "" : "n" }, valueText(layer, frame?.layers[i]?.[node] ?? 0))),
    );
  };
  const rackRow = (row: ReturnType<typeof rackRows>[number]) => {
    const show = () => {
      view.value = "nodes";
      filter.value = `rack ${row.rack}`;
      store.set({ filter: filter.value });
      turn(0);
      filter.focus();
    };
    return h(
      "tr",
      {},
      h("th", { scope: "row" }, h("button.link.num", { type: "button", id: `row-rack-${row.rack}`, onclick: show }, `rack ${row.rack}`)),
      h("td.n", {}, row.nodes),
      h("td.n", {}, row.down),
      h("td.n", {}, row.overloaded),
      ...store.state.layers.flatMap((layer, i) => (layer.names ? [] : [h("td.n", {}, valueText(layer, Math.round(row.means[i])))])),
    );
  };
  const turn = (to: number) => {
    page = Math.max(0, to);
    draw();
  };
  const follow = atMostEvery(1000, () => body.contains(document.activeElement) || body.matches(":hover") || draw());
  return all(
    store.watch(["filter"], () => {
      if (filter.value === store.state.filter) return;
      filter.value = store.state.filter; // typed on the map
      turn(0);
    }),
    store.watch(["frame", "selected", "scored"], follow),
  );
}
