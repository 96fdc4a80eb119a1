// The report: every column now and on average, the digest, and what can be
// taken away.
import { atMostEvery, download, fill, h } from "../base/dom.ts";
import { clock, count, quantity } from "../base/format.ts";
import { columnsCSV, mean, reportJSON } from "../model/export.ts";
import { all, type Store } from "../model/store.ts";

export function mountReport(element: HTMLElement, store: Store): () => void {
  const name = () => (store.state.scenario?.name ?? "parley").replaceAll(/[^\w-]+/g, "-").toLowerCase();
  const save = (label: string, suffix: string, type: string, content: () => string) =>
    h("button.btn", { type: "button", onclick: () => download(`${name()}${suffix}`, type, content()) }, label);
  const facts = h("dl.facts");
  const body = h("tbody");
  fill(
    element,
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
    h(
      "table.full",
      {},
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          h("th", { scope: "col" }, "figure"),
          h("th.n", { scope: "col" }, "now"),
          h("th.n", { scope: "col" }, "mean of the run"),
        ),
      ),
      body,
    ),
  );
  const update = atMostEvery(1000, () => {
    const { status, series, ended, files } = store.state;
    if (!status) return;
    const fact = (title: string, value: string) => h("div", {}, h("dt", {}, title), h("dd.num", {}, value));
    fill(
      facts,
      fact(ended ? "Ended at" : "Simulated", clock(status.at)),
      fact("Events", count(status.events)),
      fact("Tasks submitted", count(status.counts.submitted ?? 0)),
      fact("Digest", status.digest),
      ...files.flatMap(({ file, rows, bad }) => [fact(file, `${count(rows)} rows, ${count(bad)} skipped`)]),
    );
    fill(
      body,
      ...[...series.tracks.values()].map(({ name: title, unit, values }) =>
        h(
          "tr",
          {},
          h("th", { scope: "row" }, title),
          h("td.n", {}, quantity(values.at(-1) ?? 0, unit)),
          h("td.n", {}, quantity(mean(values), unit)),
        ),
      ),
    );
  });
  return all(store.watch(["series", "status", "ended"], update));
}
