// What the browser itself holds the page to, beside its policy of addresses: texts that
// become scripts or elements, powers that nothing uses, and isolation from other origins.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { DIST, live, serve, visit } from "./harness.ts";

test("a text becomes a script or an element by the page's own policies alone, and the page works", async (t) => {
  const { page, errors } = await visit(t, "#draw=gl&n=200&v=1");
  await page.waitForSelector('#stage[data-drawn="view"]');
  for (const place of ["compare", "sweep", "plan", "cluster", "papers", "gallery"]) {
    await page.click(`#place-${place}`);
    await page.locator("#place h2, #place h1").first().waitFor();
  }
  assert.deepEqual(errors, []);
  const said = await page.evaluate(async () => {
    const attempt = (work: () => unknown) => {
      try {
        work();
        return "taken";
      } catch (error) {
        return error instanceof TypeError ? "refused" : String(error);
      }
    };
    const types = (globalThis as unknown as { trustedTypes: { createPolicy(name: string, rules: object): unknown } }).trustedTypes;
    const powers = (document as unknown as { featurePolicy: { allowsFeature(name: string): boolean } }).featurePolicy;
    return {
      html: attempt(() => (document.createElement("div").innerHTML = "<b>x</b>")),
      script: attempt(() => (document.createElement("script").src = "page.js")),
      worker: attempt(() => new Worker("worker.js")),
      eval: attempt(() => document.createElement("iframe").setAttribute("srcdoc", "<b>x</b>")),
      policy: attempt(() => types.createPolicy("another", {})),
      twice: attempt(() => types.createPolicy("parley", {})),
      powers: ["camera", "microphone", "geolocation", "usb", "fullscreen", "gamepad"].filter((name) => powers.allowsFeature(name)),
      isolated: crossOriginIsolated,
      frame: (document.querySelector("#stage iframe") as HTMLIFrameElement).contentWindow?.crossOriginIsolated,
    };
  });
  assert.deepEqual(said, {
    html: "refused",
    script: "refused",
    worker: "refused",
    eval: "refused",
    policy: "refused",
    twice: "refused",
    powers: ["fullscreen", "gamepad"],
    isolated: true,
    frame: true,
  });
});

test("a page that is isolated itself can show Parley in a frame, where the server lists it", async (t) => {
  let inside = "";
  const outer = createServer((_, response) => {
    response.setHeader("Content-Type", "text/html");
    response.setHeader("Cross-Origin-Opener-Policy", "same-origin");
    response.setHeader("Cross-Origin-Embedder-Policy", "require-corp");
    response.end(`<!doctype html><title>Course</title><iframe width="760" height="460" title="Parley" src="${inside}"></iframe>`);
  });
  await new Promise<void>((done) => outer.listen(0, "127.0.0.1", done));
  t.after(() => outer.close());
  const port = (outer.address() as AddressInfo).port;
  const { page } = await visit(t);
  for (const host of ["127.0.0.1", "localhost"]) {
    // another port is the same site, another name is not
    const origin = `http://${host}:${port}`;
    inside = `${await serve(DIST, origin)}#draw=gl&embed=1&n=200&v=1`;
    await page.goto(origin);
    const frame = page.frameLocator("iframe");
    await frame.locator('#stage[data-drawn="view"]').waitFor();
  }
  assert.equal(await page.evaluate(() => crossOriginIsolated), true);
});

test("a link that ends the page's script offers the first scenario, which opens", async (t) => {
  const { page } = await visit(t, "#draw=2d&n=200&seed=42&v=1", {
    live: false,
    prepare: async (unopened) => {
      await unopened.addInitScript(() => {
        if (!location.hash.includes("seed=42")) return;
        // biome-ignore lint/complexity/useArrowFunction: the page constructs it
        Intl.NumberFormat = function () {
          throw new Error("no numbers here");
        } as unknown as typeof Intl.NumberFormat;
      });
    },
  });
  await page.click('.welcome a:text-is("Open the first scenario")');
  await live(page);
  assert.ok(!(await page.evaluate(() => location.hash)).includes("seed=42"));
});
