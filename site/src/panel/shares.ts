// The tasks of a node that have a share of its CPU: what each needs, what it
// gets, and its yield, the one over the other.
import { h } from "../base/dom.ts";
import { count, fraction } from "../base/format.ts";
import type { NodeReport } from "../base/messages.ts";
import type { Store } from "../model/store.ts";
import { showWhy } from "./why.ts";

const TASKS = 60;

/** Whether the system gives tasks shares of CPU. */
export function hasShares({ tasks }: NodeReport): boolean {
  return tasks.some(({ yield: share }) => share !== undefined);
}

export function listShares({ tasks, more, node }: NodeReport, store: Store<"engine" | "run" | "told" | "look" | "chosen">): HTMLElement[] {
  const rows = [...tasks]
    .sort((a, b) => (a.yield ?? 2) - (b.yield ?? 2))
    .slice(0, TASKS)
    .map((task) =>
      h(
        "tr",
        { title: `${task.state}, memory ${fraction(task.requested[1] ?? 0)} of a host` },
        h("td", {}, task.name, task.state !== "running" && h("span.quiet", {}, ` ${task.state}`)),
        h("td.n", {}, fraction(task.requested[0] ?? 0)),
        h("td.n", {}, task.share === undefined ? "–" : fraction(task.share)),
        h("td.n", {}, task.yield === undefined ? "–" : gauge(task.yield)),
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
  const head = h(
    "tr",
    {},
    ...["task", "need", "share", "yield"].map((name, i) => h("th", { scope: "col", class: i > 0 ? "n" : "" }, name)),
    h("th", { scope: "col" }, h("span.hidden", {}, "why here")),
  );
  const rest = tasks.length + more - rows.length;
  return [
    h("h2", {}, `${count(tasks.length + more)} tasks, the smallest yield first`),
    h("table.shares", {}, h("thead", {}, head), h("tbody", {}, ...rows)),
    ...(rest > 0 ? [h("p.quiet", {}, `and ${count(rest)} more`)] : []),
  ];
}

/** A small bar with the number beside it. */
function gauge(value: number): HTMLElement {
  const part = h("i", { class: value < 0.5 ? "over" : "used" });
  part.style.width = `${Math.min(100, 100 * value)}%`;
  return h("span.gauge", {}, h("span.bar", {}, part), h("span.num", {}, `${Math.round(100 * value)} %`));
}
