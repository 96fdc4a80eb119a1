// The scale of the cells: it spends its colours where the values are.
import { type Frame, FULL_SCALE } from "../base/frame.ts";
import type { Layer } from "../base/messages.ts";

/** The bytes of a layer where the colours begin and end. */
export interface Scale {
  low: number;
  high: number;
}

export const WHOLE: Scale = { low: 0, high: FULL_SCALE };

/** How many nodes that are up have each byte of a layer, or of the largest of several. */
export function tally(frame: Frame, layers: Layer[], ...of: number[]): Uint32Array {
  const counts = new Uint32Array(256);
  const [values, ...others] = of.map((layer) => frame.layers[layer]);
  const place = layers.findIndex(({ id }) => id === "state");
  const down = layers[place]?.names?.indexOf("down") ?? -1;
  const states = frame.layers[place];
  values?.forEach((value, cell) => {
    if (!states || states[cell] !== down) counts[others.reduce((most, other) => Math.max(most, other[cell]), value)]++;
  });
  return counts;
}

/** From the 1st to the 99.5th percentile, in steps of 2 %; undefined while nothing is there to scale. */
export function fitScale(counts: Uint32Array): Scale | undefined {
  const sum = counts.reduce((a, b) => a + b, 0);
  if (sum === counts[0]) return undefined;
  const at = (share: number) => {
    let seen = 0;
    return counts.findIndex((count) => (seen += count) >= share * sum);
  };
  const low = Math.floor(at(0.01) / 4) * 4;
  const high = Math.min(254, Math.ceil(at(0.995) / 4) * 4);
  const most = Math.max(high, low + 20); // at least a tenth of the scale: noise is no signal
  return { low: Math.max(0, most - Math.max(20, most - low)), high: most };
}

/** Whether nine tenths of the nodes lie upon a scale. */
export function within(counts: Uint32Array, { low, high }: Scale): boolean {
  let [sum, beyond] = [0, 0];
  counts.forEach((count, byte) => {
    sum += count;
    if (byte < low || byte > high) beyond += count;
  });
  return beyond * 10 <= sum;
}
