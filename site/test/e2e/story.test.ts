// The story of a run: a fault is told at once, and words of the field are explained.
import assert from "node:assert/strict";
import { test } from "node:test";
import { AxeBuilder } from "@axe-core/playwright";
import { visit } from "./harness.ts";

test("within three seconds of a fault the feed names it and how many tasks lost their place", async (t) => {
  const { page, errors } = await visit(t, "#draw=2d&n=2500&v=1");
  await page.keyboard.press("x");
  await page.waitForSelector("#breaker:visible");
  await page.fill("#break-rack", "7");
  const took = await page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        const begin = performance.now();
        const told = () => [...document.querySelectorAll("#inspector .feed .incident")].some((line) => /Rack 7 failed: \d[\d,]* tasks lost their place/.test(line.textContent ?? ""));
        const watch = new MutationObserver(() => {
          if (!told()) return;
          watch.disconnect();
          resolve(performance.now() - begin);
        });
        watch.observe(document.body, { childList: true, subtree: true, characterData: true });
        document.querySelector<HTMLElement>("#break-rack-down")?.click();
      }),
  );
  t.diagnostic(`${Math.round(took)} ms from the click to the feed`);
  assert.ok(took < 3000, `${took} ms`);
  assert.deepEqual(errors, []);
});

test("words of the field say what they mean, under the pointer and by keyboard", async (t) => {
  const { page, errors } = await visit(t, "#draw=2d&n=200&v=1");
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
  const box = await told.boundingBox();
  assert.ok(box && box.x >= 0 && box.x + box.width <= 1280 && box.y >= 0 && box.y + box.height <= 800, "it stays in the window");

  await page.locator('[id^="setting-scan"]').first().focus(); // Scan reallocation
  await told.waitFor();
  assert.ok((await told.innerText()).length > 20, "settings say what they are for");
  const { violations } = await new AxeBuilder({ page }).analyze();
  assert.deepEqual(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(" | ")}`), []);
  assert.deepEqual(errors, []);
});
