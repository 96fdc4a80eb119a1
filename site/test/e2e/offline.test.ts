// Without a network after the first visit, installed, and in a frame of another page.
import assert from "node:assert/strict";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { resolve } from "node:path";
import { type TestContext, test } from "node:test";
import { pathToFileURL } from "node:url";
import { beyond, DIST, kept, live, RESULTS, serve, visit } from "./harness.ts";

/** The project's server behind one that can change what it answers, as a deployment does. */
async function deployment(
  t: TestContext,
): Promise<{ home: string; change: (name: string, edit: (text: string) => string) => void; count: (name: string) => number }> {
  const behind = await serve();
  const edits = new Map<string, (text: string) => string>();
  const asked = new Map<string, number>();
  const server = createServer((request, response) => {
    void (async () => {
      const name = new URL(request.url ?? "/", behind).pathname.slice(1) || "index.html";
      asked.set(name, (asked.get(name) ?? 0) + 1);
      const come = await fetch(new URL(name, behind), { headers: { "accept-encoding": "identity" } });
      const edit = edits.get(name);
      const body = Buffer.from(await come.arrayBuffer());
      response.writeHead(come.status, { "content-type": come.headers.get("content-type") ?? "text/plain", "cache-control": "no-cache" });
      response.end(edit ? edit(body.toString()) : body);
    })().catch(() => response.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => void server.close());
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  return {
    home: `http://127.0.0.1:${address.port}/`,
    change: (name, edit) => edits.set(name, edit),
    count: (name) => asked.get(name) ?? 0,
  };
}

test("a newer page is never served an older program: what is not of one build comes from the network", async (t) => {
  const { home, change, count } = await deployment(t);
  const { context, page } = await visit(t, "#draw=2d&n=200&v=1", { serviceWorkers: "allow" });
  await page.goto(`${home}#draw=2d&n=200&v=1`);
  await live(page);
  await kept(page);
  const before = count("worker.wasm");
  await page.goto("about:blank");
  await page.goto(`${home}#draw=2d&n=200&v=1`);
  await live(page);
  assert.equal(count("worker.wasm"), before, "the same build is not asked for again");

  change("index.html", (text) => text.replace(/name="build" content="\w+"/, 'name="build" content="0123456789abcdef"'));
  await page.goto("about:blank");
  await page.goto(`${home}#draw=2d&n=200&v=1`);
  await live(page);
  assert.equal(await page.getAttribute("meta[name=build]", "content"), "0123456789abcdef", "the newer page comes");
  assert.equal(count("worker.wasm"), before + 1, "and its program from the network");

  await context.setOffline(true);
  await page.goto("about:blank");
  await page.goto(`${home}#draw=2d&n=200&v=1`);
  await live(page);
  assert.notEqual(
    await page.getAttribute("meta[name=build]", "content"),
    "0123456789abcdef",
    "without a network the kept build, all of it",
  );
});

test("after the first visit every place and every system opens without a network", async (t) => {
  const { context, page, home } = await visit(t, "#draw=2d&n=200&v=1", { serviceWorkers: "allow" });
  await kept(page);
  await page.evaluate(async () => {
    // an idle page asks for them
    for (const name of ["whole.wasm", "program.wasm", "questions.wasm"])
      while (!(await caches.match(name))) await new Promise((again) => setTimeout(again, 200));
  });
  await context.setOffline(true);
  for (const [place, shown] of [
    ["compare", ".panel.compare"],
    ["sweep", "#sweep-start:enabled"],
    ["plan", "#plan-makespan"],
    ["papers", ".experiments li"],
    ["gallery", ".question"],
  ]) {
    await page.goto("about:blank");
    await page.goto(`${home}#draw=2d&n=200&p=${place}&v=1`);
    await page.waitForSelector(shown);
  }
  await page.goto("about:blank");
  await page.goto(`${home}#draw=2d&n=200&p=cluster&v=1`);
  await page.click("#cluster-example");
  await page.waitForSelector("#cluster-sentence");
  for (const scenario of ["rounds-failures", "static-failure", "dispatcher-failure", "board-ready", "market-auction"]) {
    await page.goto("about:blank");
    await page.goto(`${home}#draw=2d&s=${scenario}&v=1`);
    await live(page);
  }
  for (const system of ["central", "yield"]) {
    await page.goto("about:blank");
    await page.goto(`${home}#draw=2d&n=50&sys=${system}&v=1`);
    await live(page);
  }
  assert.equal(await page.locator("dialog.trouble").count(), 0);
});

test("a page of the manual is kept once it was opened", async (t) => {
  const { home, count } = await deployment(t);
  const { context, page } = await visit(t, "#draw=2d&n=200&v=1", { serviceWorkers: "allow" });
  await page.goto(`${home}#draw=2d&n=200&v=1`);
  await live(page);
  await kept(page);
  assert.equal(count("manual/programs.html"), 0, "the first visit does not fetch the manual");
  await page.goto(`${home}manual/programs.html`);
  const title = await page.title();
  await context.setOffline(true);
  await page.goto("about:blank");
  await page.goto(`${home}manual/programs.html`);
  assert.equal(await page.title(), title);
  assert.ok(
    await page.evaluate(() => [...document.styleSheets].some(({ href, cssRules }) => href?.includes("manual.css") && cssRules.length > 0)),
    "with its styles",
  );
});

test("a browser may install the page", async (t) => {
  const { page, context, errors } = await visit(t, "#draw=2d&n=200&v=1");
  const session = await context.newCDPSession(page);
  const { errors: wrong, data } = (await session.send("Page.getAppManifest")) as { errors: { message: string }[]; data?: string };
  assert.deepEqual(wrong, []);
  const { icons, name } = JSON.parse(data ?? "{}") as { icons: { src: string; sizes: string }[]; name: string };
  assert.match(name, /^Parley/);
  for (const { src, sizes } of icons) {
    const size = await page.evaluate(async (address) => {
      const picture = new Image();
      picture.src = address;
      await picture.decode();
      return `${picture.naturalWidth}x${picture.naturalHeight}`;
    }, src);
    assert.equal(size, sizes);
  }
  assert.deepEqual(errors, []);
});

test("slides on a disk show the page in a frame if the server allows pages on a disk", async (t) => {
  const { context } = await visit(t, "#draw=2d&n=20&v=1", { live: false });
  const slides = await context.newPage();
  const open = async (frames: string) => {
    const file = resolve(RESULTS, "slides.html");
    const link = `${await serve(DIST, frames)}#draw=2d&embed=1&n=50&v=1`;
    writeFileSync(file, `<!doctype html><iframe src="${link}" width="600" height="360"></iframe>`);
    await slides.goto(pathToFileURL(file).href);
  };
  await open("file:");
  await slides.frameLocator("iframe").locator("#stage[data-drawn]").waitFor();
  const refused = slides.waitForEvent("console", { predicate: (message) => /frame-ancestors/.test(message.text()) });
  await open("https://example.org");
  await refused;
});

test("embed=1 is a title, the stage and the timeline alone, and stays in the address", async (t) => {
  const { page, errors } = await visit(t, "#draw=2d&embed=1&n=200&v=1", { live: false, viewport: { width: 600, height: 360 } });
  await page.waitForSelector("#stage[data-drawn]");
  await beyond(page, 5);
  for (const part of ["#topbar", "#inspector", "#drawer", "#status", "#places"])
    assert.equal(await page.locator(part).isVisible(), false, part);
  const [stage, time] = [await page.locator("#stage").boundingBox(), await page.locator("#timeline").boundingBox()];
  assert.ok(stage && time && stage.width === 600 && stage.height >= 250 && time.y + time.height <= 360.5, JSON.stringify([stage, time]));
  await page.waitForFunction(() => /[#&]at=/.test(location.hash));
  assert.match(await page.evaluate(() => location.hash), /embed=1/);
  assert.deepEqual(errors, []);
});
