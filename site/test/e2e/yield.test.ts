// Virtual clusters: yields on the map, in the chart and beside each task, and the
// slider of what may migrate.
import assert from "node:assert/strict";
import { test } from "node:test";
import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "playwright-core";
import { beyond, RESULTS, visit } from "./harness.ts";

const YIELD = "#draw=2d&s=virtual-clusters&v=1";
const SIZES = { desktop: { width: 1280, height: 800 }, phone: { width: 390, height: 844 } };

/** Clicks a node near the middle of the map: between racks there is none. */
async function clickNode(page: Page): Promise<void> {
  const box = await page.locator(".map").boundingBox();
  assert.ok(box);
  for (let d = 0; d < box.width / 3; d += 9) {
    const [x, y] = [box.x + box.width / 2 - d, box.y + box.height / 2 - d / 2];
    await page.mouse.move(x, y);
    if (await page.locator(".tip").isVisible()) return page.mouse.click(x, y);
  }
  assert.fail("no cell near the middle of the map");
}

for (const colorScheme of ["light", "dark"] as const) {
  for (const [name, viewport] of Object.entries(SIZES)) {
    test(`yields, ${colorScheme}, ${name}`, async (t) => {
      const { page, errors } = await visit(t, YIELD, { colorScheme, viewport });
      await page.selectOption(".pace select", "0");
      await beyond(page, 4 * 3600); // a rack is down
      await page.keyboard.press("Space");
      await page.waitForSelector('#status[data-mode="paused"]', { state: "attached" });
      await page.click("#tab-charts"); // on a phone the sheet opens
      await page.waitForSelector(".panel.charts >> text=its bound"); // the panel has come
      assert.match(
        await page.locator(".panel.charts").innerText(),
        /Yield, given \/ needed\s+average 0\.\d+\s+smallest 0\.\d+\s+its bound 0\.\d+/,
      );
      await page.screenshot({ path: `${RESULTS}/yield-${name}-${colorScheme}.png` });
      await page.keyboard.press("Escape"); // and closes

      await clickNode(page);
      await page.waitForSelector("#inspector table.shares tbody tr");
      const rows = await page
        .locator("#inspector table.shares tbody tr")
        .evaluateAll((all) => all.map((row) => [...row.querySelectorAll("td")].map((cell) => parseFloat(cell.textContent ?? ""))));
      let given = 0;
      for (const [, need, share, percent] of rows) {
        assert.ok(
          share <= need + 1e-3 && Math.abs(percent - (100 * share) / need) <= 2,
          `need ${need}, share ${share}, yield ${percent} %`,
        );
        given += share;
      }
      assert.ok(given <= 1.005, `the tasks of a host get ${given} of it`);
      await page.screenshot({ path: `${RESULTS}/yield-${name}-${colorScheme}-node.png` });
      const { violations } = await new AxeBuilder({ page }).exclude("iframe").setLegacyMode().analyze();
      assert.deepEqual(
        violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(" | ")}`),
        [],
      );
      assert.deepEqual(errors, []);
    });
  }
}

test("the slider of what may migrate starts the run again with it", async (t) => {
  const { page, errors } = await visit(t, YIELD);
  const input = page.locator("#setting-budget_mb");
  await input.focus();
  await page.keyboard.press("Home");
  await page.waitForFunction(() => /budget_mb%22%3A0|x\.budget_mb=0/.test(location.hash) || location.hash.includes("z=1."));
  assert.match(await page.locator(".field.wide output").innerText(), /^0 B$/);
  await input.scrollIntoViewIfNeeded();
  await page.screenshot({ path: `${RESULTS}/yield-slider.png` });
  await page.selectOption(".pace select", "0");
  await beyond(page, 7200);
  await page.click("#tab-report");
  const moved = await page.locator("#drawer tr", { hasText: "Migrated" }).innerText();
  assert.match(moved, /0 B.*0 B/, "nothing migrated");
  assert.deepEqual(errors, []);
});
