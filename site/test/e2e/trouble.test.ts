// Bad days: parts of the page that do not come, come broken or end in the
// middle of a run. Each ends in a sentence and a way to try again, without the
// viewer's settings being lost.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { Page, Route } from "playwright-core";
import { beyond, live, RESULTS, visit } from "./harness.ts";

/** Answers the first request for a file in a way of its own, and all further ones as always. */
async function first(page: Page, file: string, answer: (route: Route) => Promise<void>): Promise<void> {
  let asked = 0;
  await page.route(`**/${file}`, (route) => (asked++ === 0 ? answer(route) : route.continue()));
}

/** The same for as long as the page is told so. */
async function always(page: Page, file: string, answer: (route: Route) => Promise<void>): Promise<() => Promise<void>> {
  await page.route(`**/${file}`, answer);
  return () => page.unroute(`**/${file}`);
}

const built = (file: string) => readFileSync(`${process.env.PARLEY_DIST ?? "../dist"}/${file}`);
const own = (errors: string[]) => errors.filter((error) => !error.startsWith("Failed to load resource")); // the browser's word on any request
const hash = (page: Page) => page.evaluate(() => location.hash);

/** Opens a page that knows how its requests are answered before it makes any. */
const open = (t: Parameters<typeof visit>[0], link: string, prepare: (page: Page) => Promise<void>) =>
  visit(t, link, { live: false, prepare });

const broken: [what: string, file: string, says: RegExp, answer: (route: Route) => Promise<void>][] = [
  ["is not there", "worker.wasm", /answers 404 for worker\.wasm/, (route) => route.fulfill({ status: 404, body: "no" })],
  ["does not come", "worker.wasm", /worker\.wasm could not be loaded: the server is unreachable/, (route) => route.abort()],
  [
    "is cut off",
    "worker.wasm",
    /something other than worker\.wasm, or only part of it/,
    (route) => route.fulfill({ contentType: "application/wasm", body: built("worker.wasm").subarray(0, 100_000) }),
  ],
  [
    "is a login page",
    "worker.js",
    /something other than worker\.js/,
    (route) => route.fulfill({ contentType: "text/html", body: "<html>Log in" }),
  ],
];

for (const [what, file, says, answer] of broken) {
  test(`a simulation whose ${file} ${what} says so and is tried again`, async (t) => {
    let heal = async () => {};
    const { page, errors } = await open(t, "#draw=2d&n=200&seed=42&v=1", async (one) => void (heal = await always(one, file, answer)));
    const dialog = page.locator('dialog.trouble[data-class="gone"]');
    await dialog.waitFor();
    assert.match(await dialog.locator(".sentence").innerText(), says);
    assert.equal(await page.locator("dialog").count(), 1);
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await page.waitForSelector('#status[data-mode="stopped"]');
    assert.match(await hash(page), /seed=42/);
    await heal();
    await page.click("#retry");
    await live(page);
    assert.match(await page.locator("#status").innerText(), /seed 42/);
    assert.deepEqual(own(errors), []);
  });
}

test("a simulation that ends in the middle of a run goes on where it was", async (t) => {
  const { page, errors } = await open(t, "#draw=2d&n=200&seed=42&sel=node.5&v=1", (one) =>
    first(one, "worker.js", (route) =>
      route.fulfill({
        contentType: "text/javascript",
        body: `${String(built("worker.js"))}\naddEventListener("message", ({ data }) => data.text?.includes('"explain"') && self.parley.post());`,
      }),
    ),
  );
  await live(page);
  await page.waitForSelector("#inspector tbody tr button");
  await page.locator("#inspector tbody tr button").first().dispatchEvent("click"); // asks why: here the program panics
  const dialog = page.locator('dialog.trouble[data-class="gone"]');
  await dialog.waitFor();
  assert.match(await dialog.locator(".sentence").innerText(), /^The simulation stopped: /);
  assert.equal(await page.locator("dialog.trouble").count(), 1);
  assert.equal(await page.locator("#status").getAttribute("data-mode"), "stopped");
  const at = Number(await page.locator("#timeline input[type=range]").inputValue());
  await dialog.getByRole("button", { name: "Try again" }).click();
  await page.waitForSelector('.verdict[data-verdict="reproduced"]');
  await beyond(page, at);
  assert.match(await page.locator("#status").innerText(), /seed 42/);
  assert.deepEqual(errors, []);
});

test("a simulation that does not answer is named, and started again where it was", async (t) => {
  const { page, errors } = await open(t, "#draw=2d&n=200&seed=42&sel=node.5&v=1", (one) =>
    first(one, "worker.js", (route) =>
      route.fulfill({
        contentType: "text/javascript",
        body: `${String(built("worker.js"))}\naddEventListener("message", ({ data }) => { while (data.text?.includes('"explain"')); });`,
      }),
    ),
  );
  await live(page);
  await page.waitForSelector("#inspector tbody tr button");
  await page.locator("#inspector tbody tr button").first().dispatchEvent("click"); // asks why: here the program loops for ever
  await page.waitForSelector('.silence:has-text("has been busy for 3 s")');
  const at = Number(await page.locator("#timeline input[type=range]").inputValue());
  await page.waitForSelector("dialog:modal .silence"); // the answer that does not come takes all clicks: the word stands in it
  await page.screenshot({ path: `${RESULTS}/silence.png` });
  await page.click("#start-again");
  await page.keyboard.press("Escape");
  await page.waitForSelector('.verdict[data-verdict="reproduced"]');
  await page.waitForSelector(".silence", { state: "hidden" });
  await beyond(page, at);
  assert.match(await page.locator("#status").innerText(), /seed 42/);
  assert.deepEqual(errors, []);
});

test("a line that is silent is told, and tried again", async (t) => {
  let silent = true;
  const { page, errors } = await open(t, "#draw=2d&n=200&v=1", async (one) => {
    await one.clock.install();
    await one.route("**/worker.wasm", (route) => (silent ? undefined : route.continue()));
  });
  await page.waitForSelector('.download:has-text("Loading worker.wasm")');
  await page.clock.fastForward(11_000);
  await page.waitForSelector('.download:has-text("Nothing has arrived for 10 seconds")');
  silent = false;
  await page.clock.resume();
  await page.click("#retry");
  await live(page);
  assert.deepEqual(errors, []);
});

test("a gallery that does not come is tried again", async (t) => {
  let heal = async () => {};
  const { page, errors } = await open(
    t,
    "#draw=2d&n=200&v=1",
    async (one) => void (heal = await always(one, "scenarios/*.json", (route) => route.abort())),
  );
  const dialog = page.locator('dialog.trouble[data-class="missing"]');
  await dialog.waitFor();
  assert.match(await dialog.locator(".sentence").innerText(), /google-cell.*is unreachable/);
  await heal();
  await dialog.getByRole("button", { name: "Try again" }).click();
  await live(page);
  assert.match(await hash(page), /n=200/);

  const back = await always(page, "scenarios/virtual-clusters.json", (route) => route.abort());
  await page.reload();
  await live(page);
  await page.selectOption("#scenario", "virtual-clusters");
  await page.waitForSelector('#toast:has-text("virtual-clusters")');
  assert.equal(await page.locator("#scenario").inputValue(), "google-cell", "the menu says what runs");
  await back();

  const come = await always(page, "gallery/cards.json", (route) => route.abort());
  await page.reload();
  await live(page);
  await page.waitForSelector('#toast:has-text("The list of scenarios could not be loaded")');
  await page.click("#place-gallery");
  await page.click("#gallery-retry");
  await page.waitForSelector("#gallery-retry"); // in vain: it stays
  await come();
  await page.click("#gallery-retry");
  await page.waitForSelector("#question-google-cell");
  assert.deepEqual(own(errors), []);
});

test("a lab that does not come is tried again", async (t) => {
  const { page, errors } = await visit(t);
  const heal = await always(page, "whole.wasm", (route) => route.abort());
  await page.click("#place-plan");
  await page.waitForSelector('.summary:has-text("whole.wasm could not be loaded")');
  await page.click("#place-papers");
  await page.locator(".experiments button.btn").first().click();
  await page.waitForSelector('.doing:has-text("whole.wasm could not be loaded")');
  await page.click("#place-plan"); // plans again, in vain
  await page.waitForSelector("#plan-retry");
  await heal();
  let asked = 0;
  page.on("request", (request) => (asked += Number(request.url().endsWith("whole.wasm"))));
  await page.click("#plan-retry");
  await page.waitForSelector("#plan-makespan");
  await page.click("#place-papers");
  await page.click("#lab-retry");
  await page.waitForSelector(".doing", { state: "hidden" });
  assert.equal(asked, 1, "one program for both");
  assert.deepEqual(own(errors), []);
});

test("a page without its scripts and looks says what to do", async (t) => {
  const { page } = await open(t, "", async (one) => void (await always(one, "page.js", (route) => route.abort())));
  await page.evaluate(() => document.getAnimations().forEach((animation) => animation.finish()));
  assert.ok(await page.locator(".late").isVisible());
  assert.match(await page.locator(".late").innerText(), /page\.js.*load the page again/);
  await page.unroute("**/page.js");
  await always(page, "page.css", (route) => route.abort());
  await page.goto("about:blank");
  await page.goBack();
  await page.waitForSelector('#toast:has-text("page.css")');
});

test("where the browser keeps nothing, everything works", async (t) => {
  const { page, errors } = await open(t, "#draw=2d&n=200&v=1", async (one) => {
    await one.addInitScript(() => {
      for (const name of ["localStorage", "sessionStorage", "indexedDB"]) {
        Object.defineProperty(window, name, {
          get: () => {
            throw new DOMException("denied", "SecurityError");
          },
        });
      }
    });
  });
  await live(page);
  await page.click("#topbar [data-command=theme]");
  await page.waitForSelector("html[data-theme]");
  assert.deepEqual(errors, []);
});

test("a link beyond the end of its run ends at the end", async (t) => {
  const { page, errors } = await visit(t, "#at=3000d&draw=2d&s=rounds-failures&v=1", { live: false });
  await page.waitForSelector('#status[data-mode="ended"]');
  await page.waitForFunction(() => location.hash.includes("at=10m&"));
  assert.deepEqual(errors, []);
});

test("a scenario file that is broken says where", async (t) => {
  const { page, errors } = await visit(t);
  const take = (name: string, content: string) =>
    page.setInputFiles("#files", [{ name, mimeType: "application/json", buffer: Buffer.from(content) }]);
  for (const [content, says] of [
    ['{"v":1,"system":', /mine\.json is not a scenario: /],
    ['{"v":3,"system":"negotiation"}', /has v 3/],
  ] as const) {
    await take("mine.json", content);
    const dialog = page.locator('dialog.trouble[data-class="setting"]');
    await dialog.waitFor();
    assert.match(await dialog.locator(".sentence").innerText(), says);
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
  }
  assert.deepEqual(errors, []);
});

test("a trace file that vanishes says so, and the run goes on", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "parley-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const tasks = join(folder, "task_events.csv");
  writeFileSync(
    tasks,
    ["0,,3418309,0,,0,user,3,9,0.125,0.07446,0.0004244,0", "86400000000,,3418309,0,5,4,user,3,9,0.125,0.07446,0.0004244,0"].join("\n"),
  );
  const { page, errors } = await visit(t);
  await page.setInputFiles("#files", tasks);
  await page.waitForSelector('#setup dt:text-is("task events")');
  await live(page);
  rmSync(tasks);
  await page.selectOption("#system", "central"); // plays the file again
  const dialog = page.locator('dialog.trouble[data-class="unreadable"]');
  await dialog.waitFor();
  assert.match(await dialog.locator(".sentence").innerText(), /^task_events\.csv cannot be read: it changed, was removed or is a folder/);
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  assert.equal(await page.locator("#system").inputValue(), "negotiation", "the menu says what runs");
  await beyond(page, Number(await page.locator("#timeline input[type=range]").inputValue()));
  assert.deepEqual(own(errors), []);
});

/** The edges of what is on the screen. */
const edges = (page: Page, selector: string) =>
  page
    .locator(selector)
    .evaluate((element) => element.getBoundingClientRect().toJSON() as { top: number; left: number; right: number; bottom: number });

test("legend, tools and inspector leave the whole map free", async (t) => {
  for (const viewport of [
    { width: 1280, height: 800 },
    { width: 900, height: 700 },
    { width: 390, height: 844 },
  ]) {
    const { page, context } = await visit(t, "#draw=2d&s=rounds-failures&sel=node.2&v=1", { viewport });
    await page.keyboard.press("Space");
    await page.evaluate(() => document.querySelector<HTMLElement>("#tab-gantt")?.click()); // on a phone the inspector lies over it
    await page.waitForSelector("#drawer .gantt");
    const what = `${viewport.width} × ${viewport.height}`;
    // The picture of the room that is left now: its cells end above the legend, and before or above the inspector.
    await page
      .waitForFunction(
        () => {
          const canvas = document.querySelector<HTMLCanvasElement>("canvas.cells");
          const [stage, legend, inspector] = ["#stage", ".legend", "#inspector"].map((selector) =>
            document.querySelector(selector)?.getBoundingClientRect(),
          );
          if (!canvas || !stage || !legend || !inspector) return false;
          const pixels = canvas.getContext("2d")?.getImageData(0, 0, canvas.width, canvas.height).data ?? [];
          const scale = devicePixelRatio;
          let [right, bottom] = [0, 0];
          for (let y = 0; y < canvas.height; y++) {
            for (let x = 0; x < canvas.width; x++) {
              const i = 4 * (y * canvas.width + x);
              const unlike = [0, 1, 2].reduce((sum, c) => sum + Math.abs(pixels[i + c] - pixels[c]), 0); // the stage, seen in its corner
              if (unlike > 40) [right, bottom] = [Math.max(right, x / scale), Math.max(bottom, y / scale)];
            }
          }
          const free = inspector.left > 0 ? stage.left + right < inspector.left : stage.top + bottom < inspector.top;
          const above = legend.height === 0 || stage.top + bottom < legend.top + 1; // on a phone it is a card that is closed
          return bottom > 60 && above && free;
        },
        undefined,
        { polling: 250 },
      )
      .catch(() => assert.fail(`${what}: the legend or the inspector lies on cells`));
    const [inspector, tools, legend] = [await edges(page, "#inspector"), await edges(page, ".tools"), await edges(page, ".legend")];
    if (inspector.left > 0)
      assert.ok(tools.right < inspector.left && legend.right < inspector.left, `${what}: the inspector begins at ${inspector.left}`);
    await context.close();
  }
});

test("on a phone Tab never goes under what lies on top, and Escape gives the focus back", async (t) => {
  const { page, errors } = await visit(t, "#draw=2d&n=200&sel=node.5&v=1", { viewport: { width: 390, height: 844 }, hasTouch: true });
  await page.keyboard.press("Space");
  const hidden = () =>
    page.evaluate(() => {
      const element = document.activeElement;
      if (!element || element === document.body) return "";
      const { x, y, width, height } = element.getBoundingClientRect();
      const top = document.elementFromPoint(x + width / 2, y + height / 2);
      return !top || element.contains(top) || top.contains(element) ? "" : element.outerHTML.slice(0, 80);
    });
  const walk = async () => {
    for (let i = 0; i < 60; i++) {
      await page.keyboard.press("Tab");
      assert.equal(await hidden(), "", `Tab ${i}`);
    }
  };
  await page.waitForSelector("#inspector #do-fail-node");
  await walk();
  await page.focus("#topbar [data-command=setup]");
  await page.keyboard.press("Enter");
  await walk();
  await page.keyboard.press("Escape");
  assert.equal(await page.evaluate(() => document.activeElement?.getAttribute("data-command")), "setup");
  assert.equal(await page.locator("body.show-setup").count(), 0);
  await page.keyboard.press("Escape"); // and the inspector, which lay below
  await page.waitForSelector("#inspector:not(.selected)", { state: "attached" });
  await page.focus("#tab-charts");
  assert.equal(await page.evaluate(() => document.activeElement?.id), "tab-charts");
  assert.deepEqual(errors, []);
});

test("closing the inspector leads the focus back to the map", async (t) => {
  const { page, errors } = await visit(t, "#draw=2d&n=200&sel=node.5&v=1");
  for (const leave of ["Enter", "Escape"]) {
    await page.waitForSelector("#inspector #do-fail-node");
    await page.focus("#inspector .heading button");
    await page.keyboard.press(leave);
    await page.waitForFunction(() => document.activeElement?.className === "map");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Enter");
  }
  assert.deepEqual(errors, []);
});
