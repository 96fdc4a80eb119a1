// How the page looks and whether everybody can use it: pictures of both themes
// and sizes for people, axe for machines.
import assert from "node:assert/strict";
import { AxeBuilder } from "@axe-core/playwright";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { beyond, middle, RESULTS, visit } from "./harness.ts";

const SIZES = { desktop: { width: 1280, height: 800 }, phone: { width: 390, height: 844 } };

async function axe(page: Page, where: string): Promise<void> {
  // The renderer's frame holds one canvas that is hidden from assistive technology.
  const { violations } = await new AxeBuilder({ page }).exclude("iframe").setLegacyMode().analyze();
  const found = violations.map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ html }) => html.slice(0, 160)).join(" | ")}`);
  assert.deepEqual(found, [], where);
}

for (const colorScheme of ["light", "dark"] as const) {
  for (const [name, viewport] of Object.entries(SIZES)) {
    test(`${colorScheme}, ${name}`, async (t) => {
      const { page, errors } = await visit(t, "", { colorScheme, viewport, setup: false });
      await beyond(page, 400); // seconds of the run: there are samples to draw, and a rack is down
      await page.keyboard.press("Space");
      await page.waitForSelector('#status[data-mode="paused"]');
      await page.screenshot({ path: `${RESULTS}/${name}-${colorScheme}.png` });
      await axe(page, "at rest");

      await page.click('.tools [data-command="zoom-in"]');
      await middle(page);
      await page.mouse.down();
      await page.mouse.up();
      await page.waitForSelector("#inspector #do-fail-node");
      await page.screenshot({ path: `${RESULTS}/${name}-${colorScheme}-node.png` });
      await axe(page, "a node inspected");

      if (name === "phone") await page.click('#inspector [aria-label="Close"]'); // it lies over the drawer there
      for (const tab of ["messages", "tasks", "table", "report"]) {
        await page.click(`#tab-${tab}`);
        await page.waitForTimeout(600); // panels fill at most twice a second
        await page.screenshot({ path: `${RESULTS}/${name}-${colorScheme}-${tab}.png` });
        if (name === "desktop") await axe(page, `the ${tab} tab`); // the same elements, only narrower on a phone
      }
      assert.deepEqual(errors, []);
    });
  }

  test(`${colorScheme}, dialogs`, async (t) => {
    const { page } = await visit(t, undefined, { colorScheme });
    await page.keyboard.press("Space");
    await page.waitForSelector('#status[data-mode="paused"]');
    const close = async () => {
      await page.keyboard.press("Escape");
      await page.waitForSelector("dialog", { state: "detached" });
    };
    const look = async (name: string) => {
      await page.waitForSelector(`dialog.${name}`);
      await page.screenshot({ path: `${RESULTS}/dialog-${colorScheme}-${name}.png` });
      await axe(page, name);
      await close();
    };
    await page.keyboard.press("?");
    await look("help");
    await page.click("[data-command=palette]");
    await look("finder");
    await page.keyboard.press("t");
    await look("goto");
    await page.setInputFiles("#files", { name: "holiday.csv", mimeType: "text/csv", buffer: Buffer.from("PNG? no.\n") });
    await look("trouble");
  });
}

test("the first click on the theme changes it, and the choice is kept", async (t) => {
  for (const colorScheme of ["light", "dark"] as const) {
    const { page } = await visit(t, undefined, { colorScheme });
    const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const before = await ground();
    await page.click("header [data-command=theme]");
    const after = await ground();
    assert.notEqual(after, before);
    await page.reload();
    assert.equal(await ground(), after);
  }
});

test("on a phone the messages and the button for traces are there", async (t) => {
  const { page } = await visit(t, undefined, { viewport: SIZES.phone });
  await page.selectOption(".pace select", "3600");
  await page.click("#tab-messages");
  await page.waitForSelector("#drawer-panel .feed li:visible");
  await page.click("[data-command=setup]");
  await page.waitForSelector("#setup [data-command=open-trace]:visible");
});

test("on a phone the settings open over the stage", async (t) => {
  const { page } = await visit(t, undefined, { viewport: SIZES.phone, hasTouch: true });
  assert.ok(await page.locator("#setup").isHidden());
  await page.tap("[data-command=setup]");
  await page.waitForSelector("#setup:visible");
  await page.screenshot({ path: `${RESULTS}/phone-setup.png` });
  await axe(page, "settings on a phone");
  await page.tap("[data-command=setup]");
  assert.ok(await page.locator("#setup").isHidden());
});
