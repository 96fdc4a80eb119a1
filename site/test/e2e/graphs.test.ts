// Task graphs: the list of those in work, the picture of one, its Gantt chart, and why a
// resource does what it does.
import assert from "node:assert/strict";
import { test } from "node:test";
import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "playwright-core";
import { again, another, RESULTS, still, visit } from "./harness.ts";

const BOARD = "#draw=2d&s=board-communities&v=1";

/** A picture of the canvas as text. */
async function picture(page: Page): Promise<string> {
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
  return page.locator(".graphs canvas").evaluate((canvas: HTMLCanvasElement) => canvas.toDataURL());
}

test("graphs on a board: list, picture, Gantt chart, and why this resource", async (t) => {
  const { page, errors } = await visit(t, BOARD, { live: false });
  await page.waitForSelector('#tab-graph[aria-selected="true"]'); // what this system shows best
  const heading = page.locator(".graphs [role=status]");
  await page.waitForFunction(() =>
    /^Graph \d+: \d+ subtasks, .* taken/.test(document.querySelector(".graphs [role=status]")?.textContent ?? ""),
  );
  await page.evaluate(() => document.querySelector<HTMLButtonElement>("button[aria-label='Pause']")?.click());
  await page.waitForSelector('#status[data-mode="paused"]');
  const { violations } = await new AxeBuilder({ page }).include("#drawer").analyze();
  assert.deepEqual(
    violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(" | ")}`),
    [],
  );
  await page.screenshot({ path: `${RESULTS}/graphs.png` });

  const number = await page.locator(".graphs tbody button").last().getAttribute("id");
  assert.ok(number);
  await page.locator(`#${number}`).click();
  const other = number.slice("graph-".length);
  await page.waitForFunction((which) => document.querySelector(".graphs [role=status]")?.textContent?.startsWith(`Graph ${which}:`), other);
  assert.match(await heading.innerText(), /\d+ done, \d+ taken, \d+ open/);

  // paused, and told anew by the choice: nothing changes the picture but the keys
  const seen = () => picture(page);
  const whole = await still(seen);
  await page.locator(".graphs canvas").focus();
  await page.keyboard.press("+");
  await another(seen, whole, "plus does not zoom");
  await page.keyboard.press("0");
  await again(seen, whole, "0 does not show everything again");

  await page.click("#tab-gantt");
  await page.waitForFunction(() =>
    /\d graphs? so far · [\d,]+ subtasks?, coloured by graph/.test(document.querySelector(".course p")?.textContent ?? ""),
  );
  await page.screenshot({ path: `${RESULTS}/graphs-gantt.png` });
  assert.deepEqual(errors, []);
});
