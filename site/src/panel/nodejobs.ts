// The rigid jobs on a node: what they are, how many processors they hold, until when,
// and why those that a system placed are here.
import { h } from "../base/dom.ts";
import { clock, count } from "../base/format.ts";
import type { NodeReport } from "../base/messages.ts";
import type { Store } from "../model/store.ts";
import { showWhy } from "./why.ts";

const JOBS = 20; // listed here

export function listJobs(
  { jobs, more_jobs: more, node }: NodeReport,
  store: Store<"engine" | "run" | "told" | "look" | "chosen">,
): HTMLElement[] {
  const rest = more + Math.max(0, jobs.length - JOBS);
  const heads = ["job", "here", "in all", "until"].map((name, i) => h("th", { scope: "col", class: i > 0 ? "n" : "" }, name));
  const rows = jobs.slice(0, JOBS).map(({ id, name, here, processors, until, decided }) =>
    h(
      "tr",
      {},
      h("td", {}, name),
      h("td.n", {}, count(here)),
      h("td.n", {}, count(processors)),
      h("td.n", {}, clock(until)),
      h(
        "td.n",
        {},
        decided
          ? h(
              "button.link.why-here",
              {
                type: "button",
                id: `why-${id}`,
                title: "Why this site?",
                "aria-label": `Why is ${name} here?`,
                onclick: () => showWhy(store, id, node, name),
              },
              "?",
            )
          : undefined,
      ),
    ),
  );
  return [
    h("h2", {}, `${count(jobs.length + more)} jobs`),
    ...(rows.length > 0
      ? [
          h(
            "table",
            {},
            h("thead", {}, h("tr", {}, ...heads, h("th", { scope: "col" }, h("span.hidden", {}, "why here")))),
            h("tbody", {}, ...rows),
          ),
        ]
      : []),
    ...(rest > 0 ? [h("p.quiet", {}, `and ${count(rest)} more`)] : []),
  ];
}
