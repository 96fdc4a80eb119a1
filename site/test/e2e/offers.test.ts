// A system that trades: its running conversation is followed live, accounts add up,
// every bid is told, approval is a button, and files become a resource and requests.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { visit } from "./harness.ts";

/** Waits until the sentence over the offers says something. */
const says = (page: Page, words: RegExp) => page.locator("#drawer .outcome").filter({ hasText: words }).waitFor();

/** Lets the run stand still, so that nothing moves under the pointer. */
async function still(page: Page): Promise<void> {
  await page.click('#timeline [data-command="play"]');
  await page.waitForSelector('#status[data-mode="paused"]');
}

/** The numbers of an account's row, by what its row begins with; none is 0. */
async function row(page: Page, name: string): Promise<number[]> {
  const cells = await page.locator("#drawer tbody tr").filter({ hasText: name }).first().locator("td.n").allInnerTexts();
  return cells.map((text) => (text === "–" ? 0 : Number(text.replaceAll(",", ""))));
}

test("an auction is followed live, by round and as a sequence, and the books add up", async (t) => {
  const { page, errors } = await visit(t, "#at=10m&draw=2d&s=market-auction&v=1");
  assert.equal(await page.locator("#tab-bids").getAttribute("aria-selected"), "true", "the most telling view comes first");
  await page.selectOption("#conversation", { label: "auction 2" });
  await says(page, /^Auction 2: User \d+ bought 3 units after \d+s: unit 1 from \w+ for [\d.]+[,;] .* % of the price asked for\.$/);
  assert.equal(await page.locator("#drawer .offer").count(), 3);
  assert.deepEqual(await page.locator("#drawer .offer").first().locator(".round").allTextContents(), ["1", "2", "3"]);
  const told = await page.locator("#drawer .sequence .said").allTextContents();
  const order = ["call for proposals", "propose", "accept-proposal", "agree: it holds", "confirm", "request", "agree: the price is"].map(
    (act) => told.findIndex((text) => text.startsWith(act)),
  );
  assert.deepEqual(
    [...order].sort((a, b) => a - b),
    order,
    told.join("\n"),
  );
  assert.ok(!order.includes(-1), told.join("\n"));

  await page.click("#tab-accounts");
  await still(page);
  await page.waitForFunction(() => document.querySelectorAll("#drawer tbody tr").length > 50);
  const [, credited, , , sold] = await row(page, "resource agent");
  const [balance, , paid, , bought] = await row(page, "user agent");
  assert.ok(credited > 0 && credited === paid && sold === bought, `resources got ${credited} and users paid ${paid}`);
  assert.ok(Math.abs(balance + paid - 30e9) < 0.01, `users have ${balance} and paid ${paid} of thirty thousand million`);
  assert.deepEqual(errors, []);
});

test("why this site? is answered with every bid and refusal", async (t) => {
  const { page } = await visit(t, "#at=30m&draw=2d&s=market-auction&sel=node.576&v=1");
  await page.waitForSelector("#inspector .why-here");
  await still(page);
  await page.locator("#inspector .why-here").first().click();
  await page
    .locator(".sentence", { hasText: /^User \d+ bought 256 cores .* of 20 resources made an offer; the best was [\d.]+\.$/ })
    .waitFor();
  assert.equal(await page.locator(".candidates tbody tr").count(), 20, "every resource has answered");
  assert.equal(await page.locator(".candidates tr.chosen").count(), 1);
  const answers = await page.locator(".candidates tbody td:last-child").allInnerTexts();
  assert.ok(
    answers.some((text) => text.includes("refused, because")),
    answers.join("\n"),
  );
});

test("an offer waits for its owner's approval", async (t) => {
  const { page } = await visit(t, "#at=1m&draw=2d&s=market-approval&v=1");
  await page.waitForSelector("#drawer .choice");
  await still(page);
  const name = (await page.locator("#drawer .outcome b").innerText()).toLowerCase();
  await page.selectOption("#conversation", { label: name });
  await says(page, /waits for approval/);
  await page.getByRole("button", { name: "Approve", exact: true }).click();
  await page.click('#timeline [data-command="play"]');
  await says(page, / bought (one unit|2 units) after /);
});

const choose = (page: Page, name: string, text: string) =>
  page.setInputFiles("#files", { name, mimeType: "text/plain", buffer: Buffer.from(text) });

test("a log becomes a resource, and a request for quotation is auctioned", async (t) => {
  const { page, errors } = await visit(t, "#draw=2d&s=market-auction&v=1");
  // number, submitted, waited, ran, processors, cpu, memory, asked for processors, for seconds, memory, status, user, group …
  const jobs = Array.from({ length: 40 }, (_, i) => `${i + 1} ${600 * i} 0 5400 24 -1 -1 24 7200 -1 1 ${i % 5} 1 1 1 -1 -1 -1`);
  await choose(page, "small.swf", ["; MaxProcs: 128", ...jobs].join("\n") + "\n");
  await page.waitForSelector('#setup dt:text-is("small.swf"), #setup .facts:has-text("40 rows")');
  await page.selectOption("#system", "market"); // a queue plays a log until a market is asked to
  await page.click("#tab-accounts");
  await page.locator("#drawer tbody th", { hasText: "opened" }).waitFor();

  const request =
    "<RFQ><Request><CPUHourCost>70</CPUHourCost><EndDate>2016-01-01</EndDate><EndTime>06:00:00</EndTime><TotalCores>16</TotalCores></Request></RFQ>";
  await choose(page, "request.xml", request);
  await page.click("#tab-bids");
  await says(page, /^Auction 1: User 0 bought one unit after /);
  await choose(page, "wrong.xml", request.replace("<TotalCores>16</TotalCores>", ""));
  await page.locator("dialog[open]", { hasText: /wrong\.xml, line 1.*TotalCores/ }).waitFor();
  assert.deepEqual(errors, []);
});
