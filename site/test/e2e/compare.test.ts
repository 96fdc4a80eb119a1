// Other systems on the same workload: played beside the run, as a chart and as
// a table whose digests are those of the page's own runs.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "playwright-core";
import { beyond, clock, PATIENCE, pause, program, RESULTS, visit } from "./harness.ts";

const PLAIN = "#draw=2d&n=200&v=1";

async function axe(page: Page, where: string): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).include("#place").analyze();
  assert.deepEqual(
    violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(" | ")}`),
    [],
    where,
  );
}

/** Waits until the comparison says that it is over. */
async function over(page: Page): Promise<string> {
  await page.waitForFunction(
    () => /^(Compared|Cancelled)/.test(document.querySelector('.standing [role="status"]')?.textContent ?? ""),
    undefined,
    { timeout: 3 * PATIENCE },
  );
  return page.locator('.standing [role="status"]').innerText();
}

test("beat this: a comparison becomes a link, a formula is compared and handed on, and the command line ranks both", async (t) => {
  const { page, context, errors } = await visit(
    t,
    `${PLAIN}&p=compare&sys=central&x.policy=best-fit&with=central.random&until=2m&seeds=2&run=1`,
    { live: false },
  );
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await over(page);
  assert.equal(await page.textContent("#compare-beat"), "Beat this");
  await page.click("#compare-beat");
  await page.waitForSelector(".beat tbody tr:nth-child(2)");
  await axe(page, "a challenge");
  await page.screenshot({ path: `${RESULTS}/beat.png` });
  const first = await page.evaluate(() => navigator.clipboard.readText());
  await context.close();

  const second = await visit(t, first.slice(first.indexOf("#")), { live: false });
  await second.context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await second.page.waitForSelector(".beat tbody tr:nth-child(2)");
  const told = await second.page.locator(".beat tbody tr").allTextContents();
  await second.page.click("#beat-formula");
  await second.page.fill("#formula-score", "-after.cpu / cpu.capacity");
  await second.page.click("#formula-run:enabled");
  await second.page.waitForFunction(() => document.querySelector("#formula-compare")?.textContent?.startsWith("Compare with"));
  await second.page.click("#place-compare");
  await second.page.click("#compare-start:enabled");
  await over(second.page);
  await second.page.click('#compare-beat:has-text("Hand on")');
  await second.page.waitForSelector(".beat tbody tr:nth-child(3)");
  const handed = await second.page.evaluate(() => navigator.clipboard.readText());
  const shown = await second.page.locator(".beat tbody tr").count(); // with what Compare chose beside the formula
  assert.deepEqual([...errors, ...second.errors], []);

  writeFileSync(`${RESULTS}/links.txt`, `Ana: ${first}\nBen: ${handed}\n`);
  const ranked = execFileSync(program("parley"), ["grade", `${RESULTS}/links.txt`, "--challenge", first], { encoding: "utf8" })
    .trim()
    .split("\n");
  assert.equal(ranked.length, 1 + shown, ranked.join("\n"));
  assert.ok(!ranked.some((line) => line.includes("its link says")), `what the page measured is what is played again: ${ranked.join("\n")}`);
  for (const line of told)
    assert.ok(
      ranked.some((row) => row.includes(/[A-Z][a-z ,-]+[a-z]/.exec(line)?.[0] ?? "?")),
      line,
    );
});

/** How high the cells of the stages are, CSS pixels. */
const cellsOf = (page: Page) =>
  page.locator(".panes figure:not([hidden]) .cells").evaluateAll((boxes) => boxes.map(({ clientHeight }) => clientHeight));

/** Waits until each chart of the stages tells of every run a value, and of all but the first how far it is from that one. */
async function chartsAgree(page: Page): Promise<void> {
  await page.waitForFunction(() => {
    const charts = [...document.querySelectorAll<HTMLElement>(".overlaid > div:not([hidden])")].map((chart) =>
      [...chart.querySelectorAll(".keys b.num")].map((told) => told.textContent ?? ""),
    );
    const number = (text: string) => Number(/^[\d.]+/.exec(text.replaceAll(",", ""))?.[0]);
    const agrees = (first: string, other: string) => {
      const sign = /\((=|[+−])([\d.,]*)/.exec(other);
      const less = number(other) - number(first);
      return sign !== null && (sign[1] === "=" ? less === 0 : less === 0 || less > 0 === (sign[1] === "+"));
    };
    return (
      charts.length === 2 &&
      charts.every(([first, ...others]) => others.length > 0 && !first.includes("(") && others.every((other) => agrees(first, other)))
    );
  });
}

/** What a button makes. */
async function take(page: Page, button: string): Promise<Buffer> {
  const [saved] = await Promise.all([page.waitForEvent("download"), page.click(button)]);
  return readFileSync(await saved.path());
}

const digests = async (page: Page) =>
  (await page.locator(".ledger tbody tr", { hasText: "Digest" }).locator("td").allInnerTexts()).map((text) => text.trim());

test("two systems are compared with the keyboard alone, and the page's digests are the same", async (t) => {
  const { page, errors, foreign } = await visit(t, PLAIN);
  await beyond(page, 60);
  const seen = new URLSearchParams((await pause(page)).slice(1));
  const at = await clock(page);
  await page.keyboard.press("c");
  await page.waitForSelector("#compare-start:focus");
  for (const _ of ["the choice to pause", "how many seeds", "until when"]) await page.keyboard.press("Shift+Tab");
  await page.keyboard.type(seen.get("at") ?? "");
  await page.keyboard.press("Tab");
  await page.keyboard.type("3");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  await axe(page, "before");
  await page.keyboard.press("Enter");
  assert.match(await over(page), /^Compared 2 systems with 3 seeds each up to /);
  await page.waitForSelector(".ledger:focus"); // the focus goes on from Cancel, which is gone
  const [own, other] = (await digests(page)).map((text) => text.slice(0, 16)); // of the scenario's own seed
  assert.match(own, /^[0-9a-f]{16}$/);
  assert.notEqual(own, other);
  assert.equal(own.slice(0, 8), seen.get("d"), "the run on the page has the same digest at that time");
  assert.equal(await clock(page), at, "the run on the page stands where it was");
  const told = await page.locator(".ledger").innerText();
  assert.match(told, /A\s+Agent negotiation[\s\S]+B\s+Central scheduler, best fit/);
  assert.match(told, /CPU used\s+[\d.]+ % ± [\d.]+ %\s+[\d.]+ % ± [\d.]+ %\s*([+−][\d.]+ pp|=)/);
  assert.match(told, /no difference seen|[AB] lower/, "intervals are judged");
  assert.match(told, /Placements\s+\S+/);
  await axe(page, "after");
  await page.screenshot({ path: `${RESULTS}/compare.png` });

  await page.focus("#compare-figure");
  await page.selectOption("#compare-figure", "cpu_used_pct");
  await page.waitForFunction(() => /A.*%.*B.*%/s.test(document.querySelector(".lines .keys")?.textContent ?? ""));
  const [saved] = await Promise.all([page.waitForEvent("download"), page.click("#compare-csv")]);
  const lines = readFileSync(await saved.path(), "utf8")
    .trim()
    .split("\n");
  assert.match(
    lines[0],
    /^figure,kind,unit,Agent negotiation,"Agent negotiation, standard deviation","Agent negotiation, seeds","Central scheduler, best fit",.*"Central scheduler, best fit, difference, 95 % to"$/,
  );
  assert.match(lines.at(-1) ?? "", new RegExp(`^Digest,,,${own}( [0-9a-f]{16}){2},,,${other}( [0-9a-f]{16}){2},,,,,$`));

  const [json, png] = [await take(page, "#compare-json"), await take(page, "#compare-png")];
  const { systems } = JSON.parse(json.toString()) as { systems: { seeds: { digest: string }[] }[] };
  assert.deepEqual(
    systems.map(({ seeds }) => [seeds.length, seeds[0].digest]),
    [
      [3, own],
      [3, other],
    ],
  );
  assert.match(png.subarray(0, 2000).toString("latin1"), /^\x89PNG[\s\S]*iTXtparley-scenario[\s\S]*"system":"negotiation"/);

  await page.focus('[id="compare-open-central.best-fit"]');
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.querySelector<HTMLElement>(".verdict")?.dataset.verdict === "reproduced");
  assert.equal(await page.locator("#system").inputValue(), "central");
  assert.deepEqual(errors, []);
  assert.deepEqual(foreign, []);
});

test("what was done in a run is seen in what differs under every other system", async (t) => {
  const acts = "f=3m.rack.1.down&f=4m.cluster.grow-12&f=5m.settings.candidates-2";
  const { page, errors } = await visit(
    t,
    `#beside=difference&draw=2d&n=200&seed=7&${acts}&moment=6m&p=compare&with=central.best-fit+yield.adapt&v=1`,
    { live: false },
  );
  await page.waitForFunction(
    () =>
      [...document.querySelectorAll<HTMLElement>(".panes figure:not([hidden]) figcaption")].filter(({ innerText }) =>
        /\d+ of 212 nodes differ at/.test(innerText),
      ).length === 2,
  );
  assert.deepEqual(errors, []);
});

test("cancelling ends what is under way, and the run on the page went on", async (t) => {
  const { page, errors } = await visit(t, PLAIN, { viewport: { width: 390, height: 844 }, colorScheme: "dark" });
  await page.click("#place-compare");
  await page.fill("#compare-until", "29d");
  await page.fill("#compare-seeds", "31");
  await page.waitForSelector("#compare-few:not([hidden])");
  assert.equal(await page.isDisabled("#compare-start"), true);
  await page.fill("#compare-seeds", "1");
  const from = await clock(page);
  await page.click("#compare-start");
  await page.waitForFunction(() => / of 2 · [1-9]\d* % · /.test(document.querySelector(".standing .doing")?.textContent ?? ""), undefined, {
    timeout: 3 * PATIENCE,
  });
  await page.waitForSelector(".lines .u-over");
  await page.screenshot({ path: `${RESULTS}/compare-phone-dark.png` });
  await page.click("#compare-cancel");
  assert.equal(await over(page), "Cancelled; 0 runs of 2 came to the end.");
  await beyond(page, from);
  await axe(page, "cancelled");
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "the page itself does not scroll sideways");
  await page.fill("#compare-until", "soon");
  await page.waitForSelector("#compare-bad:not([hidden])");
  assert.equal(await page.isDisabled("#compare-start"), true);
  await page.fill("#compare-until", "2m");
  await page.click("#compare-start");
  assert.match(await over(page), /^Compared 2 runs up to 2m\./);
  await page.waitForFunction(
    () => document.querySelector(".lines .plot")?.clientHeight === document.querySelector(".lines .uplot")?.clientHeight,
  ); // names that wrap leave room for the axis
  assert.deepEqual(errors, []);
});

test("a workload of one system is compared within it", async (t) => {
  const { page, errors } = await visit(t, "#draw=2d&s=rounds-failures&v=1", { live: false });
  await page.click("#place-compare");
  await page.waitForSelector('[id="rival-rounds.umr2"]'); // the systems describe themselves once the module is there
  await page.click(".wishes .absent summary");
  assert.match(
    await page.locator(".wishes").innerText(),
    /Compare Divisible-load rounds, best with[\s\S]+Agent negotiation cannot be compared here: it schedules tasks, and this scenario has loads/,
  );
  await page.click('[id="rival-rounds.umr2"]');
  await page.fill("#compare-seeds", "1");
  await page.click("#compare-start");
  assert.match(await over(page), /^Compared \d runs? up to 10m/);
  assert.match(await page.locator(".ledger").innerText(), /Makespan\s+[\d,.]+ s/);
  await page.screenshot({ path: `${RESULTS}/compare-rounds.png` });
  assert.deepEqual(errors, []);
});

test("a private trace is compared with the page's own files", async (t) => {
  const { page, errors, foreign } = await visit(t, PLAIN);
  const rows = (...lines: string[]) => Buffer.from(lines.join("\n") + "\n");
  // As the format's schema.csv names the columns: machines join, a task comes, and ends a day later.
  const machines = rows("0,5,0,platform,0.5,0.2493", "0,6,0,platform,0.5,0.2493");
  const tasks = rows("0,,3418309,0,,0,user,3,9,0.125,0.07446,0.0004244,0", "86400000000,,3418309,0,5,4,user,3,9,0.125,0.07446,0.0004244,0");
  await page.setInputFiles("#files", [
    { name: "machine_events.csv", mimeType: "text/csv", buffer: machines },
    { name: "task_events.csv", mimeType: "text/csv", buffer: tasks },
  ]);
  await page.waitForSelector('#setup dt:text-is("task events")');
  await beyond(page, 60);
  const seen = new URLSearchParams((await pause(page)).slice(1));
  await page.keyboard.press("c");
  await page.fill("#compare-until", seen.get("at") ?? "");
  await page.click("#compare-start");
  assert.match(await over(page), /^Compared 2 runs/);
  assert.equal((await digests(page))[0].slice(0, 8), seen.get("d"));
  await page.click('[id="compare-open-central.best-fit"]');
  await page.waitForSelector('.verdict[data-verdict="reproduced"]');
  assert.equal(await page.locator("#system").inputValue(), "central");
  assert.deepEqual(errors, []);
  assert.deepEqual(foreign, []);
});

test("two systems stand side by side at the same moment, and play on together", async (t) => {
  const { page, context, errors, foreign } = await visit(t, PLAIN);
  await beyond(page, 60);
  const seen = new URLSearchParams((await pause(page)).slice(1));
  await page.click("#place-compare");
  await page.click("#compare-watch");
  const moments = () =>
    page
      .locator(".panes figure:not([hidden])")
      .evaluateAll((figures) => figures.map((figure) => Number((figure as HTMLElement).dataset.at) / 1e6));
  const together = () =>
    page.waitForFunction(() => {
      const at = [...document.querySelectorAll<HTMLElement>(".panes figure:not([hidden])")].map((figure) => figure.dataset.at);
      return at.length === 2 && at[0] !== undefined && at[0] === at[1];
    });
  await page.waitForFunction((digest) => document.querySelector(".panes small")?.textContent === digest, seen.get("d")); // that of the run on the page
  await together();
  const [from] = await moments();
  await page.keyboard.press("Enter"); // on Play, which has the focus
  await page.waitForFunction(
    (least) =>
      [...document.querySelectorAll<HTMLElement>(".panes figure:not([hidden])")].every((figure) => Number(figure.dataset.at) / 1e6 > least),
    from + 120,
  );
  await page.keyboard.press("Enter");
  await page.waitForSelector('#pair-play[aria-label="Play both"]');
  await together();
  await chartsAgree(page);
  await axe(page, "side by side");
  await page.screenshot({ path: `${RESULTS}/pair.png` });
  assert.ok(
    (await cellsOf(page)).every((height) => height >= 200),
    "the charts leave room for the cells",
  );
  await page.selectOption("#pair-figure-1", "migrations");
  await chartsAgree(page);

  await page.keyboard.press("x");
  await page.waitForFunction(() => /^A\s*Central/.test(document.querySelector<HTMLElement>(".panes figcaption")?.innerText ?? ""));
  await page.locator('.stages input[value="swipe"]').focus();
  await page.keyboard.press("Space");
  await page.focus(".divider");
  await page.keyboard.press("ArrowLeft");
  await page.waitForSelector('.divider[aria-valuenow="48"]');
  await axe(page, "one over the other");
  await page.screenshot({ path: `${RESULTS}/pair-swipe.png` });
  await page.keyboard.press("x");
  await page.click('.stages label:has(input[value="difference"])');
  await page.waitForFunction(() =>
    /\d+ of 200 nodes differ at/.test(document.querySelector<HTMLElement>(".panes figure:not([hidden]) figcaption")?.innerText ?? ""),
  );
  assert.match(await page.locator(".stages .legend .scale").innerText(), /−[\d.]+\s+0\s+\+[\d.]+ pp/);
  await axe(page, "one less the other");
  await page.screenshot({ path: `${RESULTS}/pair-difference.png` });
  await page.waitForFunction(() => /beside=difference&.*moment=.*p=compare.*with=central.best-fit/.test(location.hash));
  const link = await page.evaluate(() => location.hash);
  const told = await page.locator(".panes figure:not([hidden]) figcaption").innerText();
  await page.click("#pair-close");
  await page.waitForSelector(".stages", { state: "hidden" });
  await page.goBack();
  await page.waitForSelector('.stages:not([hidden]) input[value="difference"]:checked');
  await context.close();

  const second = await visit(t, link, { live: false, viewport: { width: 640, height: 400 } }); // another profile sees the same
  await second.page.waitForFunction(
    (wanted) => document.querySelector<HTMLElement>(".panes figure:not([hidden]) figcaption")?.innerText === wanted,
    told,
  );
  const cells = await second.page.locator(".panes figure:not([hidden]) .cells").boundingBox();
  assert.ok(cells && cells.height >= 240, `${cells?.height} px`);
  await second.page.locator("#pair-figure-1").scrollIntoViewIfNeeded();
  await chartsAgree(second.page);
  assert.deepEqual([...errors, ...second.errors], []);
  assert.deepEqual([...foreign, ...second.foreign], []);
});
