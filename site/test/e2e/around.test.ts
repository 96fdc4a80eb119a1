// What stands around the map: the line at the bottom where something runs, paper, one primary
// button on a phone, and nodes that are switched off.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { SMALL, visit } from "./harness.ts";

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true };

test("the line at the bottom tells of a run only where the run is seen, and goes where it stands", async (t) => {
  const { page } = await visit(t);
  const figures = page.locator("#status > .run:visible");
  assert.equal(await figures.count(), 6);
  await page.click("#place-gallery");
  await page.locator("#place .panel").waitFor();
  assert.equal(await figures.count(), 0, "no figures of a run that is not seen");
  assert.ok(await page.locator("#status .privacy").isVisible());
  const { height } = page.viewportSize() ?? { height: 0 };
  await page.click("#place-watch");
  await page.click('#timeline [data-command="play"]');
  await page.waitForSelector('#status[data-mode="paused"]');
  await page.click("#place-gallery");
  await page.locator("#status").waitFor({ state: "hidden" });
  const place = await page.locator("#place").boundingBox();
  assert.equal(place && Math.round(place.y + place.height), height, "the place has its room");
});

/** The mean lightness of a part of the page, 0 to 255, as it is on the screen. */
async function lightness(page: Page, part: string): Promise<number> {
  const picture = (await page.locator(part).screenshot()).toString("base64");
  return page.evaluate(async (data) => {
    const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${data}`)).blob());
    const pen = new OffscreenCanvas(image.width, image.height).getContext("2d");
    pen?.drawImage(image, 0, 0);
    const pixels = pen?.getImageData(0, 0, image.width, image.height).data ?? new Uint8ClampedArray();
    return pixels.reduce((sum, value, i) => sum + (i % 4 === 3 ? 0 : value), 0) / (0.75 * pixels.length);
  }, picture);
}

test("the dark stage is printed light", async (t) => {
  const { page } = await visit(t, `${SMALL}&at=20s&paused=1`, { colorScheme: "dark", live: false, setup: false, bypassCSP: true });
  await page.waitForSelector("#stage[data-drawn]");
  const dark = await lightness(page, "#stage");
  await page.emulateMedia({ media: "print" });
  const paper = await lightness(page, "#stage");
  assert.ok(dark < 70 && paper > 150, `the stage has the lightness ${dark} on the screen, ${paper} on paper`);
});

test("on a phone Break is the primary button beside a lesson too, until its sheet is open", async (t) => {
  const { page } = await visit(t, "#draw=2d&s=rounds-failures&v=1", { ...PHONE, live: false, setup: false });
  const ground = (selector: string) => page.locator(selector).evaluate((element) => getComputedStyle(element).backgroundColor);
  await page.waitForSelector("#tab-lesson:visible");
  await page.locator("#tab-lesson").click();
  await page.waitForSelector("#drawer .btn.primary");
  const primary = await ground("#drawer .btn.primary");
  assert.notEqual(await ground("#break"), primary, "the lesson has the primary button");
  await page.keyboard.press("Escape");
  await page.waitForSelector("body:not(.show-drawer)");
  await page.waitForFunction((wanted) => {
    const button = document.querySelector("#break");
    return button !== null && getComputedStyle(button).backgroundColor === wanted;
  }, primary);
});

/** Jobs of two minutes, one every ten minutes, on two of eight nodes. */
const CALM = [
  "; MaxNodes: 8",
  "; MaxProcs: 8",
  ...Array.from({ length: 12 }, (_, i) => `${i + 1} ${600 * i} -1 120 2 -1 -1 2 180 -1 1 1 1 -1 1 -1 -1 -1`),
].join("\n");

test("nodes that are switched off are counted beside the map, and no others", async (t) => {
  const { page, errors } = await visit(t, "#draw=2d&n=200&sys=central&v=1&x.batch.off.after_us=60000000", { setup: false });
  const off = page.locator("#legend .marks > span", { hasText: /^off/ });
  assert.equal(await off.isVisible(), false, "no node of a cell is switched off");
  await page.setInputFiles("#files", { name: "calm.swf", mimeType: "text/plain", buffer: Buffer.from(CALM + "\n") });
  await off.waitFor();
  await page.waitForFunction(() =>
    /^off\s+[678]$/.test(
      [...document.querySelectorAll("#legend .marks > span")]
        .map((mark) => (mark.textContent ?? "").trim())
        .find((text) => text.startsWith("off")) ?? "",
    ),
  );
  assert.deepEqual(errors, []);
});
