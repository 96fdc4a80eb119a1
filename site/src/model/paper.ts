// The report of a run as one HTML file that needs nothing else: figures, tables, how
// it was made, the scenario, and the command line that gives its digest.
import { clock, count, digits, duration, words } from "../base/format.ts";
import type { SystemInfo } from "../base/messages.ts";
import { PAPER } from "../base/tokens.ts";
import { type Carried, dataElement } from "./carrier.ts";
import { reportRows } from "./export.ts";
import { escaped, type Figure, figureSVG } from "./figure.ts";
import type { State } from "./store.ts";

const STYLE = `body{max-width:46rem;margin:2rem auto;padding:0 1rem;font:${PAPER["--t-l"]}/1.5 system-ui,sans-serif;color:${PAPER["--ink"]};background:${PAPER["--panel"]}}
h1{font-size:${PAPER["--t-2xl"]};line-height:1.2}h2{margin-top:2rem;font-size:${PAPER["--t-xl"]}}code,pre{font:${PAPER["--t-m"]}/1.4 ui-monospace,monospace;background:${PAPER["--sunken"]};border-radius:${PAPER["--r-2"]}}
code{padding:1px 4px;overflow-wrap:anywhere}pre{padding:.7rem;white-space:pre-wrap;overflow-wrap:anywhere}table{border-collapse:collapse;width:100%;margin:1rem 0}
caption{text-align:left;font-weight:600}th,td{padding:3px 8px;border-bottom:1px solid ${PAPER["--line"]};text-align:left;font-weight:400}td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}
figure{margin:1rem 0}svg,img{max-width:100%;height:auto}a{color:${PAPER["--accent"]}}@media print{body{margin:0}figure,table{break-inside:avoid}}`;

/** What stands beside the run: the link to it, its page, and when the report was made. */
export interface Making {
  link: string; // what stands after #
  page: string; // the page's address
  date: string; // of the day, as 2026-11-22
  map: string; // the picture of the cells as a data: address; "": there is none
}

/** The command line that plays the run to its digest; files of the viewer stand in capitals. */
export function commandLine({ link }: Making, need?: string): string {
  return `parley run '#${link.replaceAll("'", "%27")}'${need ? " --trace FILE…" : ""}`;
}

/** The report of the run up to now. */
export function reportHTML(
  state: State<"engine" | "run" | "reported">,
  system: SystemInfo | undefined,
  figures: Figure[],
  faults: number[],
  carried: Carried,
  making: Making,
): string {
  const { status, series, scenario, engine, files, grid } = state;
  const name = scenario?.name ?? "Unnamed scenario";
  const at = status?.at ?? 0;
  const told = reportRows(state);
  const nodes = grid?.layout.rack.length ?? 0;
  const counts = Object.entries(status?.counts ?? {}).filter((entry): entry is [string, number] => typeof entry[1] === "number");
  const table = (caption: string, heads: string[], rows: string[][]) =>
    `<table><caption>${escaped(caption)}</caption><thead><tr>${heads.map((head, i) => `<th scope="col"${i > 0 ? ' class="n"' : ""}>${escaped(head)}</th>`).join("")}</tr></thead><tbody>${rows
      .map(
        ([head, ...cells]) =>
          `<tr><th scope="row">${escaped(head)}</th>${cells.map((cell) => `<td class="n">${escaped(cell)}</td>`).join("")}</tr>`,
      )
      .join("")}</tbody></table>`;
  const settings = (system?.settings ?? [])
    .map(({ id, name: title }) => [title || id, valueText(scenario?.settings, id)])
    .filter(([, value]) => value !== "");
  const command = commandLine(making, carried.need);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width">
<title>${escaped(name)} · Parley</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${escaped(name)}</h1>
${scenario?.about ? `<p>${escaped(scenario.about)}</p>` : ""}
<p>${escaped(system?.name ?? scenario?.system ?? "")}, ${count(nodes)} nodes, seed ${scenario?.seed ?? 0}, played to ${escaped(clock(at))}. Digest <code>${escaped(status?.digest ?? "")}</code>, Parley ${escaped(engine)}.</p>
<h2>Figures</h2>
${making.map ? `<figure><img src="${escaped(making.map)}" alt="The cluster at ${escaped(clock(at))}, a cell for each of ${count(nodes)} nodes"><figcaption>The cluster at ${escaped(clock(at))}, a cell for each node.</figcaption></figure>` : ""}
${figures.map((figure, i) => `<figure>${figureSVG(figure, series, faults)}<figcaption>Figure ${i + 1}: ${escaped(figure.title)} over simulated time${faults.length > 0 ? "; dashed lines are faults" : ""}.</figcaption></figure>`).join("\n")}
<h2>Tables</h2>
${table(
  "Figures of the run",
  ["figure", "at the end", told.over, "unit"],
  told.rows.map(({ name: title, unit, now, mean }) => [title, digits(now), digits(mean), unit]),
)}
${table(
  "Counts",
  ["what", "number"],
  counts.map(([what, n]) => [words(what), count(n)]),
)}
${settings.length > 0 ? table("Settings that differ from the defaults", ["setting", "value"], settings) : ""}
<h2>Method</h2>
<p>The run was simulated by Parley ${escaped(engine)}, a discrete-event simulator of clusters: ${count(status?.events ?? 0)} events up to ${escaped(duration(at))} of simulated time.
The system is ${escaped(system?.name ?? scenario?.system ?? "")}${system?.about ? ` (${escaped(system.about)})` : ""}. Every random choice follows from the seed, so the same scenario${files.length > 0 ? " and files give" : " gives"} the same run to the last bit, on every
machine; the digest is a sum over all its events. Figures are samples in simulated time; the means are those of the samples up to the end. One seed was played: how much another one would differ, this report does not tell.</p>
${
  files.length > 0
    ? table(
        "Files that were played",
        ["file", "SHA-256", "rows", "rows left out"],
        files.map(({ file, sha256, rows, bad }) => [file, sha256, count(rows), count(bad)]),
      )
    : ""
}
<h2>To reproduce it</h2>
<p>This command plays it again and checks its digest:</p>
<pre tabindex="0" id="command">${escaped(command)}</pre>
<p>On the page: <a href="${escaped(`${making.page}#${making.link}`)}">open the run at this moment</a>, or drop this file there.</p>
<h2>How to cite</h2>
<p>Parley ${escaped(engine)}: “${escaped(name)}”, digest ${escaped(status?.digest ?? "")} at ${escaped(duration(at))}. ${escaped(making.page)} (${escaped(making.date)}).</p>
<h2>Scenario</h2>
<pre tabindex="0">${escaped(JSON.stringify(scenario, null, 2))}</pre>
</main>
${dataElement(carried)}
</body>
</html>
`;
}

/** A setting's value where a scenario says one: "a.b" is inside a. */
function valueText(settings: unknown, id: string): string {
  let value = settings;
  for (const part of id.split("."))
    value = typeof value === "object" && value !== null ? (value as Record<string, unknown>)[part] : undefined;
  return value === undefined ? "" : typeof value === "string" ? value : JSON.stringify(value);
}
