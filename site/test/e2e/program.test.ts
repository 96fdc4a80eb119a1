// A scheduler of one's own: from an example to a run, to an error at its line, to a link
// that another visit reads before it runs.
import assert from "node:assert/strict";
import { test } from "node:test";
import { address, axe, goTo, live, parley, pause, stands, visit } from "./harness.ts";

const EDITOR = "#drawer .editor .cm-content";

test("a program is written, run, corrected and handed on", async (t) => {
  const { page, errors } = await visit(t, "#draw=2d&n=200&v=1&sys=central&tab=program");
  await live(page);
  await page.waitForSelector(EDITOR);
  await page.selectOption("#program-example", "power_of_two_choices");
  await page.click("#program-run");
  await page.waitForFunction(() => document.querySelector<HTMLInputElement>("#system-program")?.checked);
  await page.waitForSelector("#setup input[id*=choices]", { state: "attached" }); // the program's own setting
  await live(page); // else Space would play what has not begun
  await page.evaluate(() => (document.activeElement as HTMLElement).blur()); // Space belongs to the button that has the focus
  await pause(page);
  const digest = await goTo(page, 120);

  const link = await address(page);
  const native = parley("run", link.slice(link.indexOf("#")), "--until", "120s") as { digest: string };
  assert.ok(native.digest.startsWith(digest), `the page has ${digest}, parley run ${native.digest}`);
  const other = await visit(t, link.slice(link.indexOf("#")), { live: false });
  await other.page.waitForSelector("dialog.foreign-program pre");
  assert.match((await other.page.textContent("dialog.foreign-program pre")) ?? "", /Power of two choices/);
  await other.page.click("#foreign-run");
  assert.equal(await stands(other.page, 120), digest);
  await page.click(EDITOR);
  await page.keyboard.press("Control+a");
  await page.keyboard.insertText("def on_submit(task, cluster, state):\n    cluster.plce(task, 0)\n");
  await page.keyboard.press("Control+Enter");
  await page.waitForFunction(() => /line 2, column 12 .*did you mean place/.test(document.querySelector(".wrong")?.textContent ?? ""));
  await page.waitForSelector(".editor .cm-lintRange-error");
  await page.waitForSelector('.editor .cm-activeLine:has-text("cluster.plce")'); // the cursor stood in the line below
  await page.keyboard.press("Control+Home");
  await page.keyboard.type("# a comment\nx = 1\n");
  await page.keyboard.press("Shift+ArrowUp");
  await page.keyboard.press("Shift+ArrowUp");
  await page.keyboard.type("y"); // in place of lines with their colours
  await page.keyboard.press("Backspace");
  await page.keyboard.press("Escape"); // the list of names
  await page.keyboard.press("Escape");
  await page.keyboard.press("Tab");
  assert.notEqual(await page.evaluate(() => document.activeElement?.className), "editor", "Escape and Tab leave the editor");
  await axe(page, "the editor of programs", "#drawer");
  assert.deepEqual([...errors, ...other.errors], [], "the policy refuses nothing while somebody types");
});
