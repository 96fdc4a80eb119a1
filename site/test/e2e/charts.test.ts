// The charts of the run: names beside the ends of their lines, room for the lines, one moment.
import assert from "node:assert/strict";
import { test } from "node:test";
import { axe, beyond, pause, visit } from "./harness.ts";

test("charts name their lines at their ends, keep their room, and show one moment", async (t) => {
  const { page, errors } = await visit(t, "#draw=2d&n=200&tab=charts&v=1", { setup: false });
  await page.waitForSelector(".chart canvas");
  await beyond(page, 130);
  await pause(page);
  const charts = () =>
    page.locator(".chart").evaluateAll((all) =>
      all.map((chart) => {
        const places = [...chart.querySelectorAll<HTMLElement>(".plot .keys > span:not([hidden])")].map((key) =>
          key.getBoundingClientRect(),
        );
        const room = chart.getBoundingClientRect();
        return {
          title: chart.querySelector("h2")?.textContent ?? "",
          moment: chart.getAttribute("title") ?? "",
          high: chart.querySelector(".u-over")?.clientHeight ?? 0,
          wide: chart.querySelector(".u-over")?.clientWidth ?? 0,
          upon: places.some((a, i) => places.some((b, k) => i < k && a.top < b.bottom - 1 && b.top < a.bottom - 1)),
          outside: places.some(({ right, bottom, top }) => right > room.right || bottom > room.bottom + 1 || top < room.top),
        };
      }),
    );
  const told = await charts();
  assert.ok(told.length > 4);
  for (const { title, high, wide, upon, outside } of told) {
    assert.ok(high > 50 && wide > 90, `${title}: the lines have ${wide} × ${high} px`);
    assert.ok(!upon, `${title}: a name lies upon another`);
    assert.ok(!outside, `${title}: a name lies outside its chart`);
  }
  await page.waitForFunction(
    () => new Set([...document.querySelectorAll(".chart")].map((chart) => chart.getAttribute("title"))).size === 1,
  );
  await axe(page, "the charts", "#drawer");
  assert.deepEqual(errors, []);
});
