// The map as rows: every node, or every rack, with its values in words. What
// the Table tab shows is the twin of what the map shows.
import { type Frame, FULL_SCALE } from "../base/frame.ts";
import type { Layer } from "../base/messages.ts";
import type { Grid } from "./grid.ts";

type Keeps = (cell: number, frame: Frame, rack: Int32Array) => boolean;

/** What a filter of words keeps: "", a node's number, "rack 14", a word of a category such as "down", or "cpu > 80" in percent or in the layer's own unit. Undefined for any other text, which is a formula. */
export function wordsOf(layers: Layer[], filter: string): Keeps | undefined {
  const text = filter.trim().toLowerCase();
  if (text === "") return () => true;
  const wanted = /^rack\s*\.?(\d+)$/.exec(text);
  if (wanted) return (cell, _, rack) => rack[cell] === Number(wanted[1]);
  const one = /^(?:node\s*\.?)?(\d+)$/.exec(text);
  if (one) return (cell) => cell === Number(one[1]);
  const bound = /^([a-z][\w ]*?)\s*([<>])\s*(\d+(?:\.\d+)?)\s*%?$/.exec(text);
  const i = bound ? layers.findIndex(({ id, name, names }) => !names && (id === bound[1] || name.toLowerCase() === bound[1])) : -1;
  if (bound && i >= 0) {
    const least = (Number(bound[3]) / (layers[i].top ?? 100)) * FULL_SCALE;
    return (cell, frame) => (bound[2] === ">" ? frame.layers[i][cell] > least : frame.layers[i][cell] < least);
  }
  const hits = layers.flatMap((layer, k) =>
    (layer.names ?? []).flatMap((name, value) => (name.includes(text) ? [[k, value] as const] : [])),
  );
  return hits.length > 0 ? (cell, frame) => hits.some(([layer, value]) => frame.layers[layer][cell] === value) : undefined;
}

/** The nodes that a filter keeps, where the engine evaluates formulas: kept is 1 for each node that they keep, and empty without formulas. */
export function matchingNodes(grid: Grid, frame: Frame, layers: Layer[], filter: string, kept: Uint8Array = new Uint8Array()): number[] {
  const { rack } = grid.layout;
  const words = wordsOf(layers, filter);
  const nodes: number[] = [];
  for (let cell = 0; cell < Math.min(grid.cells, frame.cells); cell++)
    if (words ? words(cell, frame, rack) && kept[cell] !== 0 : kept[cell] === 1) nodes.push(cell);
  return nodes;
}

export interface RackRow {
  rack: number;
  nodes: number;
  down: number;
  overloaded: number;
  means: number[]; // of each ramp layer, as a byte; 0 for categories
}

/** The racks with the means of their nodes that are up. */
export function rackRows(grid: Grid, frame: Frame, layers: Layer[]): RackRow[] {
  const rows = new Map<number, RackRow>();
  const place = layers.findIndex(({ id }) => id === "state");
  const names = layers[place]?.names ?? [];
  const states = frame.layers[place];
  for (let cell = 0; cell < Math.min(grid.cells, frame.cells); cell++) {
    const rack = grid.layout.rack[cell];
    let row = rows.get(rack);
    if (!row) rows.set(rack, (row = { rack, nodes: 0, down: 0, overloaded: 0, means: layers.map(() => 0) }));
    row.nodes++;
    const state = names[states?.[cell] ?? 0];
    if (state === "down") row.down++;
    if (state === "overloaded") row.overloaded++;
    for (let i = 0; i < layers.length; i++) if (!layers[i].names) row.means[i] += frame.layers[i][cell];
  }
  for (const row of rows.values()) {
    const up = Math.max(1, row.nodes - row.down);
    row.means = row.means.map((sum) => Math.min(255, sum / up));
  }
  return [...rows.values()].sort((a, b) => a.rack - b.rack);
}

/** Orders nodes by a layer, the largest first, or by number for layer -1. */
export function orderNodes(nodes: number[], frame: Frame, layer: number): number[] {
  if (layer < 0) return nodes;
  const values = frame.layers[layer];
  return [...nodes].sort((a, b) => values[b] - values[a] || a - b);
}
