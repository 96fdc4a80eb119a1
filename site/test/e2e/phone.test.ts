// On phones the map has the room: one row of tools, one line of time, a legend that opens as a card.
import assert from "node:assert/strict";
import { test } from "node:test";
import { axe, goTo, pause, visit } from "./harness.ts";

const SIZES = [
  { width: 320, height: 568 },
  { width: 360, height: 640 },
  { width: 375, height: 667 },
  { width: 390, height: 844 },
];

for (const viewport of SIZES)
  test(`at ${viewport.width} × ${viewport.height} the map has at least 45 % of the window's height, also while a rack is down`, async (t) => {
    const { page, errors } = await visit(t, "#draw=2d&f=40s.rack.1.down&n=200&v=1", { viewport, hasTouch: true, setup: false });
    /** Waits for a layout in which the map has its share: the sentence may be drawn anew meanwhile. */
    const roomy = (when: string) =>
      page
        .waitForFunction(() => {
          const [stage, head] = ["#stage", "#stage > .head"].map((name) => document.querySelector(name)?.getBoundingClientRect());
          return ((stage?.bottom ?? 0) - 12 - (head?.bottom ?? Infinity)) / innerHeight >= 0.45;
        })
        .catch(() => assert.fail(`${when}: the map has less than 45 %`));
    await pause(page);
    await goTo(page, 30);
    await page.waitForSelector("#drawer .pinned", { state: "hidden" });
    await roomy("before the fault");
    await goTo(page, 45);
    await page.waitForSelector("#drawer .pinned:not([hidden]) .part");
    await roomy("with a rack down");
    for (const row of [".tools", "#timeline", "#drawer > .pinned", "#places"])
      await page
        .waitForFunction((name) => {
          const element = document.querySelector(name);
          return element !== null && element.scrollWidth <= element.clientWidth + 1;
        }, row)
        .catch(() => assert.fail(`${row} does not fit its width`));
    assert.deepEqual(errors, []);
  });

test("on a phone the legend opens as a card over the map, which stays where it is; a tap elsewhere or Escape closes it", async (t) => {
  const { page, errors } = await visit(t, "#draw=2d&n=200&v=1", { viewport: { width: 360, height: 640 }, hasTouch: true, setup: false });
  await pause(page);
  const [legend, button] = [page.locator("#legend"), page.locator("#legend-open")];
  assert.equal(await legend.isVisible(), false);
  const below = () => page.locator("#stage").evaluate((element) => element.style.getPropertyValue("--below"));
  const before = await below();
  await button.click();
  await legend.waitFor();
  assert.equal(await button.getAttribute("aria-expanded"), "true");
  assert.match(await legend.innerText(), /of the node/);
  assert.equal(await below(), before, "the cells are not laid out anew");
  const box = await legend.boundingBox();
  assert.ok(box && box.x >= 0 && box.x + box.width <= 360, JSON.stringify(box));
  await axe(page, "the legend is open", "#stage");
  await page.keyboard.press("Escape");
  await legend.waitFor({ state: "hidden" });
  assert.equal(await page.evaluate(() => document.activeElement?.id), "legend-open");
  await button.click();
  await legend.waitFor();
  await page.mouse.click(180, 300);
  await legend.waitFor({ state: "hidden" });
  assert.deepEqual(errors, []);
});
