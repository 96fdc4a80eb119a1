// The charts of a system, as it describes them, in the colours of the page.
import type { Chart, ChartLine } from "../base/messages.ts";
import { CYCLE } from "../base/palette.ts";

/** A line with its colour: a custom property, or one that a category has on the map. */
export interface DrawnLine extends ChartLine {
  colour: string;
}

export interface DrawnChart extends Omit<Chart, "lines"> {
  lines: DrawnLine[];
}

const TONES: Record<string, string> = { accent: "--accent", bad: "--bad", warn: "--warn", quiet: "--ink-3" };

export function drawn({ lines, ...chart }: Chart): DrawnChart {
  return { ...chart, lines: lines.map((line) => ({ ...line, colour: colourOf(line.tone) })) };
}

function colourOf(tone: string): string {
  const place = /^cycle\.(\d+)$/.exec(tone)?.[1];
  return place === undefined ? (TONES[tone] ?? TONES.quiet) : CYCLE[Number(place) % CYCLE.length];
}
