// Breaking and healing by clicking: everything that a scenario knows, and the
// link that reproduces it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "playwright-core";
import { address, RESULTS, visit } from "./harness.ts";

/** Waits until a given number of things are listed as broken, each matching its pattern. */
async function broken(page: Page, ...patterns: RegExp[]): Promise<void> {
  await page.waitForFunction(
    (wanted) => {
      const told = [...document.querySelectorAll(".broken li:has(small)")].map((item) => item.textContent ?? "");
      return told.length === wanted.length && wanted.every((pattern) => told.some((text) => new RegExp(pattern).test(text)));
    },
    patterns.map(({ source }) => source),
  );
}

async function pause(page: Page): Promise<void> {
  await page.keyboard.press("Space");
  await page.waitForSelector('#status[data-mode="paused"]');
}

test("everything breaks by a click and heals by a click, and the link keeps it", async (t) => {
  const { page, errors } = await visit(t, "#draw=2d&n=200&v=1&x.brokers=2");
  await pause(page); // what is clicked happens at once, also while it stands still
  await page.keyboard.press("x");
  await page.waitForSelector("#breaker:visible");
  assert.equal(await page.evaluate(() => document.activeElement?.id), "break-node", "the focus goes in");
  await page.keyboard.type("3");
  await page.click("#break-node-down");
  await broken(page, /Node 3 is down/);
  await page.fill("#break-rack", "1");
  await page.click("#break-rack-down");
  await page.click("#break-partition");
  await broken(page, /Node 3 is down/, /Rack 1 is down/, /Rack 1 is cut off/);
  await page.click("#break-broker_down-1");
  await page.fill("#break-mail_loss", "20");
  await page.click("#break-mail_loss-set");
  await page.fill("#break-mail_delay", "1.5");
  await page.click("#break-mail_delay-set");
  await broken(page, /Node 3/, /Rack 1 is down/, /cut off/, /Broker 1 is down/, /Messages lost: 20 %/, /Messages delayed: 1.5 s/);
  await page.waitForFunction(() => document.querySelector("#inspector")?.textContent?.includes("151 of 200"));
  const { violations } = await new AxeBuilder({ page }).include("#breaker").analyze();
  assert.deepEqual(
    violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(" | ")}`),
    [],
  );
  await page.screenshot({ path: `${RESULTS}/breaker.png` });

  await page.waitForFunction(() =>
    ["node.3.down", "rack.1.down", "broker.1.broker_down", "mail_loss-"].every((word) => location.hash.includes(word)),
  );
  await page.locator("[id^=break-heal-rack_down]").click();
  await broken(page, /Node 3/, /cut off/, /Broker 1/, /20 %/, /1.5 s/);
  await page.click("#break-heal-all");
  await page.waitForFunction(() => document.querySelector("#breaker [role=status]")?.textContent === "Nothing.");
  await page.waitForFunction(() => document.querySelector("#inspector")?.textContent?.includes("200 of 200"));
  await page.keyboard.press("Escape");
  await page.waitForSelector("#breaker", { state: "hidden" });
  assert.equal(await page.evaluate(() => document.activeElement?.id), "break", "the focus returns");

  await page.keyboard.press("."); // something happens with all of it
  await page.waitForFunction(() => Number(document.querySelector<HTMLInputElement>("#timeline input[type=range]")?.value) % 60 === 0);
  const link = await address(page);
  const again = await visit(t, link, { live: false });
  await again.page.waitForFunction(() => document.querySelector(".verdict")?.textContent === "✓ reproduced");
  assert.deepEqual([errors, again.errors], [[], []]);
});

test("failures by chance start the run again, and a system without agents has fewer things to break", async (t) => {
  const { page, errors } = await visit(t, "#draw=2d&n=200&sys=central&v=1");
  await page.click("#break");
  await page.waitForSelector("#breaker:visible");
  assert.equal(await page.locator("#break-mail_loss").count(), 0);
  assert.match(await page.locator("#breaker").innerText(), /Central scheduler has no agents or messages to break/);
  await page.locator("#breaker summary").click();
  await page.fill("#chaos-node_mtbf", "1");
  await page.fill("#chaos-mttr", "30");
  await page.click("#chaos-set");
  await page.waitForFunction(() => location.hash.includes("z=1."));
  await page.waitForFunction(() =>
    /\d+ nodes? (is|are) down by random failures/.test(document.querySelector("#breaker [role=status]")?.textContent ?? ""),
  );
  assert.equal(await page.locator("#chaos-node_mtbf").inputValue(), "1");
  assert.deepEqual(errors, []);
});
