// A log that is opened: the card says what was read, the file decides who schedules it,
// and it is watched from its first job on.
import assert from "node:assert/strict";
import { test } from "node:test";
import { axe, clock, RESULTS, visit } from "./harness.ts";
import { LOG } from "./swf.ts";

/** The same log an hour later, with a job that never ran. */
const LATE =
  LOG.replaceAll(/^(\d+) (\d+)/gm, (_, id: string, at: string) => `${id} ${Number(at) + 3600}`) +
  "301 30000 -1 0 1 -1 -1 1 60 -1 5 1 1 -1 1 -1 -1 -1\n";

test("on a phone the card is a sheet over the drawer", async (t) => {
  const { page, errors } = await visit(t, "#draw=2d&s=market-auction&v=1", { viewport: { width: 390, height: 844 }, colorScheme: "dark" });
  await page.setInputFiles("#files", { name: "late.swf", mimeType: "text/plain", buffer: Buffer.from(LATE) });
  await page.waitForSelector("#card:visible");
  await axe(page, "the card on a phone", "#card");
  await page.screenshot({ path: `${RESULTS}/card-phone.png` });
  await page.click("#card-close");
  await page.waitForSelector("#inspector", { state: "hidden" });
  assert.deepEqual(errors, []);
});

test("a log opened under a market is scheduled by a queue, and a card says what was read", async (t) => {
  const { page, errors } = await visit(t, "#draw=2d&s=market-auction&v=1");
  await page.setInputFiles("#files", { name: "late.swf", mimeType: "text/plain", buffer: Buffer.from(LATE) });
  await page.waitForSelector("#card:visible");
  const card = await page.locator("#card").innerText();
  assert.match(card, /late\.swf: 300 jobs on 16 processors, \d+ hours\./);
  assert.match(card, /Format\s+swf, jobs/);
  assert.match(card, /Left out: never ran \(run time 0 or unknown\)\s+1/);
  assert.match(card, /First work at\s+1h\b/);
  assert.match(card, /Scheduled by\s+Central scheduler, policy easy/);
  assert.equal(await page.locator("#system").inputValue(), "central");
  assert.ok(await page.locator("#toast").isHidden(), "one card, no toasts");
  await page.waitForFunction(() => Number(document.querySelector<HTMLInputElement>("#timeline input[type=range]")?.value) >= 3600);
  assert.ok((await clock(page)) < 20_000);
  await axe(page, "the card", "#card");
  await page.screenshot({ path: `${RESULTS}/card.png` });
  await page.click("#card-compare");
  await page.waitForSelector("#compare-start");
  await page.click("#place-watch");
  await page.click("#card-close");
  await page.waitForSelector("#card", { state: "hidden" });
  assert.deepEqual(errors, []);
});
