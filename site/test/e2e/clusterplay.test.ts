// A play that is watched: its moments are those of the command line, it plays and stops, and says why a pod is where it is.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { axe, program, RESULTS, visit } from "./harness.ts";

const run = (...words: string[]) => execFileSync(program("parley"), ["cluster", ...words], { encoding: "utf8", maxBuffer: 1 << 26 });
const clock = ".play-clock b";

test("a drain is watched: its moments are those of --timeline, and a pod says why it is where it is", async (t) => {
  const dump = run("generate", "--nodes", "12", "--pods", "200");
  writeFileSync(`${RESULTS}/play.json`, dump);
  run("drain", `${RESULTS}/play.json`, "--delete-emptydir-data", "--timeline", `${RESULTS}/play.csv`);
  const rows = readFileSync(`${RESULTS}/play.csv`, "utf8").trim().split("\n").slice(1);
  const seconds = [...new Set(rows.map((row) => Number(row.split(",")[0])))];
  const { page, errors } = await visit(t, "#p=cluster", { live: false });
  await page.setInputFiles("#cluster-file", { name: "play.json", mimeType: "application/json", buffer: Buffer.from(dump) });
  await page.waitForSelector("#cluster-sentence");
  await page.click("label:has(#cluster-drain)");
  await page.locator("#cluster-emptyDir").press("Space");
  await page.locator("#cluster-emptyDir").press("Enter");
  await page.click("#cluster-watch-0");
  await page.waitForSelector("#play-at");
  assert.equal(Number(await page.getAttribute("#play-at", "max")), seconds.at(-1));
  const moments = [await page.inputValue("#play-at")];
  for (let i = 1; i < Math.min(12, seconds.length); i++) {
    await page.click("#play-next");
    moments.push(await page.inputValue("#play-at"));
  }
  assert.deepEqual(moments.map(Number), seconds.slice(0, moments.length));
  await page.click("#play-restart");
  assert.match((await page.textContent(".play-told")) ?? "", /node-\S+ is drained/);
  await page.click(".play-moves summary");
  const [pod, node] = [await page.textContent(".play-moves li code"), await page.textContent(".play-moves li")];
  await page.click(".play-moves li button");
  await page.waitForSelector(".play-why table");
  const why = (await page.textContent(".play-why p")) ?? "";
  const to = / on (\S+) /.exec(node ?? "")?.[1] ?? "none";
  assert.ok(why.includes(pod ?? "none") && why.includes(to), `${node}: ${why}`);
  const bound = rows.find((row) => row.includes(`,bound,${pod},`)) ?? "";
  assert.equal(bound.split(",")[4], to, bound);
  await axe(page, "a drain that is watched", "#place");
  const drawn = await page.evaluate(() => {
    const canvas = document.querySelector(".play canvas") as HTMLCanvasElement;
    const { data } = (canvas.getContext("2d") as CanvasRenderingContext2D).getImageData(0, 0, canvas.width, canvas.height);
    return new Set(new Uint32Array(data.buffer)).size;
  });
  assert.ok(drawn > 10, `${drawn} colours`);
  await page.selectOption("#play-speed", "60"); // a second and a few, not twenty
  await page.locator("#play-at").press("Space");
  await page.waitForSelector("#play-toggle[aria-label=Pause]");
  await page.waitForSelector("#play-toggle[aria-label=Play]", { timeout: 120_000 }); // it has come to its end
  assert.equal(await page.inputValue("#play-at"), await page.getAttribute("#play-at", "max"));
  await page.screenshot({ path: `${RESULTS}/watched.png` });
  assert.deepEqual(errors, []);
});

test("a loss that leaves pods pending goes to the moment from which they wait, and stands there in the other theme too", async (t) => {
  const { page, errors } = await visit(t, "#p=cluster", { viewport: { width: 390, height: 844 }, live: false });
  await page.click("#cluster-example");
  await page.waitForSelector("#cluster-sentence");
  await page.click("label:has(#cluster-lose)");
  await page.click("#cluster-ask");
  await page.click("#cluster-stops-0");
  await page.waitForSelector(".play-told .bad");
  assert.match((await page.textContent(".play-told .bad")) ?? "", /^\d+ pods? stays? pending, most by this: /);
  const at = await page.textContent(clock);
  await page.emulateMedia({ colorScheme: "dark" });
  await page.waitForFunction(
    () => getComputedStyle(document.body).colorScheme !== "" && matchMedia("(prefers-color-scheme: dark)").matches,
  );
  await page.waitForSelector(".play-told .bad");
  assert.equal(await page.textContent(clock), at);
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "the page does not scroll sideways");
  await page.screenshot({ path: `${RESULTS}/watched-phone.png` });
  assert.deepEqual(errors, []);
});
