// A moment that travels: a picture that opens its run, and a clip by the browser's own encoder.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { pause, RESULTS, visit } from "./harness.ts";

const LINE = ".question-line";
const LINK = "#draw=2d&s=rounds-failures&card=1&v=1";

async function taken(page: Page, label: string): Promise<string> {
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: label, exact: true }).click()]);
  const path = `${RESULTS}/${download.suggestedFilename()}`;
  await download.saveAs(path);
  return path;
}

test("a picture of the moment has the size that links are shown with, and opens its run", async (t) => {
  const { page, errors } = await visit(t, LINK, { live: false });
  await page.waitForSelector(`${LINE}[data-is="answered"]`);
  const moment = new URLSearchParams((await pause(page)).slice(1));
  await page.keyboard.press("Control+e");
  const path = await taken(page, "This moment as Picture, 1200 × 630");
  const png = readFileSync(path);
  assert.deepEqual([png.readUInt32BE(16), png.readUInt32BE(20)], [1200, 630]);
  assert.ok(png.length > 10_000 && png.length < 400_000, `${png.length} bytes`);
  assert.deepEqual(errors, []);

  const other = await visit(t, "#draw=2d&n=200&v=1");
  await other.page.keyboard.press("Control+o");
  await other.page.setInputFiles("input[type=file]", path);
  await other.page.waitForFunction((digest) => location.hash.includes(`d=${digest}`), moment.get("d"));
});

test("a clip of a card's answer is made in the tab, and one that is not wanted leaves nothing", async (t) => {
  const { page, errors, foreign } = await visit(t, LINK, { live: false });
  await page.waitForSelector(`${LINE}[data-is="answered"]`);
  await page.keyboard.press("Control+e");
  const film = readFileSync(await taken(page, "This moment as a clip"));
  assert.equal(film.readUInt32BE(0), 0x1a45dfa3, "WebM begins with the mark of EBML");
  assert.ok(film.length > 20_000, `${film.length} bytes`);
  assert.match(await page.locator("#export-status").innerText(), /-clip\.webm is made: [\d.]+ MB\.$/);
  await page.waitForSelector(LINE); // the question is still there
  let more = 0;
  page.on("download", () => more++);
  await page.getByRole("button", { name: "This moment as a clip", exact: true }).click();
  await page.waitForSelector("#export-status:text('Recording the run')");
  await page.keyboard.press("Escape");
  await page.waitForSelector("dialog.export", { state: "detached" });
  await page.keyboard.press("Control+e");
  await taken(page, "Report as JSON");
  assert.equal(more, 1, "only the report");
  assert.deepEqual([errors, foreign], [[], []]);
});
