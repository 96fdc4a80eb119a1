// The nodes of a cluster by zone: a square each, filled from the left by requested CPU and
// from below by requested memory, with what an answer takes away marked.
import { h, render, svg } from "../base/dom.ts";
import { count, number } from "../base/format.ts";
import type { DumpNode } from "../base/messages.ts";
import { rampColours } from "../base/palette.ts";
import type { Answered, Colour, DumpRead } from "../model/ask.ts";
import type { State } from "../model/store.ts";

const GLYPH = 10; // px of a square from which on CPU, memory and marks can be told apart
const BASE = 4; // resources that every cluster has; GPUs follow
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

/** The requested part of a node's CPU or memory, whichever is fuller, in thousandths. */
export function fullerOf({ parts }: DumpNode): number {
  return Math.max(0, ...parts.slice(0, 2)); // resources of a dump begin with CPU and memory
}

/** How full the map shows a node: its sides and its colour in thousandths; undefined if it lacks what the colour means. */
export type Fill = (node: DumpNode) => { wide: number; high: number; colour: number } | undefined;

const ofBoth: Fill = (node) => ({ wide: node.parts[0], high: node.parts[1], colour: fullerOf(node) });

/** How a colour fills nodes. */
export function fillOf(dump: DumpRead, { resource, model }: Colour): Fill {
  if (!resource) return ofBoth;
  const at = dump.resources.findIndex(([name]) => name === resource);
  return ({ parts, gpu }) => (parts[at] < 0 || (model && gpu !== model) ? undefined : { wide: 1000, high: parts[at], colour: parts[at] });
}

/** The colours that a dump has: CPU and memory together, each resource, and GPUs of each model. */
export function coloursOf({ resources, nodes }: DumpRead): (Colour & { name: string })[] {
  const colours = [{ name: "CPU and memory", resource: "", model: "" }];
  resources.forEach(([resource], at) => {
    colours.push({ name: resource, resource, model: "" });
    if (at < BASE) return;
    const models = new Set(nodes.filter(({ gpu, parts }) => gpu && parts[at] >= 0).map(({ gpu }) => gpu ?? ""));
    for (const model of [...models].sort()) colours.push({ name: `${resource}: ${model}`, resource, model });
  });
  return colours;
}

export function drawNodes(
  element: HTMLElement,
  dump: DumpRead,
  answered: Answered | undefined,
  colour: Colour,
  { palette, light }: Look,
): void {
  const fillNode = fillOf(dump, colour);
  const side = sideOf(dump.nodes.length);
  const colours = rampColours(palette, light, 0, 255);
  const question = answered?.asked.question;
  const taken = answered?.nodes ?? new Set<number>();
  const away = question === "lose" ? "lost" : "emptied";
  const { filters, stops } = answered ?? { filters: [], stops: [] };
  const stopped = filters.map((_, i) => stops.filter((one) => one === i).length);
  const counts = { cordoned: 0, notready: 0 };
  for (const { state } of dump.nodes) if (state) counts[state]++;
  const zone = ({ name, nodes }: Zone) => {
    const mean = (at: number) => {
      const parts = nodes.filter(({ node }) => !colour.resource || fillNode(node)).map(({ node }) => node.parts[at]);
      return parts.length > 0 ? `${Math.round(parts.reduce((sum, part) => sum + part, 0) / parts.length / 10)} %` : "no";
    };
    const at = dump.resources.findIndex(([name]) => name === colour.resource);
    const requested = colour.resource ? `${mean(at)} ${colour.resource}` : `${mean(0)} CPU, ${mean(1)} memory`;
    const gone = nodes.filter(({ at }) => taken.has(at)).length;
    return h(
      "figure",
      {},
      h(
        "figcaption",
        {},
        h("b", {}, name || "no zone"),
        h("span", {}, ` ${number(nodes.length, "node")} · `, gone > 0 ? h("b", {}, `${count(gone)} ${away}`) : requested),
      ),
      h("div", {}, cellsOf(nodes, side, columnsOf(nodes.length, side), colours, fillNode, taken, away, dump, stops)),
    );
  };
  const key = (name: string, cls: string, n: number, mark = "") =>
    n > 0 && h("span", {}, keyOf(cls, mark), ` ${name} `, h("b.num", {}, count(n)));
  render(
    [
      h("div.zones", {}, ...zonesOf(dump.nodes).map(zone)),
      h(
        "p.nodes-key",
        {},
        ...filters.map((name, i) => key(name, stopOf(i), stopped[i], stopMark(i, 12))),
        stops.length > 0 && key("takes it", "takes", stops.filter((one) => one < 0).length),
        stops.length === 0 &&
          h(
            "span",
            {},
            colour.resource
              ? `Requested of each node's ${colour.resource}; a node without it is empty`
              : side > GLYPH
                ? "Requested of each node: CPU to the right, memory up; the fuller is the colour"
                : "Requested of each node: the fuller of CPU and memory",
          ),
        stops.length === 0 && h("span", {}, "0", rampOf(colours), "100 %"),
        key(away, away, taken.size),
        key("cordoned", "cordoned", counts.cordoned),
        key("not ready", "notready", counts.notready),
      ),
    ],
    element,
  );
}

const CARD = { width: 384, height: 216, gap: 14 }; // of the gallery

/** A cluster as a card of the gallery shows it. */
export function thumbnailOf(nodes: DumpNode[], taken: Set<number>, away: "emptied" | "lost", { palette, light }: Look): SVGElement {
  const colours = rampColours(palette, light, 0, 255);
  const zones = zonesOf(nodes);
  const wide = (CARD.width - CARD.gap * (zones.length + 1)) / zones.length;
  const picture = svg("svg", { viewBox: `0 0 ${CARD.width} ${CARD.height}`, "aria-hidden": "true" });
  zones.forEach((zone, i) => {
    let columns = 1;
    while (Math.ceil(zone.nodes.length / columns) / columns > (CARD.height - 2 * CARD.gap) / wide) columns++;
    const cells = cellsOf(zone.nodes, 20, columns, colours, ofBoth, taken, away);
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
function cellsOf(
  nodes: Zone["nodes"],
  side: number,
  columns: number,
  colours: string[],
  fillNode: Fill,
  taken: Set<number>,
  away: string,
  dump?: DumpRead, // of a picture that answers to the pointer
  stops: number[] = [], // for each node of the dump, which filter stops a pod first; empty: it is coloured by requests
): SVGElement {
  const pitch = pitchOf(side);
  const [width, height] = [columns * pitch, Math.ceil(nodes.length / columns) * pitch];
  const picture = svg("svg", { class: "cells", viewBox: `0 0 ${width} ${height}`, width, height, "aria-hidden": "true" });
  nodes.forEach(({ node, at }, i) => {
    const place = `translate(${(i % columns) * pitch + 1} ${Math.floor(i / columns) * pitch + 1})`;
    const group = svg("g", dump ? { transform: place, "data-node": at } : { transform: place });
    const inner = side - 2;
    const part = (share: number) => (side > GLYPH ? Math.max(0, Math.min(1, share / 1000)) * inner : inner);
    const filled = fillNode(node);
    group.append(svg("rect", { class: filled ? "plate" : "plate without", width: inner, height: inner }));
    if (stops.length > 0) {
      const cls = stops[at] < 0 ? "takes" : stopOf(stops[at]);
      group.append(svg("rect", { class: cls, width: inner, height: inner }));
      if (side > GLYPH && stops[at] >= 0) group.append(svg("path", { class: "stop-mark", d: stopMark(stops[at], inner) }));
    } else if (filled) {
      const [width, height] = [part(filled.wide), part(filled.high)];
      const shade = colours[Math.max(0, Math.min(255, Math.round((filled.colour / 1000) * 255)))];
      group.append(svg("rect", { x: 0, y: inner - height, width, height, fill: shade }));
    }
    if (dump && side > GLYPH) group.append(svg("title", {}, wordsOf(node, dump)));
    if (node.state) group.append(svg("rect", { class: node.state, width: inner, height: inner }));
    if (taken.has(at)) {
      group.append(svg("rect", { class: away, width: inner, height: inner }));
      if (side > GLYPH) group.append(svg("path", { class: `${away}-mark`, d: markOf(away, inner) }));
    }
    picture.append(group);
  });
  return picture;
}

/** What is requested on a node, in one line. */
function wordsOf({ name, gpu, parts, pods }: DumpNode, { resources }: DumpRead): string {
  const of = resources.flatMap(([resource], at) => (parts[at] < 0 ? [] : [`${Math.round(parts[at] / 10)} % of ${resource}`]));
  return `${name}: ${of.join(", ")}; ${number(pods, "pod")}${gpu ? `; ${gpu}` : ""}`;
}

const STOPS = 6; // colours and marks of filters

/** The class of a filter that stops a pod, by its place among those that do. */
const stopOf = (filter: number) => `stop-${(filter % STOPS) + 1}`;

/** The mark of a filter on a node: a dash, a stroke, a bar, a cross or a ring; the first filter has only its colour. */
function stopMark(filter: number, s: number): string {
  const line = (x: number, y: number, u: number, v: number) =>
    `M${(x * s).toFixed(1)} ${(y * s).toFixed(1)}L${(u * s).toFixed(1)} ${(v * s).toFixed(1)}`;
  switch (filter % STOPS) {
    case 0:
      return "";
    case 1:
      return line(0.25, 0.5, 0.75, 0.5);
    case 2:
      return line(0.2, 0.8, 0.8, 0.2);
    case 3:
      return line(0.5, 0.2, 0.5, 0.8);
    case 4:
      return line(0.2, 0.2, 0.8, 0.8) + line(0.2, 0.8, 0.8, 0.2);
    default:
      return `M${(0.5 * s).toFixed(1)} ${(0.3 * s).toFixed(1)}a${(0.2 * s).toFixed(1)} ${(0.2 * s).toFixed(1)} 0 1 0 .1 0z`;
  }
}

/** A tick on what is emptied, a cross on what is lost: state is no colour alone. */
function markOf(away: string, s: number): string {
  const at = (x: number, y: number) => `${(x * s).toFixed(1)} ${(y * s).toFixed(1)}`;
  return away === "lost"
    ? `M${at(0.3, 0.3)}L${at(0.7, 0.7)}M${at(0.7, 0.3)}L${at(0.3, 0.7)}`
    : `M${at(0.25, 0.52)}L${at(0.43, 0.7)}L${at(0.75, 0.3)}`;
}

function keyOf(cls: string, mark: string): SVGElement {
  const picture = svg("svg", { class: "cells", width: 14, height: 14, viewBox: "0 0 14 14", "aria-hidden": "true" });
  picture.append(
    svg("rect", { class: "plate", x: 1, y: 1, width: 12, height: 12 }),
    svg("rect", { class: cls, x: 1, y: 1, width: 12, height: 12 }),
  );
  if (mark) picture.append(svg("path", { class: "stop-mark", transform: "translate(1 1)", d: mark }));
  return picture;
}

function rampOf(colours: string[]): SVGElement {
  const picture = svg("svg", { width: 96, height: 10, viewBox: "0 0 32 1", preserveAspectRatio: "none", "aria-hidden": "true" });
  for (let i = 0; i < 32; i++) picture.append(svg("rect", { x: i, width: 1.05, height: 1, fill: colours[i * 8] }));
  return picture;
}
