// The story of a run: a fault is told at once, and words of the field are explained.
import assert from "node:assert/strict";
import { test } from "node:test";
import { AxeBuilder } from "@axe-core/playwright";
import { visit } from "./harness.ts";

test("words of the field say what they mean, under the pointer and by keyboard", async (t) => {
  const { page, errors } = await visit(t, "#draw=2d&n=200&v=1");
  await page.keyboard.press("Space"); // while it runs, a longer story moves what stands below it away from the pointer
  await page.waitForSelector('#status[data-mode="paused"]');
  const told = page.locator("#means");
  const word = page.locator(".chart .term", { hasText: /^STA$/ }).first();
  await word.hover();
  await told.waitFor();
  assert.match(await told.innerText(), /above 90 %/);
  assert.equal(await word.getAttribute("aria-describedby"), "means");
  await page.keyboard.press("Escape");
  await told.waitFor({ state: "hidden" });
  assert.equal(await word.getAttribute("aria-describedby"), null);

  const spikes = page.locator(".chart .term", { hasText: /spikes/ }).first();
  await spikes.focus();
  assert.match(await told.innerText(), /a tenth of the node/);
  await page.locator(".classes .term", { hasText: /^DA$/ }).hover();
  await page.waitForFunction(() => document.querySelector("#means")?.textContent?.startsWith("Disproportionately"));
  await told.waitFor();
  const box = await told.boundingBox();
  assert.ok(box && box.x >= 0 && box.x + box.width <= 1280 && box.y >= 0 && box.y + box.height <= 800, "it stays in the window");

  await page.locator('[id^="setting-scan"]').first().focus(); // Scan reallocation
  await told.waitFor();
  assert.ok((await told.innerText()).length > 20, "settings say what they are for");
  const { violations } = await new AxeBuilder({ page }).analyze();
  assert.deepEqual(
    violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(" | ")}`),
    [],
  );
  assert.deepEqual(errors, []);
});

test("a filter says how many nodes match", async (t) => {
  const { page } = await visit(t, "#draw=2d&n=200&v=1");
  await page.fill("#filter", "rack 1");
  await page.waitForFunction(() => document.querySelector(".filter output")?.textContent === "48 of 200");
  await page.fill("#filter", "rack 999");
  await page.waitForFunction(() => document.querySelector(".filter output")?.textContent === "none");
  await page.fill("#filter", "");
  await page.waitForSelector(".filter output", { state: "hidden" });
});

test("in a low window the timeline ends where the drawer begins, and the stage keeps its room", async (t) => {
  const { page } = await visit(t, "#draw=2d&n=200&v=1", { viewport: { width: 640, height: 400 } });
  const box = async (name: string) => (await page.locator(name).boundingBox()) ?? { y: 0, height: 0 };
  const [stage, time, drawer] = [await box("#stage"), await box("#timeline"), await box("#drawer")];
  assert.ok(stage.height >= 240, `the stage has ${stage.height} px`);
  assert.ok(time.y + time.height <= drawer.y + 1, `${time.y + time.height} > ${drawer.y}`);
  await page.click("#tab-table");
  assert.ok((await box("#stage")).height >= 240, "the drawer lies over it");
});

test("with type twice as large everything in the bar can be reached", async (t) => {
  const { page, errors } = await visit(t, "#draw=2d&n=200&v=1");
  await page.evaluate(() => {
    const { style } = document.documentElement;
    for (const token of ["--t-xs", "--t-s", "--t-m", "--t-l"])
      style.setProperty(token, `${2 * parseFloat(getComputedStyle(document.documentElement).getPropertyValue(token))}px`);
  });
  for (const width of [1280, 900, 640]) {
    await page.setViewportSize({ width, height: 800 });
    const parts = await page.locator("#topbar :is(button, select)").filter({ visible: true }).all();
    assert.ok(parts.length >= 8, `${parts.length} parts of the bar at ${width} pixels`);
    for (const part of parts) {
      const hit = await part.evaluate((element) => {
        element.scrollIntoView({ inline: "nearest", block: "nearest" });
        const { left, right, top, height } = element.getBoundingClientRect();
        const own = document.documentElement.scrollLeft + document.body.scrollLeft === 0; // the page itself cannot be scrolled by hand
        return (
          own && left > -1 && right < innerWidth + 1 && element.contains(document.elementFromPoint((left + right) / 2, top + height / 2))
        );
      });
      assert.ok(hit, `${await part.evaluate((element) => element.outerHTML.slice(0, 120))} cannot be seen at ${width} pixels`);
    }
  }
  assert.deepEqual(errors, []);
});
