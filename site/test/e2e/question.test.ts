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
  const told = ["#stage .now", "#inspector > *", "#drawer > .panel"];
  const shown = (starts: boolean) =>
    page.evaluate(
      ({ told, starts }) => {
        const picture = document.querySelector<HTMLElement>(".card-picture");
        if (picture) picture.hidden = !starts; // as while a card's run starts
        return told.map((part) => getComputedStyle(document.querySelector(part) ?? document.body).visibility);
      },
      { told, starts },
    );
  assert.deepEqual(await shown(true), ["hidden", "hidden", "hidden"], "nothing of the run before stands beside the card's picture");
  assert.deepEqual(await shown(false), ["visible", "visible", "visible"]);
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

test("every card's question and answer fit into the line above the map, clear of the tools", async (t) => {
  const { page, errors } = await visit(t, "#draw=2d&s=rounds-failures&card=1&v=1", {
    live: false,
    viewport: { width: 390, height: 844 },
    setup: false,
  });
  await page.waitForSelector(`${LINE}:not([data-is="starting"])`);
  await page.evaluate((line) => {
    const shown = document.querySelector(line);
    shown?.replaceWith(shown.cloneNode(true)); // one that the run does not change
  }, LINE);
  for (const [width, height] of [
    [1280, 800],
    [390, 844],
    [360, 640],
    [320, 568],
    [640, 400],
  ]) {
    await page.setViewportSize({ width, height });
    for (const { id, question, finding } of cards)
      for (const is of ["waiting", "answered"]) {
        const wrong = await page.evaluate(
          ([selector, state, asked, said]) => {
            const line = document.querySelector<HTMLElement>(selector);
            const [title, words] = [line?.querySelector("b"), line?.querySelector(".answer")];
            if (!line || !title || !words) return "there is no line";
            line.dataset.is = state;
            title.textContent = asked;
            words.textContent = said;
            if (getComputedStyle(line).overflowY !== "visible") return "it scrolls: Chromium leaves a strip of the map below white";
            const kept = Number.parseFloat(getComputedStyle(line).getPropertyValue("--asked")) || line.clientHeight;
            if (line.scrollHeight > kept) return `${line.scrollHeight} of ${kept} px`;
            const room = line.getBoundingClientRect();
            return [...document.querySelectorAll(".tools > *")]
              .filter((tool) => {
                const { top, height } = tool.getBoundingClientRect();
                return height > 0 && top < room.bottom && !tool.classList.contains("grow");
              })
              .map((tool) => `under ${tool.className}`)
              .join();
          },
          [LINE, is, question, is === "answered" ? `Answer: ${finding}` : "The answer comes in 360 seconds, at 00:07:00."],
        );
        assert.equal(wrong, "", `${id}, ${is}, ${width} × ${height}`);
      }
  }
  assert.deepEqual(errors, []);
});
