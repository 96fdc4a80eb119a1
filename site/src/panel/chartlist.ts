// Which columns the charts show. A column that a run does not have stays flat.
import { swatches } from "../base/palette.ts";

export interface Line {
  id: string; // of the column
  name: string;
  colour: string; // a custom property or a colour
  scale?: string; // another than the chart's left one
}

export interface Chart {
  title: string;
  lines: Line[];
  stacked?: boolean;
  top?: number; // of the scale, unless values are above it; without: what they need
  own?: boolean; // shown only where the system has these columns
}

// The four classes have the colours that they have on the map.
const [superTight, tight, proportional, disproportionate] = swatches(["sta", "ta", "pa", "da"]).map(({ colour }) => "#" + colour);

export const CHARTS: Chart[] = [
  {
    title: "Yield, given / needed",
    top: 1,
    own: true,
    lines: [
      { id: "avg_yield", name: "average", colour: "--accent" },
      { id: "min_yield", name: "smallest", colour: "--bad" },
      { id: "bound", name: "its bound", colour: "--ink-3" },
    ],
  },
  {
    title: "Classes, % of nodes",
    stacked: true,
    top: 100,
    lines: [
      { id: "pa_pct", name: "PA", colour: proportional },
      { id: "da_pct", name: "DA", colour: disproportionate },
      { id: "ta_pct", name: "TA", colour: tight },
      { id: "sta_pct", name: "STA", colour: superTight },
    ],
  },
  {
    title: "Nodes in trouble",
    lines: [
      { id: "overloaded_pct", name: "overloaded", colour: "--bad" },
      { id: "idle_pct", name: "idle", colour: "--accent" },
    ],
  },
  {
    title: "Migrations a minute",
    lines: [
      { id: "migrations", name: "tasks", colour: "--accent" },
      { id: "migration_mb", name: "moved", colour: "--warn", scale: "bytes" },
    ],
  },
  {
    title: "Used",
    top: 100,
    lines: [
      { id: "cpu_used_pct", name: "CPU", colour: "--accent" },
      { id: "memory_used_pct", name: "memory", colour: "--warn" },
    ],
  },
  {
    title: "Waiting tasks",
    lines: [
      { id: "waiting", name: "waiting", colour: "--warn" },
      { id: "rus_breaches_per_min", name: "spikes/min", colour: "--accent" },
    ],
  },
];
