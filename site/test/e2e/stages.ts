// Pictures of every system on its stage while a fault heals, in both themes and three
// sizes, for people to look at: `npm run stages`, `npm run stages -- market` for one
// system. Nothing is compared.
import { mkdirSync } from "node:fs";
import { test } from "node:test";
import { still, visit } from "./harness.ts";

const SIZES = { desktop: { width: 1280, height: 800 }, phone: { width: 390, height: 844 }, small: { width: 640, height: 400 } };

/** A moment of each system, soon after something failed. */
const MOMENTS = {
  negotiation: "at=6m4s&s=google-cell",
  central: "at=6m20s&f=6m.rack.37.down&s=central-best-fit",
  yield: "at=3h20s&s=virtual-clusters",
  rounds: "at=4m36s&s=rounds-failures",
  static: "at=1h0m40s&s=static-failure",
  dispatcher: "at=1h0m40s&s=dispatcher-failure",
  board: "at=30m20s&f=30m.rack.3.down&s=board-ready",
  market: "at=20m&f=19m.rack.7.down&s=market-auction",
};

const FOLDER = "test-results/stages";
mkdirSync(FOLDER, { recursive: true });
const wanted = process.argv.slice(2);

for (const [system, link] of Object.entries(MOMENTS))
  if (wanted.length === 0 || wanted.includes(system))
    test(system, async (t) => {
      // With little motion wanted, a run stands at the moment of its link.
      const { page, errors } = await visit(t, `#${link}&v=1`, { setup: false, live: false, reducedMotion: "reduce" });
      await page.waitForSelector("#stage[data-drawn]");
      await page.waitForSelector('#status[data-mode="paused"]', { state: "attached" });
      for (const [size, viewport] of Object.entries(SIZES))
        for (const colorScheme of ["light", "dark"] as const) {
          await page.setViewportSize(viewport);
          await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
          await page.mouse.move(0, 0);
          const path = `${FOLDER}/${system}-${size}-${colorScheme}.png`;
          await still(() => page.screenshot({ path }));
        }
      for (const error of errors) t.diagnostic(error);
    });
