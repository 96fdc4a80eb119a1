// The rigid jobs on a node: what they are, how many processors they hold, until when,
// and why those that a system placed are here.
import { html, nothing, repeat, type TemplateResult } from "../../../base/dom.ts";
import { clock, count } from "../../../base/format.ts";
import type { NodeReport } from "../../../base/messages.ts";
import type { Store } from "../../../model/store.ts";
import { heads, showWhy, whyButton } from "./why.ts";

const JOBS = 20; // listed here

export function listJobs(
  { jobs, more_jobs: more, node }: NodeReport,
  store: Store<"engine" | "run" | "reported" | "look" | "chosen">,
): TemplateResult {
  const rest = more + Math.max(0, jobs.length - JOBS);
  const row = ({ id, name, here, processors, until, decided }: NodeReport["jobs"][number]) => html`<tr>
    <td>${name}</td><td class="n">${count(here)}</td><td class="n">${count(processors)}</td><td class="n">${clock(until)}</td>
    <td class="n">${decided ? whyButton(id, "Why this site?", name, () => showWhy(store, id, node, name)) : nothing}</td>
  </tr>`;
  const table = html`<table><thead>${heads("job", "here", "in all", "until")}</thead>
    <tbody>${repeat(jobs.slice(0, JOBS), ({ id }) => id, row)}</tbody></table>`;
  return html`<h2>${count(jobs.length + more)} jobs</h2>${jobs.length > 0 ? table : nothing}
    ${rest > 0 ? html`<p class="quiet">and ${count(rest)} more</p>` : nothing}`;
}
