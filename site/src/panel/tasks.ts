// All tasks that the simulation tells of the selected node, sorted as wanted.
import { atMostEvery, fill, h } from "../base/dom.ts";
import { bytes, count, fraction } from "../base/format.ts";
import type { NodeReport } from "../base/protocol.ts";
import type { Store } from "../model/store.ts";

type Task = NodeReport["tasks"][number];
type Column = [name: string, text: (task: Task) => string, order: (task: Task) => string | number, number: boolean];

const COLUMNS: Column[] = [
  ["task", (task) => task.name, (task) => task.name, false],
  ["class", (task) => (task.production ? "production" : "batch"), (task) => Number(!task.production), false],
  ["priority", (task) => String(task.priority), (task) => -task.priority, true],
  ["state", (task) => task.state, (task) => task.state, false],
  ["CPU used", (task) => fraction(task.used[0] ?? 0), (task) => -(task.used[0] ?? 0), true],
  ["CPU requested", (task) => fraction(task.requested[0] ?? 0), (task) => -(task.requested[0] ?? 0), true],
  ["memory used", (task) => fraction(task.used[1] ?? 0), (task) => -(task.used[1] ?? 0), true],
  ["memory requested", (task) => fraction(task.requested[1] ?? 0), (task) => -(task.requested[1] ?? 0), true],
  ["image", (task) => bytes(task.image_mb * 1e6), (task) => -task.image_mb, true],
];

export function mountTasks(element: HTMLElement, store: Store): () => void {
  let by = 4;
  const note = h("p.quiet");
  const body = h("tbody");
  const heads = COLUMNS.map(([name, , , number], i) =>
    h("th", { scope: "col", class: number ? "n" : "" }, h("button.sort", { type: "button", onclick: () => sort(i) }, name)),
  );
  const table = h("table.full", {}, h("thead", {}, h("tr", {}, ...heads)), body);
  fill(element, note, table);
  const draw = () => {
    const { report, selected } = store.state;
    table.hidden = !report || report.tasks.length === 0;
    note.textContent = selected < 0 ? "Select a node on the map, or in the Table tab, to see its tasks." : !report ? "Asking the simulation …" : `Node ${selected}: ${count(report.tasks.length + report.more)} tasks${report.more > 0 ? `, the ${report.tasks.length} largest listed` : ""}.`;
    if (!report) return;
    heads.forEach((head, i) => head.setAttribute("aria-sort", i === by ? "ascending" : "none"));
    const [, , order] = COLUMNS[by];
    const rows = [...report.tasks].sort((a, b) => (order(a) < order(b) ? -1 : order(a) > order(b) ? 1 : 0));
    fill(body, ...rows.map((task) => h("tr", {}, ...COLUMNS.map(([, text, , number]) => h("td", { class: number ? "n" : "" }, text(task))))));
  };
  const sort = (column: number) => {
    by = column;
    draw();
  };
  return store.watch(["report", "selected"], atMostEvery(500, draw));
}
