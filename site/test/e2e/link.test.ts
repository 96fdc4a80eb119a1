// Links: what a reader sees is what the sender saw, and the page says so.
import assert from "node:assert/strict";
import { test } from "node:test";
import { deflateRawSync } from "node:zlib";
import { axe, beyond, clock, live, pause, RESULTS, settled, visit } from "./harness.ts";

test("reloading from the address finds the same run", async (t) => {
  const { page, context, errors } = await visit(t);
  await beyond(page, 90);
  assert.match(await page.title(), /^200 nodes · .* · Parley$/);
  const hash = await pause(page);
  const seconds = await clock(page);
  const digest = new URLSearchParams(hash.slice(1)).get("d") ?? "";
  assert.match(digest, /^[0-9a-f]{8}$/);
  await context.close(); // pages draw all the time, and machines that test have few cores

  const second = await visit(t, hash);
  await second.page.waitForSelector('.verdict[data-verdict="reproduced"]');
  assert.match(await second.page.locator(".arrival:not(.preview)").innerText(), /^Reproduced at \d+m.*s, to the last bit/);
  assert.equal(await clock(second.page), seconds, "it stands at the moment that was shared");
  assert.equal(await second.page.locator("#status").getAttribute("data-mode"), "paused");
  await second.page.click("#play-on");
  await live(second.page);
  await second.page.waitForSelector(".arrival:not(.preview)", { state: "hidden" });
  await second.page.reload(); // one's own address is no shared one
  await live(second.page);
  await second.context.close();

  const wrong = hash.replace(digest, digest === "00000000" ? "00000001" : "00000000");
  const third = await visit(t, wrong);
  await third.page.waitForSelector('.verdict[data-verdict="differs"]');
  assert.match(
    await third.page.locator(".arrival:not(.preview)").innerText(),
    new RegExp(`^Not what the sender saw at .*: digest ${digest} here, 0000000. in the link`),
  );
  await third.page.click("#arrival-close");
  await third.page.waitForSelector(".arrival:not(.preview)", { state: "hidden" });
  assert.deepEqual([...errors, ...second.errors, ...third.errors], []);
});

test("sharing copies the address", async (t) => {
  const { page, context } = await visit(t);
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.click("[data-command=share]");
  await page.waitForSelector('#toast:has-text("Link copied")');
  const link = await page.evaluate(() => navigator.clipboard.readText());
  assert.match(link, /#at=.*n=200/);
});

test("a short link is sent when the viewer says so, and opens paused at the moment", async (t) => {
  const { page, context, errors, home } = await visit(t);
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const calls: string[] = [];
  page.on("request", (request) => request.url().includes("/api/") && calls.push(`${request.method()} ${new URL(request.url()).pathname}`));
  await beyond(page, 60);
  const moment = new URLSearchParams((await pause(page)).slice(1));
  assert.deepEqual(calls, [], "the page asks nobody by itself");
  await page.keyboard.press(">");
  await page.keyboard.type("short link");
  await page.keyboard.press("Enter");
  await page.waitForSelector("#short-send");
  assert.deepEqual(calls, ["GET /api/links"]);
  const said = await page.locator("dialog.share").innerText();
  assert.match(said, /for 365 days/);
  assert.match(said, /Nothing has been sent yet/);
  await page.click("#short-send");
  const link = await page.inputValue("#short-link");
  assert.match(link, /\/s\/[\w-]{11}$/);
  await page.waitForFunction(() => document.querySelector("#short-status")?.textContent?.startsWith("Link copied"));
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), link);
  assert.deepEqual(calls, ["GET /api/links", "POST /api/links"]);
  await context.close();

  const second = await visit(t, link.slice(home.length), { live: false });
  await second.page.waitForSelector('.verdict[data-verdict="reproduced"]');
  assert.equal(await second.page.locator("#status").getAttribute("data-mode"), "paused");
  const keys = new URLSearchParams(new URL(second.page.url()).hash.slice(1));
  assert.deepEqual([keys.get("at"), keys.get("d")], [moment.get("at"), moment.get("d")]);
  assert.deepEqual([...errors, ...second.errors], []);
});

test("a picture goes with a short link when the viewer says so, and previews of the link show it", async (t) => {
  const { page, home, errors } = await visit(t);
  await pause(page);
  await page.keyboard.press(">");
  await page.keyboard.type("short link");
  await page.keyboard.press("Enter");
  await page.waitForSelector("#short-send");
  assert.equal(await page.isChecked("#short-picture"), false, "nobody sends a picture by accident");
  await page.check("#short-picture");
  await page.waitForSelector("dialog.share img.short-picture");
  await axe(page, "a picture for previews", "dialog.share");
  await page.screenshot({ path: `${RESULTS}/picture.png` });
  await page.click("#short-send");
  const link = await page.inputValue("#short-link");
  const head = await (await fetch(link)).text();
  const [, image] = /og:image" content="([^"]*)"/.exec(head) ?? [];
  assert.match(image ?? "", new RegExp(`^${home}api/pictures/[\\w-]{11}$`));
  assert.match(head, /og:title" content="200 nodes"/);
  const picture = await fetch(image as string);
  assert.equal(picture.headers.get("content-type"), "image/png");
  const bytes = Buffer.from(await picture.arrayBuffer());
  t.diagnostic(`the picture has ${bytes.length} bytes`);
  assert.deepEqual([bytes.readUInt32BE(16), bytes.readUInt32BE(20)], [1200, 630]);
  const gone = await visit(t, link.slice(home.length), { live: false });
  await gone.page.waitForSelector('.verdict[data-verdict="reproduced"]');
  assert.deepEqual([...errors, ...gone.errors], []);
});

test("a host without short links is said in a sentence, and nothing is sent", async (t) => {
  const { page } = await visit(t);
  const sent: string[] = [];
  await page.route("**/api/links*", (route) => {
    sent.push(route.request().method());
    return route.fulfill({ status: 404, contentType: "text/html", body: "<h1>Not Found</h1>" });
  });
  await page.keyboard.press(">");
  await page.keyboard.type("short link");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() =>
    document
      .querySelector("#short-status")
      ?.textContent?.startsWith("This host keeps no short links: it only serves the page. Nothing was sent."),
  );
  assert.equal(await page.locator("#short-send").count(), 0);
  assert.deepEqual(sent, ["GET"]);
});

test("a setting that nothing reads is told and stays in the address; one that is refused ends in a dialog and the default scenario", async (t) => {
  const unread = await visit(t, "#draw=2d&n=200&v=1&x.nonsense=1");
  await unread.page.waitForSelector(
    '#toast:has-text("The link also says “x.nonsense”, which nothing here reads; it is kept in the address.")',
  );
  await unread.page.waitForFunction(() => /[#&]d=.*&x\.nonsense=1/.test(location.hash));
  assert.equal(await unread.page.locator("dialog").count(), 0);
  const { page } = await visit(t, "#draw=2d&n=200&sys=central&v=1&x.policy=easy", { live: false });
  await page.waitForSelector('dialog.trouble[data-class="setting"]');
  assert.match(await page.locator("dialog .sentence").innerText(), /the policy starts rigid jobs/);
  await page.keyboard.press("Escape");
  await live(page);
});

/** A scenario of 200 nodes, packed as links from before faults had keys of their own are. */
const PACKED = JSON.stringify({
  v: 1,
  name: "Packed",
  system: "negotiation",
  seed: 3,
  cluster: { nodes: 200 },
  faults: [{ at: "1m", kind: "rack_down", target: "rack.1" }],
});

test("a broken link ends in a sentence and a running page", async (t) => {
  const whole = deflateRawSync(PACKED).toString("base64url");
  for (const [link, says] of [
    [
      "#draw=2d&n=200&v=1&z=1.q1YqU7Iy1FEqriwuSc1VslJKTs0rKUrMUQIKpaamKFmZm5nWAgAAAAA",
      /z cannot be read: .*the default scenario runs instead/,
    ],
    [`#draw=2d&v=1&z=1.${whole.slice(0, whole.length / 2)}`, /z cannot be read: .*the default scenario runs instead/], // cut in half
    ["#draw=2d&v=1&s=nowhere", /nowhere.*is not in the gallery.*default/],
    ["#draw=2d&n=many&v=1", /n is “many”, which is not a whole number/],
    ["#draw=2d&n=200&v=99&later=1", /^This link needs a newer Parley \(version 99\)\. .* The link also says “later”/],
    ["#draw=2d&n=5&v=1", /n is 5, which is out of range: 10 is used/],
  ] as const) {
    const { page, context, errors } = await visit(t, link, {
      live: false,
      prepare: async (opened) => {
        await opened.addInitScript(() => {
          const notices: string[] = []; // short ones go by themselves
          const note = () => {
            const told = document.querySelector<HTMLElement>("#toast:not([hidden])")?.textContent;
            if (told && told !== notices.at(-1)) notices.push(told);
          };
          new MutationObserver(note).observe(document, { subtree: true, childList: true, attributes: true });
          Object.assign(window, { notices });
        });
      },
    });
    const notices = () => page.evaluate(() => (window as unknown as { notices: string[] }).notices);
    await settled(async () => {
      const told = await notices();
      return told.some((text) => says.test(text)) ? "" : `${link}: ${says} is not in: ${told.join(" | ")}`;
    });
    await live(page);
    if (link.includes("later")) await page.waitForFunction(() => /[#&]later=1&n=200&v=1/.test(location.hash)); // it stays, and the version is this page's
    assert.deepEqual(
      errors.filter((text) => !text.startsWith("Failed to load resource")),
      [],
      link,
    ); // of a scenario that is not there
    await context.close();
  }
});

test("links of older forms open, and a script in a name is a name", async (t) => {
  const name = '<img src=x onerror="document.title=1"><script>document.title=2</script>';
  for (const [link, title, key] of [
    [`#draw=2d&v=1&z=1.${deflateRawSync(PACKED).toString("base64url")}`, /^Packed · /, /./], // faults were packed
    ["#draw=2d&fill=cpu_reserved&n=200", /^200 nodes · /, /fill=cpu_requested/], // before versions, and before the layer had its name
    [
      `#draw=2d&n=200&v=1&name=${encodeURIComponent(name)}`,
      /^<img src=x onerror="document.title=1"><script>document.title=2<\/script> · /,
      /name=/,
    ],
  ] as const) {
    const { page, context, errors } = await visit(t, link);
    assert.match(await page.title(), title);
    await page.waitForFunction((pattern) => new RegExp(pattern).test(location.hash), key.source);
    assert.equal(await page.locator("img[src=x]").count(), 0);
    assert.deepEqual(errors, [], link);
    await context.close();
  }
});
