// Logs of rigid jobs: dropped while something else runs they are played by a system that
// can, on the machine of their header, with charts of what jobs feel.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { beyond, clock, visit } from "./harness.ts";

/** 300 jobs of 1 to 8 processors, one a minute, that run up to half an hour: more than 16 processors do. */
const jobs = Array.from({ length: 300 }, (_, i) => {
  const processors = 1 + ((i * 5) % 8);
  const run = 60 + ((i * 637) % 1740);
  return `${i + 1} ${60 * i} -1 ${run} ${processors} -1 -1 ${processors} ${run + 300} -1 1 ${1 + (i % 7)} 1 -1 1 -1 -1 -1`;
});
const header = ["; Version: 2.2", "; MaxNodes: 8", "; MaxProcs: 16"];
const text = (...lines: string[]) => Buffer.from(lines.join("\n") + "\n");
const log = text(...header, ...jobs);

async function drop(page: Page, name: string, content: Buffer): Promise<void> {
  const dataTransfer = await page.evaluateHandle(
    ([file, rows]) => {
      const data = new DataTransfer();
      data.items.add(new File([rows], file));
      return data;
    },
    [name, content.toString()],
  );
  await page.dispatchEvent("#stage", "drop", { dataTransfer });
}

const charts = (page: Page) => page.locator("#drawer .chart h2").allInnerTexts();

/** What the command line says of the same log. */
function played(): { digest: string; warnings: string[] } {
  const folder = mkdtempSync(join(tmpdir(), "parley-"));
  try {
    const file = join(folder, "small.swf");
    writeFileSync(file, log);
    const report = execFileSync("go", ["run", "-buildvcs=false", "./tools/parley", "run", file, "--system", "central", "--json"], {
      cwd: "..",
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
    return JSON.parse(report) as { digest: string; warnings: string[] };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test("a log of rigid jobs that is dropped while agents negotiate is played by EASY, as the command line plays it", async (t) => {
  const { page, errors } = await visit(t);
  await page.waitForSelector('#drawer .chart h2:text-is("Nodes in trouble")');
  await drop(page, "small.swf", log);
  await page.waitForSelector('#setup dt:text-is("jobs")');
  assert.equal(
    await page.locator("#toast span").innerText(),
    "Agent negotiation cannot schedule the files' jobs: they are played by Central scheduler. " +
      "The files bring rigid jobs and no policy was chosen: they are scheduled by easy (EASY backfilling). " +
      "Machines assumed: 8 nodes of 2 processors, 16 in all, from MaxProcs of the header and MaxNodes.",
  );
  assert.match(await page.locator("#setup .said").innerText(), /Machines assumed: 8 nodes of 2 processors/);
  assert.ok(await page.locator("#system-central").isChecked());
  await page.waitForSelector('#drawer .chart h2:text-is("Jobs")');
  assert.deepEqual(await charts(page), ["Jobs", "Wait, minutes", "Bounded slowdown", "Processors used"]);
  for (let i = 0; i < 10; i++) await page.keyboard.press("]"); // as fast as it goes
  await page.waitForSelector('#status[data-mode="ended"]');
  const report = played();
  await page.click("#tab-report");
  await page.waitForSelector(`#drawer dd:text-is("${report.digest}")`);
  assert.ok(
    report.warnings.some((warning) => warning.startsWith("machines assumed: 8 nodes of 2 processors")),
    report.warnings.join("\n"),
  );
  await page.waitForFunction(() => location.hash.includes("need=")); // the link says which file it plays
  assert.match(await page.locator('#drawer tr:has(th:text-is("Wait of all jobs"))').innerText(), /min/);
  assert.deepEqual(errors, []);
});

test("a chart of jobs follows the log, and goes with it", async (t) => {
  const { page, errors } = await visit(t);
  await drop(page, "small.swf", log);
  await page.waitForSelector('#setup dt:text-is("jobs")');
  for (let i = 0; i < 4; i++) await page.keyboard.press("]");
  await page.waitForFunction(() => {
    const figures = [...document.querySelectorAll("#drawer .chart")];
    const jobs = figures.find((one) => one.querySelector("h2")?.textContent === "Jobs");
    return [...(jobs?.querySelectorAll("b") ?? [])].every((value) => Number(value.textContent) > 0); // some run and some wait
  });
  await page.click("#entry-google-cell");
  await page.waitForSelector('#drawer .chart h2:text-is("Nodes in trouble")');
  assert.ok(!(await charts(page)).includes("Bounded slowdown"));
  assert.equal(await page.locator("#setup .said").innerText(), "");
  assert.deepEqual(errors, []);
});

test("a broken log ends in a sentence with its line, and what runs goes on", async (t) => {
  const { page, errors } = await visit(t);
  await drop(page, "broken.swf", text(...header, jobs[0], jobs[1].replace(/^2 60/, "2 soon"), ...jobs.slice(2)));
  const dialog = page.locator('dialog.trouble[data-class="bad-line"]');
  await dialog.waitFor();
  assert.match((await dialog.locator(".sentence").innerText()).replaceAll("\n", " "), /broken\.swf.*line 5.*soon/);
  await page.keyboard.press("Escape");
  await beyond(page, await clock(page));
  assert.ok(await page.locator("#system-negotiation").isChecked());
  assert.deepEqual(errors, []);
});

test("a link to a policy that does not suit says what does", async (t) => {
  for (const [link, says] of [
    ["#n=200&v=1&x.policy=easy", /negotiation has no policy, which is a setting of the system central: choose that system/],
    [
      "#n=200&sys=central&v=1&x.policy=easy",
      /the policy starts rigid jobs and the workload brings tasks: open a log of rigid jobs \(SWF\), or choose one of best-fit/,
    ],
  ] as const) {
    const { page, errors } = await visit(t, link, { live: false });
    const dialog = page.locator('dialog.trouble[data-class="setting"]');
    await dialog.waitFor();
    assert.match(await dialog.locator(".sentence").innerText(), says);
    assert.deepEqual(errors, []);
  }
});
