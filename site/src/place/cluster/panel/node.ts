// The nodes of a dump as a table, and one of them with what is requested on it.
import { h } from "../../../base/dom.ts";
import { count, number } from "../../../base/format.ts";
import type { DumpRead } from "../../../model/ask.ts";
import { fullerOf } from "../../../panel/nodemap.ts";
import type { Cluster } from "../model/cluster.ts";

const MOST_LISTED = 200; // rows of the table
const STATES = { cordoned: "cordoned", notready: "not ready", "": "takes pods" };

/** The twin of the picture: the fullest nodes first. */
export function nodesOf(cluster: Cluster, dump: DumpRead): HTMLElement {
  const texts = ["node", "zone", "machine type", "GPU model"];
  const columns = dump.resources.map(([name], at) => ({ name, at })).filter(({ name }) => name !== "pods"); // which has its count
  const numbers = ["pods", ...columns.map(({ name }) => name)];
  const body = h("tbody", {});
  const all = dump.nodes.map((node, at) => ({ node, at })).sort((a, b) => fullerOf(b.node) - fullerOf(a.node) || a.at - b.at);
  const inspect = (name: string, at: number) =>
    h("button.link", { type: "button", title: "What is requested on this node", onclick: () => cluster.inspect(at) }, name);
  const percent = (part: number) => h("td.n", {}, part < 0 ? "–" : `${Math.round(part / 10)} %`);
  const row = ({ node, at }: (typeof all)[number]) =>
    h(
      "tr",
      {},
      h("th", { scope: "row" }, inspect(node.name, at)),
      ...[node.zone, node.type, node.gpu].map((text) => h("td", {}, text ?? "")),
      h("td.n", {}, node.pods),
      ...columns.map(({ at: part }) => percent(node.parts[part])),
      h("td", {}, STATES[node.state ?? ""]),
    );
  const head = (name: string, cls: string) => h("th", { scope: "col", class: cls }, name);
  const details = h(
    "details.twin",
    { ontoggle: () => details.open && body.childElementCount === 0 && body.replaceChildren(...all.slice(0, MOST_LISTED).map(row)) },
    h("summary", {}, dump.nodes.length > MOST_LISTED ? `The ${MOST_LISTED} fullest nodes as a table` : "The nodes as a table"),
    h(
      "div.wide",
      { tabindex: 0, role: "region", "aria-label": "Nodes" },
      h(
        "table.full",
        {},
        h("thead", {}, h("tr", {}, ...texts.map((name) => head(name, "")), ...numbers.map((name) => head(name, "n")), head("state", ""))),
        body,
      ),
    ),
  );
  return details;
}

/** What is known of the node that is inspected. */
export function inspectorOf(cluster: Cluster, dump: DumpRead): HTMLElement | undefined {
  const { inspected } = cluster.state;
  if (!inspected) return undefined;
  const { name, zone, type, gpu, state } = dump.nodes[inspected.at];
  const facts = [type, zone && `in ${zone}`, gpu, STATES[state ?? ""]].filter(Boolean).join(", ");
  const close = h("button.btn.quiet", { type: "button", id: "cluster-close-node", onclick: () => cluster.inspect(undefined) }, "Close");
  const [resources, owners] = inspected.document?.grids ?? [];
  return h(
    "div.inspected",
    { role: "region", "aria-label": `Node ${name}` },
    h("div.heading", {}, h("h2", {}, name), close),
    h("p.quiet", {}, facts),
    ...(resources
      ? [
          table(
            ["resource", "requested"],
            resources.rows.map(([resource, has, requested, part]) => [resource, `${requested} of ${has} (${part.replace(" ", "\u00a0")})`]),
          ),
          h("h3", {}, owners ? "By owner" : "No pods"),
          owners && h("ul.omitted", {}, ...owners.rows.map((row) => h("li", {}, h("b", {}, row[0]), `: ${wantsOf(owners.columns, row)}`))),
          owners && owners.more > 0 && h("p.quiet", {}, `and ${count(owners.more)} more`),
        ]
      : [h("p", { role: "status" }, "Waiting for the answer …")]),
  );
}

/** What an owner's row requests, with the names of the resources that do not follow from their units. */
function wantsOf(columns: string[], row: string[]): string {
  const amounts = columns.flatMap((resource, at) =>
    columns[at + 1] === "part" && !/^0( |$)/.test(row[at]) ? [{ resource, amount: row[at] }] : [],
  );
  return amounts
    .map(({ resource, amount }) =>
      resource === "cpu" ? amount : resource === "pods" ? number(Number(amount), "pod") : `${amount} ${resource}`,
    )
    .join(", ");
}

/** A table whose first column is text. */
function table(columns: string[], rows: string[][]): HTMLElement {
  const cls = (at: number) => (at > 0 ? "n" : "");
  return h(
    "table.full",
    {},
    h("thead", {}, h("tr", {}, ...columns.map((name, at) => h("th", { scope: "col", class: cls(at) }, name)))),
    h("tbody", {}, ...rows.map((row) => h("tr", {}, ...row.map((text, at) => h("td", { class: cls(at) }, text))))),
  );
}
