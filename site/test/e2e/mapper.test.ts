// A table with columns of its own: the mapper asks what they mean, shows what would be
// read, and opens it. The mapping travels in the link.
import assert from "node:assert/strict";
import { test } from "node:test";
import { axe, RESULTS, visit } from "./harness.ts";

/** Jobs of a fictitious cluster: a day each, one every ten minutes; the limit is in minutes. */
const table = [
  "Nr;Abgeschickt um;Los;Aus;Kerne;Limit_Angabe;Wer",
  ...Array.from({ length: 60 }, (_, i) => {
    const time = (minutes: number) =>
      `${String(3 + Math.floor(minutes / 1440)).padStart(2, "0")}.03.2026 ${String(Math.floor(minutes / 60) % 24).padStart(2, "0")}:${String(minutes % 60).padStart(2, "0")}:00`;
    return `${4711 + i};${time(10 * i)};${time(10 * i + 5)};${time(10 * i + 65)};${(i % 4) + 1};90;u${i % 3}`;
  }),
].join("\n");

test("a table with unknown columns is mapped, opened, and its mapping is in the link", async (t) => {
  const { page, errors } = await visit(t);
  await page.setInputFiles("#files", { name: "auftraege.csv", mimeType: "text/csv", buffer: Buffer.from(table) });
  const dialog = page.locator("dialog.mapper");
  await dialog.locator("#map-asks").waitFor();
  assert.match(await dialog.locator("#map-about").innerText(), /7 columns.*separated by semicolons/);
  const open = dialog.locator("#map-open");
  assert.ok(await open.isDisabled());

  const mean = async (column: string, field: string) => {
    const select = dialog.locator(`select[aria-label="Meaning of ${column}"]`);
    await select.selectOption(field);
    await dialog.locator("#map-command", { hasText: `${field}=` }).waitFor();
  };
  await mean("Abgeschickt um", "submit");
  await mean("Los", "start");
  await mean("Aus", "end");
  await mean("Kerne", "processors");
  await mean("Limit_Angabe", "requested");
  await dialog.locator('select[aria-label="Unit of Limit_Angabe"]').selectOption("min");
  await dialog.locator('td:text-is("1h30m")').first().waitFor(); // the limit of the first row
  assert.match(
    await dialog.locator("#map-command").innerText(),
    /^parley run auftraege\.csv --map 'id=Nr, submit="Abgeschickt um", start=Los/,
  );

  await axe(page, "the mapper", "dialog.mapper");
  await page.screenshot({ path: `${RESULTS}/mapper.png` });
  await page.setViewportSize({ width: 390, height: 844 });
  await page.screenshot({ path: `${RESULTS}/mapper-phone.png` });
  await page.setViewportSize({ width: 1280, height: 800 });

  await open.click();
  await page.waitForSelector("#card-columns");
  assert.match(
    await page.locator("#card-columns").locator("xpath=ancestor::*[.//h2][1]").innerText(),
    /auftraege\.csv: 60 jobs on \d+ processors/,
  );
  const said = await page.evaluate(() => location.hash);
  assert.match(said, /need=sha256/);

  await page.click("#card-columns"); // the same columns, as they were said
  await page.locator('dialog.mapper select[aria-label="Unit of Limit_Angabe"]').waitFor();
  assert.equal(await page.locator('dialog.mapper select[aria-label="Meaning of Limit_Angabe"]').inputValue(), "requested");
  assert.equal(await page.locator('dialog.mapper select[aria-label="Unit of Limit_Angabe"]').inputValue(), "min");
  await page.keyboard.press("Escape");
  await page.waitForSelector("dialog.mapper", { state: "detached" });
  assert.deepEqual(errors, []);
});
