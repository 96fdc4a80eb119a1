import { chromium } from "playwright-core";
const [,, base, ...list] = process.argv;
const flags = "--headless=new --no-sandbox --use-angle=swiftshader --enable-unsafe-swiftshader --ignore-gpu-blocklist".split(" ");
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: flags });
for (const one of list) {
  const [name, hash, size = "1280x800", scheme = "dark", wait = "paused"] = one.split(";");
  const [width, height] = size.split("x").map(Number);
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: scheme, reducedMotion: "reduce", serviceWorkers: "block" });
  const page = await context.newPage();
  page.on("pageerror", (e) => console.log(name, String(e)));
  await page.goto(base + hash);
  try {
    if (wait === "paused") { await page.waitForSelector('#stage[data-drawn]', { timeout: 60000 }); await page.waitForSelector('#status[data-mode="paused"]', { timeout: 60000, state: "attached" });
      const at = /at=(\d+)m/.exec(hash); if (at) await page.waitForFunction((s) => Number(document.querySelector("#timeline input[type=range]")?.value) === s, 60 * Number(at[1]), { timeout: 60000 }); }
    else await page.waitForSelector(wait, { timeout: 60000 });
  } catch (e) { console.log(name, String(e).slice(0, 200)); }
  await page.waitForTimeout(1200);
  await page.screenshot({ path: `/tmp/shots/${name}.png` });
  await context.close();
}
await browser.close();
