// What is taken away: a report that stands alone and reproduces, pictures that open again.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "playwright-core";
import { beyond, goTo, pause, program, RESULTS, visit } from "./harness.ts";

/** Presses a button of the dialog and keeps what it makes. */
async function taken(page: Page, label: string): Promise<string> {
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: label, exact: true }).click()]);
  const path = `${RESULTS}/${download.suggestedFilename()}`;
  await download.saveAs(path);
  return path;
}

test("the report stands alone, and its command line gives its digest; its pictures open again", async (t) => {
  const { page, context, errors } = await visit(t);
  await beyond(page, 90);
  const moment = new URLSearchParams((await pause(page)).slice(1));
  await page.keyboard.press("Control+e");
  await page.waitForSelector("dialog.export");
  assert.deepEqual((await new AxeBuilder({ page }).include("dialog.export").analyze()).violations, []);
  const report = await taken(page, "Report as HTML");
  const chart = await page
    .locator("dialog.export dt")
    .filter({ hasNotText: /^(This moment|Report|Series|Scenario|Map|Table)/ })
    .first()
    .innerText();
  const pictures = [await taken(page, "Map as PNG"), await taken(page, `${chart} as SVG`), await taken(page, `${chart} as PNG`)];
  const series = JSON.parse(readFileSync(await taken(page, "Series as JSON"), "utf8")) as {
    at_us: number[];
    columns: { values: number[] }[];
  };
  assert.ok(series.columns.length > 5 && series.columns.every(({ values }) => values.length === series.at_us.length));
  assert.deepEqual(errors, []);
  await context.close();

  const alone = await visit(t, "#draw=2d&n=20&v=1", { live: false });
  await alone.context.setOffline(true);
  const reader = await alone.context.newPage();
  const asked: string[] = [];
  reader.on("request", (request) => !/^(data|file):/.test(request.url()) && asked.push(request.url()));
  reader.on("console", (message) => message.type() === "error" && asked.push(message.text()));
  await reader.goto(pathToFileURL(report).href);
  assert.deepEqual((await new AxeBuilder({ page: reader }).analyze()).violations, []);
  assert.deepEqual(asked, [], "it asks nobody");
  assert.ok((await reader.locator("figure svg").count()) >= 2 && (await reader.locator("table tbody tr").count()) > 10);
  assert.ok(await reader.locator("figure img").evaluate((map: HTMLImageElement) => map.naturalWidth > 1000));
  const digest = await reader.locator("p code").first().innerText();
  assert.ok(digest.startsWith(moment.get("d") ?? "none"), digest);
  const command = await reader.locator("#command").innerText();
  await alone.context.close();

  const out = execFileSync("sh", ["-c", `${command.replace(/^parley /, `${program("parley")} `)} --json`], { encoding: "utf8" });
  assert.equal((JSON.parse(out) as { digest: string }).digest, digest);

  const second = await visit(t);
  for (const path of [...pictures, report]) {
    await second.page.setInputFiles("#files", path);
    await second.page.waitForSelector(".arrival:not(.preview):not([hidden])");
    assert.match(await second.page.locator(".arrival:not(.preview)").innerText(), /^Reproduced at /, path);
    assert.equal(await second.page.locator("#status").getAttribute("data-mode"), "paused", path);
    await second.page.click("#play-on");
    await second.page.waitForSelector(".arrival:not(.preview)", { state: "hidden" });
  }
});

test("a picture of a fork opens the fork, with its parent beside it", async (t) => {
  const { page, errors } = await visit(t);
  await pause(page);
  await goTo(page, 480);
  await goTo(page, 240);
  await page.keyboard.press("x");
  await page.fill("#break-rack", "1");
  await page.click("#break-rack-down");
  await page.waitForSelector("#course:visible");
  await page.keyboard.press("Escape");
  await goTo(page, 300);
  await page.keyboard.press("Control+e");
  const map = await taken(page, "Map as PNG");
  assert.deepEqual(errors, []);
  const second = await visit(t, "#draw=2d&n=20&v=1");
  await second.page.setInputFiles("#files", map);
  await second.page.waitForSelector(".arrival:not(.preview):not([hidden])");
  assert.match(await second.page.locator(".arrival:not(.preview)").innerText(), /^Reproduced at 5m/);
  await second.page.waitForFunction(() => /[#&]at=5m(&|$)/.test(location.hash)); // the address is the picture's, not the one that was there
  assert.deepEqual(await second.page.locator("#course option").allInnerTexts(), ["original", "branch at 4m: rack 1 is down"]);
});
