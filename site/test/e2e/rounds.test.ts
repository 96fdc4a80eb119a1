// Divisible loads: the Gantt chart of the running one, and the planner.
import assert from "node:assert/strict";
import { test } from "node:test";
import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "playwright-core";
import { again, another, RESULTS, still, visit } from "./harness.ts";

const ROUNDS = "#draw=2d&s=rounds-failures&v=1";

/** A picture of the chart as text. */
async function picture(page: Page): Promise<string> {
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
  return page.locator(".chartarea canvas").evaluate((canvas: HTMLCanvasElement) => canvas.toDataURL());
}

async function axe(page: Page): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).include("#drawer").analyze();
  assert.deepEqual(
    violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(" | ")}`),
    [],
  );
}

const told = (page: Page) => page.locator(".piece").innerText();

test("the running load as a Gantt chart, with keys, wheel, drag and tables", async (t) => {
  const { page, errors } = await visit(t, ROUNDS, { live: false });
  await page.waitForSelector('#tab-gantt[aria-selected="true"]'); // what this system shows best
  await page.selectOption(".pace select", "0");
  await page.waitForSelector('#status[data-mode="ended"]');
  await page.waitForFunction(() => /done after \d+ s/.test(document.querySelector(".course p")?.textContent ?? ""));
  assert.match(
    await page.locator(".course p").first().innerText(),
    /\d rounds · planned \d+ s \(outlines\) · .*✕ [\d,]+ work units were lost and sent again/,
  );
  await axe(page);
  assert.equal(await page.locator("#nodes").inputValue(), "50", "the workers are the nodes that there are");
  assert.ok(await page.locator("#nodes").isDisabled());

  await page.mouse.move(5, 5);
  await page.waitForFunction(() => /50 workers, \d+ pieces/.test(document.querySelector(".piece")?.textContent ?? ""));
  const seen = () => picture(page);
  const whole = await still(seen);
  const box = await page.locator(".chartarea").boundingBox();
  assert.ok(box);
  const [x, y] = [box.x + box.width / 3, box.y + box.height / 2];
  await page.mouse.move(x, y);
  await page.mouse.wheel(0, -400);
  await page.mouse.move(5, 5);
  const near = await another(seen, whole, "the wheel does not zoom");
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x - 120, y - 30, { steps: 3 });
  await page.mouse.up();
  await page.mouse.move(5, 5);
  await another(seen, near, "dragging does not pan");
  await page.getByRole("button", { name: "Show everything" }).last().click();
  await page.mouse.move(5, 5);
  await again(seen, whole, "the button does not show everything");

  await page.locator(".chartarea").focus();
  await page.keyboard.press("ArrowRight");
  await page.waitForFunction(() =>
    /^worker \d+, round 1: [\d.,]+ work units · sent 0\.000 – /.test(document.querySelector(".piece")?.textContent ?? ""),
  );
  const first = await told(page);
  await page.keyboard.press("ArrowRight");
  await page.waitForFunction((before) => document.querySelector(".piece")?.textContent !== before, first);
  await page.keyboard.press("ArrowDown");
  await page.waitForFunction(() => /computed/.test(document.querySelector(".piece")?.textContent ?? ""));
  const chosen = await still(seen);
  await page.keyboard.press("+");
  await another(seen, chosen, "plus does not zoom");
  const worker = /worker (\d+)/.exec(await told(page))?.[1];
  await page.keyboard.press("Enter");
  await page.waitForSelector(`#inspector h2:text-is("Worker ${worker}")`);
  await page.keyboard.press("0");

  await page.locator(".course summary").click();
  await page.waitForSelector(".figures tbody tr");
  const tables = await page.locator(".tables").innerText();
  assert.match(tables, /Rounds\s+round\s+pieces/);
  assert.match(tables, /unplanned/, "what was lost is sent again without a round");
  assert.match(tables, /worker 49/);
  await axe(page);
  await page.screenshot({ path: `${RESULTS}/gantt.png` });
  assert.deepEqual(errors, []);
});

test("what a failing worker loses is said on the stage", async (t) => {
  const { page, errors } = await visit(t, "#at=185s&draw=2d&s=rounds-failures&v=1", { live: false });
  await page.waitForSelector(".now:has-text('3,241 work units were lost.')");
  assert.deepEqual(errors, []);
});

test("tabs follow the system: a Gantt chart where a load is divided, tasks where there are some", async (t) => {
  const { page, errors } = await visit(t);
  const shown = () => page.locator(".tabs button:visible").allInnerTexts();
  await page.waitForSelector("#tab-charts");
  assert.deepEqual(await shown(), ["Charts", "Messages", "Tasks", "Table", "Formula", "Program", "Report"]);
  await page.selectOption("#system", "rounds");
  await page.waitForFunction(() => location.hash.includes("sys=rounds"));
  await page.waitForSelector(".course:visible");
  assert.deepEqual(await shown(), ["Gantt", "Charts", "Messages", "Table", "Report"]);
  await page.waitForFunction(() => /% computed|done after/.test(document.querySelector(".course p")?.textContent ?? ""));
  assert.deepEqual(errors, []);
});

test("files of workers: JSON, SimGrid's XML, and what is neither", async (t) => {
  const { page, errors } = await visit(t, undefined, { viewport: { width: 390, height: 844 }, colorScheme: "dark" });
  const open = (name: string, text: string) =>
    page.setInputFiles("#plan-file", { name, mimeType: "text/plain", buffer: Buffer.from(text) });
  const says = (text: RegExp) =>
    page.waitForFunction((pattern) => new RegExp(pattern).test(document.querySelector(".summary")?.textContent ?? ""), text.source);
  await page.click("#place-plan");
  await page.waitForSelector("#plan-makespan");
  await open("two.json", '{"load":1000,"workers":[{"speed":50,"bandwidth":1500,"comp_latency":0.1},{"speed":30,"bandwidth":900}]}');
  await says(/all 2 workers/);
  assert.equal(await page.locator("#plan-load").inputValue(), "1000");
  await open("none.json", '{"load":1000,"workers":[]}');
  await says(/none\.json: the platform has no workers/);
  await open(
    "star.xml",
    `<!DOCTYPE platform SYSTEM "https://example.org/simgrid.dtd"><platform version="4.1"><zone id="z" routing="Full"><host id="m" speed="1Gf"/><host id="a" speed="100Mf"/><host id="b" speed="50Mf"/>
     <link id="l" bandwidth="40MBps" latency="50us"/><route src="m" dst="a"><link_ctn id="l"/></route><route src="m" dst="b"><link_ctn id="l"/></route></zone></platform>`,
  );
  await says(/all 2 workers/);
  assert.equal(await page.locator("#grid-master").inputValue(), "m");
  assert.equal(await page.locator("#plan-1-speed").inputValue(), "0.05");
  await page.fill("#grid-flops", "1e6");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.querySelector<HTMLInputElement>("#plan-1-speed")?.value === "50");
  await page.fill("#grid-master", "nobody");
  await page.keyboard.press("Enter");
  await says(/star\.xml: .*nobody/);
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "the page itself does not scroll sideways");
  await page.screenshot({ path: `${RESULTS}/planner-phone.png` });
  assert.deepEqual(errors, []);
});
