// What a frame says of one cell, in words.
import { digits } from "../base/format.ts";
import { type Frame, FULL_SCALE } from "../base/frame.ts";
import type { Layer } from "../base/messages.ts";

/** The number that a byte of a ramp stands for; of shares in percent. */
export function numberOf({ ends: [low, high] = [0, 0], top = 100 }: Layer, byte: number): number {
  return low + (byte / FULL_SCALE) * (high > low ? high - low : top);
}

/** A layer's byte as people read it: "83 %", "14", "tight (TA)". */
export function valueText(layer: Layer, byte: number): string {
  if (layer.names) return layer.names[byte] ?? String(byte);
  if (layer.ends) return digits(numberOf(layer, byte));
  if (layer.top) return digits(Math.round((byte / FULL_SCALE) * layer.top)) + (byte === 255 ? " or more" : "");
  return `${Math.round((byte / FULL_SCALE) * 100)} %${byte === 255 ? " or more" : ""}`;
}

/** The value of a layer at a cell, or "" where the frame does not tell. */
export function cellValue(frame: Frame | undefined, layers: Layer[], id: string, cell: number): string {
  const i = layers.findIndex((layer) => layer.id === id);
  const byte = frame?.layers[i]?.[cell];
  return byte === undefined ? "" : valueText(layers[i], byte);
}

/** How many cells have each value of the layer of states: down, overloaded, migrating. */
export function countStates(frame: Frame | undefined, layers: Layer[]): Record<string, number> {
  const i = layers.findIndex(({ id }) => id === "state");
  const counts: Record<string, number> = {};
  const names = layers[i]?.names ?? [];
  const values = frame?.layers[i];
  if (!values) return counts;
  const tally = new Uint32Array(256);
  for (const value of values) tally[value]++;
  names.forEach((name, value) => (counts[name] = tally[value]));
  return counts;
}

/** The next cell after one that is down or overloaded, all around; -1 where there is none. */
export function nextProblem(frame: Frame | undefined, layers: Layer[], after: number): number {
  const i = layers.findIndex(({ id }) => id === "state");
  const names = layers[i]?.names ?? [];
  const values = frame?.layers[i] ?? new Uint8Array();
  for (let k = 1; k <= values.length; k++) {
    const cell = (after + k + values.length) % values.length;
    if (["down", "overloaded"].includes(names[values[cell]])) return cell;
  }
  return -1;
}
