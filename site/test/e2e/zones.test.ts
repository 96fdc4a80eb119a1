// The stage of a system whose nodes are in zones: a card for each, or its cells.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { axe, stands, visit } from "./harness.ts";

const MARKET = "#at=20m&draw=2d&f=10m.rack.17.down&paused=1&s=market-auction&v=1";
const SITES = 20;

const card = (page: Page, name: string) =>
  page.locator(".zonecards button", { has: page.locator("b", { hasText: new RegExp(`^${name}$`) }) });

test("sites are cards with offer, free cores and queue, and Nodes shows their cells", async (t) => {
  const { page, errors } = await visit(t, MARKET, { live: false, setup: false });
  const cards = page.locator(".zonecards button");
  await cards.nth(SITES - 1).waitFor();
  await stands(page, 20 * 60); // cards of earlier moments show before
  assert.equal(await cards.count(), SITES);
  assert.equal(await page.locator("#stage .map").isVisible(), false, "the cards stand in the place of the cells");
  assert.match(await card(page, "curie2").innerText(), /^curie2\s+down\s+0 free\s+(none waits|\d+ wait)$/);
  assert.match(await card(page, "thunder2").innerText(), /^thunder2\s+\d+\.\d\s+[\d,]+ free\s+(none waits|\d+ wait)$/);

  await card(page, "thunder2").focus();
  await page.keyboard.press("Enter");
  await page.waitForSelector('.zonecards button[aria-pressed="true"]');
  const fact = (name: string) => page.locator("#inspector", { hasText: name }).innerText();
  const [, offer] = /Latest offer\s+([\d.]+)/.exec(await fact("Latest offer")) ?? [];
  assert.equal(Number(offer).toFixed(1), await card(page, "thunder2").locator("strong").innerText(), "what the inspector tells of it");
  await axe(page, "sites as cards", "#stage");

  const stage = page.locator(".chips.picture");
  await stage.getByRole("button", { name: "Nodes" }).click();
  await page.locator("#stage .map").waitFor();
  assert.equal(await cards.first().isVisible(), false);
  await stage.getByRole("button", { name: "Sites" }).click();
  await cards.first().waitFor();
  assert.deepEqual(errors, []);
});

test("while an auction takes offers its sites have places, and one leads", async (t) => {
  const { page } = await visit(t, "#at=29m30s&draw=2d&paused=1&s=market-auction&v=1", { live: false, setup: false });
  await stands(page, 29.5 * 60);
  await page.locator(".zonecards .leads").waitFor();
  const marks = await page.locator(".zonecards em").allInnerTexts();
  assert.equal(marks.filter((mark) => mark === "leads").length, 1, marks.join());
  assert.ok(
    marks.every((mark) => /^(leads|no\. \d+)$/.test(mark)),
    marks.join(),
  );
});

test("a link that looks at a node opens the cells", async (t) => {
  const { page } = await visit(t, `${MARKET}&cam=node.4-3`, { live: false, setup: false });
  await page.waitForSelector("#stage[data-drawn]");
  await page.locator(".chips.picture [aria-pressed=true]", { hasText: "Nodes" }).waitFor();
  assert.equal(await page.locator("#stage .map").isVisible(), true);
});
