// Why a task is where it is, and the papers' experiments beside the simulation.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { AxeBuilder } from "@axe-core/playwright";
import { beyond, clock, fits, middle, parley, pause, RESULTS, visit } from "./harness.ts";

test("a task says why it is where it is", async (t) => {
  const { page, errors } = await visit(t);
  const point = await middle(page);
  await page.mouse.click(point.x, point.y);
  await page.waitForSelector("#inspector tbody tr");
  await page.keyboard.press("Space");
  await page.waitForSelector('#status[data-mode="paused"]');
  const button = page.locator("#inspector .why-here").first();
  await page.waitForFunction(() => {
    // the list may be drawn once more when the run pauses
    const first = document.querySelector<HTMLElement>("#inspector .why-here");
    first?.focus();
    return first !== null && document.activeElement === first;
  });
  const id = await button.getAttribute("id");
  await page.keyboard.press("Enter");
  await page.waitForSelector("dialog.why .chosen");
  const told = await page.locator("dialog.why").innerText();
  assert.match(told, /Task \S+ was (placed|moved)/);
  assert.match(await page.locator("dialog.why .chosen").innerText(), /node \d+\s+\S+\s+\d+ % · \d+ % \S.*\s★?\s*chosen/);
  assert.ok((await page.locator("dialog.why svg .head").count()) > 0, "arrows are drawn");
  const { violations } = await new AxeBuilder({ page }).include("dialog.why").analyze();
  assert.deepEqual(
    violations.map(({ id: rule }) => rule),
    [],
  );
  await page.screenshot({ path: `${RESULTS}/why.png` });
  await page.keyboard.press("Escape");
  await page.waitForSelector("dialog", { state: "detached" });
  assert.equal(await page.evaluate(() => document.activeElement?.id), id, "the focus returns");

  await button.click();
  const chosen = page.locator("dialog.why .chosen button");
  const node = /\d+/.exec(await chosen.innerText())?.[0];
  await chosen.click();
  await page.waitForSelector("dialog", { state: "detached" });
  await page.waitForSelector(`#inspector h2:text-is("Node ${node}")`);
  assert.deepEqual(errors, []);
});

test("a central scheduler says which nodes it considered", async (t) => {
  const { page, errors } = await visit(t, "#draw=2d&n=200&sys=central&v=1");
  await page.keyboard.press("Space"); // the table is drawn anew while it runs
  await page.waitForSelector('#status[data-mode="paused"]');
  await page.locator("#tab-table").click();
  await page.locator("#sort-0").click(); // the busiest node has tasks
  await page.locator("#drawer-panel tbody button").first().click();
  await page.locator("#inspector .why-here").first().click();
  await page.waitForSelector("dialog.why .chosen");
  assert.match(await page.locator("dialog.why .sentence").innerText(), /placed on node \d+ by the scheduler/);
  assert.match(await page.locator("dialog.why .rule").innerText(), /best-fit: of the nodes with room, the one that is fullest/);
  assert.match(await page.locator("dialog.why .chosen").innerText(), /\d+ % · \d+ %/, "what it would carry");
  assert.equal(await page.locator("dialog.why .sequence").count(), 0, "nobody sent a message");
  assert.deepEqual(errors, []);
});

test("decisions that are not remembered are found by a second run, and the first one stays what it is", async (t) => {
  const { page, context, errors } = await visit(t, "#draw=2d&n=4000&sys=central&v=1"); // 45,000 placements, of which 8,192 are remembered
  await page.keyboard.press("Space");
  await page.waitForSelector('#status[data-mode="paused"]');
  await page.locator("#tab-table").click();
  await page.locator("#sort-0").click();
  for (let row = 0; row < 5; row++) {
    await page.locator("#drawer-panel tbody button").nth(row).click();
    await page.locator("#inspector .why-here").first().click();
    if (row === 4) {
      // given up, or answered before that
      await page.waitForSelector("dialog.why progress, dialog.why .chosen");
      const cancel = page.locator("dialog.why .buttons button");
      if ((await cancel.count()) > 0) await cancel.click({ timeout: 1000 }).catch(() => undefined); // it may be answered just now
    } else {
      await page.waitForSelector("dialog.why .chosen");
      assert.match(await page.locator("dialog.why .rule").innerText(), /Rule/);
    }
    await page.keyboard.press("Escape");
    await page.waitForSelector("dialog", { state: "detached" });
  }
  await page.focus(".map");
  await page.keyboard.press("Space");
  await beyond(page, (await clock(page)) + 60);
  const link = await pause(page);
  assert.deepEqual(errors, []);
  await context.close();
  const again = await visit(t, link);
  await again.page.waitForSelector('.verdict[data-verdict="reproduced"]');
});

test("one negotiation is read in its order from a feed, and from why a task is where it is", async (t) => {
  const { page, errors } = await visit(t, "#draw=2d&n=400&v=1");
  await page.selectOption(".pace select", "600"); // long enough for a node to be overloaded and relieved
  await page.click("#tab-messages");
  const moved = page
    .locator("#drawer-panel li", { hasText: /moves a task to node \d+/ })
    .locator(".log")
    .first();
  await moved.focus(); // the feed stands still while the focus is in it
  assert.equal(await page.locator("#drawer-panel li", { hasText: "sends a new task" }).count(), 0, "new tasks do not crowd the feed");
  await page.keyboard.press("Enter");
  await page.waitForSelector("dialog.story .feed li");
  const lines = await page.locator("dialog.story .feed li").allInnerTexts();
  assert.match(lines[0], /^[\d: d]+\.\d{3}\s+Node \d+ asks broker 0 where a task could go/);
  assert.match(lines[1], /receives \d+ candidates?/);
  assert.ok(lines.some((line) => /answers node \d+: it (would|cannot) take the task/.test(line)));
  assert.ok(lines.some((line) => /moves a task to node \d+/.test(line)));
  const times = lines.map((line) => line.slice(0, line.indexOf(".") + 4));
  assert.deepEqual(times, [...times].sort(), "in the order of time");
  const { violations } = await new AxeBuilder({ page }).include("dialog.story").analyze();
  assert.deepEqual(
    violations.map(({ id: rule }) => rule),
    [],
  );
  await page.screenshot({ path: `${RESULTS}/story.png` });
  await page.keyboard.press("Escape");
  await page.waitForSelector("dialog", { state: "detached" });
  assert.deepEqual(errors, []);
});

test("an experiment runs beside the simulation", async (t) => {
  const { page, errors, foreign } = await visit(t);
  await page.locator("#place-papers").click();
  await page.waitForSelector(".experiments li");
  assert.ok((await page.locator(".experiments li").count()) > 10);
  await page.locator('[id="lab-show-rounds/table2"]').click(); // as it was recorded
  await page.waitForSelector('.labresult:has-text("Recorded: parley paper rounds/table2") tbody tr');
  assert.match(await page.locator('li:has([id="lab-show-rounds/table2"])').innerText(), /\d of \d+ claims hold/);
  await page.fill("#lab-seeds", "1");
  const from = await clock(page);
  await page.locator('[id="lab-run-rounds/table2"]').click();
  await page.waitForSelector('.labresult:has-text("Measured here in") tbody tr');
  assert.ok((await page.locator(".labresult tbody tr").count()) > 10);
  const table = await page.locator(".labresult table").innerText();
  assert.match(table, /\? open/, "one seed decides no claim");
  assert.match(table, /3\.15\s/, "the paper's number");
  await beyond(page, from);
  const { violations } = await new AxeBuilder({ page }).include("#place").analyze();
  assert.deepEqual(
    violations.map(({ id }) => id),
    [],
  );
  await page.screenshot({ path: `${RESULTS}/lab.png` });
  const [saved] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Download JSON" }).click()]);
  assert.equal(saved.suggestedFilename(), "parley-rounds-table2.json");
  const document: unknown = JSON.parse(readFileSync(await saved.path(), "utf8"));
  assert.deepEqual(document, parley("paper", "rounds/table2", "--seeds", "1"), "the same bits as on this machine");
  assert.deepEqual(errors, []);
  assert.deepEqual(foreign, []);
});

test("an experiment can be cancelled, and the next one runs", async (t) => {
  const { page, errors } = await visit(t, "#draw=2d&n=200&v=1", { viewport: { width: 390, height: 800 }, colorScheme: "dark" });
  await page.locator("#place-papers").click();
  await page.locator('[id="lab-run-negotiation/scores"]').click();
  await page.waitForFunction(() => /negotiation\/scores: .+ · [1-9]\d* runs? ·/.test(document.querySelector(".doing")?.textContent ?? ""));
  await page.locator("#lab-cancel").click();
  await page.waitForFunction(() => document.querySelector(".doing")?.textContent === "Cancelled.");
  await page.locator('[id="lab-run-rounds/table2"]').click();
  await page.waitForSelector('.labresult:has-text("Measured here in") tbody tr');
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "the page itself does not scroll sideways");
  assert.ok(await fits(page, ".labresult"), "what was measured fits");
  await page.screenshot({ path: `${RESULTS}/lab-phone.png` });
  for (const button of await page.locator(".experiments .link").all()) {
    await button.click();
    const title = await button.locator("b").innerText();
    await page.waitForSelector(`.labresult h2:text-is(${JSON.stringify(title)})`);
    assert.ok(await fits(page, ".labresult"), `${title}: its result fits`);
  }
  assert.deepEqual(errors, []);
});
