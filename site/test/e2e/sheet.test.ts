// Phones and low windows: what failed, the story and the tabs are a sheet with a handle.
import assert from "node:assert/strict";
import { test } from "node:test";
import { axe, goTo, pause, visit } from "./harness.ts";

const SIZES = [
  { width: 390, height: 844 },
  { width: 640, height: 400 },
];

for (const viewport of SIZES)
  test(`at ${viewport.width} × ${viewport.height} the sheet opens with the story, and Escape closes it`, async (t) => {
    const { page, errors } = await visit(t, "#draw=2d&f=40s.rack.1.down&n=200&v=1", { viewport, setup: false });
    const handle = page.locator("#drawer .handle");
    const stage = () => page.evaluate(() => document.querySelector("#stage")?.getBoundingClientRect().height ?? 0);
    await page.waitForSelector("#drawer .pinned:not([hidden])", { state: "attached" }); // the rack failed
    await pause(page);
    await goTo(page, 60); // later so much may have happened that its line is not among the newest
    assert.equal(await handle.getAttribute("aria-expanded"), "false");
    assert.equal(await page.locator("#drawer-panel").isVisible(), false);
    const before = await stage();
    await handle.click();
    assert.equal(await handle.getAttribute("aria-expanded"), "true");
    await page.waitForSelector("#drawer-panel .happenings li:has-text('tasks stopped in rack 1')");
    assert.match(await page.locator("#drawer .pinned h2").innerText(), /^Rack 1 failed$/i);
    assert.ok((await stage()) >= before, "the map keeps its height");
    const box = await page.locator("#drawer").boundingBox();
    const left = (await page.evaluate(() => document.querySelector("#stage")?.getBoundingClientRect().right ?? 0)) - 0;
    assert.ok(box && box.x >= 0 && box.x + box.width <= viewport.width && box.y > 35 && left > 0, "it is inside the window");
    await axe(page, "the sheet is open");
    await page.locator("#sheet-0").focus();
    await page.keyboard.press("Escape");
    assert.equal(await handle.getAttribute("aria-expanded"), "false");
    assert.equal(await page.evaluate(() => document.activeElement?.className), "handle");
    await page.keyboard.press("ArrowUp");
    assert.equal(await handle.getAttribute("aria-expanded"), "true");
    assert.ok(await page.locator("#status .privacy").isVisible(), "the open sheet ends with what stays in this tab");
    await page.click("#place-gallery");
    await page.waitForSelector("#question-google-cell");
    assert.equal(await page.locator("#status .privacy").isVisible(), false, "which lies over no other place");
    assert.deepEqual(errors, []);
  });

test("beside the map there is no tab for the story", async (t) => {
  const { page } = await visit(t, "#draw=2d&n=200&tab=story&v=1", { setup: false });
  await page.waitForSelector('#tab-charts[aria-selected="true"]');
  assert.equal(await page.locator("#tab-story").isVisible(), false);
  assert.equal(await page.locator("#drawer .handle").isVisible(), false);
});
