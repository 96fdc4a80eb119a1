// Moving in time: forward, back, and to the same state again.
import assert from "node:assert/strict";
import { test } from "node:test";
import { beyond, clock, pause, visit } from "./harness.ts";

test("what is no time is told and changes nothing", async (t) => {
  const { page } = await visit(t);
  await page.keyboard.press("t");
  await page.fill("#time", "tomorrow");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.querySelector("#time-hint")?.textContent?.includes("“tomorrow” is no time"));
  const before = await clock(page);
  await page.keyboard.press("Escape");
  await beyond(page, before);
});

test("restart begins again", async (t) => {
  const { page } = await visit(t);
  await beyond(page, 120);
  await pause(page); // what begins again stands still as well, and is not missed
  await page.click("[data-command=restart]");
  await page.waitForFunction(() => Number(document.querySelector<HTMLInputElement>("#timeline input[type=range]")?.value) < 100);
});

test("a long start tells how far it is, and Cancel returns to the run before", async (t) => {
  const { page, errors } = await visit(t, "#draw=2d&v=1");
  const before = await clock(page);
  await page.locator(".segments label", { hasText: "Central" }).click();
  await page.waitForSelector('dialog:has-text("Starting the run")');
  await page.waitForFunction(() =>
    /^[1-9][\d,]* of about \d+,\d+ tasks have arrived · \d+ %$/.test(document.querySelector('dialog [role="status"]')?.textContent ?? ""),
  );
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.waitForSelector("dialog", { state: "detached" });
  await beyond(page, before);
  assert.equal(await page.locator("#system").inputValue(), "negotiation");
  assert.ok(!page.url().includes("sys="));
  assert.deepEqual(errors, []);
});

test("a first start that is cancelled can be asked for again", async (t) => {
  const { page, errors } = await visit(t, "#draw=2d&sys=central&v=1", { live: false });
  await page.waitForSelector('dialog:has-text("Starting the run")');
  await page.keyboard.press("Escape");
  await page.waitForSelector('#toast:has-text("Cancelled: restart it, or choose a scenario")');
  await page.waitForSelector('#status[data-mode="cancelled"]');
  assert.equal(await page.locator("#system").inputValue(), "central");
  await page.getByRole("button", { name: "Restart" }).click();
  await page.waitForSelector('dialog:has-text("Starting the run")');
  await page.waitForSelector('#status[data-mode="live"]');
  assert.ok(page.url().includes("sys=central"));
  assert.deepEqual(errors, []);
});
