// The planner of virtual clusters and of task graphs, with all algorithms side by side.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "playwright-core";
import { RESULTS, visit } from "./harness.ts";

async function axe(page: Page): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).include("#place").analyze();
  assert.deepEqual(
    violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(" | ")}`),
    [],
  );
}

/** Waits until the sentence above the plan reads so. */
const says = (page: Page, text: RegExp) =>
  page.waitForFunction((pattern) => new RegExp(pattern).test(document.querySelector(".summary")?.textContent ?? ""), text.source);

/** Waits until all algorithms but slow ones have answered, and returns what each reached. */
async function sideBySide(page: Page, algorithms: number): Promise<Record<string, string>> {
  await page.waitForFunction((wanted) => {
    const rows = [...document.querySelectorAll(".beside tbody tr")];
    return (
      rows.length === wanted && rows.every((row) => !row.classList.contains("old") && row.querySelector(".detail")?.textContent !== "…")
    );
  }, algorithms);
  return Object.fromEntries(
    await page
      .locator(".beside tbody tr")
      .evaluateAll((rows) => rows.map((row) => [row.querySelector("th")?.textContent ?? "", row.querySelector("td.n")?.textContent ?? ""])),
  );
}

const openFile = (page: Page, name: string, text: string) =>
  page.setInputFiles("#plan-file", { name, mimeType: "text/plain", buffer: Buffer.from(text) });

test("virtual clusters: jobs that are typed or opened, algorithms side by side, hosts that show who gets what", async (t) => {
  const { page, errors, foreign } = await visit(t);
  await page.click("#place-plan");
  await page.waitForSelector("#plan-makespan");
  await page.locator("#plan-kind-load").press("ArrowRight");
  await says(page, /smallest yield/);
  const there = await sideBySide(page, 16);
  assert.equal(there.exact, "–", "it may take long");
  assert.ok(Number(there.lp) >= Number.parseFloat(there.mcb8) && Number.parseFloat(there.mcb8) > 0.3, JSON.stringify(there));
  await axe(page);
  await page.screenshot({ path: `${RESULTS}/plan-yield.png` });
  await openFile(page, "two.json", '{"hosts":1,"jobs":[{"cpu":1,"mem":0.25,"tasks":2}]}'); // two tasks share one CPU
  await says(page, /^0\.5000 smallest yield · at the bound/);
  assert.equal(await page.locator("#plan-hosts").inputValue(), "1");
  assert.equal(await page.locator(".host rect").count(), 4);
  await page.click("#plan-by-exact");
  await says(page, /proven the best · .* · exact · /);
  assert.equal(await page.locator("#plan-algorithm").inputValue(), "exact");
  await page.fill("#plan-hosts", "2");
  await says(page, /^1\.0000 smallest yield/);
  await page.fill("#plan-0-mem", "0.8");
  await page.fill("#plan-hosts", "1");
  await says(page, /^No placement exists: that is proven/);
  await page.fill("#plan-0-cpu", "2");
  await says(page, /^job 0: cpu is 2; give a fraction of one host/);
  await openFile(page, "none.json", '{"hosts":1}');
  await says(page, /^none\.json: .*jobs is missing/);
  await page.locator("#plan-kind-graph").check({ force: true });
  await says(page, /makespan/);
  await page.locator("body").press("Control+e");
  const [picture] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "The plan as SVG", exact: true }).click(),
  ]);
  const drawn = readFileSync(await picture.path(), "utf8");
  assert.match(drawn, /^<svg[\s\S]*proc\. 3[\s\S]*<\/svg>\s*$/);
  assert.ok(!drawn.includes("metadata"), "it is not of the run, whose scenario it does not carry");
  assert.deepEqual(errors, []);
  assert.deepEqual(foreign, []);
});

test("a task graph: the example, a workflow on equal processors, and a file that brings its own", async (t) => {
  const { page, errors } = await visit(t, undefined, { viewport: { width: 390, height: 844 }, colorScheme: "dark" });
  await page.click("#place-plan");
  await page.waitForSelector("#plan-makespan");
  await page.locator("#plan-kind-graph").check({ force: true });
  await says(page, /makespan .*35 tasks, 55 dependencies, 4 processors/);
  await sideBySide(page, 5);
  await axe(page);
  await page.fill("#plan-graph-size", "3");
  await says(page, /5 tasks/);
  await openFile(page, "w.dax", '<adag name="w"><job id="a" name="one" runtime="3"/><job id="b" name="two" runtime="4"/></adag>');
  await says(page, /^4 s makespan · 0 % above the bound/);
  await page.fill("#plan-graph-processors", "1");
  await says(page, /^7 s makespan/);
  assert.deepEqual(await sideBySide(page, 5), { heft: "7 s ★", cpop: "7 s ★", peft: "7 s ★", "min-min": "7 s ★", "max-min": "7 s ★" });
  await page.fill("#plan-graph-processors", "none");
  await says(page, /^There are "none" processors/);
  await openFile(
    page,
    "own.json",
    '{"processors":[{"speed":1,"bandwidth":1e6},{"speed":2,"bandwidth":1e6}],"tasks":[{"name":"split","work":2},{"name":"left","work":8},{"name":"right","work":6}],"arcs":[{"from":"split","to":"left","bytes":5e5},{"from":"split","to":"right","bytes":5e5}]}',
  );
  await says(page, /^There are "none" processors/); // what is wrong stays wrong until it is mended
  await page.fill("#plan-graph-processors", "3");
  await says(page, /^7\.5 s makespan/); // as parley plan graph says
  await page.waitForSelector("#plan-graph-processors", { state: "hidden" });
  await page.locator(".gantt [role=application]").press("ArrowRight");
  await page.waitForFunction(() =>
    /^split on processor 1: 0\.0+ – 1\.0+ s/.test(document.querySelector(".gantt .piece")?.textContent ?? ""),
  );
  await openFile(page, "bad.stg", "3 what");
  await says(page, /^bad\.stg/);
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "the page itself does not scroll sideways");
  await page.screenshot({ path: `${RESULTS}/plan-graph-phone.png` });
  assert.deepEqual(errors, []);
});
