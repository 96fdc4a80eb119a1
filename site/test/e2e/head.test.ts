// What the stage says of itself: the sentence above the map, notices, faults that are
// made, and that nothing of it lies upon cells, legend or charts.
import assert from "node:assert/strict";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import type { Page } from "playwright-core";
import { axe, DIST, goTo, live, pause, RESULTS, SMALL, visit } from "./harness.ts";

interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

const apart = (a: Box, b: Box) =>
  a.x + a.width <= b.x + 1 || b.x + b.width <= a.x + 1 || a.y + a.height <= b.y + 1 || b.y + b.height <= a.y + 1;

/** Fails where two parts lie upon each other. */
async function beside(page: Page, upper: string, ...lower: string[]): Promise<void> {
  const over = await page.locator(upper).boundingBox();
  for (const selector of lower) {
    const under = await page.locator(selector).boundingBox();
    if (over && under) assert.ok(apart(over, under), `${upper} ${JSON.stringify(over)} lies upon ${selector} ${JSON.stringify(under)}`);
  }
}

test("the sentence above the map is true at each moment, and leads to what failed", async (t) => {
  const { page, errors } = await visit(t, "#draw=2d&n=200&v=1&f=6m.rack.1.down");
  await pause(page);
  await goTo(page, 120);
  await page.waitForFunction(() =>
    /^200 machines, coloured by the fuller resource\. [\d,]+ tasks running, \d+ waiting\.$/.test(
      document.querySelector(".now")?.textContent ?? "",
    ),
  );
  await page.selectOption("#fill", "class");
  await page.waitForFunction(() => document.querySelector(".now")?.textContent?.startsWith("200 machines, coloured by allocation class."));
  await goTo(page, 380);
  await page.waitForFunction(() =>
    /Rack 1 failed 20 s ago: (all [\d,]+|[\d,]+ of [\d,]+) tasks ran again elsewhere/.test(
      document.querySelector(".now")?.textContent ?? "",
    ),
  );
  await page.waitForFunction(() => {
    const told = /all ([\d,]+)|of ([\d,]+) tasks/.exec(document.querySelector(".now")?.textContent ?? "");
    return told && document.querySelector(".pinned")?.textContent?.includes(`${told[1] ?? told[2]} tasks stopped`); // both say the same
  });
  await page.waitForFunction(() => /Rack 1 failed/.test(document.querySelector("#stage > p[aria-live]:last-of-type")?.textContent ?? ""));
  await page.click("#now-show");
  await page.waitForFunction(() => location.hash.includes("cam=node.")); // near
  await axe(page, "the stage with a fault", "#stage");
  await goTo(page, 120);
  await page.waitForFunction(() => !/Rack 1/.test(document.querySelector(".now")?.textContent ?? "Rack 1"));
  assert.deepEqual(errors, []);
});

test("in a narrow window the sentence gets shorter, never cut", async (t) => {
  for (const [width, height] of [
    [390, 844],
    [640, 400],
  ]) {
    const { page, context } = await visit(t, "#draw=2d&n=200&v=1&f=6m.rack.1.down", { viewport: { width, height }, setup: false });
    await page.keyboard.press("t");
    await page.fill("#time", "380s");
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => document.querySelector(".now")?.textContent?.includes("Rack 1"));
    const { text, room } = await page.evaluate(() => {
      const [row, line] = [document.querySelector(".now"), document.querySelector(".now > span")];
      return { text: line?.getBoundingClientRect().height ?? 0, room: row?.getBoundingClientRect().height ?? 0 };
    });
    assert.ok(text <= room + 1, `${width} × ${height}: ${text} of ${room} px`);
    await page.screenshot({ path: `${RESULTS}/${width}x${height}.png` });
    await context.close();
  }
});

test("notices lie upon nothing", async (t) => {
  const { page } = await visit(t, "#draw=2d&n=200&seed=abc&v=1"); // a long notice, which stays
  await page.waitForSelector("#toast:not([hidden])");
  await beside(page, "#toast", ".legend", "#drawer", ".tools", ".now", "#timeline");
  await page.click("#place-papers");
  await page.waitForSelector("body > #toast", { state: "attached" });
  await page.click("#place-watch");
  await page.waitForSelector("#stage #toast", { state: "attached" });
});

test("the panel that breaks things leaves the map alone, and says what each fault did", async (t) => {
  const { page, errors } = await visit(t);
  await page.keyboard.press("Space");
  await page.waitForSelector('#status[data-mode="paused"]');
  await page.keyboard.press("x");
  await page.waitForSelector("#breaker:visible");
  await beside(page, "#breaker", "#stage", "#drawer");
  const said = (text: string) =>
    page.waitForFunction((words) => new RegExp(words).test(document.querySelector(".breaker .said")?.textContent ?? ""), text);
  await page.click("#break-rack-down");
  await said("^Type the number of a rack from 0 to \\d+, or select a node on the map\\.$");
  assert.equal(await page.evaluate(() => document.activeElement?.id), "break-rack");
  await page.fill("#break-rack", "900");
  await page.click("#break-rack-down");
  await said("^Type the number of a rack from 0 to");
  await page.fill("#break-rack", "1");
  await page.click("#break-rack-down");
  await said("^Rack 1 failed: [\\d,]+ tasks were displaced\\.$");
  await page.click("#break-rack-down");
  await said("^Rack 1 is down already: nothing changed\\.$");
  await page.click("[data-command=step]"); // what happens at one moment is told of the rack
  await page.click("#break-broker_down-0");
  await said("^Broker 0 is down\\.$");
  await page.waitForSelector('.story .happenings li:has-text("Broker 0 is down")');
  await page.waitForFunction(() => /Broker 0 is down since/.test(document.querySelector(".now")?.textContent ?? ""));
  assert.deepEqual(errors, []);
});

test("a fault of a rack that the cell does not have is drawn nowhere", async (t) => {
  const { page } = await visit(t, "#draw=2d&n=2500&v=1"); // the scenario's rack 137 is one of 12,500 nodes
  await pause(page);
  await goTo(page, 420);
  await page.waitForSelector("#drawer .chart canvas");
  assert.equal(await page.locator(".band-mark.failure, .story .incident").count(), 0);
  assert.doesNotMatch(await page.locator(".now").innerText(), /Rack/);
});

test("Space does not cancel the way to a link's moment", async (t) => {
  const { page } = await visit(t, "#draw=2d&v=1&at=3h", { live: false });
  await page.waitForSelector('dialog.progress:has-text("Playing forward")');
  await page.keyboard.press("Space");
  await page.keyboard.press("Enter");
  assert.ok(await page.locator("dialog.progress").isVisible(), "it goes on");
  await page.keyboard.press("Escape");
  await page.waitForSelector("dialog", { state: "detached" });
});

test("a run that differs from its link says so where it is seen", async (t) => {
  const { page } = await visit(t, "#draw=2d&n=200&v=1");
  const link = (await pause(page)).replace(/d=[0-9a-f]+/, "d=00000000");
  await page.evaluate((hash) => {
    history.replaceState("own", "", hash);
    dispatchEvent(new PopStateEvent("popstate", { state: "own" }));
  }, link);
  await page.waitForSelector('#toast:has-text("This run differs from its link, which says digest 00000000")');
  await page.waitForSelector('.verdict[data-verdict="differs"]');
});

test("every system is in the palette", async (t) => {
  const { page } = await visit(t);
  const systems = await page.locator("#system option").allInnerTexts();
  assert.ok(systems.length >= 8);
  await page.keyboard.press(">");
  await page.waitForSelector("dialog.finder");
  for (const name of systems) {
    await page.locator("dialog.finder input").fill(`schedule by ${name.toLowerCase()}`);
    await page.waitForSelector(`dialog.finder [role=option]:has-text("Schedule by: ${name.toLowerCase()}")`);
  }
});

test("opened from a disk, the page says how it is opened instead", async (t) => {
  const { page } = await visit(t, SMALL);
  await page.goto(pathToFileURL(`${DIST}/index.html`).href);
  await page.waitForSelector("#stage .welcome :text('opened from a disk')");
  assert.match(await page.locator("#status").innerText(), /^not running/);
});

test("what is chosen can be told apart in forced colours, and contrast grows where it is asked for", async (t) => {
  const { page } = await visit(t, SMALL, { forcedColors: "active" });
  const border = (selector: string) => page.locator(selector).evaluate((element) => getComputedStyle(element).borderBottomColor);
  assert.notEqual(await border("#place-watch"), await border("#place-papers"));
  await page.waitForFunction(() => {
    const ramp = document.querySelector(".legend .ramp"); // the legend may be drawn anew meanwhile
    return ramp !== null && getComputedStyle(ramp).forcedColorAdjust === "none";
  });
  const more = await visit(t, SMALL, { contrast: "more" });
  assert.equal(
    ...((await more.page.evaluate(() => {
      const style = getComputedStyle(document.documentElement);
      return [style.getPropertyValue("--ink-3"), style.getPropertyValue("--ink")];
    })) as [string, string]),
  );
  await live(more.page);
});
