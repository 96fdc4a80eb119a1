// Lessons: the steps beside the map, in large type, in a frame of another origin; and an
// exercise, in which only the named fields may change.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "playwright-core";
import { DIST, RESULTS, serve, stands, visit } from "./harness.ts";

const LESSON = "#draw=2d&s=rounds-failures&v=1";

async function axe(page: Page, part: string): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).include(part).analyze();
  assert.deepEqual(
    violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(" | ")}`),
    [],
  );
}

test("a lesson by keys, then in large type, and back", async (t) => {
  const { page, errors } = await visit(t, LESSON, { live: false, setup: false });
  await page.waitForSelector("#lesson-next:enabled");
  await page.click("#lesson-2");
  await stands(page, 125);
  assert.equal(await page.locator('.lesson [aria-current="step"] b').innerText(), "3");
  const named = await page.locator("#inspector .steps li span").evaluateAll((names) => names.map(({ clientWidth }) => clientWidth > 1));
  assert.deepEqual([named.indexOf(true), named.lastIndexOf(true)], [1, 3], "the present step and its neighbours have their names");
  assert.match(await page.locator(".lesson p[aria-live]").innerText(), /^Worker 12 failed at 2 minutes\./);
  await page.locator("#stage .map").focus();
  await page.keyboard.press("PageDown");
  await stands(page, 185);
  await axe(page, "#inspector");

  await page.click("#lesson-present");
  await page.waitForSelector("#caption h1:has-text('Worker 31 failed as well')");
  assert.equal(await page.locator("#topbar").isVisible(), false);
  await page.locator("#drawer canvas").first().waitFor(); // the step's picture is there
  await axe(page, "#caption");
  await page.screenshot({ path: `${RESULTS}/present.png` });
  await page.keyboard.press("ArrowLeft");
  await stands(page, 125);
  await page.waitForSelector("#caption .count b:has-text('3')");
  await page.keyboard.press("PageUp");
  await stands(page, 119);
  await page.waitForFunction(() => location.hash.includes("present=1"));
  await page.keyboard.press("Escape");
  await page.waitForSelector("#caption", { state: "detached" });
  await page.waitForFunction(() => !location.hash.includes("present=1"));
  assert.ok(await page.locator("#topbar").isVisible());
  assert.deepEqual(errors, []);
});

test("a link to large type stops at each pause, with the chart as the stage, and its steps are upon the time", async (t) => {
  const { page, errors } = await visit(t, `${LESSON}&present=1&paused=1`, { live: false, setup: false });
  await page.waitForSelector("#caption .count small:has-text('steps')"); // before the first step
  await page.click("#timeline [data-command=play]");
  await stands(page, 1);
  await page.waitForSelector("#caption[aria-busy=false] .count b:has-text('1')");
  await page.click('#timeline .pins [aria-label="Step 4, 00:03:05"]');
  await page.waitForSelector("#caption[aria-busy=false] h1:has-text('Worker 31 failed as well')");
  await stands(page, 185);
  assert.equal(await page.locator('.pins [aria-current="step"]').innerText(), "4");
  const [map, chart] = [await page.locator("#stage").boundingBox(), await page.locator("#drawer .chartarea").boundingBox()];
  assert.ok(map && chart && chart.height > map.height, `the chart is the stage: ${chart?.height} beside ${map?.height} px`);
  assert.equal(await page.locator("#stage .card-node").count(), 0, "all cells are in the strip");
  await axe(page, "#timeline");
  await page.click("#present-leave");
  await page.waitForSelector(".pins", { state: "detached" });
  assert.deepEqual(errors, []);
});

test("a lesson that plays stops at each step, at its very moment", async (t) => {
  const { page, errors } = await visit(t, LESSON, { live: false, setup: false });
  await page.waitForSelector("#lesson-next:enabled");
  await page.click("#lesson-0");
  await stands(page, 1);
  await page.click("#timeline [data-command=play]");
  await stands(page, 119);
  await page.click("#timeline [data-command=play]");
  await stands(page, 125);
  assert.equal(await page.locator('.lesson [aria-current="step"] b').innerText(), "3");
  assert.deepEqual(errors, []);
});

test("in a frame of another origin: title, parts, paused; where it is refused, a sentence", async (t) => {
  let inside = "";
  const outer = createServer((_, response) => {
    response.setHeader("Content-Type", "text/html");
    response.end(
      `<!doctype html><title>Course</title><h1>Week 6</h1><iframe width="760" height="460" title="Parley" src="${inside}"></iframe>`,
    );
  });
  await new Promise<void>((done) => outer.listen(0, "127.0.0.1", done));
  t.after(() => outer.close());
  const origin = `http://127.0.0.1:${(outer.address() as AddressInfo).port}`;
  const { page } = await visit(t, LESSON, { live: false });

  inside = `${await serve(DIST, origin)}#draw=2d&embed=1&s=rounds-failures&at=3m5s&paused=1&show=gantt%2Clesson&name=Two+workers+fail&v=1`;
  await page.goto(origin);
  const frame = page.frameLocator("iframe");
  await frame.locator("#framed h1:has-text('Two workers fail')").waitFor();
  await frame.locator("#drawer canvas").first().waitFor();
  await frame.locator('#status[data-mode="paused"]').waitFor({ state: "attached" });
  assert.equal(await frame.locator("#stage").isVisible(), false, "the map is not asked for");
  assert.equal(await frame.locator("#drawer [role=tab]:visible").count(), 0, "one tab needs no list");
  await frame.locator("#caption h2:has-text('Worker 31 failed as well')").waitFor(); // the way to its moment takes a while
  const open = frame.locator("#framed a");
  await open.focus();
  await open.evaluate((link: HTMLAnchorElement) => {
    return new Promise<void>((done) => {
      const look = () => (link.href.includes("at=3m5s") ? done() : setTimeout(look, 20));
      look();
    });
  });
  const href = await open.getAttribute("href");
  assert.ok(href && !/embed=|show=|paused=/.test(href) && href.includes("name=Two+workers+fail"), href ?? "");
  await axe(page, "iframe");
  await page.screenshot({ path: `${RESULTS}/embed.png` });

  inside = `${await serve()}#embed=1`;
  await page.goto(origin);
  await frame.locator(`p:has-text("This Parley may not be shown in a page of ${origin}")`).waitFor();
});

test("an exercise lets a student change the named fields only, and lists the changes", async (t) => {
  const { page, errors } = await visit(t, "#draw=2d&s=rounds-failures&may=settings.adapt&v=1", { live: false });
  await page.waitForSelector("#task-adapt");
  assert.ok(await page.locator("#setting-algorithm").isDisabled());
  assert.ok(await page.locator("#seed").isDisabled());
  await page.selectOption("#task-adapt", "factoring");
  await page.waitForSelector(".task .changed li:has-text('fixed → factoring')");
  await page.waitForFunction(() => location.hash.includes("x.adapt=factoring") && location.hash.includes("may=settings.adapt"));
  await page.keyboard.press("1"); // another system
  await page.waitForSelector("#toast:has-text('you may change: adapt')");
  assert.match(await page.evaluate(() => location.hash), /s=rounds-failures/);
  assert.ok(!(await page.evaluate(() => location.hash)).includes("sys="));
  await axe(page, ".task");
  assert.deepEqual(errors, []);
});
