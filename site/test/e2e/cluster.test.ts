// Your cluster: a dump that is dropped, a drain whose script is the command line's, a zone
// that is lost, a wide table on a phone, and a dump that cannot be read.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { axe, fits, program, RESULTS, SMALL, visit } from "./harness.ts";

const run = (...words: string[]) => execFileSync(program("parley"), ["cluster", ...words], { encoding: "utf8", maxBuffer: 1 << 26 });

test("a dump that is dropped is asked about: its drain is the command line's", async (t) => {
  const packed = gzipSync(run("generate", "--nodes", "20", "--pods", "400"));
  const { page, errors, foreign } = await visit(t);
  await page.setInputFiles("#files", { name: "dump.json.gz", mimeType: "application/gzip", buffer: packed });
  await page.waitForSelector("#cluster-sentence");
  assert.match((await page.textContent("#cluster-sentence")) ?? "", /^20 nodes in 3 zones, 400 pods in \d+ namespaces\./);
  assert.match(page.url(), /[#&]p=cluster/);
  assert.equal(await page.locator("#place .zones .plate").count(), 20, "a square each");
  await axe(page, "a dump that was read", "#place");
  await page.selectOption("#cluster-colour", "ephemeral-storage");
  await page.click("#place [data-node='0']");
  await page.waitForSelector("#place .inspected table");
  assert.match((await page.textContent("#place .inspected")) ?? "", /ephemeral-storage.*By owner/, "every resource is a row");
  await axe(page, "a node that is inspected", "#place");
  await page.locator("#cluster-overview").press("ArrowRight"); // the keyboard alone asks
  await page.locator("#cluster-emptyDir").press("Space");
  await page.locator("#cluster-emptyDir").press("Enter");
  await page.waitForFunction(() => /kubectl drain /.test(document.querySelector("#cluster-script")?.textContent ?? ""));
  writeFileSync(`${RESULTS}/dump.json.gz`, packed);
  run("drain", `${RESULTS}/dump.json.gz`, "--delete-emptydir-data", "--script", `${RESULTS}/drain.sh`);
  const script = readFileSync(`${RESULTS}/drain.sh`, "utf8");
  assert.match(script, /^node=node-.*\nmark .*\nkubectl drain /m);
  assert.equal(await page.textContent("#cluster-script"), script);
  const emptied = script.match(/^kubectl drain /gm)?.length ?? 0;
  assert.equal(await page.locator("#place .zones .emptied").count(), emptied, "what is emptied is marked on the map");
  const [download] = await Promise.all([page.waitForEvent("download"), page.click("#cluster-save-script")]);
  assert.equal(readFileSync(await download.path(), "utf8"), script);
  await axe(page, "a drain", "#place");
  await page.screenshot({ path: `${RESULTS}/drain.png` });
  await page.click("#cluster-link");
  await page.waitForURL(/[#&]ask=1\./);
  const link = page.url().slice(page.url().indexOf("#"));
  assert.ok(!/node-|team-/.test(link), "nothing of the dump");
  await page.locator("#cluster-force").press("Space");
  await page.waitForSelector("#cluster-answer.stale");
  assert.deepEqual(errors, []);
  assert.deepEqual(foreign, []);
  const other = await visit(t, link, { live: false });
  await other.page.waitForSelector("#cluster-wanted");
  await other.page.setInputFiles("#cluster-file", { name: "copy.json.gz", mimeType: "application/gzip", buffer: packed });
  await other.page.waitForSelector("#cluster-script");
  assert.equal(await other.page.textContent("#cluster-script"), script.replaceAll("dump.json.gz", "copy.json.gz"));
  assert.match((await other.page.textContent("#place .doing")) ?? "", /the same answer as its sender's/);
  assert.deepEqual(other.errors, []);
});

test("the same question about a changed world: both answers stand side by side, and are the command line's", async (t) => {
  const plain = run("generate", "--nodes", "20", "--pods", "400");
  const { page, errors } = await visit(t, "#p=cluster&v=1", { live: false });
  await page.setInputFiles("#cluster-file", { name: "world.json", mimeType: "application/json", buffer: Buffer.from(plain) });
  await page.waitForSelector("#cluster-sentence");
  await page.click("#cluster-fit");
  await page.click("#place .world summary");
  await page.fill("#cluster-change-object", "node-m-16-00000");
  await page.fill("#cluster-change-value", "3");
  await page.locator("#cluster-change-value").press("Enter"); // which adds, and does not ask
  assert.deepEqual(await page.locator("#place .changes code").allTextContents(), ["more node/node-m-16-00000=3"]);
  assert.equal(await page.locator("#cluster-answer .worlds").count(), 0);
  await page.click("#cluster-ask");
  await page.waitForSelector("#cluster-answer .worlds");
  writeFileSync(`${RESULTS}/world.json`, plain);
  const told = JSON.parse(run("fit", `${RESULTS}/world.json`, "--more", "node/node-m-16-00000=3", "--json"));
  const [before, after] = await page.locator("#cluster-answer .worlds > section").allTextContents();
  assert.match(before, /^As the dump has it/);
  assert.match(after, /^With more node\/node-m-16-00000=3/);
  const [download] = await Promise.all([page.waitForEvent("download"), page.click("#cluster-save-json")]);
  assert.deepEqual(JSON.parse(readFileSync(await download.path(), "utf8")), told);
  await axe(page, "both worlds", "#place");
  await page.screenshot({ path: `${RESULTS}/world.png` });
  await page.fill("#cluster-change-object", "nobody");
  await page.click("#cluster-change-add");
  await page.click("#cluster-ask");
  await page.waitForSelector("#cluster-why:visible");
  assert.match((await page.textContent("#cluster-why")) ?? "", /world\.json has no Node nobody, which is to be changed \(node\/nobody=1\)/);
  await page.setViewportSize({ width: 390, height: 844 });
  assert.ok(await fits(page, ".yours-main"), "on a phone too");
  assert.deepEqual(errors, []);
});

test("on a phone: the example loses its zones, one by one, in the dark", async (t) => {
  const { page, errors } = await visit(t, `${SMALL}&p=cluster`, {
    viewport: { width: 390, height: 844 },
    colorScheme: "dark",
    live: false,
  });
  await page.click("#cluster-example");
  await page.waitForSelector("#cluster-sentence");
  await page.click("label:has(#cluster-lose)");
  await page.locator("#cluster-by").selectOption("zone");
  await page.click("#cluster-ask");
  await page.waitForSelector("#cluster-answer article");
  const verdicts = await page.locator("#cluster-answer h2").allTextContents();
  assert.equal(verdicts.length, 3, "each zone by itself");
  const pending = verdicts.map((text) => Number(/^If zone region-1[abc] is gone, (\d+) pods? stays? pending\.$/.exec(text)?.[1]));
  assert.deepEqual(
    pending,
    pending.toSorted((a, b) => b - a),
    "the worst first",
  );
  assert.equal(await page.locator("#place .zones rect.lost").count(), 20, "its nodes are marked");
  await axe(page, "lost zones", "#place");
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "the page itself does not scroll sideways");
  await page.screenshot({ path: `${RESULTS}/lose-phone.png` });
  await page.click("#cluster-grow");
  await page.click("#cluster-ask");
  await page.getByRole("group", { name: "Shapes of nodes" }).waitFor();
  assert.ok(await fits(page, ".yours-body"), "a table of ten columns scrolls by itself");
  assert.deepEqual(errors, []);
});

for (const viewport of [
  { width: 1280, height: 800 },
  { width: 390, height: 844 },
  { width: 640, height: 400 },
])
  test(`a replay of ${viewport.width} × ${viewport.height} colours the map by resources and by a namespace`, async (t) => {
    const { page, errors } = await visit(t, `${SMALL}&p=cluster`, { viewport, live: false, setup: false });
    const dump = {
      name: "dump.json",
      mimeType: "application/json",
      buffer: Buffer.from(run("generate", "--nodes", "40", "--pods", "800")),
    };
    await page.setInputFiles("#cluster-file", dump);
    await page.waitForSelector("#cluster-sentence");
    await page.click("#cluster-replay");
    await page.click("#card-close");
    await page.waitForSelector("#fill:visible option[value=namespace_team_08]", { state: "attached" });
    const layers = await page.locator("#fill option").evaluateAll((all) => all.map((one) => (one as HTMLOptionElement).value));
    for (const id of ["ephemeral_storage", "pods", "nvidia_com_gpu", "namespace_kube_system"])
      assert.ok(layers.includes(id), `${id} of ${layers}`);
    await page.selectOption("#fill", "namespace_team_08");
    await page.waitForFunction(() => /coloured by namespace team-08/.test(document.querySelector("#stage .now")?.textContent ?? ""));
    await page.waitForURL(/[#&]fill=namespace_team_08/);
    const { fill, now } = await page.evaluate(() => ({
      fill: document.querySelector("#fill")?.getBoundingClientRect().toJSON() as DOMRect,
      now: document.querySelector("#stage .now span")?.getBoundingClientRect().toJSON() as DOMRect,
    }));
    assert.ok(
      fill.left >= now.right || fill.top >= now.bottom,
      `the menu is beside the sentence or below it: ${JSON.stringify([fill, now])}`,
    );
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "the page does not scroll sideways");
    await page.screenshot({ path: `${RESULTS}/namespace-${viewport.width}.png` });
    assert.deepEqual(errors, []);
  });

test("what was read is answered at once, and a pending pod is judged node by node as on the command line", async (t) => {
  const dump = JSON.parse(run("generate", "--nodes", "20", "--pods", "400"));
  const nodes = dump.items.filter(({ kind }: { kind: string }) => kind === "Node");
  nodes[3].spec = { ...nodes[3].spec, taints: [{ key: "team", value: "x", effect: "NoSchedule" }] };
  dump.items.push({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { namespace: "shop", name: "waits" },
    spec: {
      schedulerName: "default-scheduler",
      resourceClaims: [{ name: "g", resourceClaimName: "g" }],
      containers: [{ name: "c", resources: { requests: { cpu: "500" } } }],
    },
    status: { phase: "Pending" },
  });
  const name = `${RESULTS}/waits.json`;
  writeFileSync(name, JSON.stringify(dump));
  const { page, errors, foreign } = await visit(t, "#p=cluster&v=1", { live: false });
  await page.setInputFiles("#cluster-file", name);
  await page.waitForFunction(() => document.querySelector("#cluster-first-pending strong") !== null);
  await page.waitForFunction(() => document.querySelector("#cluster-first-drain strong") !== null);
  const answered = (await page.textContent("#cluster-first-pending strong")) ?? "";
  assert.ok(run("pending", name).replaceAll(" %", "\u00a0%").includes(answered), answered);
  assert.match((await page.textContent(".unsure")) ?? "", /^\d+ reasons? why answers are unsure.*resource claims.*Pending/);
  await axe(page, "the first answers", "#place");
  await page.screenshot({ path: `${RESULTS}/first-answers.png` });
  await page.click("#cluster-first-pending");
  await page.waitForSelector("#cluster-answer h2");
  await page.click(".waiting-pods button:has-text('shop/waits')");
  await page.waitForSelector("#cluster-answer h2:has-text('shop/waits is pending')");
  const told = JSON.parse(run("pending", name, "--pod", "shop/waits", "--json")).node_by_node;
  assert.equal(told.nodes.length, 20);
  for (const [i, { filter, nodes }] of told.filters.entries()) {
    assert.equal(await page.locator(`#place .zones .stop-${i + 1}`).count(), nodes, `${filter} on the map`);
    assert.match((await page.textContent(".nodes-key")) ?? "", new RegExp(`${filter} +${nodes}(?!\\d)`));
  }
  assert.deepEqual(
    await page.getByRole("group", { name: "Node by node, nearest first" }).locator("tbody th, tbody tr td:first-child").allTextContents(),
    told.nodes.map(({ node }: { node: string }) => node),
  );
  await axe(page, "a pending pod, node by node", "#place");
  await page.click("label:has(#cluster-overview)");
  await page.waitForSelector("#cluster-first-drain:visible");
  await page.setViewportSize({ width: 390, height: 844 });
  assert.ok(await fits(page, ".yours-main"), "the cards fit a phone");
  assert.deepEqual([...errors, ...foreign], []);
});

test("a dump that breaks off is one sentence, and another can be chosen", async (t) => {
  const { page, errors } = await visit(t);
  const whole = run("generate", "--nodes", "4", "--pods", "20");
  await page.setInputFiles("#files", {
    name: "half.json",
    mimeType: "application/json",
    buffer: Buffer.from(whole.slice(0, whole.length / 2)),
  });
  await page.waitForSelector("#cluster-why:visible");
  assert.match((await page.textContent("#cluster-why")) ?? "", /^half\.json[^\n]*; fetch the dump again$/);
  await page.setInputFiles("#cluster-file", { name: "whole.json", mimeType: "application/json", buffer: Buffer.from(whole) });
  await page.waitForSelector("#cluster-sentence");
  assert.ok(await page.locator("#cluster-why").isHidden());
  assert.deepEqual(errors, []);
});

for (const { viewport, colorScheme } of [
  { viewport: { width: 1280, height: 800 }, colorScheme: "light" },
  { viewport: { width: 390, height: 844 }, colorScheme: "dark" },
] as const)
  test(`a rollout, an upgrade and a consolidation at ${viewport.width} px say what the command line says`, async (t) => {
    const dump = `${RESULTS}/played-${viewport.width}.json`;
    writeFileSync(dump, run("generate", "--nodes", "12", "--pods", "120"));
    const sentence = (...words: string[]) =>
      run(...words, "--as", "text")
        .split("\n")[1]
        ?.replaceAll(" %", "\u00a0%") ?? "";
    const { page, errors } = await visit(t, `${SMALL}&p=cluster`, { viewport, colorScheme, live: false });
    await page.setInputFiles("#cluster-file", dump);
    await page.waitForSelector("#cluster-sentence");
    const said = async (title: string) => {
      await page.click("#cluster-ask");
      await page.waitForSelector(`#cluster-answer:not(.stale) article[aria-label="${title}"]`);
      const [first, rest] = [
        await page.textContent("#cluster-answer h2"),
        await page.locator("#cluster-answer .verdict p").allTextContents(),
      ];
      return [first, ...rest].join(" ");
    };
    await page.click("label:has(#cluster-rollout)");
    const workload = (await page.locator("#cluster-workload-list option").first().getAttribute("value")) ?? "";
    await page.fill("#cluster-workload", workload);
    await page.fill("#cluster-surge", "1");
    await page.fill("#cluster-unavailable", "0");
    assert.equal(
      await said(`How does the rollout of ${workload} go?`),
      sentence("rollout", dump, workload, "--max-surge", "1", "--max-unavailable", "0"),
    );
    await page.click("label:has(#cluster-upgrade)");
    await page.fill("#cluster-surge", "2");
    await page.fill("#cluster-unavailable", "");
    assert.equal(await said("How does the upgrade of the nodes go?"), sentence("upgrade", dump, "--surge", "2"));
    await axe(page, "an upgrade", "#place");
    await page.click("label:has(#cluster-consolidate)");
    assert.equal(await said("What would Karpenter consolidate?"), sentence("consolidate", dump));
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "the page does not scroll sideways");
    await page.screenshot({ path: `${RESULTS}/upgrade-${viewport.width}.png` });
    assert.deepEqual(errors, []);
  });
