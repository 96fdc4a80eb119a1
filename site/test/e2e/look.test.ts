// Looking at the cluster, with the pointer and with the keyboard alone.
import assert from "node:assert/strict";
import { test } from "node:test";
import { clock, middle, pause, RESULTS, settled, still, visit } from "./harness.ts";

test("hovering tells a node, clicking inspects it", async (t) => {
  const { page, errors } = await visit(t);
  await page.keyboard.press("Space");
  await page.waitForSelector('#status[data-mode="paused"]', { state: "attached" });
  await page.waitForSelector(".chart canvas"); // what the drawer takes of the stage, it has
  await still(() => page.locator("canvas.cells").evaluate((canvas: HTMLCanvasElement) => canvas.toDataURL()));
  await middle(page);
  const told = await page.locator(".tip").innerText();
  assert.match(told, /^node \d+ · rack \d+\nCPU \d+ % · memory \d+ % · \d+ tasks/);
  const node = /node (\d+)/.exec(told)?.[1];
  await page.mouse.down();
  await page.mouse.up();
  await page.waitForSelector(`#inspector h2:text-is("Node ${node}")`);
  await page.waitForSelector("#inspector tbody tr");
  const tasks = await page.locator("#inspector tbody tr").count();
  assert.ok(tasks > 0);
  assert.match(await page.locator("#inspector").innerText(), /used\s+\d+ %/);
  await page.waitForFunction((wanted) => location.hash.includes(`sel=node.${wanted}`), node);
  assert.deepEqual(errors, []);
});

test("dragging and the wheel move the picture, 0 shows everything again", async (t) => {
  const { page } = await visit(t);
  await page.keyboard.press("Space");
  await page.waitForSelector('#status[data-mode="paused"]', { state: "attached" });
  await page.waitForSelector(".chart canvas"); // what the drawer takes of the stage, it has
  const middle = { x: 640, y: 250 };
  /** What lies under the pointer on its way across the picture. */
  const nodes = async () => {
    const told: string[] = [];
    for (let step = -4; step <= 4; step++) {
      await page.mouse.move(middle.x + 45 * step, middle.y + 15 * step);
      told.push((await page.locator(".tip").isVisible()) ? await page.locator(".tip b").innerText() : "");
    }
    return told;
  };
  const picture = () => page.locator("canvas.cells").evaluate((canvas: HTMLCanvasElement) => canvas.toDataURL());
  /** The simulation draws the picture: it comes when it comes. */
  const another = (than: string) =>
    page.waitForFunction((before) => document.querySelector<HTMLCanvasElement>("canvas.cells")?.toDataURL() !== before, than);
  const whole = await nodes();
  assert.ok(new Set(whole).size > 5, `nodes lie there: ${whole}`);
  await page.mouse.move(middle.x, middle.y);
  let before = await picture();
  await page.mouse.wheel(0, -300);
  await another(before);
  const near = await nodes();
  assert.notDeepEqual(near, whole);
  await page.mouse.move(middle.x, middle.y);
  before = await picture();
  await page.mouse.down();
  await page.mouse.move(middle.x + 90, middle.y + 40, { steps: 4 });
  await page.mouse.up();
  await another(before);
  assert.notDeepEqual(await nodes(), near);
  assert.equal(await page.locator("#inspector.selected").count(), 0, "a drag selects nothing");
  await page.keyboard.press("0");
  assert.deepEqual(await nodes(), whole);
});

test("everything with the keyboard alone", async (t) => {
  const { page, errors } = await visit(t);
  const focused = () => page.evaluate(() => document.activeElement?.className ?? "");
  for (let i = 0; i < 60 && (await focused()) !== "map"; i++) await page.keyboard.press("Tab");
  assert.equal(await focused(), "map", "Tab reaches the map");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowDown");
  const told = await page.locator(".tip").innerText();
  const node = /node (\d+)/.exec(told)?.[1];
  await page.keyboard.press("Enter");
  await page.waitForSelector(`#inspector h2:text-is("Node ${node}")`);
  await page.waitForSelector("#inspector #do-fail-node");
  await page.keyboard.press("k");
  await page.waitForSelector("#inspector #do-restore-node");
  assert.match(await page.locator("#inspector").innerText(), /Class\s+down/);
  await page.keyboard.press("r");
  await page.waitForSelector("#inspector #do-fail-node");
  await page.keyboard.press("Tab");
  assert.notEqual(await focused(), "map", "Tab leaves the map");
  // the sentence above the map may tell of the fault only now: its button then stands on the way back, and would take Space
  for (let i = 0; i < 3 && (await focused()) !== "map"; i++) await page.keyboard.press("Shift+Tab");
  assert.equal(await focused(), "map", "Shift+Tab leads back to it");

  await page.keyboard.press("Space");
  await page.waitForSelector('#status[data-mode="paused"]', { state: "attached" });
  const paused = await clock(page);
  await page.keyboard.press(".");
  await page.waitForFunction((from) => {
    const at = Math.round(Number(document.querySelector<HTMLInputElement>("#timeline input[type=range]")?.value));
    return at > from && at % 60 === 0; // a step ends on a whole minute; it may be told of on its way
  }, paused);
  await page.keyboard.press("]");
  await page.waitForFunction(() => document.querySelector<HTMLSelectElement>(".pace select")?.value === "300");

  await page.keyboard.press("?");
  await page.waitForSelector("dialog.help");
  await page.keyboard.press("Escape");
  await page.waitForSelector("dialog", { state: "detached" });
  await page.keyboard.press("Shift+>");
  await page.waitForSelector("dialog.finder");
  await page.keyboard.type("open table");
  await page.keyboard.press("Enter");
  await page.waitForSelector("#drawer-panel table caption", { state: "attached" });
  await page.keyboard.press("/");
  await page.keyboard.type("rack 1");
  await page.waitForFunction(() => /of 48$/.test(document.querySelector("#drawer-panel [role=status]")?.textContent ?? ""));
  assert.deepEqual(errors, []);
});

test("another system, size and seed start another run, and Back returns", async (t) => {
  const { page, errors } = await visit(t);
  await page.locator(".segments label", { hasText: "Central" }).click();
  await page.waitForFunction(() => location.hash.includes("sys=central"));
  await page.selectOption("#setting-policy", "worst-fit");
  await page.waitForFunction(() => location.hash.includes("x.policy=worst-fit"));
  await page.fill("#seed", "11");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => location.hash.includes("seed=11"));
  await page.fill("#nodes", "100");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => location.hash.includes("n=100&"));
  await page.waitForFunction(() => document.querySelector("#inspector")?.textContent?.includes("of 100"));
  await page.goBack();
  await page.waitForFunction(() => document.querySelector<HTMLInputElement>("#nodes")?.value === "200");
  await page.goBack();
  await page.waitForFunction(() => document.querySelector<HTMLInputElement>("#seed")?.value === "12");
  assert.equal(await page.locator("#setting-policy").inputValue(), "worst-fit");
  assert.equal(await page.locator("#system").inputValue(), "central");
  assert.deepEqual(errors, []);
});

test("what is typed stays when another run opens meanwhile, and Enter enters it", async (t) => {
  const { page, errors } = await visit(t);
  await page.fill("#nodes", "100");
  await page.evaluate(() => document.querySelector<HTMLElement>('[aria-label="Another seed"]')?.click());
  await page.waitForFunction(() => document.querySelector<HTMLInputElement>("#seed")?.value !== "12");
  assert.equal(await page.locator("#nodes").inputValue(), "100");
  await page.locator("#nodes").press("Enter");
  await page.waitForFunction(() => location.hash.includes("n=100&"));
  await page.waitForFunction(() => document.querySelector("#inspector")?.textContent?.includes("of 100"));
  assert.deepEqual(errors, []);
});

test("near enough, nodes are cards; a small map says where, and leads elsewhere", async (t) => {
  const { page, errors } = await visit(t, "#draw=2d&n=200&v=1");
  await page.keyboard.press("Space");
  await page.waitForSelector('#status[data-mode="paused"]', { state: "attached" });
  assert.ok(await page.locator(".minimap").isHidden(), "everything is in view");
  const point = await middle(page);
  for (let i = 0; i < 12; i++) await page.mouse.wheel(0, -120);
  const card = page.locator(".card-near").filter({ has: page.locator("b", { hasText: /^node \d+$/ }) });
  const node = /node (\d+)/.exec(await page.locator(".tip").innerText())?.[1] ?? "";
  const own = card.filter({ has: page.locator(`b:text-is("node ${node}")`) });
  await own.locator(".row").first().waitFor();
  const told = await page.locator(".tip").innerText(); // it may have told of a neighbour before
  assert.match(
    (await own.innerText()).replaceAll("\n", " "),
    new RegExp(`^node ${node} .*CPU +\\d+ % memory +\\d+ % \\d+ tasks? together`),
  );
  for (const [resource, key] of [
    ["CPU", "CPU"],
    ["memory", "memory"],
  ]) {
    const share = new RegExp(`${resource} (\\d+)`).exec(told)?.[1];
    assert.ok((await own.innerText()).replaceAll("\n", " ").includes(`${key} ${share} %`), `the card and the tooltip agree on ${resource}`);
  }
  await page.evaluate(() => document.querySelector<HTMLElement>(".card-near .row")?.click());
  await page.waitForSelector("#inspector .chosen:visible h2"); // why it is here, beside its bars
  assert.equal(await page.locator(".card-near .chosen").count(), 1);
  await page.waitForSelector(".minimap:visible");
  const before = await page.locator(".minimap i").getAttribute("style");
  const box = await page.locator(".minimap").boundingBox();
  assert.ok(box);
  await page.mouse.click(box.x + 6, box.y + 6);
  await page.waitForFunction((old) => document.querySelector(".minimap i")?.getAttribute("style") !== old, before);
  await page.waitForSelector('.card-near b:text-is("node 0")');
  await page.mouse.move(point.x, point.y);
  await page.keyboard.press("0");
  await page.waitForSelector(".cards", { state: "hidden" });
  await page.waitForSelector(".minimap", { state: "hidden" });
  assert.deepEqual(errors, []);
});

test("in a narrow window a paused stage comes to rest: what the legend says does not chase the room for cells", async (t) => {
  const { page } = await visit(t, undefined, { viewport: { width: 780, height: 780 } });
  await page.keyboard.press("Space");
  await page.waitForSelector('#status[data-mode="paused"]', { state: "attached" });
  const heights = () =>
    page.evaluate(
      () =>
        new Promise<number[]>((resolve) => {
          const seen: number[] = [];
          const look = () => {
            seen.push(document.querySelector("#stage .legend")?.getBoundingClientRect().height ?? NaN);
            if (seen.length < 40) requestAnimationFrame(look);
            else resolve([...new Set(seen)]);
          };
          look();
        }),
    );
  await settled(async () => {
    const seen = await heights();
    return seen.length === 1 ? "" : `in 40 pictures the legend is ${seen.join(" and ")} pixels high`;
  });
});

test("the head and the rows of the table stay while what they say changes", async (t) => {
  const { page } = await visit(t);
  await page.click("#tab-table");
  const head = await page.waitForSelector("#sort-0");
  const row = await page.waitForSelector("#row-0");
  await page.evaluate(() => {
    const body = document.querySelector("#drawer-panel tbody");
    if (body) new MutationObserver(() => Object.assign(window, { redrawn: true })).observe(body, { subtree: true, characterData: true });
  });
  await page.waitForFunction(() => "redrawn" in window);
  for (const part of [head, row]) assert.ok(await part.evaluate((element) => element.isConnected));
});

test("a filter dims the rest of the map, and is the table's as well", async (t) => {
  const { page, errors } = await visit(t, "#draw=2d&n=200&v=1");
  await page.keyboard.press("Space");
  await page.waitForSelector('#status[data-mode="paused"]', { state: "attached" });
  await page.waitForSelector(".chart canvas"); // what the drawer takes of the stage, it has
  const point = await middle(page);
  const rack = /rack (\d+)/.exec(await page.locator(".tip").innerText())?.[1] ?? "";
  /** Waits until the cell under the pointer is dimmed, or is not. */
  const dimmed = (want: boolean) =>
    page.waitForFunction(
      ({ x, y, want }) => {
        const canvas = document.querySelector<HTMLCanvasElement>("canvas.dim");
        const context = canvas?.getContext("2d");
        if (!canvas || !context || canvas.width === 0) return false;
        const painted = context.getImageData(0, 0, canvas.width, canvas.height).data.some((value, i) => i % 4 === 3 && value > 100);
        const box = canvas.getBoundingClientRect();
        return (
          painted &&
          (context.getImageData((x - box.x) * devicePixelRatio, (y - box.y) * devicePixelRatio, 1, 1).data[3] ?? 0) > 100 === want
        );
      },
      { ...point, want },
    );
  await page.fill("#filter", `rack ${rack}`);
  await page.waitForSelector("canvas.dim:visible");
  await dimmed(false); // the rack itself stays bright
  await page.click("#tab-table");
  assert.equal(await page.locator("#table-filter").inputValue(), `rack ${rack}`);
  await page.fill("#table-filter", "cpu > 200");
  assert.equal(await page.locator("#filter").inputValue(), "cpu > 200");
  await dimmed(true); // nobody uses twice its CPU
  await page.screenshot({ path: `${RESULTS}/filter.png` });
  await page.fill("#filter", "");
  await page.waitForSelector("canvas.dim", { state: "hidden" });
  assert.deepEqual(errors, []);
});

test("names of places are shown with their cells, not over the welcome", async (t) => {
  const { page, errors } = await visit(t, "#draw=2d&s=market-auction&v=1");
  await pause(page);
  await page.locator(".chips.picture").getByRole("button", { name: "Nodes" }).click(); // beside the cards of sites
  await page.waitForSelector(".labels > .group:visible");
  await page.evaluate(() => document.querySelector("#stage")?.removeAttribute("data-drawn")); // as before the first picture
  await page.waitForSelector(".welcome:visible");
  assert.ok(await page.locator(".labels > .group").first().isHidden());
  assert.deepEqual(errors, []);
});
