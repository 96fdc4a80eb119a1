// The first seconds: what index.html shows keeps its place when the page's scripts, the recording and the run come.
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { Page } from "playwright-core";
import { live, visit } from "./harness.ts";

/** Opens the page, whose script waits until it is let go. */
async function held(
  t: TestContext,
  link: string,
  viewport: { width: number; height: number },
): Promise<{ page: Page; go: () => Promise<unknown> }> {
  let release = () => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  let opened: Promise<unknown> = released;
  const page = await new Promise<Page>((resolve, reject) => {
    const prepare = async (page: Page) => {
      await page.route("**/page.js", async (route) => {
        await released;
        await route.continue();
      });
      await page.addInitScript(() => {
        const rooms: string[] = ((window as unknown as { rooms: string[] }).rooms = []);
        const seen = () => {
          const stage = document.querySelector<HTMLElement>("#stage");
          const room = stage?.style.getPropertyValue("--above");
          if (stage && room) rooms.push(`${room} ${stage.style.getPropertyValue("--below")}`);
        };
        new MutationObserver(seen).observe(document, { subtree: true, attributes: true, attributeFilter: ["style"] });
      });
      resolve(page);
    };
    opened = visit(t, link, { live: false, setup: false, viewport, prepare });
    opened.catch(reject);
  });
  await page.waitForSelector(".welcome path[d]", { state: "attached" });
  return {
    page,
    go: () => {
      release();
      return opened;
    },
  };
}

/** Where the cells begin and end in the picture on the stage, in CSS pixels of the stage. */
function drawn(page: Page): Promise<number[]> {
  return page.evaluate(() => {
    const canvas = document.querySelector<HTMLCanvasElement>(".layers canvas");
    const pen = canvas?.getContext("2d");
    if (!canvas || !pen) return [];
    const { width, height } = canvas;
    const pixels = new Uint32Array(pen.getImageData(0, 0, width, height).data.buffer);
    let [left, top, right, bottom] = [width, height, 0, 0];
    for (let y = 0; y < height; y++)
      for (let x = 0; x < width; x++) {
        if (pixels[y * width + x] === pixels[0]) continue;
        [left, top, right, bottom] = [Math.min(left, x), Math.min(top, y), Math.max(right, x + 1), Math.max(bottom, y + 1)];
      }
    return [left, top, right, bottom].map((side) => side / devicePixelRatio);
  });
}

for (const [width, height] of [
  [1280, 800],
  [390, 844],
  [844, 390],
])
  test(`at ${width} × ${height} the outlines of the first paint are where the cells come, and the map is laid out once`, async (t) => {
    const { page, go } = await held(t, "#draw=2d", { width, height });
    const outlines = await page.evaluate(() => {
      const path = document.querySelector<SVGPathElement>(".welcome path");
      const box = path?.getBBox();
      return box && path
        ? { racks: path.getAttribute("d")?.split("z").length, box: [box.x, box.y, box.x + box.width, box.y + box.height] }
        : undefined;
    });
    assert.equal(outlines?.racks, 261 + 1);
    assert.match(await page.locator(".now").innerText(), /^12,500 machines in 261 racks/);
    assert.equal(await page.locator(".promise").isVisible(), width > 760 && height > 560);
    await go();
    await page.waitForSelector("#stage[data-preview]");
    const cells = await drawn(page);
    assert.ok(
      cells.every((side, i) => Math.abs(side - (outlines?.box[i] ?? -9)) <= 1),
      `outlines ${outlines?.box}, cells ${cells}`,
    );
    await live(page);
    await page.waitForSelector("#stage[data-drawn]");
    assert.ok(await page.locator(".welcome").isHidden());
    const rooms = await page.evaluate(() => [...new Set((window as unknown as { rooms: string[] }).rooms)]);
    assert.equal(rooms.length, 1, rooms.join(", "));
  });

test("the promise stays until it is closed, and does not come back", async (t) => {
  const { page, go } = await held(t, "", { width: 1280, height: 800 });
  const home = page.url();
  assert.match(await page.locator(".promise").innerText(), /very different schedulers/);
  assert.deepEqual(await page.locator("#drawer h2").allInnerTexts(), [
    "Displaced tasks",
    "Negotiations a minute",
    "Migrations a minute",
    "Overloaded nodes, %",
  ]);
  await go();
  await live(page);
  await page.waitForSelector("#drawer .uplot");
  assert.deepEqual((await page.locator("#drawer h2").allInnerTexts()).slice(0, 4), [
    "Displaced tasks",
    "Negotiations a minute",
    "Migrations a minute",
    "Overloaded nodes, %",
  ]);
  assert.ok(await page.locator(".promise").isVisible());
  await page.click("#promise-close");
  assert.ok(await page.locator(".promise").isHidden());
  await page.goto("about:blank"); // the address of a run that began says its moment
  await page.goto(home);
  await page.waitForSelector(".welcome path[d]", { state: "attached" });
  assert.ok(await page.locator(".promise").isHidden());
});

test("what opens by a link of its own begins without the promise and without outlines", async (t) => {
  const { page } = await visit(t, "#draw=2d&n=200&v=1");
  assert.ok(await page.locator(".promise").isHidden());
  assert.equal(await page.locator(".welcome path[d]").count(), 0);
});

test("one button of the place is the primary one", async (t) => {
  const { page } = await visit(t, "#draw=2d&n=200&v=1");
  const primary = () =>
    page.evaluate(() => {
      const accent = getComputedStyle(document.querySelector<HTMLElement>("#places [aria-current]") ?? document.body).borderBottomColor;
      return [...document.querySelectorAll<HTMLElement>("button")]
        .filter((button) => button.checkVisibility() && getComputedStyle(button).backgroundColor === accent)
        .map((button) => button.id);
    });
  assert.deepEqual(await primary(), ["break"]);
  await page.click("#tab-formula");
  await page.waitForSelector("#drawer .btn.primary");
  assert.equal((await primary()).length, 1);
  for (const place of ["compare", "sweep", "plan", "papers", "gallery", "cluster"]) {
    await page.click(`#place-${place}`);
    await page.waitForFunction(
      () =>
        (document.querySelector("#place")?.childElementCount ?? 0) > 0 &&
        !/^Loading …/.test(document.querySelector<HTMLElement>("#place")?.innerText ?? ""),
    );
    assert.ok((await primary()).length <= 1, `${place}: ${(await primary()).join(", ")}`);
  }
});
