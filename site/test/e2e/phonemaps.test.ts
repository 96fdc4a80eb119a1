// The map has almost half of the window, whatever runs and however large the window is.
import assert from "node:assert/strict";
import { test } from "node:test";
import { visit } from "./harness.ts";

const LEAST = 0.45; // of the window's height
const SIZES = [
  [320, 568],
  [568, 320],
  [360, 640],
  [375, 667],
  [390, 844],
  [640, 400],
  [768, 1024],
  [1024, 561],
  [1024, 720],
  [1280, 800],
  [1920, 1080],
];

/** A moment of each system, after something failed where that is soon there. */
const MOMENTS = {
  negotiation: "at=1m&f=40s.rack.1.down&n=200",
  central: "at=1m&f=40s.rack.1.down&n=200&sys=central",
  yield: "at=1m&s=yield-fair",
  rounds: "at=2m30s&s=rounds-failures",
  static: "at=10m&s=static-failure",
  dispatcher: "at=10m&s=dispatcher-failure",
  board: "at=10m&s=board-ready",
  market: "at=2m&s=market-auction",
};

for (const [system, link] of Object.entries(MOMENTS))
  test(`the map of ${system} has at least 45 % of the window's height at all sizes, in both themes`, async (t) => {
    const { page, errors } = await visit(t, `#draw=2d&${link}&v=1`, { setup: false, live: false, reducedMotion: "reduce", hasTouch: true });
    await page.waitForSelector("#stage[data-drawn]");
    await page.waitForSelector('#status[data-mode="paused"]', { state: "attached" });
    await page.waitForSelector("#now-show, .now:not([hidden])", { state: "attached" });
    for (const [width, height] of SIZES)
      for (const colorScheme of ["light", "dark"] as const) {
        await page.setViewportSize({ width, height });
        await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
        await page
          .waitForFunction((least) => {
            const stage = document.querySelector<HTMLElement>("#stage");
            if (!stage) return false;
            const [above, below] = ["--above", "--below"].map((name) => Number.parseFloat(stage.style.getPropertyValue(name)));
            const { top, bottom } = stage.getBoundingClientRect();
            const head = document.querySelector("#stage > .head")?.getBoundingClientRect().bottom ?? Infinity;
            const legend = document.querySelector("#legend");
            const key = legend?.checkVisibility() ? legend.getBoundingClientRect().top : bottom;
            const chart = document.querySelector("#drawer > .panel.gantt .chartarea"); // the stage, where time is the matter
            const lower = chart?.checkVisibility() ? chart.getBoundingClientRect().bottom : Math.min(bottom - below, key);
            return (lower - Math.max(top + above, head)) / innerHeight >= least;
          }, LEAST)
          .catch(() => assert.fail(`at ${width} × ${height}, ${colorScheme}: the map has less than ${100 * LEAST} %`));
      }
    assert.deepEqual(errors, []);
  });
