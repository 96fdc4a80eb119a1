// Formulas over the map: seen while they are typed, completed, wrong at their place, drawn over
// time, handed on in a link, and run as the policy beside what ran before.
import assert from "node:assert/strict";
import { test } from "node:test";
import { address, axe, goTo, live, pause, visit } from "./harness.ts";

/** The newest value of the run's own chart; "" where it is none. */
const charted = () => {
  const own = document.querySelector(".panel.charts .chart");
  const title = own?.querySelector("h2")?.textContent ?? "";
  return title.startsWith("p95(-abs(memory.") ? (/^-0\.\d+/.exec(own?.querySelector("b.num")?.textContent ?? "")?.[0] ?? "") : "";
};
const told = () => document.querySelector(".panel.formula [role=status]")?.textContent ?? "";

test("a formula is seen, corrected, handed on, run and compared", async (t) => {
  const { page, errors } = await visit(t, "#draw=2d&n=200&v=1&sys=central&x.policy=best-fit&tab=formula");
  await live(page);
  await page.waitForSelector("#formula-score");
  await page.evaluate(() => (document.activeElement as HTMLElement).blur());
  await pause(page);
  await goTo(page, 120);
  await page.waitForFunction(() => document.querySelectorAll(".panel.formula tbody tr").length === 5);
  assert.equal(await page.locator("#fill").inputValue(), "formula");

  await page.fill("#formula-score", "");
  await page.locator("#formula-score").pressSequentially("-abs(memo");
  await page.waitForSelector("#formula-score-names [role=option]");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.keyboard.type(" / memory.capacity)");
  await page.keyboard.press("Escape");
  assert.match(await page.locator("#formula-score").inputValue(), /^-abs\(memory\.\w+ \/ memory\.capacity\)$/);
  await page.waitForFunction(() =>
    /200 of 200 nodes have a score\. It is a plain number, from -/.test(
      document.querySelector(".panel.formula [role=status]")?.textContent ?? "",
    ),
  );
  await page.fill("#formula-where", "node < 100 and memory.free > tasks");
  await page.waitForFunction(() => document.querySelector("#formula-where-wrong mark")?.textContent === "tasks");
  assert.equal(await page.locator("#formula-run").isDisabled(), true);
  await page.waitForFunction(() => document.querySelector(".filter output")?.textContent === "error at 30");
  await page.fill("#formula-where", "node < 100");
  await page.waitForSelector("#formula-where-wrong", { state: "hidden" });
  await page.waitForFunction(() =>
    /^100 of 200 nodes have a score/.test(document.querySelector(".panel.formula [role=status]")?.textContent ?? ""),
  );
  const says = await page.evaluate(told);
  await axe(page, "formulas", "#drawer");

  await page.selectOption("#formula-over", "p95");
  await page.click("#formula-chart:enabled");
  const drawn = await (await page.waitForFunction(charted)).jsonValue();
  await page.click("#tab-formula");
  await page.waitForFunction((wanted) => document.querySelector(".panel.formula [role=status]")?.textContent === wanted, says);
  assert.equal(await page.locator("#formula-chart").textContent(), "Remove chart");

  await page.waitForFunction(() => ["z", "filter", "score", "tab"].every((key) => new URLSearchParams(location.hash.slice(1)).has(key)));
  const link = await address(page);
  const other = await visit(t, link.slice(link.indexOf("#")), { live: false });
  await other.page.waitForFunction((wanted) => document.querySelector(".panel.formula [role=status]")?.textContent === wanted, says);
  await other.page.click("#tab-charts");
  assert.equal(await (await other.page.waitForFunction(charted)).jsonValue(), drawn, "the link has the chart");

  await page.click("#formula-run");
  await page.waitForFunction(() => document.querySelector("#formula-compare")?.textContent === "Compare with best fit");
  await page.click("#formula-compare:enabled");
  await page.waitForFunction(() => location.hash.includes("with=central.best-fit"));
  assert.deepEqual([...errors, ...other.errors], []);
});
