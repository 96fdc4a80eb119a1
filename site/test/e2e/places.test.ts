// The places of the page: each has its address, is reached by keyboard alone and
// keeps to the rules of accessibility in both themes.
import assert from "node:assert/strict";
import { test } from "node:test";
import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "playwright-core";
import { RESULTS, visit } from "./harness.ts";

async function axe(page: Page, what: string): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).analyze();
  assert.deepEqual(violations.map(({ id, nodes }) => `${what}: ${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(" | ")}`), []);
}

for (const colorScheme of ["light", "dark"] as const) {
  test(`gallery, plan and papers are accessible, ${colorScheme}`, async (t) => {
    const { page, errors, foreign } = await visit(t, "#n=200&p=gallery&v=1", { colorScheme, live: false });
    await page.waitForFunction(() => document.querySelector<HTMLImageElement>(".question img")?.naturalWidth);
    assert.match((await page.locator(".question img").first().getAttribute("src")) ?? "", new RegExp(`-${colorScheme}\\.png$`));
    await axe(page, "gallery");
    await page.screenshot({ path: `${RESULTS}/gallery-${colorScheme}.png` });
    await page.click("#place-plan");
    await page.waitForSelector("#plan-makespan");
    await axe(page, "plan");
    await page.click("#place-papers");
    await page.waitForSelector(".experiments li");
    await axe(page, "papers");
    assert.deepEqual(errors, []);
    assert.deepEqual(foreign, []);
  });
}

test("a question of the gallery is opened with the keyboard, and Back leads to it again", async (t) => {
  const { page, errors } = await visit(t, "#n=200&p=gallery&v=1", { live: false });
  await page.waitForSelector("#question-rounds-failures");
  await page.focus("#only-rounds");
  await page.keyboard.press("Enter");
  await page.waitForSelector("#question-google-cell", { state: "detached" });
  await page.focus("#question-rounds-failures");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => location.hash.includes("s=rounds-failures") && !location.hash.includes("p=gallery"));
  await page.waitForSelector('#status:is([data-mode="live"], [data-mode="ended"])'); // it is a short run
  assert.equal(await page.locator("#system").inputValue(), "rounds");
  await page.click("#place-gallery");
  await page.waitForSelector('#question-rounds-failures[aria-current="true"]');
  assert.deepEqual(errors, []);
});

test("how a system works is drawn and told, for every system", async (t) => {
  const { page, errors } = await visit(t, "#draw=2d&n=50&v=1");
  const ids = await page.locator("#system option").evaluateAll((options) => options.map((option) => (option as HTMLOptionElement).value));
  await page.click("#how");
  await page.waitForSelector("dialog.how svg .party");
  const { violations } = await new AxeBuilder({ page }).include("dialog.how").analyze();
  assert.deepEqual(violations.map(({ id }) => id), []);
  assert.equal(await page.locator("dialog.how ol li").count(), await page.locator("dialog.how .said").count());
  await page.keyboard.press("Escape");
  await page.waitForSelector("#how:focus"); // where the viewer was
  for (const id of ids) assert.equal(await page.evaluate(async (name) => (await fetch(`how/${name}.json`)).status, id), 200, id);
  assert.deepEqual(errors, []);
});
