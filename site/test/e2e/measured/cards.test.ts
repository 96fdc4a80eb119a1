// What a card of the gallery costs from the click to its first picture, and to the moment from which it plays:
// seconds of the clock, and of the processor in all of the browser's processes, printed as a table.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { live, visit } from "../harness.ts";

const cards = (JSON.parse(readFileSync("../assets/gallery/cards.json", "utf8")) as { id: string }[]).map(({ id }) => id);
const wanted = process.env.PARLEY_CARDS?.split(",") ?? cards;

for (const id of wanted)
  test(`the card ${id}`, {
    skip: process.env.PARLEY_MEASURE ? false : "PARLEY_MEASURE=1 opens every card, for minutes",
  }, async (t) => {
    const { page, errors } = await visit(t, "#draw=2d&n=20&paused=1&p=gallery&v=1", { live: false });
    await page.waitForSelector(`#question-${id}`);
    await page.waitForFunction(() => document.querySelector("#status")?.getAttribute("data-mode") === "paused");
    const session = await page.context().browser()?.newBrowserCDPSession();
    assert.ok(session);
    const processor = async () => {
      const { processInfo } = await session.send("SystemInfo.getProcessInfo");
      return processInfo.reduce((sum, { cpuTime }) => sum + cpuTime, 0);
    };
    const [began, before] = [Date.now(), await processor()];
    const spent = async () =>
      `${((Date.now() - began) / 1000).toFixed(1)} s, ${((await processor()) - before).toFixed(1)} of the processor`;
    await page.click(`#question-${id}`);
    await page.waitForFunction(() => {
      const picture = document.querySelector<HTMLImageElement>(".card-picture:not([hidden]) img");
      const line = document.querySelector<HTMLElement>(".question-line:not([hidden])");
      return picture?.complete || (line && line.dataset.is !== "starting");
    });
    const picture = await spent();
    await page.waitForSelector('.question-line:not([hidden], [data-is="starting"])');
    await live(page);
    t.diagnostic(`${id}: first picture ${picture}; live ${await spent()}`);
    await session.detach();
    assert.deepEqual(errors, []);
  });
