// GPUs inside nodes: both drawings show them, the legend counts them, and a node's panel lists who holds each.
import assert from "node:assert/strict";
import { test } from "node:test";
import { goTo, settled, visit } from "./harness.ts";
import { apart } from "./pictures.ts";

const DAY = 86_400; // when a tenth of the GPUs is idle and of no use to the first job in the queue

test("GPUs inside nodes are drawn, counted and listed", async (t) => {
  const stage = async (link: string, drawn: string) => {
    const { page, errors } = await visit(t, link, { live: false, reducedMotion: "reduce" });
    await page.waitForSelector(`#stage[data-drawn="${drawn}"]`);
    await page.waitForSelector('#status[data-mode="paused"]');
    await goTo(page, DAY, "24h");
    return { page, errors };
  };
  const { page: own, errors } = await stage("#draw=2d&s=central-gangs&v=1", "canvas");
  const legend = own.locator("#legend");
  await settled(async () => {
    const said = (await legend.innerText()).replaceAll(/\s+/g, " ");
    const wanted = /^GPUs by job a square is a GPU 67 jobs 216 idle 0 idle, no use to the first job in the queue 24 failed 0$/;
    return wanted.test(said.trim()) ? "" : `the legend says ${said}`;
  });
  const node = own.locator(".card-node", { has: own.locator("b", { hasText: /^6$/ }) });
  assert.equal(await node.locator("small").innerText(), "6 idle");

  const { page: other, errors: more } = await stage("#draw=gl&s=central-gangs&v=1", "view");
  const clip = await own.locator("#stage .map").boundingBox();
  assert.ok(clip);
  await settled(async () => {
    const differ = await apart(own, await own.screenshot({ clip }), await other.screenshot({ clip }));
    return differ < 0.03 ? "" : `${(100 * differ).toFixed(2)} % of the map's pixels differ by more than 24 of 255`;
  });

  const box = await node.boundingBox();
  assert.ok(box);
  await own.mouse.click(box.x + box.width / 2, box.y + box.height + 20);
  const facts = own.locator("#inspector .fact");
  await facts.filter({ hasText: /^GPUs 0–4\s*idle, of no use to job \d+, which needs 8$/ }).waitFor();
  await facts.filter({ hasText: /^GPU 5\s*job \d+$/ }).waitFor();
  assert.deepEqual([...errors, ...more], []);
});
