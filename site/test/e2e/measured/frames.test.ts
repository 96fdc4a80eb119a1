// How smooth the stage is, printed: pictures that are drawn a second, the longest task of
// the main thread, and how long after a click on the map or a key the next picture of the
// page is there, while it runs and at rest, at 12,500 and 100,000 nodes. What a picture is made of has its
// budgets in core/heatmap/raster (TestWorkOfAPicture).
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { live, pause, visit } from "../harness.ts";

const SPAN = 10; // s that are looked at
const TAPS = 20; // clicks on the map, and as many keys

/** Clicks and presses keys; says how long after each the next paint was, by the browser's own event timing (multiples of 8 ms, from 16 on). */
async function answers(page: Page, when: string): Promise<string> {
  await page.evaluate(() => {
    const spans = new Map<number, number>();
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as (PerformanceEventTiming & { interactionId: number })[])
        if (entry.interactionId > 0) spans.set(entry.interactionId, Math.max(entry.duration, spans.get(entry.interactionId) ?? 0));
    }).observe({ type: "event", durationThreshold: 16 } as PerformanceObserverInit);
    Object.assign(window, { spans });
  });
  const box = await page.locator(".map").boundingBox();
  assert.ok(box);
  for (let i = 0; i < TAPS; i++) {
    await page.mouse.click(box.x + box.width * (0.2 + (0.6 * i) / TAPS), box.y + box.height * (0.3 + (0.4 * ((7 * i) % TAPS)) / TAPS));
    await page.keyboard.press(["ArrowRight", "ArrowDown", "+", "-"][i % 4]);
  }
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 100))));
  const spans = await page.evaluate(() => [...(window as unknown as { spans: Map<number, number> }).spans.values()].sort((a, b) => a - b));
  const fast = 2 * TAPS - spans.length;
  const at = (share: number) => {
    const i = Math.floor(share * (2 * TAPS - 1)) - fast;
    return i < 0 ? "below 16" : String(spans[i]);
  };
  return `${when}: the next paint after ${2 * TAPS} clicks and keys in the median ${at(0.5)} ms, at the 95th percentile ${at(0.95)} ms, at most ${at(1)} ms`;
}

for (const nodes of [12_500, 100_000]) {
  test(`pictures of ${nodes} nodes`, {
    skip: process.env.PARLEY_MEASURE ? false : "PARLEY_MEASURE=1 plays them, for a minute",
  }, async (t) => {
    const { page } = await visit(t, `#n=${nodes}${process.env.PARLEY_DRAW ? `&draw=${process.env.PARLEY_DRAW}` : ""}&v=1`, { live: false });
    await page.addInitScript(() => {
      // In the page, where it shows what a worker drew, and in the renderer's frame.
      const drawn: number[] = ((window as unknown as { drawn: number[] }).drawn = []);
      const note = () => performance.now() - (drawn.at(-1) ?? -Infinity) > 4 && drawn.push(performance.now()); // several calls make one picture
      const watch = (of: object, name: string) => {
        const call = Reflect.get(of, name) as (...args: unknown[]) => unknown;
        Reflect.set(of, name, function (this: { canvas: HTMLCanvasElement }, ...args: unknown[]) {
          if (this.canvas.width > 300) note(); // the stage, not the small map
          return call.apply(this, args);
        });
      };
      watch(CanvasRenderingContext2D.prototype, "putImageData");
      watch(WebGLRenderingContext.prototype, "drawElements");
      watch(WebGL2RenderingContext.prototype, "drawElements");
    });
    await page.reload();
    await live(page);
    const pictures = () =>
      Promise.all(page.frames().map((frame) => frame.evaluate(() => (window as unknown as { drawn: number[] }).drawn)));
    while ((await pictures()).every(({ length }) => length < 20)) await page.waitForTimeout(200);
    const browser = page.context().browser();
    assert.ok(browser);
    await browser.startTracing(page, { categories: ["toplevel", "disabled-by-default-devtools.timeline", "__metadata"] });
    const before = (await pictures()).map(({ length }) => length);
    await page.waitForTimeout(SPAN * 1000); // a span of time is what is measured
    const drawn = (await pictures()).map((of, i) => of.slice(before[i])).sort((a, b) => b.length - a.length)[0];
    const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as {
      traceEvents: { name: string; pid: number; tid: number; dur?: number; tdur?: number; args: { name?: string } }[];
    };
    const mains = new Set(
      traceEvents
        .filter(({ name, args }) => name === "thread_name" && args.name === "CrRendererMain")
        .map(({ pid, tid }) => `${pid} ${tid}`),
    );
    const tasks = traceEvents.filter(({ name, pid, tid, dur }) => name === "RunTask" && dur !== undefined && mains.has(`${pid} ${tid}`));
    const most = (values: number[]) => (values.reduce((a, b) => Math.max(a, b), 0) / 1000).toFixed(1);
    const gaps = drawn
      .slice(1)
      .map((at, i) => at - drawn[i])
      .sort((a, b) => a - b);
    const at = (share: number) => (gaps[Math.floor(share * (gaps.length - 1))] ?? NaN).toFixed(0);
    console.log(
      `${nodes} nodes on ${await page.locator("#stage").getAttribute("data-drawn")}: ${(drawn.length / SPAN).toFixed(1)} pictures a second, one after ${at(0.5)} ms in the median and ${at(0.95)} at the 95th percentile; ` +
        `the longest task of the main thread ${most(tasks.map(({ tdur = 0 }) => tdur))} ms of the processor (${most(tasks.map(({ dur = 0 }) => dur))} by the clock)`,
    );
    assert.ok(drawn.length > 0);
    console.log(`${nodes} nodes, ${await answers(page, "while it runs")}`);
    await page.keyboard.press("Escape");
    await pause(page);
    console.log(`${nodes} nodes, ${await answers(page, "at rest")}`);
  });
}
