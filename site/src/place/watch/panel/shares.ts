// The tasks of a node that have a share of its CPU: what each needs, what it
// gets, and its yield, the one over the other.
import { html, nothing, repeat, type TemplateResult } from "../../../base/dom.ts";
import { count, fraction } from "../../../base/format.ts";
import type { NodeReport } from "../../../base/messages.ts";
import type { Store } from "../../../model/store.ts";
import { heads, showWhy, whyButton } from "./why.ts";

const TASKS = 60;

/** Whether the system gives tasks shares of CPU. */
export function hasShares({ tasks }: NodeReport): boolean {
  return tasks.some(({ yield: share }) => share !== undefined);
}

export function listShares(
  { tasks, more, node }: NodeReport,
  store: Store<"engine" | "run" | "reported" | "look" | "chosen">,
): TemplateResult {
  const listed = [...tasks].sort((a, b) => (a.yield ?? 2) - (b.yield ?? 2)).slice(0, TASKS);
  const row = ({ id, name, state, requested, share, yield: part }: NodeReport["tasks"][number]) => html`<tr
    title=${`${state}, memory ${fraction(requested[1] ?? 0)} of a host`}>
    <td>${name}${state === "running" ? nothing : html`<span class="quiet"> ${state}</span>`}</td>
    <td class="n">${fraction(requested[0] ?? 0)}</td>
    <td class="n">${share === undefined ? "–" : fraction(share)}</td>
    <td class="n">${part === undefined ? "–" : gauge(part)}</td>
    <td class="n">${whyButton(id, "Why here?", `task ${name}`, () => showWhy(store, id, node))}</td>
  </tr>`;
  const rest = tasks.length + more - listed.length;
  return html`<h2>${count(tasks.length + more)} tasks, the smallest yield first</h2>
    <table class="shares"><thead>${heads("task", "need", "share", "yield")}</thead><tbody>${repeat(listed, ({ id }) => id, row)}</tbody></table>
    ${rest > 0 ? html`<p class="quiet">and ${count(rest)} more</p>` : nothing}`;
}

/** A small bar with the number beside it. */
function gauge(value: number): TemplateResult {
  const width = `width: ${Math.min(100, 100 * value)}%`;
  return html`<span class="gauge"><span class="bar"><i class=${value < 0.5 ? "over" : "used"} .style=${width}></i></span><span
    class="num">${Math.round(100 * value)} %</span></span>`;
}
