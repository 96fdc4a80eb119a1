// Files of a comparison beside its CSV: all of it as JSON, its chart for paper.
import { download } from "../../../base/dom.ts";
import { PAPER } from "../../../base/tokens.ts";
import { type Carried, pngWith } from "../../../model/carrier.ts";
import { figureSVG } from "../../../model/figure.ts";
import { raster } from "../../../panel/export.ts";
import { comparisonFigure, comparisonJSON, type Figure } from "../model/figures.ts";
import type { Outcome } from "../model/outcome.ts";

const INK = ([1, 2, 3, 4, 5, 6] as const).map((run) => PAPER[`--run-${run}`]);

export async function saveComparison(
  what: "json" | "png" | "svg",
  runs: Outcome[],
  figures: Figure[],
  column: { id: string; name: string; unit: string } | undefined,
  to: number,
  engine: string,
): Promise<void> {
  if (what === "json" || !column) return download("parley-comparison.json", "application/json", comparisonJSON(runs, figures, to, engine));
  const { figure, series } = comparisonFigure(runs, column, INK);
  const carried: Carried = { scenario: runs[0].scenario, at: runs[0].at, digest: runs[0].digest.slice(0, 8) || undefined };
  if (what === "svg") return download("parley-comparison.svg", "image/svg+xml", figureSVG(figure, series, [], carried));
  download("parley-comparison.png", "image/png", pngWith(await raster(figureSVG(figure, series, [])), carried));
}
