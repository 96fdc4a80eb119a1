// Without WebGL the page's own drawing stays, and everything works.
import assert from "node:assert/strict";
import { test } from "node:test";
import { beyond, clock, middle, settled, visit } from "./harness.ts";
import { apart } from "./pictures.ts";

test("without WebGL the page draws by itself", async (t) => {
  const { page, errors } = await visit(t, "#n=200&v=1", { flags: ["--disable-3d-apis"] });
  await beyond(page, (await clock(page)) + 60);
  await page.waitForFunction(() => document.querySelector("#stage iframe") === null);
  assert.equal(await page.locator("#stage").getAttribute("data-drawn"), "canvas");
  await middle(page);
  assert.match(await page.locator(".tip").innerText(), /CPU \d+ %/);
  const lit = await page.locator("canvas.cells").evaluate((canvas: HTMLCanvasElement) => {
    const pixels = canvas.getContext("2d")?.getImageData(0, 0, canvas.width, canvas.height).data ?? [];
    let count = 0;
    for (let i = 0; i < pixels.length; i += 4) if (pixels[i] + pixels[i + 1] + pixels[i + 2] > 60) count++;
    return count;
  });
  assert.ok(lit > 10_000, `${lit} pixels show cells`);
  assert.deepEqual(errors, []);
});

test("without a graphics card the page draws by itself, unless draw=gl asks for the renderer", async (t) => {
  const { page } = await visit(t, "#n=200&v=1"); // the browser of the tests has none
  await beyond(page, (await clock(page)) + 60);
  await page.evaluate(() => new Promise((done) => requestIdleCallback(done)));
  assert.equal(await page.locator("#stage iframe").count(), 0);
  assert.equal(await page.locator("#stage").getAttribute("data-drawn"), "canvas");
  const { page: other } = await visit(t, "#draw=gl&n=200&v=1");
  await other.waitForSelector('#stage[data-drawn="view"]');
  assert.match(await other.evaluate(() => location.hash), /draw=gl/);
});

test("draw=2d keeps the page's own drawing", async (t) => {
  const { page } = await visit(t, "#draw=2d&n=200&v=1");
  await beyond(page, (await clock(page)) + 60);
  assert.equal(await page.locator("#stage iframe").count(), 0);
  assert.match(await page.evaluate(() => location.hash), /draw=2d/);
});

test("both drawings show the same picture", async (t) => {
  const stage = async (link: string, drawn: string) => {
    const { page } = await visit(t, link, { live: false, reducedMotion: "reduce" });
    await page.waitForSelector(`#stage[data-drawn="${drawn}"]`);
    await page.waitForSelector('#status[data-mode="paused"]');
    return page;
  };
  const own = await stage("#draw=2d&n=200&v=1", "canvas");
  const other = await stage("#draw=gl&n=200&v=1", "view");
  const clip = await own.locator("#stage").boundingBox();
  assert.ok(clip);
  const share = async () => apart(own, await own.screenshot({ clip }), await other.screenshot({ clip }));
  await settled(async () => {
    // either may draw its last picture a little later
    const differ = await share();
    const said = `${(100 * differ).toFixed(2)} % of the stage's pixels differ by more than 24 of 255`;
    if (differ < 0.03) t.diagnostic(said);
    return differ < 0.03 ? "" : said;
  });
});
