import { chromium } from "playwright-core";
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
for (const [w,h,theme] of [[1280,800,"dark"],[1280,800,"light"],[390,844,"dark"]]) {
  const page = await browser.newPage({ viewport: { width: w, height: h }, colorScheme: theme });
  page.on("console", m => m.type()==="error" && console.log(m.text()));
  page.on("pageerror", e => console.log("ERR", e.message));
  await page.goto("http://localhost:8301/#p=plan");
  await page.waitForSelector("#plan-makespan", {timeout: 60000});
  await page.waitForTimeout(1500);
  await page.screenshot({ path: `/tmp/shots/plan-rounds-${w}-${theme}.png` });
  for (const kind of ["yield","graph"]) {
    await page.locator(`#plan-kind-${kind}`).check({force:true});
    await page.waitForTimeout(4000);
    await page.screenshot({ path: `/tmp/shots/plan-${kind}-${w}-${theme}.png` });
  }
  await page.close();
}
await browser.close();
