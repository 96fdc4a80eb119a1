// Going back: seeks to the past, forks there, and the way between the courses.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { address, goTo, pause, settled, stands, visit } from "./harness.ts";

/** Returns to a course, and waits for the state that it had. */
async function switchTo(page: Page, course: string, digest: string): Promise<void> {
  await page.locator("#course").selectOption({ label: course });
  await page.waitForFunction(
    (wanted) => [...document.querySelectorAll("#status span b")].some((shown) => shown.textContent === wanted),
    digest,
  );
}

test("an act in the past forks; the fork and its parent are two straight runs, and can be compared", async (t) => {
  const { page, context, home, errors } = await visit(t);
  await pause(page);
  const straight = await goTo(page, 1200);
  await goTo(page, 360);
  assert.equal(await page.locator("#course:visible").count(), 0, "there is one course as yet");
  await page.keyboard.press("x");
  await page.waitForSelector("#breaker:visible");
  await page.fill("#break-rack", "1");
  await page.click("#break-rack-down");
  await page.waitForSelector("#course:visible");
  await page.keyboard.press("Escape");
  await page.waitForSelector("#breaker", { state: "hidden" });
  const fork = await goTo(page, 1200);
  assert.notEqual(fork, straight);
  const link = await address(page);
  assert.deepEqual(await page.locator("#course option").allInnerTexts(), ["original", "branch at 6m: rack 1 is down"]);
  await switchTo(page, "original", straight); // the parent is as it was
  assert.ok(!(await address(page)).includes("rack.1"));
  await switchTo(page, "branch at 6m: rack 1 is down", fork);
  assert.match(link, /&fork=3&/); // the cell's own rack fails and comes back, then the act
  const other = await context.newPage(); // one that has played nothing: the link opens the fork, and its parent beside it
  await other.goto(home + link);
  await other.waitForSelector("#play-on");
  assert.equal(await stands(other, 1200), fork);
  assert.deepEqual(await other.locator("#course option").allInnerTexts(), ["original", "branch at 6m: rack 1 is down"]);
  await other.locator("#course").selectOption({ label: "original" });
  await stands(other, 360); // as far as the link knows its parent
  assert.ok(!(await address(other)).includes("fork="));
  assert.equal(await goTo(other, 1200), straight); // what its sender's was
  await switchTo(other, "branch at 6m: rack 1 is down", fork);
  const plain = link.replace(/&(d|fork)=[^&]*/g, ""); // as links said it before: a straight run
  await other.goto(home + plain.replace("#", "?older#"));
  await other.waitForSelector('#status[data-mode="live"]', { state: "attached" });
  await pause(other);
  assert.equal(await goTo(other, 1200), fork);
  assert.equal(await other.locator("#course:visible").count(), 0);
  await switchTo(page, "original", straight);
  await goTo(page, 420);
  await page.keyboard.press("x");
  await page.fill("#break-candidates", "2"); // a setting that can be changed while it runs
  await page.click("#break-candidates-set");
  await page.fill("#break-grow", "12");
  await page.click("#break-grow-add"); // at the head of that course: no further fork
  await page.keyboard.press("Escape");
  const changed = await goTo(page, 1200);
  assert.ok(![straight, fork].includes(changed));
  assert.deepEqual(await page.locator("#course option").allInnerTexts(), [
    "original",
    "branch at 6m: rack 1 is down",
    "branch at 7m: Candidates: 2",
  ]);
  await other.goto(home + (await address(page)).replace(/&d=[^&]*/, ""));
  await other.waitForSelector('#status[data-mode="live"]', { state: "attached" });
  await pause(other);
  assert.equal(await goTo(other, 1200), changed);
  await page.getByRole("button", { name: "Compare", exact: true }).first().click();
  assert.ok(await page.getByRole("checkbox", { name: "original" }).isChecked());
  assert.deepEqual(errors, []);
});

test("the timeline goes by keys", async (t) => {
  const { page, errors } = await visit(t, "#draw=2d&f=6m.rack.1.down&n=200&v=1");
  await pause(page);
  await goTo(page, 480);
  const range = page.locator("#timeline input[type=range]");
  await range.focus();
  const most = Number(await range.getAttribute("max"));
  await page.keyboard.press("ArrowLeft");
  await stands(page, 480 - most / 100);
  await page.keyboard.press("PageDown");
  await stands(page, 480 - most / 100 - most / 10);
  await page.keyboard.press("PageUp");
  await stands(page, 480 - most / 100);
  assert.match((await range.getAttribute("aria-valuetext")) ?? "", /^00:07:5\d of /);
  const told = async () => (await range.getAttribute("aria-valuetext")) ?? "";
  await settled(async () => {
    if ((await told()).startsWith("00:06:00")) return "";
    await page.keyboard.press("Shift+ArrowLeft"); // tasks moved after it, and marks come a few times a second
    await stands(page, Number(await range.inputValue())); // where the key leads
    return "no mark tells of the rack";
  });
  await page.waitForSelector("#timeline .marktip:visible:has-text('Rack 1 is down')");
  assert.match(await told(), /^00:06:00 of .*\. Rack 1 is down/);
  const box = await range.boundingBox();
  assert.ok(box);
  const place = (seconds: number) => [box.x + (box.width * seconds) / most, box.y + box.height / 2] as const;
  await range.blur();
  await page.mouse.move(...place(300));
  assert.ok(await page.locator("#timeline .marktip").isHidden());
  await page.mouse.move(...place(360));
  assert.match(await page.locator("#timeline .marktip").innerText(), /^Rack 1 is down/);
  const digest = () => page.locator("#status span:has-text('digest') b").innerText();
  const before = await digest();
  await page.mouse.down();
  for (const seconds of [340, 300, 240, 180, 120]) await page.mouse.move(...place(seconds));
  await page.waitForFunction(
    (was) => document.querySelector("#status span b")?.closest("#status")?.textContent?.includes(was) === false,
    before,
  ); // the stage follows while the button is down
  await page.mouse.up();
  await page.waitForFunction(() =>
    /^00:0(1:5|2:0)\d of /.test(document.querySelector("#timeline input[type=range]")?.getAttribute("aria-valuetext") ?? ""),
  );
  await page.waitForSelector('#status[data-mode="paused"]', { state: "attached" });
  assert.deepEqual(errors, []);
});

test("on a phone there is a way back to the present, while the run stands in its past", async (t) => {
  const { page, errors } = await visit(t, undefined, { viewport: { width: 360, height: 780 } });
  await pause(page);
  await goTo(page, 480);
  const live = page.locator("#timeline .live");
  assert.ok(await live.isHidden());
  await goTo(page, 240);
  await live.waitFor();
  const { x, width } = (await live.boundingBox()) ?? { x: NaN, width: NaN };
  assert.ok(x >= 0 && x + width <= 360, `it lies at ${x} to ${x + width}`);
  await live.click();
  await page.waitForFunction(() => Number(document.querySelector<HTMLInputElement>("#timeline input[type=range]")?.value) > 480);
  await live.waitFor({ state: "hidden" });
  assert.deepEqual(errors, []);
});
