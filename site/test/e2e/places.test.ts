// The places of the page: each has its address, is reached by keyboard alone and
// keeps to the rules of accessibility in both themes.
import assert from "node:assert/strict";
import { test } from "node:test";
import { deflateRawSync } from "node:zlib";
import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "playwright-core";
import { RESULTS, SMALL, visit } from "./harness.ts";

async function axe(page: Page, what: string): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).analyze();
  assert.deepEqual(
    violations.map(({ id, nodes }) => `${what}: ${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(" | ")}`),
    [],
  );
}

for (const colorScheme of ["light", "dark"] as const) {
  test(`gallery, plan and papers are accessible, ${colorScheme}`, async (t) => {
    const { page, errors, foreign } = await visit(t, "#draw=2d&n=200&p=gallery&v=1", { colorScheme, live: false });
    await page.waitForFunction(() => document.querySelector<HTMLImageElement>(".question img")?.naturalWidth);
    assert.match((await page.locator(".question img").first().getAttribute("src")) ?? "", new RegExp(`-${colorScheme}\\.png$`));
    await axe(page, "gallery");
    await page.screenshot({ path: `${RESULTS}/gallery-${colorScheme}.png` });
    await page.click("#place-plan");
    await page.waitForSelector("#plan-makespan");
    await axe(page, "plan");
    await page.click("#place-papers");
    await page.waitForSelector(".experiments li");
    await axe(page, "papers");
    assert.deepEqual(errors, []);
    assert.deepEqual(foreign, []);
  });
}

test("a question of the gallery is opened with the keyboard, and Back leads to it again", async (t) => {
  const { page, errors } = await visit(t, "#draw=2d&n=200&p=gallery&v=1", { live: false });
  await page.waitForSelector("#question-rounds-failures");
  await page.focus("#only-rounds");
  await page.keyboard.press("Enter");
  await page.waitForSelector("#question-google-cell", { state: "detached" });
  await page.focus("#question-rounds-failures");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => location.hash.includes("s=rounds-failures") && !location.hash.includes("p=gallery"));
  await page.waitForSelector('#status:is([data-mode="live"], [data-mode="ended"])'); // it is a short run
  assert.equal(await page.locator("#system").inputValue(), "rounds");
  await page.click("#place-gallery");
  await page.waitForSelector('#question-rounds-failures[aria-current="true"]');
  assert.deepEqual(errors, []);
});

test("how a system works is drawn and told, for every system", async (t) => {
  const { page, errors } = await visit(t, "#draw=2d&n=50&v=1");
  const ids = await page.locator("#system option").evaluateAll((options) => options.map((option) => (option as HTMLOptionElement).value));
  await page.click("#how");
  await page.waitForSelector("dialog.how svg .party");
  const { violations } = await new AxeBuilder({ page }).include("dialog.how").analyze();
  assert.deepEqual(
    violations.map(({ id }) => id),
    [],
  );
  assert.equal(await page.locator("dialog.how ol li").count(), await page.locator("dialog.how .said").count());
  await page.keyboard.press("Escape");
  await page.waitForSelector("#how:focus"); // where the viewer was
  for (const id of ids) assert.equal(await page.evaluate(async (name) => (await fetch(`how/${name}.json`)).status, id), 200, id);
  assert.deepEqual(errors, []);
});

test("runs and their files are kept when the viewer wants it, opened after the tab is gone, and forgotten", async (t) => {
  const { page, context, errors, foreign, home } = await visit(t, SMALL);
  await page.click("#place-gallery");
  await page.waitForFunction(() => document.querySelector(".recents [role=status]")?.textContent?.startsWith("Nothing is kept")); // by itself
  await page.click("#keep-runs");
  await page.click("#keep-files");
  await page.click("#place-watch");
  const row = "0,5,0,platform,0.5,0.2493\n"; // as in compare.test.ts
  const tasks = "0,,3418309,0,,0,user,3,9,0.125,0.07446,0.0004244,0\n86400000000,,3418309,0,5,4,user,3,9,0.125,0.07446,0.0004244,0\n";
  await page.setInputFiles("#files", [
    { name: "machine_events.csv", mimeType: "text/csv", buffer: Buffer.from(row) },
    { name: "task_events.csv", mimeType: "text/csv", buffer: Buffer.from(tasks) },
  ]);
  await page.waitForSelector('#setup dt:text-is("task events")');
  await page.click("#place-gallery");
  await page.waitForFunction(() => document.querySelector(".recents [role=status]")?.textContent?.includes("and 139 B of files"));
  const again = await context.newPage();
  await page.close(); // a browser forgets what a private window kept with its last tab
  again.setDefaultTimeout(60_000);
  await again.goto(`${home}/#draw=2d&n=200&p=gallery&v=1`);
  await again.click('#recents .question:has(strong:text("machine_events.csv and 1 more"))');
  await again.waitForSelector('#setup dt:text-is("task events")', { state: "attached" });
  await again.click("#place-gallery");
  await again.waitForSelector("#recents img");
  const { violations } = await new AxeBuilder({ page: again }).include(".recents").analyze();
  assert.deepEqual(
    violations.map(({ id }) => id),
    [],
  );
  await again.screenshot({ path: `${RESULTS}/recents.png` });
  await again.click("#forget");
  await again.waitForFunction(() => document.querySelector(".recents [role=status]")?.textContent?.startsWith("Nothing is kept"));
  assert.equal(await again.isChecked("#keep-runs"), false);
  assert.equal(await again.locator("#recents .question").count(), 0);
  assert.deepEqual(errors, []);
  assert.deepEqual(foreign, []);
});

test("a place that is opened before the run is a step that Back returns from", async (t) => {
  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  const prepare = async (page: Page) => void (await page.route("**/worker.wasm", (route) => held.then(() => route.continue())));
  const { page, errors } = await visit(t, "#draw=2d&n=200&p=plan&v=1", { live: false, setup: false, prepare });
  await page.click("#place-sweep");
  await page.waitForSelector('#place-sweep[aria-current="page"]');
  const before = await page.evaluate(() => history.length);
  release();
  await page.waitForFunction(() => /[#&]p=sweep/.test(location.hash));
  assert.equal(await page.evaluate(() => history.length), before + 1);
  await page.goBack();
  await page.waitForSelector('#place-plan[aria-current="page"]');
  assert.deepEqual(errors, []);
});

test("an address that was about to be written is not written over one that was gone back to", async (t) => {
  const packed = deflateRawSync(
    '{"v":1,"name":"Racks of 20","system":"negotiation","seed":3,"cluster":{"nodes":200,"physical":{"rack_size":20}}}',
  ).toString("base64url");
  const { page, errors } = await visit(t, `#draw=2d&p=plan&v=1&z=1.${packed}`, { live: false, setup: false });
  await page.waitForFunction(() => /[#&]d=/.test(location.hash)); // the run goes on
  await page.click("#place-sweep");
  await page.waitForFunction(() => /[#&]p=sweep/.test(location.hash));
  await page.evaluate(() => {
    const { prototype } = Response;
    const { arrayBuffer } = prototype;
    const held = new Promise<void>((resolve) => addEventListener("release", () => resolve()));
    let asked = 0; // times that a scenario was packed
    prototype.arrayBuffer = async function () {
      document.body.dataset.packed = String(++asked);
      await held;
      return arrayBuffer.call(this);
    };
  });
  await page.waitForSelector("body[data-packed]");
  await page.goBack();
  await page.waitForSelector('#place-plan[aria-current="page"]');
  await page.evaluate(() => dispatchEvent(new Event("release")));
  await page.waitForFunction(() => Number(document.body.dataset.packed) > 2 && /[#&]p=plan/.test(location.hash)); // later ones were written
  await page.goForward();
  await page.waitForSelector('#place-sweep[aria-current="page"]');
  assert.deepEqual(errors, []);
});

test("what is planned and what is varied come back from the address", async (t) => {
  const { page, errors } = await visit(t, "#draw=2d&n=200&p=plan&v=1", { live: false, setup: false });
  const written = (before: string) =>
    page.waitForFunction((old) => /[#&]ask=1\./.test(location.hash) && !location.hash.includes(`ask=${old}`), before);
  const ask = () => page.evaluate(() => new URLSearchParams(location.hash.slice(1)).get("ask") ?? "");
  await page.fill("#plan-load", "250");
  await written("none");
  const plan = await ask();
  await page.reload();
  await page.waitForFunction(() => document.querySelector<HTMLInputElement>("#plan-load")?.value === "250");
  assert.equal(await ask(), plan, "the address stays as it was");

  await page.click("#place-sweep");
  await page.waitForFunction(() => document.querySelector<HTMLInputElement>("#sweep-values-1")?.value !== undefined);
  await page.waitForFunction(() => /[#&]p=sweep/.test(location.hash) && !/[#&]ask=/.test(location.hash)); // the usual sweep needs no key
  await page.fill("#sweep-seeds", "2");
  await written("none");
  const seeds = await ask();
  await page.fill("#sweep-values-1", "0.9, 1.1");
  await written(seeds);
  await page.reload();
  await page.waitForFunction(() => document.querySelector<HTMLInputElement>("#sweep-values-1")?.value === "0.9, 1.1");
  await page.waitForSelector("#sweep-start:enabled");
  assert.equal(await page.inputValue("#sweep-seeds"), "2");
  await page.goBack();
  await page.waitForFunction(() => document.querySelector<HTMLInputElement>("#plan-load")?.value === "250");
  assert.deepEqual(errors, []);
});
