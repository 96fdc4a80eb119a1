// The report: every column now and on average, the digest, and what can be
// taken away.
import { atMostEvery, download, h, html, nothing, render, say } from "../../../base/dom.ts";
import { clock, count, quantity } from "../../../base/format.ts";
import { columnsCSV, reportJSON, reportRows } from "../../../model/export.ts";
import { all, type Store } from "../../../model/store.ts";

export function mountReport(element: HTMLElement, store: Store<"engine" | "run" | "reported">): () => void {
  const name = () => (store.state.scenario?.name ?? "parley").replaceAll(/[^\w-]+/g, "-").toLowerCase();
  const save = (label: string, suffix: string, type: string, content: () => string) =>
    h("button.btn", { type: "button", onclick: () => download(`${name()}${suffix}`, type, content()) }, label);
  const facts = h("dl.facts");
  const body = h("tbody");
  const latest = h("th.n", { scope: "col" });
  const average = h("th.n", { scope: "col" });
  element.replaceChildren(
    h(
      "div.summary",
      {},
      facts,
      h(
        "div.buttons",
        {},
        save("Report as JSON", "-report.json", "application/json", () => JSON.stringify(reportJSON(store.state), null, 2) + "\n"),
        save("Columns as CSV", "-columns.csv", "text/csv", () => columnsCSV(store.state)),
        h("button.btn", { type: "button", "data-command": "export" }, "Report as HTML, figures, tables …"),
        h("button.btn", { type: "button", "data-command": "save-scenario" }, "Scenario as JSON"),
        h("button.btn", { type: "button", "data-command": "short-link" }, "Short link"),
      ),
    ),
    h("table.full", {}, h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "figure"), latest, average)), body),
  );
  const update = atMostEvery(1000, () => {
    const { status, ended, files, shape } = store.state;
    if (!status) return;
    const fact = (title: string, value: string) => html`<div><dt>${title}</dt><dd class="num">${value}</dd></div>`;
    const { rows, over } = reportRows(store.state);
    say(latest, ended ? "at the end" : "now");
    say(average, over);
    render(
      html`${fact(ended ? "Ended at" : "Simulated", clock(status.at))}${fact("Events", count(status.events))}
        ${shape === "tasks" ? fact("Tasks submitted", count(status.counts.submitted ?? 0)) : nothing}
        ${ended?.played ? fact("Jobs played", `${count(ended.played.jobs)} of ${count(ended.played.jobs_in_files)} in the files`) : nothing}
        ${fact("Digest", status.digest)}${files.map(({ file, rows: read, bad }) => fact(file, `${count(read)} rows, ${count(bad)} skipped`))}`,
      facts,
    );
    render(
      rows.map(
        ({ name: title, unit, now, mean }) => html`<tr><th scope="row">${title}</th><td class="n">${quantity(now, unit)}</td><td
          class="n">${quantity(mean, unit)}</td></tr>`,
      ),
      body,
    );
  });
  return all(store.watch(["series", "status", "ended"], update));
}
