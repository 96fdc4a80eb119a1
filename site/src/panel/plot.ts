// What all charts over simulated time share: their axes, and the theme.
import type uPlot from "uplot";
import { duration, SECOND, short } from "../base/format.ts";
import type { Token } from "../base/tokens.ts";

const STEPS = [1, 5, 10, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 14_400, 21_600, 43_200, 86_400, 172_800, 432_000, 864_000]; // s between ticks

/** Simulated seconds below, values at the left, in the colours of an element's tokens. */
export function axesOf(token: Token): uPlot.Axis[] {
  const size = Number.parseFloat(token("--t-2xs"));
  const axis: uPlot.Axis = {
    stroke: token("--ink-3"),
    font: `${token("--t-2xs")} ${token("--font")}`,
    grid: { stroke: token("--line"), width: 1 },
    ticks: { show: false },
    gap: 3,
  };
  return [
    {
      ...axis,
      size: Math.round(2 * size),
      space: 6 * size,
      incrs: STEPS,
      grid: { show: false },
      values: (_, at) => at.map((seconds) => duration(seconds * SECOND)),
    },
    { ...axis, size: 4.2 * size, space: 2.6 * size, values: ({ data }, at) => (hasValues(data) ? at.map((value) => short(value)) : []) },
  ];
}

/** Whether any line of a chart has a value yet. */
export function hasValues([, ...lines]: uPlot.AlignedData): boolean {
  return lines.some((values) => values.some((value) => value !== null));
}

/** Calls refresh when the colours change, by the page's theme or the system's; returns the way to stop. */
export function watchTheme(refresh: () => void): () => void {
  const themes = new MutationObserver(refresh);
  themes.observe(document.documentElement, { attributeFilter: ["data-theme"] });
  const dark = matchMedia("(prefers-color-scheme: dark)");
  dark.addEventListener("change", refresh);
  return () => {
    themes.disconnect();
    dark.removeEventListener("change", refresh);
  };
}
