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

test("who asks for little motion finds it paused at the recording's last frame, which is the run's, to the pixel", async (t) => {
  const { page } = await visit(t, "#draw=2d", {
    reducedMotion: "reduce",
    live: false,
    prepare: async (opened) => {
      await opened.addInitScript(() => {
        const pictures: { at: number; sum: number }[] = [];
        const put = CanvasRenderingContext2D.prototype.putImageData as (
          this: CanvasRenderingContext2D,
          image: ImageData,
          x: number,
          y: number,
        ) => void;
        CanvasRenderingContext2D.prototype.putImageData = function (
          this: CanvasRenderingContext2D,
          image: ImageData,
          x: number,
          y: number,
        ) {
          if (this.canvas.className === "cells")
            pictures.push({
              at: performance.now(),
              sum: new Uint32Array(image.data.buffer).reduce((sum, pixel) => (Math.imul(sum, 16777619) ^ pixel) >>> 0, image.width),
            });
          put.call(this, image, x, y);
        };
        Object.assign(window, { pictures });
      });
    },
  });
  await page.waitForSelector("#stage[data-preview]");
  assert.match(await page.locator(".preview").innerText(), /Preview.*Play/s);
  await page.waitForSelector("#stage[data-drawn]");
  await page.waitForSelector('#status[data-mode="paused"]', { timeout: PATIENCE });
  const [recorded, own] = await page.evaluate(() => {
    const { pictures } = window as unknown as { pictures: { at: number; sum: number }[] };
    const drawn = performance.getEntriesByName("parley-drawn")[0].startTime;
    return pictures
      .filter(({ at }) => at <= drawn)
      .slice(-2)
      .map(({ sum }) => sum);
  });
  assert.equal(own, recorded);
  assert.equal(await clock(page), 120);
  await page.locator("#invite").click();
  await page.waitForSelector('#status[data-mode="live"]');
  assert.ok(await page.locator(".preview").isHidden());
});
