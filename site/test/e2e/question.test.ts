// A card of the gallery in the browser: by a click and by its link it opens at its moment and
// plays, its question stays above the map, and its answer comes when the run has come there.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { clock, goTo, pause, visit } from "./harness.ts";

interface Card {
  id: string;
  question: string;
  finding: string;
  at: string;
  digest: string;
  opens: number;
  moment: number;
}
const cards = JSON.parse(readFileSync("../assets/gallery/cards.json", "utf8")) as Card[];
const cardOf = (id: string): Card => cards.find((card) => card.id === id) ?? assert.fail(id);
const LINE = ".question-line";

test("a card opens before its finding, and its answer comes and goes with the moment", async (t) => {
  const card = cardOf("rounds-failures");
  const { page, errors } = await visit(t, "#draw=2d&n=200&p=gallery&v=1", { live: false });
  await page.click(`#question-${card.id}`);
  await page.waitForSelector(`${LINE}:not([data-is="starting"])`);
  const at = await clock(page);
  assert.ok(at * 1e6 >= card.opens, `it is at ${at} s, and opens at ${card.opens / 1e6} s`);
  assert.match(await page.locator(LINE).innerText(), new RegExp(`You asked:.*${card.question.replace("?", "\\?")}`));
  await page.waitForFunction(() => location.hash.includes("card=1"));
  await page.waitForSelector(`${LINE}[data-is="answered"]`); // without a press of Play
  assert.ok((await page.locator(LINE).innerText()).includes(card.finding));
  assert.ok((await clock(page)) * 1e6 >= card.moment);
  await pause(page);
  await goTo(page, 480);
  await page.waitForSelector(`${LINE}[data-is="waiting"]`);
  await page.click("#question-close");
  await page.waitForSelector(LINE, { state: "hidden" });
  await page.waitForFunction(() => !location.hash.includes("card=1"));
  assert.deepEqual(errors, []);
});

test("a card's link opens a large cell with recorded choices at the card's digest", async (t) => {
  const card = cardOf("central-kube");
  const { page, errors } = await visit(t, `#draw=2d&s=${card.id}&card=1&at=${card.at}&d=${card.digest.slice(0, 8)}&v=1`, { live: false });
  await page.waitForSelector(`${LINE}[data-is="answered"]`);
  assert.ok((await page.locator(LINE).innerText()).includes(card.finding));
  await page.waitForSelector("text=/Reproduced at 30m/");
  assert.deepEqual(
    await page.evaluate(
      () => performance.getEntriesByType("resource").filter(({ name }) => name.endsWith("choices/central-kube.bin")).length,
    ),
    1,
  );
  assert.deepEqual(errors, []);
});
