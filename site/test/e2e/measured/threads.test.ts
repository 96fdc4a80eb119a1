// How free the main thread stays while much goes on: printed, beside what is aimed at.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { again, another, drop, PATIENCE, RESULTS, still, visit } from "../harness.ts";

async function says(page: Page, text: RegExp): Promise<string> {
  const line = page.locator(".sweep .standing p").first().filter({ hasText: text });
  await line.waitFor();
  return line.innerText();
}

test("the main thread while two runs of 12,500 nodes are compared live", {
  skip: process.env.PARLEY_LARGE ? false : "PARLEY_LARGE=1 plays them, for half a minute",
}, async (t) => {
  const { page } = await visit(t, "#p=compare&with=central.best-fit&beside=split&moment=10m&v=1", { live: false });
  await page.waitForFunction(() => document.querySelectorAll(".panes figure:not([hidden])[data-at]").length === 2, undefined, {
    timeout: 3 * PATIENCE,
  });
  const browser = page.context().browser();
  assert.ok(browser);
  for (const view of ["split", "difference"]) {
    await page.click(`.stages label:has(input[value="${view}"])`);
    await browser.startTracing(page, { categories: ["toplevel", "disabled-by-default-devtools.timeline", "__metadata"] });
    const from = await page.locator('.stages input[type="range"]').inputValue();
    await page.click("#pair-play");
    await page.waitForFunction(
      (least) => Number(document.querySelector<HTMLInputElement>('.stages input[type="range"]')?.value) > least,
      Number(from) + 300,
      { timeout: 3 * PATIENCE },
    );
    await page.click("#pair-play");
    const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as {
      traceEvents: { name: string; pid: number; tid: number; dur?: number; tdur?: number; args: { name?: string } }[];
    };
    const mains = new Set(
      traceEvents
        .filter(({ name, args }) => name === "thread_name" && args.name === "CrRendererMain")
        .map(({ pid, tid }) => `${pid} ${tid}`),
    );
    const tasks = traceEvents.filter(({ name, pid, tid, dur }) => name === "RunTask" && dur !== undefined && mains.has(`${pid} ${tid}`));
    const most = (values: number[]) => (values.reduce((a, b) => Math.max(a, b), 0) / 1000).toFixed(1);
    assert.ok(tasks.length > 100, `${tasks.length} tasks`);
    const busy = tasks.map(({ tdur = 0 }) => tdur); // of the processor: what other programs take does not count
    console.log(
      `${view}: ${tasks.length} tasks of the main thread in 5 simulated minutes, the longest ${most(busy)} ms of the processor (${most(tasks.map(({ dur = 0 }) => dur))} ms by the clock)`,
    );
    assert.ok(Number(most(busy)) < 50);
  }
});

/** PARLEY_MEASURE=1 prints how the page stands a hundred runs of a thousand nodes. */
test("a hundred runs of 1,000 nodes, with the page usable meanwhile", { skip: !process.env.PARLEY_MEASURE }, async (t) => {
  const { page, errors } = await visit(t, "#draw=2d&n=1000&v=1");
  const document = {
    v: 1,
    base: { v: 1, system: "central", cluster: { nodes: 1000 }, until: "10m" },
    axes: { "settings.policy": ["best-fit", "worst-fit"], "workload.scale": { from: 0.8, to: 1.2, step: 0.1 } },
    seeds: { from: 1, to: 10 },
  };
  await page.click("#place-sweep");
  await page.waitForSelector("#sweep-start:enabled");
  await page.setInputFiles("#sweep-file", {
    name: "hundred.json",
    mimeType: "application/json",
    buffer: Buffer.from(JSON.stringify(document)),
  });
  await says(page, /: 100 runs\.$/);
  await page.evaluate(() => {
    const kept = window as unknown as { longest: number };
    kept.longest = 0;
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) kept.longest = Math.max(kept.longest, duration);
    }).observe({ type: "longtask" });
  });
  await page.click("#sweep-start");
  const began = Date.now();
  await says(page, /^[1-9]\d* of 100 runs/);
  const clicks: number[] = [];
  for (const place of ["gallery", "watch", "sweep"]) {
    // from the press to the next picture, on the page's own clock
    clicks.push(
      await page.evaluate(
        (id) =>
          new Promise<number>((resolve) => {
            const pressed = performance.now();
            window.document.getElementById(`place-${id}`)?.click();
            requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - pressed)));
          }),
        place,
      ),
    );
  }
  const text = await says(page, /^100 runs in /);
  const longest = await page.evaluate(() => (window as unknown as { longest: number }).longest);
  t.diagnostic(
    `${text} Wall time ${((Date.now() - began) / 1000).toFixed(1)} s; longest task of the main thread ${longest.toFixed(0)} ms (0: none above 50); clicks on another place ${clicks.map((ms) => ms.toFixed(0)).join(", ")} ms`,
  );
  assert.deepEqual(errors, []);
});

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
  const whole = await still(picture);
  await canvas.focus();
  for (let i = 0; i < 12; i++) await page.keyboard.press("+");
  const near = await another(picture, whole, "plus does not zoom");
  await page.keyboard.press("ArrowRight");
  await another(picture, near, "an arrow does not pan");
  const box = await canvas.boundingBox();
  assert.ok(box);
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.down();
  for (let i = 1; i <= 10; i++) await page.mouse.move(box.x + box.width / 2 - 10 * i, box.y + box.height / 2, { steps: 2 });
  await page.mouse.up();
  await page.keyboard.press("0");
  await again(picture, whole, "0 does not show everything again");
  const tasks = await page.evaluate(() => (window as unknown as { tasks: number[] }).tasks);
  t.diagnostic(`${tasks.length} main-thread tasks of 50 ms or more, the longest ${Math.round(Math.max(0, ...tasks))} ms`);
  await page.screenshot({ path: `${RESULTS}/workflow-large.png` });
  assert.deepEqual(errors, []);
});
