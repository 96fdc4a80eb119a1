// How the page looks and whether everybody can use it: both themes and three sizes
// beside the pictures that are kept, and axe for machines.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { axe, fits, RESULTS, visit } from "./harness.ts";
import { wrong } from "./pictures.ts";

const SIZES = { desktop: { width: 1280, height: 800 }, phone: { width: 390, height: 844 }, small: { width: 640, height: 400 } };

/** The first scenario a minute after its rack was lost. With little motion wanted, nothing moves there. */
const LOST = "#at=7m&s=google-cell&v=1";

/** Waits until a system's run stands at a given number of minutes. */
async function stands(page: Page, system: string, minutes: number): Promise<void> {
  await page.waitForFunction(
    ({ system, seconds }) =>
      document.querySelector<HTMLSelectElement>("#system")?.value === system &&
      Number(document.querySelector<HTMLInputElement>("#timeline input[type=range]")?.value) === seconds &&
      document.querySelector("#stage")?.hasAttribute("data-drawn"),
    { system, seconds: 60 * minutes },
  );
  await page.waitForSelector('#status[data-mode="paused"]', { state: "attached" });
}

/** Moments of systems whose telling looks like no other's, and where it is. */
const OTHERS: { system: string; minutes: number; scenario: string; tells?: string }[] = [
  { system: "rounds", minutes: 4, scenario: "rounds-failures" },
  { system: "yield", minutes: 30, scenario: "virtual-clusters" },
  { system: "market", minutes: 20, scenario: "market-auction", tells: ".bids-body .offers" },
  { system: "board", minutes: 20, scenario: "board-gridlock" },
];

for (const colorScheme of ["light", "dark"] as const) {
  for (const [name, viewport] of Object.entries(SIZES)) {
    test(`${colorScheme}, ${name}`, async (t) => {
      const { page, errors } = await visit(t, LOST, { colorScheme, viewport, setup: false, live: false, reducedMotion: "reduce" });
      const found: string[] = [];
      const look = async (what: string) => {
        const said = await wrong(page, `${what}-${name}-${colorScheme}`);
        if (said) found.push(said);
      };
      await stands(page, "negotiation", 7);
      await look("watch");
      if (name !== "desktop") await axe(page, "at rest"); // smoke.test.ts has that
      if (name === "small")
        await page.click("#tab-charts"); // the drawer, over the stage
      else {
        await page.focus(".map");
        for (let i = 0; i < 4; i++) await page.keyboard.press("+");
        await page.keyboard.press("ArrowRight");
        await page.keyboard.press("Enter");
        await page.waitForSelector("#inspector tbody tr");
      }
      await look("near");
      await axe(page, "a node inspected");
      if (name === "desktop") {
        // nearer still: nodes with their tasks
        await page.focus(".map");
        for (let i = 0; i < 9; i++) await page.keyboard.press("+");
        await page.waitForSelector(".card-near .row");
        await look("cards");
        await axe(page, "cards");
      }
      if (name === "phone") await page.click('#inspector [aria-label="Close"]'); // it lies over the drawer there
      for (const tab of name === "desktop" ? ["messages", "tasks", "table", "report"] : []) {
        // the same elements, only narrower elsewhere
        await page.click(`#tab-${tab}`);
        await page.waitForSelector(`#tab-${tab}[aria-selected="true"]`);
        await page.waitForFunction(() => (document.querySelector("#drawer-panel")?.textContent?.length ?? 0) > 40);
        await axe(page, `the ${tab} tab`);
      }
      await page.click("#place-gallery");
      await page.waitForFunction(() =>
        [...document.querySelectorAll<HTMLImageElement>(".question img")].slice(0, 4).every((image) => image.naturalWidth),
      );
      await look("gallery");
      assert.ok(await fits(page, ".panel.gallery"), "the gallery does not scroll sideways");
      assert.deepEqual(errors, []);
      assert.deepEqual(found, []);
    });
  }

  test(`${colorScheme}, other systems and places`, async (t) => {
    const { page, errors } = await visit(t, "#n=50&v=1", { colorScheme, setup: false, live: false, reducedMotion: "reduce" });
    const found: string[] = [];
    const look = async (what: string) => {
      const said = await wrong(page, `${what}-${colorScheme}`);
      if (said) found.push(said);
    };
    for (const { system, minutes, scenario, tells } of OTHERS) {
      await page.evaluate((hash) => (location.hash = hash), `#at=${minutes}m&s=${scenario}&v=1`);
      await stands(page, system, minutes);
      if (tells) await page.waitForSelector(tells);
      await look(system);
      await axe(page, system);
    }
    await page.click("#place-plan");
    for (const kind of ["load", "jobs", "graph"]) {
      await page.locator(`#plan-kind-${kind}`).check({ force: true });
      await page.waitForFunction(() => {
        const rows = [...document.querySelectorAll(".beside tbody tr")];
        return rows.length > 0 && rows.every((row) => row.querySelector(".detail")?.textContent !== "…");
      });
      await look(kind === "load" ? "plan" : `plan-${kind}`);
      await axe(page, `plan ${kind}`);
    }
    await page.click("#place-papers");
    await page.waitForSelector(".experiments li");
    await look("papers");
    await axe(page, "papers");
    await page.click("#place-compare");
    await page.waitForSelector("#compare-start:not([disabled])");
    await page.fill("#compare-until", "10m");
    await page.fill("#compare-seeds", "2");
    await page.click("#compare-start");
    await page.waitForFunction(() => document.querySelector('.standing [role="status"]')?.textContent?.startsWith("Compared"));
    await look("compare");
    await axe(page, "compare");
    assert.deepEqual(errors, []);
    assert.deepEqual(found, []);
  });

  test(`${colorScheme}, dialogs`, async (t) => {
    const { page } = await visit(t, undefined, { colorScheme });
    await page.keyboard.press("Space");
    await page.waitForSelector('#status[data-mode="paused"]', { state: "attached" });
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
