// Workflow files: dropped while another system runs, each is posted and played; and the
// picture of a large one stays usable.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { RESULTS, visit } from "./harness.ts";

/** Drops a file on the page. */
async function drop(page: Page, name: string, text: string): Promise<void> {
  const transfer = await page.evaluateHandle(
    ([called, content]) => {
      const data = new DataTransfer();
      data.items.add(new File([content], called));
      return data;
    },
    [name, text],
  );
  await page.dispatchEvent("#inspector", "dragenter", { dataTransfer: transfer });
  await page.waitForSelector(".veil:not([hidden])");
  await page.dispatchEvent("#inspector", "drop", { dataTransfer: transfer });
}

/** The same graph of each format: one task, three that need its result, one that needs theirs. Each takes ten minutes, ten seconds of watching. */
const LONG = 600; // s
const middle = ["b", "c", "d"];
const files: [what: string, name: string, text: string][] = [
  [
    "WfCommons",
    "fan.json",
    JSON.stringify({
      name: "fan",
      schemaVersion: "1.5",
      workflow: {
        specification: {
          tasks: [
            { name: "a", id: "a", parents: [], children: middle, outputFiles: ["f"] },
            ...middle.map((id) => ({ name: id, id, parents: ["a"], children: ["e"], inputFiles: ["f"], outputFiles: [`${id}.out`] })),
            { name: "e", id: "e", parents: middle, children: [], inputFiles: middle.map((id) => `${id}.out`) },
          ],
          files: ["f", ...middle.map((id) => `${id}.out`)].map((id) => ({ id, sizeInBytes: 1e6 })),
        },
        execution: { tasks: ["a", ...middle, "e"].map((id) => ({ id, runtimeInSeconds: LONG })) },
      },
    }),
  ],
  [
    "DAX",
    "fan.xml",
    `<?xml version="1.0"?>\n<adag version="2.1" jobCount="5">${["a", ...middle, "e"].map((id) => `<job id="${id}" name="x" runtime="${LONG}"/>`).join("")}` +
      `${middle.map((id) => `<child ref="${id}"><parent ref="a"/></child>`).join("")}<child ref="e">${middle.map((id) => `<parent ref="${id}"/>`).join("")}</child></adag>`,
  ],
  ["Standard Task Graph", "fan.stg", `5\n0 0 0\n1 ${LONG} 1 0\n2 ${LONG} 1 1\n3 ${LONG} 1 1\n4 ${LONG} 1 1\n5 ${LONG} 3 2 3 4\n6 0 1 5\n`],
];

for (const [what, name, text] of files) {
  test(`a workflow is dropped, posted and played: ${what}`, async (t) => {
    const { page, errors } = await visit(t, "#draw=2d&n=200&v=1");
    await drop(page, name, text);
    await page.waitForFunction(() => location.hash.includes("need=sha256"));
    const subtasks = name.endsWith("stg") ? 7 : 5; // with two of no work
    await page.waitForFunction(
      (many) => document.querySelector(".graphs [role=status]")?.textContent?.startsWith(`Graph 1: ${many} subtasks`),
      subtasks,
    );
    await page.waitForFunction(() => {
      // it is drawn: not all is of one colour
      const canvas = document.querySelector<HTMLCanvasElement>(".graphs canvas");
      const pixels = canvas?.getContext("2d")?.getImageData(0, 0, canvas.width, canvas.height).data ?? [];
      return pixels.some((value, i) => i % 4 === 3 && value > 0);
    });
    await page.waitForFunction(() => Number(document.querySelector(".graphs progress")?.getAttribute("value")) > 0); // and played
    await page.screenshot({ path: `${RESULTS}/workflow-${name}.png` });
    await page.click("#tab-gantt");
    await page.waitForFunction(() =>
      /1 graph so far · [\d,]+ subtasks?, coloured by graph/.test(document.querySelector(".course p")?.textContent ?? ""),
    );
    assert.deepEqual(errors, []);
  });
}

test("a graph of 100,000 subtasks is drawn and moved", async (t) => {
  const { page, errors } = await visit(t, "#draw=2d&sys=board&v=1");
  const layers = 1000;
  const wide = 100;
  const lines = [`${layers * wide}`, "0 0 0"]; // each needs two of the layer before
  for (let v = 0; v < layers * wide; v++) {
    const before = 1 + v - wide;
    lines.push(v < wide ? `${v + 1} 60 1 0` : `${v + 1} 60 2 ${before} ${v % wide === 0 ? before + 1 : before - 1}`);
  }
  lines.push(`${layers * wide + 1} 0 1 ${layers * wide}`);
  await drop(page, "large.stg", `${lines.join("\n")}\n`);
  await page.waitForFunction(() => /^Graph 1: 100,002 subtasks/.test(document.querySelector(".graphs [role=status]")?.textContent ?? ""));
  await page.evaluate(() => {
    const tasks: number[] = [];
    Object.assign(window, { tasks });
    new PerformanceObserver((list) => tasks.push(...list.getEntries().map(({ duration }) => duration))).observe({ type: "longtask" });
  });
  const canvas = page.locator(".graphs canvas");
  const picture = async () => {
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
    return canvas.evaluate((one: HTMLCanvasElement) => one.toDataURL());
  };
  await page.evaluate(() => document.querySelector<HTMLButtonElement>("button[aria-label='Pause']")?.click());
  await page.waitForSelector('#status[data-mode="paused"]');
  const whole = await picture();
  await canvas.focus();
  for (let i = 0; i < 12; i++) await page.keyboard.press("+");
  const near = await picture();
  assert.notEqual(near, whole, "plus zooms");
  await page.keyboard.press("ArrowRight");
  assert.notEqual(await picture(), near, "an arrow pans");
  const box = await canvas.boundingBox();
  assert.ok(box);
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.down();
  for (let i = 1; i <= 10; i++) await page.mouse.move(box.x + box.width / 2 - 10 * i, box.y + box.height / 2, { steps: 2 });
  await page.mouse.up();
  await page.keyboard.press("0");
  assert.equal(await picture(), whole, "0 shows everything again");
  const tasks = await page.evaluate(() => (window as unknown as { tasks: number[] }).tasks);
  t.diagnostic(`${tasks.length} main-thread tasks of 50 ms or more, the longest ${Math.round(Math.max(0, ...tasks))} ms`);
  await page.screenshot({ path: `${RESULTS}/workflow-large.png` });
  assert.deepEqual(errors, []);
});
