// The manual: readable for assistive technology, on a phone, in both themes and without a
// network, and found from the page.
import assert from "node:assert/strict";
import { test } from "node:test";
import { axe, kept, live, RESULTS, SMALL, serve, visit } from "./harness.ts";

const PAGES = ["index.html", "backfilling.html", "reference/metrics.html", "systems/market.html"];

for (const colorScheme of ["light", "dark"] as const) {
  for (const [width, height] of [
    [1280, 800],
    [390, 844],
  ]) {
    test(`the manual has no barrier and does not scroll sideways, ${colorScheme}, ${width}×${height}`, async (t) => {
      const { page, home, errors, foreign } = await visit(t, "manual/index.html", {
        live: false,
        colorScheme,
        viewport: { width, height },
      });
      for (const name of PAGES) {
        await page.goto(`${home}manual/${name}`);
        await axe(page, name);
        const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        assert.equal(over, 0, `${name} is ${over} pixels too wide`);
        const dark = await page.evaluate(() => getComputedStyle(document.body).backgroundColor === "rgb(12, 15, 20)");
        assert.equal(dark, colorScheme === "dark", `${name}: the theme of the system`);
        await page.screenshot({ path: `${RESULTS}/${name.replace("/", "-")}-${colorScheme}-${width}.png` });
      }
      assert.deepEqual([errors, foreign], [[], []]);
    });
  }
}

test("the manual leads from page to page, to a heading, and back to the laboratory in the theme that was chosen there", async (t) => {
  const { page, home } = await visit(t, "manual/index.html", { live: false, colorScheme: "light" });
  await page.evaluate(() => localStorage.setItem("theme", "dark"));
  const follow = async (link: string, to: string) => {
    await Promise.all([page.waitForURL(`${home}manual/${to}`), page.click(link)]); // a click does not wait for the page that it leads to
  };
  await follow("#contents >> text=Sample files", "samples/readme.html");
  await follow("[rel=next]", "backfilling.html");
  assert.equal(await page.getAttribute("html", "data-theme"), "dark");
  await page.goto(`${home}manual/systems/market.html`);
  await follow("main >> text=Metrics", "reference/metrics.html#of-auction-market");
  await page.waitForFunction(() => {
    const top = document.querySelector("#of-auction-market")?.getBoundingClientRect().top;
    return top !== undefined && Math.abs(top) < innerHeight;
  });
  await page.click("header >> text=Parley");
  await live(page);
});

test("the palette finds a heading of the manual, and the help links to it; what was read once is read again without a network", async (t) => {
  const { page, context } = await visit(t, SMALL, { serviceWorkers: "allow" });
  await kept(page);
  const home = await serve();
  await page.goto("about:blank");
  await page.goto(home + SMALL); // now from what is kept
  await live(page);
  const find = async () => {
    await page.click("[data-command=palette]");
    await page.fill("dialog.finder input", "rigid jobs");
    const [read] = await Promise.all([
      context.waitForEvent("page"),
      page.click('dialog.finder li:has-text("Manual: Metrics: Of rigid jobs")'),
    ]);
    await read.waitForSelector("#of-rigid-jobs");
    return read;
  };
  await (await find()).waitForLoadState(); // all that it loads is kept by then
  await context.setOffline(true);
  const read = await find();
  assert.equal(read.url(), `${home}manual/reference/metrics.html#of-rigid-jobs`);
  assert.equal(
    await read.evaluate(() => getComputedStyle(document.querySelector("header") ?? document.body).position),
    "sticky",
    "with its styles",
  );
  await context.setOffline(false);
  await page.click("[data-command=help]");
  const [contents] = await Promise.all([context.waitForEvent("page"), page.click("dialog >> text=Manual")]);
  await contents.waitForSelector("h1 >> text=The Parley manual");
});
