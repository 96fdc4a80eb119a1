// Trace files: Google's own are played, bad ones end in a dialog and leave the
// running cluster alone.
import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import type { Page } from "playwright-core";
import { beyond, clock, live, pause, visit } from "./harness.ts";

// Rows as the format's schema.csv names them: a machine joins, a task is submitted and placed.
const machine = "0,5,0,platform,0.5,0.2493";
const submit = "0,,3418309,0,,0,user,3,9,0.125,0.07446,0.0004244,0";
const place = "0,,3418309,0,5,1,user,3,9,0.125,0.07446,0.0004244,0";
const finish = "86400000000,,3418309,0,5,4,user,3,9,0.125,0.07446,0.0004244,0"; // a day later: the trace is long enough to be paused in
const rows = (...lines: string[]) => Buffer.from(lines.join("\n") + "\n");

interface Given {
  name: string;
  content: Buffer;
}

const choose = (page: Page, ...files: Given[]) =>
  page.setInputFiles(
    "#files",
    files.map(({ name, content }) => ({ name, mimeType: "text/csv", buffer: content })),
  );

test("a small trace is played in place of the workload", async (t) => {
  const { page, errors } = await visit(t);
  await choose(
    page,
    { name: "machine_events.csv", content: rows(machine) },
    { name: "task_events.csv.gz", content: gzipSync(rows(submit, place)) },
  );
  await page.waitForSelector('#setup dt:text-is("task events")');
  assert.match(await page.locator("#setup .facts").innerText(), /task events\s+2 rows/);
  await page.waitForFunction(() => document.querySelector("#inspector")?.textContent?.includes("1 of 1"));
  await page.waitForFunction(() =>
    new URLSearchParams(location.hash.slice(1))
      .get("need")
      ?.match(/^sha256:[0-9a-f]{16},machine_events\.csv\|sha256:[0-9a-f]{16},task_events\.csv\.gz$/),
  );
  await page.click("#tab-report");
  await page.waitForSelector('#drawer dd:text-is("2 rows, 0 skipped")');
  assert.deepEqual(errors, []);
});

test("a big trace asks for a part, refuses none of it, and Cancel keeps the run", async (t) => {
  const { page, errors } = await visit(t);
  const before = await clock(page);
  const give = () =>
    page.locator("#files").evaluate((input: HTMLInputElement) => {
      const rows = new Blob(["M1,2,j_1,1,Terminated,100,200,100.0,0.5\n".repeat(100_000)]); // 4 MB, which the browser holds once
      const files = new DataTransfer();
      files.items.add(new File(Array(52).fill(rows), "batch_task.csv"));
      input.files = files.files;
      input.dispatchEvent(new Event("change", { bubbles: true }));
    });
  const dialog = page.locator('dialog:has-text("Which part of 208 MB is wanted?")');
  await give();
  await dialog.waitFor();
  const read = dialog.locator("#part-read");
  const say = (id: string, text: string) => dialog.locator(`#part-${id}`).fill(text);
  await say("to", "soon");
  await dialog.locator('[role="status"]', { hasText: 'To is "soon": write a time of the trace' }).waitFor();
  assert.ok(await read.isDisabled());
  await say("to", "1h");
  await dialog.locator("#part-production").uncheck();
  assert.ok(await read.isEnabled());
  await dialog.locator("#part-batch").uncheck();
  await dialog.locator('[role="status"]', { hasText: "No class is chosen" }).waitFor();
  assert.ok(await read.isDisabled());
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  await beyond(page, before); // the cluster of before goes on

  await give();
  await say("every", "1000");
  await read.click();
  await page.waitForSelector('dialog:has-text("Reading your files")');
  await page.waitForFunction(() => /[1-9]/.test(document.querySelector('dialog [role="status"]')?.textContent ?? "")); // how far
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.waitForSelector("dialog", { state: "detached" });
  await beyond(page, await clock(page));
  assert.deepEqual(errors, []);
});

test("a link to a private trace plays it where its files are opened", async (t) => {
  const files = [
    { name: "machine_events.csv", content: rows(machine) },
    { name: "task_events.csv", content: rows(submit, place, finish) },
  ];
  const sender = await visit(t);
  await choose(sender.page, ...files);
  await sender.page.waitForSelector('#setup dt:text-is("task events")');
  await beyond(sender.page, 30);
  const link = await pause(sender.page);
  await sender.context.close();

  const { page, errors } = await visit(t, link, { live: false });
  await live(page); // the default scenario, until the files are there
  await page.waitForSelector('#toast:has-text("machine_events.csv, task_events.csv")');
  await choose(page, ...files);
  await page.waitForSelector(".arrival:not(.preview):not([hidden])");
  await page.waitForSelector('.verdict[data-verdict="reproduced"]');
  assert.deepEqual(errors, []);
});

test("dropping works anywhere on the page", async (t) => {
  const { page } = await visit(t);
  const transfer = await page.evaluateHandle(
    ([first, second]) => {
      const data = new DataTransfer();
      data.items.add(new File([first], "machine_events.csv"));
      data.items.add(new File([second], "task_events.csv"));
      return data;
    },
    [machine + "\n", `${submit}\n${place}\n`],
  );
  await page.dispatchEvent("#inspector", "dragenter", { dataTransfer: transfer });
  await page.waitForSelector(".veil:not([hidden])");
  await page.dispatchEvent("#inspector", "drop", { dataTransfer: transfer });
  await page.waitForSelector('#setup dt:text-is("task events")');
  assert.ok(await page.locator(".veil").isHidden());
});

const good = rows(machine);
const bad: [what: string, file: Given, kind: string, says: RegExp][] = [
  [
    "a truncated gzip",
    { name: "cut.csv.gz", content: gzipSync(rows(...Array.from({ length: 500 }, (_, i) => `0,${i},0,p${i},0.5,0.2493`))).subarray(0, -40) },
    "damaged",
    /cut\.csv\.gz/,
  ],
  [
    "a row with a missing column",
    { name: "short.csv", content: rows(submit, "0,,3418309,0,,0,user,3,9,0.125,0.07446,0.0004244") },
    "bad-line",
    /short\.csv.*line 2/,
  ],
  ["a negative time", { name: "early.csv", content: rows(submit, submit.replace(/^0/, "-5")) }, "bad-line", /early\.csv.*line 2.*-5/],
  ["text in a number", { name: "word.csv", content: rows(submit, submit.replace("0.125", "much")) }, "bad-line", /word\.csv.*line 2.*much/],
  ["an empty file", { name: "nothing.csv", content: Buffer.alloc(0) }, "empty", /nothing\.csv/],
  [
    "a picture with the wrong name",
    {
      name: "picture.csv",
      content: Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64"),
    },
    "unknown",
    /picture\.csv/,
  ],
  [
    "a file of the wrong table",
    { name: "jobs.csv", content: rows("10718,10801,3,1,5,Terminated,50,0.016", "10718,10805,3,2,7,Terminated,50,0.016") },
    "wrong-table",
    /jobs\.csv/,
  ],
  [
    "files without tasks",
    { name: "machines.csv", content: rows(machine.replace(",5,", ",6,")) },
    "no-tasks",
    /machines\.csv.*hold no tasks/,
  ],
];

test("a bad file ends in one dialog and leaves the running cluster alone", async (t) => {
  const { page, errors } = await visit(t);
  const hash = () => page.evaluate(() => new URLSearchParams(location.hash.slice(1)).get("n"));
  for (const [what, file, kind, says] of bad) {
    await t.test(what, async () => {
      const before = await clock(page);
      await choose(page, file, { name: "machine_events.csv", content: good });
      const dialog = page.locator("dialog.trouble");
      await dialog.waitFor();
      assert.equal(await dialog.getAttribute("data-class"), kind, await dialog.innerText());
      assert.match((await dialog.locator(".sentence").innerText()).replaceAll("\n", " "), says);
      await beyond(page, before); // it runs on behind the dialog
      await page.keyboard.press("Escape");
      await dialog.waitFor({ state: "detached" });
      await beyond(page, await clock(page));
      assert.equal(await hash(), "200");
      assert.equal(await page.locator("#scenario").inputValue(), "google-cell");
    });
  }
  assert.deepEqual(errors, []);
});

test("bad rows can be left out", async (t) => {
  const { page } = await visit(t);
  await choose(page, { name: "machine_events.csv", content: good }, { name: "task_events.csv", content: rows(submit, "soon,", place) });
  await page.click('dialog.trouble button:has-text("Leave out such rows")');
  await page.waitForSelector('#setup dt:text-is("Rows skipped")');
  assert.match(await page.locator("#setup .facts").innerText(), /Rows skipped\s+1/);
});
