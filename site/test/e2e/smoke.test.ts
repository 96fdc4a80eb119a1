// What a change breaks first: the page opens and is live, a run and its
// link are the command line's, files are played or refused in a sentence, and time, compare,
// plan, the keyboard alone and no network work. All else that is tested stands in the other files.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { axe, beyond, clock, drop, goTo, kept, live, parley, pause, SMALL, visit } from "./harness.ts";
import { BROKEN, LOG } from "./swf.ts";

/** What the command line says of the log. */
function played(): { digest: string; warnings: string[] } {
  const folder = mkdtempSync(join(tmpdir(), "parley-"));
  try {
    const file = join(folder, "small.swf");
    writeFileSync(file, LOG);
    return parley("run", file, "--system", "central") as { digest: string; warnings: string[] };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
describe("what a change breaks first", { concurrency: availableParallelism() }, () => {
  test("the default scenario is live by itself", async (t) => {
    const { page, errors, foreign } = await visit(t, "#draw=gl&v=1", { viewport: { width: 900, height: 600 } }); // software draws pixel by pixel
    const mark = (name: string) => page.evaluate((wanted) => performance.getEntriesByName(wanted)[0]?.startTime ?? NaN, name);
    const [preview, drawn] = [await mark("parley-preview"), await mark("parley-drawn")];
    assert.ok(preview < drawn, `the recording came after ${preview} ms, the run after ${drawn} ms`);
    assert.ok((await clock(page)) >= 4, "the run goes on where the recording ends");
    assert.ok(await page.locator(".preview").isHidden(), "and nothing says that it is a recording any more");

    await page.waitForSelector('#stage[data-drawn="view"]');

    const before = await clock(page);
    const stage = await page.locator("#stage").boundingBox();
    assert.ok(stage);
    const clip = { x: stage.x + stage.width / 4, y: stage.y + stage.height / 4, width: stage.width / 2, height: stage.height / 2 };
    const picture = () => page.screenshot({ clip });
    const first = await picture();
    await beyond(page, before + 30);
    assert.notDeepEqual(await picture(), first, "pixels move");
    assert.match(await page.locator("#status").innerText(), /live/);
    assert.equal(await page.locator("#scenario").inputValue(), "google-cell");
    assert.deepEqual(errors, []);
    assert.deepEqual(foreign, []);
  });

  test("a fault that was clicked is in the link, which the page and the command line play to the same digest", async (t) => {
    const { page, context, errors } = await visit(t);
    await page.focus(".map");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Enter");
    await page.waitForSelector("#inspector #do-fail-node");
    await page.keyboard.press("k");
    await page.waitForFunction(() => /[#&]f=[\w.]+\.node\.\d+\.down/.test(location.hash));
    await beyond(page, (await clock(page)) + 60);
    const link = await pause(page);
    const told = await page.locator("#status span:has-text('digest') b").innerText();
    await context.close(); // pages draw all the time, and machines that test have few cores
    const { digest } = parley("run", link) as { digest: string };
    assert.equal(digest.slice(0, 8), told);

    const second = await visit(t, link);
    await second.page.waitForSelector('.verdict[data-verdict="reproduced"]');
    await second.page.waitForSelector("#inspector #do-restore-node");
    assert.deepEqual([...errors, ...second.errors], []);
  });

  test("a log of rigid jobs that is dropped while agents negotiate is played by EASY, as the command line plays it", async (t) => {
    const { page, errors } = await visit(t);
    await page.waitForSelector('#drawer .chart h2:has-text("Overloaded nodes, %")');
    await drop(page, "small.swf", LOG);
    await page.waitForSelector('#setup dt:text-is("jobs")');
    await page.waitForSelector("#card:visible"); // it comes after the run's figures
    const card = await page.locator("#card").innerText();
    assert.match(card, /small\.swf: 300 jobs on 16 processors/);
    assert.match(card, /Scheduled by\s+Central scheduler, policy easy/);
    assert.match(card, /Agent negotiation cannot schedule the files' jobs, so Parley uses Central scheduler\./);
    assert.ok(await page.locator("#toast").isHidden(), "one card, no toasts");
    assert.match(await page.locator("#setup .said").innerText(), /Machines assumed: 8 nodes of 2 processors/);
    assert.ok(await page.locator("#system-central").isChecked());
    await page.waitForSelector('#drawer .chart h2:text-is("Jobs")');
    assert.deepEqual(await page.locator("#drawer .chart h2").allInnerTexts(), [
      "Jobs",
      "Wait, minutes",
      "Bounded slowdown",
      "Processors used, %",
    ]);
    for (let i = 0; i < 10; i++) await page.keyboard.press("]"); // as fast as it goes
    await page.waitForSelector('#status[data-mode="ended"]');
    const report = played();
    await page.click("#tab-report");
    await page.waitForSelector(`#drawer dd:text-is("${report.digest}")`);
    assert.ok(
      report.warnings.some((warning) => warning.startsWith("machines assumed: 8 nodes of 2 processors")),
      report.warnings.join("\n"),
    );
    await page.waitForFunction(() => location.hash.includes("need=")); // the link says which file it plays
    assert.match(await page.locator('#drawer tr:has(th:text-is("Wait of all jobs"))').innerText(), /min/);
    assert.deepEqual(errors, []);
  });

  test("a broken log ends in a sentence with its line, and what runs goes on", async (t) => {
    const { page, errors } = await visit(t);
    await drop(page, "broken.swf", BROKEN);
    const dialog = page.locator('dialog.trouble[data-class="bad-line"]');
    await dialog.waitFor();
    assert.match((await dialog.locator(".sentence").innerText()).replaceAll("\n", " "), /broken\.swf.*line 5.*soon/);
    await page.keyboard.press("Escape");
    await beyond(page, await clock(page));
    assert.ok(await page.locator("#system-negotiation").isChecked());
    assert.deepEqual(errors, []);
  });

  test("a moment has one digest, from before and from after", async (t) => {
    const { page, errors } = await visit(t);
    await page.keyboard.press("Space");
    await page.waitForSelector('#status[data-mode="paused"]');
    const first = await goTo(page, 600, "10m");
    const later = await goTo(page, 3600, "01:00:00");
    assert.notEqual(first, later);
    assert.equal(await goTo(page, 600, "600s"), first);
    await page.keyboard.press("l");
    await beyond(page, 3600);
    await page.waitForSelector('#status[data-mode="live"]');
    assert.equal(await page.locator("#scenario").inputValue(), "google-cell");
    assert.deepEqual(errors, []);
  });

  test("what was done in a run is done under every compared system, and each plays as on the command line", async (t) => {
    const acts = "f=3m.rack.1.down&f=4m.cluster.grow-12&f=5m.settings.candidates-2";
    const { page, errors } = await visit(
      t,
      `#draw=2d&n=200&seed=7&${acts}&p=compare&with=central.best-fit+yield.adapt&until=12m&seeds=1&run=1&v=1`,
      { live: false },
    );
    await page.waitForFunction(() =>
      document.querySelector('.standing [role="status"]')?.textContent?.startsWith("Compared 3 runs up to 12m."),
    );
    assert.match(
      (await page.locator(".wishes .absent").textContent()) ?? "",
      /Central scheduler does not support Candidates: 2 \(5m\): its run continues as if that had not happened\./,
    );
    const straight = ["", "&sys=central", "&sys=yield"].map((system) => {
      const { digest, warnings } = parley("run", `#n=200&seed=7&${acts}&v=1${system}`, "--until", "12m") as {
        digest: string;
        warnings: string[];
      };
      return { digest, warnings: warnings.join(" ") };
    });
    assert.deepEqual(
      (await page.locator(".ledger tbody tr", { hasText: "Digest" }).locator("td").allInnerTexts()).map((text) => text.trim().slice(0, 16)),
      straight.map(({ digest }) => digest),
    );
    const told = (await page.locator(".ledger tr.warnings td").allInnerTexts()).map((text) => text.trim());
    assert.deepEqual(
      told,
      straight.map(({ warnings }) => warnings),
    );
    assert.deepEqual(
      told.map((text) => /^the change of candidates at 5m0s did nothing/.test(text)),
      [false, true, true],
    );
    assert.deepEqual(errors, []);
  });

  test("changing a latency changes the plan, and the plan can be run", async (t) => {
    const { page, errors, foreign } = await visit(t);
    await page.click("#place-plan");
    await page.waitForSelector("#plan-makespan");
    await page.fill("#plan-workers", "50");
    await page.keyboard.press("Tab");
    await page.waitForFunction(() => /of 50 workers/.test(document.querySelector(".summary")?.textContent ?? ""));
    const before = await page.locator("#plan-makespan").innerText();
    await page.fill("#plan-all-comm_latency", "3");
    await page.waitForFunction((old) => document.querySelector("#plan-makespan")?.textContent !== old, before);
    await page.selectOption("#plan-algorithm", "umr");
    await page.waitForFunction(() => /· umr ·/.test(document.querySelector(".summary")?.textContent ?? ""));
    await axe(page, "plan", "#drawer");

    await page.fill("#plan-1-comm_latency", "endless");
    await page.waitForFunction(() =>
      /^worker 1: comm_latency is a text, not a number/.test(document.querySelector(".summary")?.textContent ?? ""),
    );
    await page.getByRole("button", { name: "Remove worker 1", exact: true }).click();
    await page.waitForFunction(() => /of 49 workers/.test(document.querySelector(".summary")?.textContent ?? ""));
    await page.click("#plan-live");
    await page.waitForFunction(() => /^umr, \d+ rounds? · planned/.test(document.querySelector(".course p")?.textContent ?? ""));
    await page.waitForFunction(() => location.hash.includes("z=1."));
    assert.deepEqual(errors, []);
    assert.deepEqual(foreign, []);
  });

  test("a first visit by keyboard alone: gallery, run, fault, why, comparison, plan, paper, link, and back", async (t) => {
    const { page, context, errors, foreign } = await visit(t, "#draw=2d&n=200&p=gallery&v=1", { live: false, setup: false });
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    let stops = 0;
    /** Goes on with Tab until an element of this kind has the focus, which can be seen there. */
    const reach = async (selector: string, key = "Tab") => {
      for (let i = 0; i < 500; i++, stops++) {
        // round and round: what is drawn anew loses the focus
        if (await page.evaluate((wanted) => document.activeElement?.matches(wanted), selector)) {
          const ring = await page.evaluate(() => {
            const focused = document.activeElement ?? document.body;
            const { outlineStyle, outlineWidth, boxShadow } = focused.matches(".map")
              ? getComputedStyle(focused.closest("#stage") ?? focused, "::after")
              : getComputedStyle(focused); // the map's lies upon the whole stage
            return boxShadow !== "none" || (outlineStyle !== "none" && parseFloat(outlineWidth) > 0);
          });
          assert.ok(ring, `the focus on ${selector} cannot be seen`);
          return;
        }
        await page.keyboard.press(key);
      }
      assert.fail(`${key} does not lead to ${selector}`);
    };
    const press = async (selector: string, key = "Enter") => {
      await page.waitForSelector(selector);
      await reach(selector);
      await page.keyboard.press(key);
    };

    await press("#question-yield-fair");
    await page.waitForFunction(() => location.hash.includes("s=yield-fair") && !location.hash.includes("p=gallery"));
    await page.waitForSelector('#status[data-mode="live"]');
    await page.keyboard.press("k"); // nothing is selected: nothing breaks
    await reach(".map");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Enter");
    await page.waitForSelector("#inspector tbody tr");
    await page.keyboard.press("Space");
    await page.waitForSelector('#status[data-mode="paused"]');
    await press(".why-here");
    await page.waitForSelector("dialog.why");
    await page.waitForFunction(() => (document.querySelector("dialog.why")?.textContent?.length ?? 0) > 80);
    await page.keyboard.press("Escape");
    await page.waitForSelector(".why-here:focus");
    await reach(".map", "Shift+Tab");
    await page.keyboard.press("k");
    await page.waitForFunction(() => /[#&]f=[\w.]+\.node\.\d+\.down/.test(location.hash));
    await page.keyboard.press("Space");
    await page.waitForSelector('#status[data-mode="live"]');
    await page.keyboard.press("y");
    await page.waitForFunction(() => document.querySelector("#toast:not([hidden])")?.textContent?.includes("Link copied"));
    assert.match(await page.evaluate(() => navigator.clipboard.readText()), /#at=.*&f=/);

    await page.keyboard.press("c");
    await reach("#compare-until"); // Enter would begin
    await page.keyboard.press("Control+a");
    await page.keyboard.type("2m");
    await reach("#compare-seeds");
    await page.keyboard.press("Control+a");
    await page.keyboard.type("2");
    await press("#compare-start:not([disabled])");
    await page.waitForFunction(() => document.querySelector('.standing [role="status"]')?.textContent?.startsWith("Compared"));
    await reach("#place-plan", "Shift+Tab");
    await page.keyboard.press("Enter");
    await page.waitForSelector("#plan-makespan");
    await press("#place-papers");
    await press(".experiments .link");
    await page.goBack();
    await page.waitForFunction(() => !location.hash.includes("p=papers"));
    await page.keyboard.press("?");
    await page.waitForSelector("dialog.help");
    await page.keyboard.press("Escape");
    t.diagnostic(`${stops} steps with Tab`);
    assert.deepEqual(errors, []);
    assert.deepEqual(foreign, []);
  });

  test("at rest the page has nothing that axe finds, in either theme", async (t) => {
    const { page } = await visit(t, SMALL, { reducedMotion: "reduce", colorScheme: "light", live: false });
    await page.waitForSelector("#stage[data-drawn]");
    await page.waitForSelector('#status[data-mode="paused"]');
    await page.waitForSelector(".chart canvas");
    await axe(page, "light");
    await page.emulateMedia({ colorScheme: "dark", reducedMotion: "reduce" });
    await axe(page, "dark");
  });

  test("after the first visit the page opens, runs and draws without a network", async (t) => {
    const { page, context, home, foreign } = await visit(t, "#draw=2d&n=200&v=1", { serviceWorkers: "allow" });
    await kept(page);
    await context.setOffline(true);
    await page.goto("about:blank");
    await page.goto(`${home}#draw=2d&n=300&v=1`);
    await live(page);
    await beyond(page, 30);
    await page.waitForFunction(() => document.querySelector("#inspector")?.textContent?.includes("of 300"));
    await page.click("#place-gallery");
    await page.waitForSelector(".questions button, .questions a");
    assert.deepEqual(foreign, []);
  });
});
