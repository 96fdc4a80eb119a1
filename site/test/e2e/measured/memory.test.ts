// How much memory the page's simulation holds at full speed, printed each half minute: it
// grows until snapshots have their share of the device, and stands from then on.
import assert from "node:assert/strict";
import { test } from "node:test";
import { clock, live, visit } from "../harness.ts";

const MINUTES = Number(process.env.PARLEY_MINUTES ?? 0);

test("memory at full speed", {
  skip: MINUTES > 0 ? false : "PARLEY_MINUTES=10 plays for ten minutes",
}, async (t) => {
  const { page, errors } = await visit(t, "#draw=2d&speed=max&v=1", { viewport: { width: 640, height: 600 }, live: false });
  await live(page);
  const held: number[] = [];
  for (let i = 0; i < 2 * MINUTES; i++) {
    await page.waitForTimeout(30_000); // a span of time is what is measured
    const text = (await page.locator("#status span:has-text('memory') b").textContent()) ?? "";
    const [, number = "", unit = ""] = /^([\d.,]+)\s*(\S+)$/.exec(text) ?? [];
    held.push(Number(number.replace(",", "")) * (unit === "GB" ? 1000 : 1));
    console.log(`after ${(i + 1) / 2} min, at ${((await clock(page)) / 3600).toFixed(1)} h of the run: ${text}`);
  }
  assert.deepEqual(errors, []);
  assert.ok(
    held.every((mb) => mb > 0 && mb < 1000),
    `${held.join(", ")} MB; the page says that it stops below 1 GB`,
  );
});
