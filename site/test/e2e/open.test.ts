// A newcomer opens the page: it runs, it moves, it is quick, it calls nobody.
import assert from "node:assert/strict";
import { test } from "node:test";
import { clock, PATIENCE, visit } from "./harness.ts";

test("the browser itself blocks other sites", async (t) => {
  const { page } = await visit(t);
  const reached = await page.evaluate(() =>
    fetch("http://127.0.0.1:9/").then(
      () => "reached",
      (error: Error) => error.message,
    ),
  );
  assert.match(reached, /Failed to fetch/);
  const blocked = await page.evaluate(
    () =>
      new Promise<string>((resolve) => {
        document.addEventListener("securitypolicyviolation", (event) => resolve(event.effectiveDirective), { once: true });
        void fetch("https://example.org/").catch(() => {});
      }),
  );
  assert.equal(blocked, "connect-src");
});

test("without scripts the page says what it needs", async (t) => {
  const { page } = await visit(t, "", { javaScriptEnabled: false, live: false });
  assert.match(await page.locator("body").innerText(), /needs JavaScript/);
  assert.match(await page.locator("body").innerText(), /Watch very different schedulers/);
});

test("who asks for little motion finds it paused soon after the first fault, with what it did in a sentence", async (t) => {
  const { page } = await visit(t, "#draw=2d", { reducedMotion: "reduce", live: false, setup: false });
  await page.waitForSelector("#stage[data-preview]");
  assert.match(await page.locator(".preview").innerText(), /Preview.*Play/s);
  await page.waitForSelector("#stage[data-drawn]");
  await page.waitForSelector('#status[data-mode="paused"]', { timeout: PATIENCE });
  assert.equal(await clock(page), 380);
  await page.waitForFunction(() => /Rack 137 failed 20 s ago: \d+ of \d+ tasks/.test(document.querySelector(".now")?.textContent ?? ""));
  await page.locator("#invite").click();
  await page.waitForSelector('#status[data-mode="live"]');
  assert.ok(await page.locator(".preview").isHidden());
});
