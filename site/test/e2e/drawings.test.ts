// Drawings of the tabs as SVG: lines and letters, no pixels, with the scenario inside,
// and they look as they do on the page.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { type TestContext, test } from "node:test";
import { pathToFileURL } from "node:url";
import type { Page } from "playwright-core";
import { RESULTS, still, visit } from "./harness.ts";
import { unlike } from "./pictures.ts";

interface Case {
  link: string;
  ready: (page: Page) => Promise<unknown>;
  drawing: string; // selector of what is drawn
  needs: Record<string, number>; // elements that the file has at least
  says: RegExp; // one of its texts
}

const CASES: Record<string, Case> = {
  "a Gantt chart": {
    link: "#draw=2d&s=rounds-failures&v=1",
    ready: (page) => page.waitForFunction(() => /done after \d+ s/.test(document.querySelector(".course p")?.textContent ?? "")),
    drawing: ".chartarea canvas",
    needs: { rect: 200, text: 10, path: 5, clipPath: 1 },
    says: /^planned end$/,
  },
  "a task graph": {
    link: "#at=2m&draw=2d&s=board-communities&v=1",
    ready: (page) =>
      page.waitForFunction(() =>
        /^Graph \d+: \d+ subtasks, .* taken/.test(document.querySelector(".graphs [role=status]")?.textContent ?? ""),
      ),
    drawing: ".graphs canvas",
    needs: { path: 40 },
    says: /^$/,
  },
  "an auction's offers": {
    link: "#at=10m&draw=2d&s=market-auction&v=1",
    ready: async (page) => {
      await page.selectOption("#conversation", { label: "auction 2" });
      await page
        .locator("#drawer .outcome")
        .filter({ hasText: /^Auction 2: User/ })
        .waitFor();
    },
    drawing: "#drawer .offer svg",
    needs: { circle: 6, line: 3, text: 6, path: 2 },
    says: /^1$/,
  },
};

for (const [name, one] of Object.entries(CASES)) test(`${name} is taken away as lines and letters`, (t) => taken(t, one));

async function taken(t: TestContext, { link, ready, drawing, needs, says }: Case): Promise<void> {
  const viewport = { width: 1280, height: 1200 }; // the drawer shows the whole drawing
  const { page, context, errors } = await visit(t, link, { live: false, viewport });
  await page.waitForSelector("#status[data-mode]");
  await page.waitForSelector(drawing);
  if (link.includes("rounds")) {
    await page.selectOption(".pace select", "0");
    await page.waitForSelector('#status[data-mode="ended"]');
  }
  await ready(page);
  await page.evaluate(() => document.querySelector<HTMLButtonElement>("button[aria-label='Pause']")?.click());
  await page.waitForSelector('#status:is([data-mode="paused"], [data-mode="ended"])');
  await page.mouse.move(5, 5);
  const shown = page.locator(drawing).first();
  await shown.scrollIntoViewIfNeeded();
  const box = await shown.boundingBox();
  assert.ok(box);
  const [width, height] = [Math.floor(box.width), Math.floor(box.height)];
  const clip = { x: Math.round(box.x), y: Math.round(box.y), width, height };
  const screen = await still(() => page.screenshot({ path: `${RESULTS}/drawing-on-the-page.png`, clip }));
  const title = (
    await shown.evaluate(
      (element) => element.getAttribute("aria-label") ?? element.closest("[aria-label]")?.getAttribute("aria-label") ?? "",
    )
  ).slice(0, 60);

  await page.keyboard.press("Control+e");
  await page.waitForSelector("dialog.export");
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page
      .getByRole("button", { name: `${title} as SVG`, exact: true })
      .first()
      .click(),
  ]);
  const path = `${RESULTS}/${download.suggestedFilename()}`;
  await download.saveAs(path);
  const text = readFileSync(path, "utf8");
  assert.doesNotMatch(text, /<image|data:/, "no pixels");
  assert.match(text, /<metadata id="parley-scenario">\{"scenario":/);

  const reader = await context.newPage();
  await reader.setViewportSize({ width, height });
  await reader.goto(pathToFileURL(path).href);
  const found = await reader.evaluate(() => ({
    counts: [...document.querySelectorAll("*")].map(({ localName }) => localName),
    texts: [...document.querySelectorAll("text")].map((part) => part.textContent ?? ""),
    numbers: document.documentElement.outerHTML.match(/"[^"]*(NaN|undefined|Infinity)[^"]*"/g),
  }));
  for (const [element, least] of Object.entries(needs))
    assert.ok(
      found.counts.filter((one) => one === element).length >= least,
      `${element}: ${found.counts.filter((one) => one === element).length}`,
    );
  if ("text" in needs)
    assert.ok(
      found.texts.some((one) => says.test(one)),
      found.texts.slice(0, 60).join(" | "),
    );
  assert.equal(found.numbers, null);
  const drawn = await reader.screenshot({ path: path.replace(/svg$/, "png") });
  const share = await unlike(page, screen, drawn);
  t.diagnostic(`${title}: ${(share * 100).toFixed(2)} % of its blocks differ from the screen; ${text.length} bytes`);
  assert.ok(share < 0.01, `${share} of the blocks differ`);
  assert.deepEqual(errors, []);

  await page.setInputFiles("#files", path);
  await page.waitForSelector(".arrival:not(.preview):not([hidden])");
  assert.match(await page.locator(".arrival:not(.preview)").innerText(), /^Reproduced at /);
}
