// A browser whose language is no language tag.
import assert from "node:assert/strict";
import { test } from "node:test";
import { mendLanguage } from "../../src/base/language.ts";

test("a language that Intl does not know becomes en, others stay", () => {
  for (const [said, taken] of [
    ["C", "en"],
    ["", "en"],
    ["en_US.UTF-8", "en"],
    ["de", "de"],
    ["pt-BR", "pt-BR"],
  ]) {
    const browser = Object.create({ language: said }) as { language: string }; // as a navigator has it, from its prototype
    mendLanguage(browser);
    assert.equal(browser.language, taken, said);
    assert.doesNotThrow(() => new Intl.NumberFormat(browser.language));
  }
});

test("what a chart library does with the language when it is loaded works afterwards", async () => {
  const browser = Object.create({ language: "C" }) as { language: string };
  assert.throws(() => new Intl.NumberFormat(browser.language), RangeError, "the browser that this is about");
  mendLanguage(browser);
  assert.equal(new Intl.NumberFormat(browser.language).format(1204.5), "1,204.5");
});
