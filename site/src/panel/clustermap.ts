// The nodes of a cluster by zone: a square each, filled from the left by requested CPU and
// from below by requested memory, with what an answer takes away marked.
import { fill, h, svg } from "../base/dom.ts";
import { count, number } from "../base/format.ts";
import type { DumpNode } from "../base/messages.ts";
import { rampColours } from "../base/palette.ts";
import type { Answered, DumpRead } from "../model/cluster.ts";
import type { State } from "../model/store.ts";

const MOST_LISTED = 200; // rows of the table
const GLYPH = 10; // px of a square from which on CPU, memory and marks can be told apart
const WIDE = 300; // px of a zone, so that three stand side by side

/** The side of a square in px: what leaves room for all of them. */
export function sideOf(nodes: number): number {
  return nodes <= 60 ? 38 : nodes <= 240 ? 28 : nodes <= 1200 ? 14 : 5;
}

interface Zone {
  name: string;
  nodes: { node: DumpNode; at: number }[];
}

/** The zones of a dump by name, with their nodes as the dump has them; "" for nodes that state none. */
export function zonesOf(nodes: DumpNode[]): Zone[] {
  const zones = new Map<string, Zone>();
  nodes.forEach((node, at) => {
    const name = node.zone ?? "";
    const zone = zones.get(name) ?? { name, nodes: [] };
    zones.set(name, zone);
    zone.nodes.push({ node, at });
  });
  return [...zones.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

type Look = Pick<State, "palette" | "light">;

export function drawNodes(element: HTMLElement, dump: DumpRead, answered: Answered | undefined, { palette, light }: Look): void {
  const side = sideOf(dump.nodes.length);
  const colours = rampColours(palette, light, 0, 255);
  const question = answered?.asked.question;
  const taken = answered?.nodes ?? new Set<number>();
  const away = question === "lose" ? "lost" : "emptied";
  const counts = { cordoned: 0, notready: 0 };
  for (const { state } of dump.nodes) if (state) counts[state]++;
  const zone = ({ name, nodes }: Zone) => {
    const total = (part: "cpu" | "mem") => Math.round(nodes.reduce((sum, { node }) => sum + node[part], 0) / nodes.length / 10);
    const gone = nodes.filter(({ at }) => taken.has(at)).length;
    return h(
      "figure",
      {},
      h(
        "figcaption",
        {},
        h("b", {}, name || "no zone"),
        h(
          "span",
          {},
          ` ${number(nodes.length, "node")} · `,
          gone > 0 ? h("b", {}, `${count(gone)} ${away}`) : `${total("cpu")} % CPU, ${total("mem")} % memory`,
        ),
      ),
      h("div", {}, cellsOf(nodes, side, columnsOf(nodes.length, side), colours, taken, away)),
    );
  };
  const key = (name: string, cls: string, n: number) => n > 0 && h("span", {}, keyOf(cls), ` ${name} `, h("b.num", {}, count(n)));
  fill(
    element,
    h("div.zones", {}, ...zonesOf(dump.nodes).map(zone)),
    h(
      "p.nodes-key",
      {},
      h(
        "span",
        {},
        side > GLYPH
          ? "Requested of each node: CPU to the right, memory up; the fuller is the colour"
          : "Requested of each node: the fuller of CPU and memory",
      ),
      h("span", {}, "0", rampOf(colours), "100 %"),
      key(away, away, taken.size),
      key("cordoned", "cordoned", counts.cordoned),
      key("not ready", "notready", counts.notready),
    ),
  );
}

const CARD = { width: 420, height: 160, gap: 14 }; // of the gallery

/** A cluster as a card of the gallery shows it. */
export function thumbnailOf(nodes: DumpNode[], taken: Set<number>, away: "emptied" | "lost", { palette, light }: Look): SVGElement {
  const colours = rampColours(palette, light, 0, 255);
  const zones = zonesOf(nodes);
  const wide = (CARD.width - CARD.gap * (zones.length + 1)) / zones.length;
  const picture = svg("svg", { viewBox: `0 0 ${CARD.width} ${CARD.height}`, "aria-hidden": "true" });
  zones.forEach((zone, i) => {
    let columns = 1;
    while (Math.ceil(zone.nodes.length / columns) / columns > (CARD.height - 2 * CARD.gap) / wide) columns++;
    const cells = cellsOf(zone.nodes, 20, columns, colours, taken, away);
    const attributes = {
      x: CARD.gap + i * (wide + CARD.gap),
      y: CARD.gap,
      width: wide,
      height: CARD.height - 2 * CARD.gap,
      preserveAspectRatio: "xMidYMid",
    };
    for (const [key, value] of Object.entries(attributes)) cells.setAttribute(key, String(value));
    picture.append(cells);
  });
  return picture;
}

const pitchOf = (side: number) => side + (side > GLYPH ? 4 : 1);

/** How many squares of a zone stand in a row. */
function columnsOf(nodes: number, side: number): number {
  return Math.max(7, Math.min(Math.ceil(Math.sqrt(nodes * 1.6)), Math.floor(WIDE / pitchOf(side))));
}

/** The squares of a zone in rows. */
function cellsOf(nodes: Zone["nodes"], side: number, columns: number, colours: string[], taken: Set<number>, away: string): SVGElement {
  const pitch = pitchOf(side);
  const [width, height] = [columns * pitch, Math.ceil(nodes.length / columns) * pitch];
  const picture = svg("svg", { class: "cells", viewBox: `0 0 ${width} ${height}`, width, height, "aria-hidden": "true" });
  nodes.forEach(({ node, at }, i) => {
    const group = svg("g", { transform: `translate(${(i % columns) * pitch + 1} ${Math.floor(i / columns) * pitch + 1})` });
    const inner = side - 2;
    const part = (share: number) => (side > GLYPH ? Math.min(1, share / 1000) * inner : inner);
    const [cpu, mem] = [part(node.cpu), part(node.mem)];
    const fuller = Math.min(255, Math.round((Math.max(node.cpu, node.mem) / 1000) * 255));
    group.append(
      svg("rect", { class: "plate", width: inner, height: inner }),
      svg("rect", { x: 0, y: inner - mem, width: cpu, height: mem, fill: colours[fuller] }),
    );
    if (side > GLYPH)
      group.append(
        svg(
          "title",
          {},
          `${node.name}: ${Math.round(node.cpu / 10)} % CPU, ${Math.round(node.mem / 10)} % memory, ${number(node.pods, "pod")}`,
        ),
      );
    if (node.state) group.append(svg("rect", { class: node.state, width: inner, height: inner }));
    if (taken.has(at)) {
      group.append(svg("rect", { class: away, width: inner, height: inner }));
      if (side > GLYPH) group.append(svg("path", { class: `${away}-mark`, d: markOf(away, inner) }));
    }
    picture.append(group);
  });
  return picture;
}

/** A tick on what is emptied, a cross on what is lost: state is no colour alone. */
function markOf(away: string, s: number): string {
  const at = (x: number, y: number) => `${(x * s).toFixed(1)} ${(y * s).toFixed(1)}`;
  return away === "lost"
    ? `M${at(0.3, 0.3)}L${at(0.7, 0.7)}M${at(0.7, 0.3)}L${at(0.3, 0.7)}`
    : `M${at(0.25, 0.52)}L${at(0.43, 0.7)}L${at(0.75, 0.3)}`;
}

function keyOf(cls: string): SVGElement {
  const picture = svg("svg", { class: "cells", width: 14, height: 14, viewBox: "0 0 14 14", "aria-hidden": "true" });
  picture.append(
    svg("rect", { class: "plate", x: 1, y: 1, width: 12, height: 12 }),
    svg("rect", { class: cls, x: 1, y: 1, width: 12, height: 12 }),
  );
  return picture;
}

function rampOf(colours: string[]): SVGElement {
  const picture = svg("svg", { width: 96, height: 10, viewBox: "0 0 32 1", preserveAspectRatio: "none", "aria-hidden": "true" });
  for (let i = 0; i < 32; i++) picture.append(svg("rect", { x: i, width: 1.05, height: 1, fill: colours[i * 8] }));
  return picture;
}

/** The twin of the picture: the fullest nodes first. */
export function nodesOf(dump: DumpRead): HTMLElement {
  const heads = ["node", "zone", "machine type", "pods", "CPU", "memory", "state"];
  const body = h("tbody", {});
  const all = dump.nodes
    .map((node, at) => ({ node, at }))
    .sort((a, b) => Math.max(b.node.cpu, b.node.mem) - Math.max(a.node.cpu, a.node.mem) || a.at - b.at);
  const details = h(
    "details.twin",
    {
      ontoggle: () => {
        if (!details.open || body.childElementCount > 0) return;
        fill(
          body,
          ...all
            .slice(0, MOST_LISTED)
            .map(({ node }) =>
              h(
                "tr",
                {},
                h("th", { scope: "row" }, node.name),
                h("td", {}, node.zone),
                h("td", {}, node.type),
                h("td.n", {}, node.pods),
                h("td.n", {}, `${Math.round(node.cpu / 10)} %`),
                h("td.n", {}, `${Math.round(node.mem / 10)} %`),
                h("td", {}, { cordoned: "cordoned", notready: "not ready", "": "takes pods" }[node.state ?? ""]),
              ),
            ),
        );
      },
    },
    h("summary", {}, dump.nodes.length > MOST_LISTED ? `The ${MOST_LISTED} fullest nodes as a table` : "The nodes as a table"),
    h(
      "div.wide",
      { tabindex: 0, role: "region", "aria-label": "Nodes" },
      h(
        "table.full",
        {},
        h("thead", {}, h("tr", {}, ...heads.map((name, i) => h("th", { scope: "col", class: i > 2 && i < 6 ? "n" : "" }, name)))),
        body,
      ),
    ),
  );
  return details;
}
