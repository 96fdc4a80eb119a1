// A browser whose language is no language tag, as WebKit's under LANG=C; and a
// page's script that comes and stops.
import assert from "node:assert/strict";
import { test } from "node:test";
import { visit } from "./harness.ts";

test("the page works where the browser's language is “C”", async (t) => {
  const { page, errors } = await visit(t, "#draw=2d&n=200&v=1", {
    prepare: async (unopened) => {
      await unopened.addInitScript(() => Object.defineProperty(Navigator.prototype, "language", { get: () => "C", configurable: true }));
    },
  });
  await page.waitForSelector(".chart canvas");
  assert.deepEqual(errors, []);
});

test("a script that comes and stops is not called a missing one", async (t) => {
  const { page } = await visit(t, "#draw=2d&n=200&v=1", {
    live: false,
    prepare: async (unopened) => {
      await unopened.addInitScript(() => {
        // biome-ignore lint/complexity/useArrowFunction: the page constructs it
        Intl.NumberFormat = function () {
          throw new Error("no numbers here");
        } as unknown as typeof Intl.NumberFormat;
      });
    },
  });
  await page.waitForFunction(() =>
    /^The page's script stopped: .*no numbers here\. Reload the page/.test(
      document.querySelector<HTMLElement>(".welcome")?.innerText.split("\n").at(-1) ?? "",
    ),
  );
});
