// A newcomer opens the page: it runs, it moves, it is quick, it calls nobody.
import assert from "node:assert/strict";
import { test } from "node:test";
import { beyond, clock, live, PATIENCE, serve, visit } from "./harness.ts";

const LIVE = 20_000; // ms, far beyond the aim, which is printed beside what was measured
const AIM = 2_000;

test("the default scenario is live by itself", async (t) => {
  await serve(); // its own start is not the page's
  const { page, errors, foreign } = await visit(t, "", { live: false });
  await live(page);
  const mark = (name: string) => page.evaluate((wanted) => performance.getEntriesByName(wanted)[0]?.startTime ?? NaN, name);
  const drawn = await mark("parley-drawn");
  t.diagnostic(`engine ready after ${Math.round(await mark("parley-ready"))} ms, scenario opened after ${Math.round(await mark("parley-opened"))} ms`);
  t.diagnostic(`12,500 nodes on the screen ${Math.round(drawn)} ms after opening (aim ${AIM} ms)`);
  assert.ok(drawn < LIVE, `it took ${drawn} ms`);

  await page.waitForSelector('#stage[data-drawn="view"]');
  t.diagnostic(`drawn by Ebitengine after ${Math.round(await mark("parley-view"))} ms`);

  const before = await clock(page);
  const picture = () => page.locator("#stage").screenshot();
  const first = await picture();
  await beyond(page, before + 30);
  assert.notDeepEqual(await picture(), first, "pixels move");
  assert.match(await page.locator("#status").innerText(), /live/);
  assert.equal(await page.locator("#scenario").inputValue(), "google-cell");
  assert.deepEqual(errors, []);
  assert.deepEqual(foreign, []);
});

test("the browser itself blocks other sites", async (t) => {
  const { page } = await visit(t);
  const reached = await page.evaluate(() => fetch("http://127.0.0.1:9/").then(() => "reached", (error: Error) => error.message));
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

test("the page stays responsive while 12,500 nodes run", async (t) => {
  // 640 × 400: software rendering is bound by pixels, and those are not what is measured.
  const { page } = await visit(t, "", { viewport: { width: 640, height: 400 }, live: false });
  await page.evaluate(() => {
    const tasks: number[] = [];
    new PerformanceObserver((list) => tasks.push(...list.getEntries().map(({ duration }) => duration))).observe({ type: "longtask" });
    Object.assign(window, { tasks });
  });
  await live(page);
  await page.waitForSelector('#stage[data-drawn="view"]');
  await page.evaluate(() => ((window as unknown as { tasks: number[] }).tasks.length = 0));
  const began = Date.now();
  await page.mouse.move(300, 200);
  for (let i = 0; i < 20; i++) {
    await page.mouse.move(200 + 10 * i, 150 + 3 * i);
    await page.mouse.wheel(0, i % 2 ? 60 : -60);
  }
  const from = await clock(page);
  await beyond(page, from + 60);
  const tasks = await page.evaluate(() => (window as unknown as { tasks: number[] }).tasks);
  t.diagnostic(`longest task of the main thread ${Math.round(Math.max(0, ...tasks))} ms, ${tasks.length} above 50 ms in ${Date.now() - began} ms (aim: none above 50 ms)`);
});

test("without scripts the page says what it needs", async (t) => {
  const { page } = await visit(t, "", { javaScriptEnabled: false, live: false });
  assert.match(await page.locator("body").innerText(), /needs JavaScript/);
  assert.match(await page.locator("body").innerText(), /Watch very different schedulers/);
});

test("who asks for little motion finds it paused", async (t) => {
  const { page } = await visit(t, "#n=200&v=1", { reducedMotion: "reduce", live: false });
  await page.waitForSelector('#status[data-mode="paused"]', { timeout: PATIENCE });
  await page.keyboard.press("Space");
  await page.waitForSelector('#status[data-mode="live"]');
});
