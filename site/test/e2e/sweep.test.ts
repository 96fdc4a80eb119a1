// A sweep on the page: the command line's document gives the command line's table, to
// the byte; the map is used with the keyboard and opens its runs.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "playwright-core";
import { RESULTS, visit } from "./harness.ts";

const PAPERS = "../tools/parley/sweeps/testdata/page"; // what parley sweep made of the same document

async function axe(page: Page, what: string): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).analyze();
  assert.deepEqual(
    violations.map(({ id, nodes }) => `${what}: ${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(" | ")}`),
    [],
  );
}

async function says(page: Page, text: RegExp): Promise<string> {
  const line = page.locator(".sweep .standing p").first().filter({ hasText: text });
  await line.waitFor();
  return line.innerText();
}

test("a sweep gives the command line's table to the byte, and its cells open their runs", async (t) => {
  const { page, errors, foreign } = await visit(t, "#draw=2d&n=200&p=sweep&v=1", { live: false, setup: false, colorScheme: "light" });
  await page.waitForSelector("#sweep-start:enabled");
  await page.setInputFiles("#sweep-file", `${PAPERS}/sweep.json`);
  await says(page, /^18 runs: 2 of settings\.policy × 3 of Load × 3 seeds\.$/);
  await page.click("#sweep-start");
  await says(page, /^18 runs in .+ s, .+ a second\.$/);
  const [saved] = await Promise.all([page.waitForEvent("download"), page.click("#sweep-save-json")]);
  assert.equal(saved.suggestedFilename(), "table.json");
  assert.equal(readFileSync(await saved.path(), "utf8"), readFileSync(`${PAPERS}/table.json`, "utf8"));
  await axe(page, "means");

  await page.focus("#sweep-cell-0");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowRight");
  await page.waitForSelector("#sweep-cell-4:focus");
  await page.keyboard.press("Enter");
  await page.waitForSelector("#sweep-run-2");
  await page.emulateMedia({ colorScheme: "dark" });
  await page.click("#sweep-differences");
  await page.waitForSelector("#sweep-cell-0:has-text('compared with this')");
  await axe(page, "differences and a cell");
  await page.screenshot({ path: `${RESULTS}/sweep.png` });
  await page.setViewportSize({ width: 390, height: 844 });
  await page.waitForFunction(() => document.documentElement.scrollWidth <= innerWidth); // once all is laid out, the page itself does not scroll sideways
  await page.click("#sweep-run-2");
  await page.waitForFunction(
    () =>
      !location.hash.includes("p=sweep") &&
      document.body.dataset.place !== "sweep" &&
      /seed 2(?!\d)/.test(document.querySelector("#status")?.textContent ?? ""),
  );
  assert.equal(await page.locator("#system").inputValue(), "central");
  assert.deepEqual(errors, []);
  assert.deepEqual(foreign, []);
});
