// All tasks that the simulation tells of the selected node, sorted as wanted.
import { atMostEvery, h, html, render, repeat } from "../../../base/dom.ts";
import { bytes, count, fraction } from "../../../base/format.ts";
import type { NodeReport } from "../../../base/messages.ts";
import type { Store } from "../../../model/store.ts";

type Task = NodeReport["tasks"][number];
type Column = [name: string, text: (task: Task) => string, order: (task: Task) => string | number, number: boolean];

/** The columns of a node whose vectors have these resources. */
function columns(resources: readonly string[]): Column[] {
  const amounts = resources.flatMap((name, r): Column[] => [
    [`${name} used`, (task) => fraction(task.used[r] ?? 0), (task) => -(task.used[r] ?? 0), true],
    [`${name} requested`, (task) => fraction(task.requested[r] ?? 0), (task) => -(task.requested[r] ?? 0), true],
  ]);
  return [
    ["task", (task) => task.name, (task) => task.name, false],
    ["class", (task) => (task.production ? "production" : "batch"), (task) => Number(!task.production), false],
    ["priority", (task) => String(task.priority), (task) => -task.priority, true],
    ["state", (task) => task.state, (task) => task.state, false],
    ...amounts,
    ["image", (task) => bytes(task.image_mb * 1e6), (task) => -task.image_mb, true],
  ];
}

export function mountTasks(element: HTMLElement, store: Store<"chosen">): () => void {
  let by = 4;
  const note = h("p.quiet");
  const body = h("tbody");
  const head = h("tr");
  const table = h("table.full", {}, h("thead", {}, head), body);
  element.replaceChildren(note, table);
  const draw = () => {
    const { report, selected } = store.state;
    table.hidden = !report || report.tasks.length === 0;
    note.textContent =
      selected < 0
        ? "Select a node on the map, or in the Table tab, to see its tasks."
        : !report
          ? "Asking the simulation …"
          : `Node ${selected}: ${count(report.tasks.length + report.more)} tasks${report.more > 0 ? `, the ${report.tasks.length} largest listed` : ""}.`;
    if (!report) return;
    const shown = columns(report.resources);
    const heads = shown.map(
      ([name, , , number], i) => html`<th scope="col" class=${number ? "n" : ""}
      aria-sort=${i === by ? "ascending" : "none"}><button type="button" class="sort" @click=${() => sort(i)}>${name}</button></th>`,
    );
    const order = shown[by]?.[2] ?? (() => 0);
    const rows = [...report.tasks].sort((a, b) => (order(a) < order(b) ? -1 : order(a) > order(b) ? 1 : 0));
    const row = (task: Task) =>
      html`<tr>${shown.map(([, text, , number]) => html`<td class=${number ? "n" : ""}>${text(task)}</td>`)}</tr>`;
    render(heads, head);
    render(
      repeat(rows, ({ id }) => id, row),
      body,
    );
  };
  const sort = (column: number) => {
    by = column;
    draw();
  };
  return store.watch(["report", "selected"], atMostEvery(500, draw));
}
