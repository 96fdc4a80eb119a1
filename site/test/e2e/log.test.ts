// Logs of rigid jobs: dropped while something else runs they are played by a system that
// can, on the machine of their header, with charts of what jobs feel.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { drop, visit } from "./harness.ts";
import { LOG } from "./swf.ts";

const charts = (page: Page) => page.locator("#drawer .chart h2").allInnerTexts();

test("a chart of jobs follows the log, and goes with it", async (t) => {
  const { page, errors } = await visit(t);
  await drop(page, "small.swf", LOG);
  await page.waitForSelector('#setup dt:text-is("jobs")');
  await page.selectOption(".pace select", "300"); // the log is over after a minute of watching
  await page.waitForFunction(() => {
    const figures = [...document.querySelectorAll("#drawer .chart")];
    const jobs = figures.find((one) => one.querySelector("h2")?.textContent === "Jobs");
    const values = [...(jobs?.querySelectorAll("b") ?? [])];
    return values.length > 1 && values.every((value) => Number(value.textContent) > 0); // some run and some wait
  });
  await page.click("#entry-google-cell");
  await page.waitForSelector('#drawer .chart h2:has-text("Overloaded nodes, %")');
  assert.ok(!(await charts(page)).includes("Bounded slowdown"));
  assert.equal(await page.locator("#setup .said").innerText(), "");
  assert.deepEqual(errors, []);
});

test("a link to a policy that does not suit says what does", async (t) => {
  const { page, errors } = await visit(t, "#draw=2d&n=200&sys=central&v=1&x.policy=easy", { live: false });
  const dialog = page.locator('dialog.trouble[data-class="setting"]');
  await dialog.waitFor();
  assert.match(
    await dialog.locator(".sentence").innerText(),
    /the policy starts rigid jobs and the workload brings tasks: open a log of rigid jobs \(SWF\), or choose one of best-fit/,
  );
  assert.deepEqual(errors, []);
});
