// A task that is followed from node to node.
import assert from "node:assert/strict";
import { test } from "node:test";
import { axe, beyond, pause, RESULTS, visit } from "./harness.ts";

test("the selection goes with a followed task when its node fails, until the viewer stops it", async (t) => {
  const { page, errors } = await visit(t);
  await beyond(page, 60);
  await pause(page);
  await page.locator("#tab-table").click();
  await page.locator("#sort-0").click(); // the busiest node has tasks
  await page.locator("#drawer-panel tbody button").first().click();
  const titled = () => page.locator('#inspector section[aria-label="Node"] h2').innerText();
  await page.waitForSelector("#inspector .why-here");
  const first = await titled();
  const ask = page.locator("#inspector .why-here").last(); // of a small one
  const name = /task (\S+) here/.exec((await ask.getAttribute("aria-label")) ?? "")?.[1];
  await ask.click();
  await page.locator("dialog.why").getByRole("button", { name: "Follow this task" }).click();
  await page.waitForSelector("dialog", { state: "detached" });
  const where = page.locator("#inspector .followed p");
  await page.waitForFunction(
    (said) => document.querySelector("#inspector .followed p")?.textContent === said,
    `Task ${name} runs on ${first.toLowerCase()}.`,
  );
  await axe(page, "a followed task", "#inspector");
  await page.screenshot({ path: `${RESULTS}/follow.png` });

  await page.click("#do-fail-node");
  await page.click('#timeline [data-command="play"]');
  await page.waitForFunction(
    ([was, said]) => {
      const title = document.querySelector('#inspector section[aria-label="Node"] h2')?.textContent ?? "";
      return title !== was && document.querySelector("#inspector .followed p")?.textContent === `${said} ${title.toLowerCase()}.`;
    },
    [first, `Task ${name} runs on`],
  );
  await pause(page);
  const second = await titled();
  assert.notEqual(second, first);
  await page.screenshot({ path: `${RESULTS}/follow-elsewhere.png` });

  await page.getByRole("button", { name: "Stop following" }).focus();
  await page.keyboard.press("Enter");
  await page.waitForSelector("#inspector .followed", { state: "hidden" });
  assert.equal(await titled(), second);
  assert.ok(await page.evaluate(() => document.activeElement?.matches(".map")), "the keyboard goes to the map");
  assert.equal(await where.innerText(), "");
  assert.deepEqual(errors, []);
});
