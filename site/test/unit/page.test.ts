// What the page's documents and sources promise each other.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { test } from "node:test";

const floors = ["base", "model", "panel", "page"];

test("a file imports its own floor or a lower one", () => {
  const files = readdirSync("src", { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));
  assert.ok(files.length > 30, `${files.length} sources found`);
  for (const file of files) {
    const floor = file.split("/")[0];
    for (const [, target] of readFileSync(join("src", file), "utf8").matchAll(/(?:from|import) "(\.[^"]*)"/g)) {
      const other = normalize(join(dirname(file), target)).split("/")[0];
      // worker and view stand alone beside the floors: they may only share the words of the protocol.
      const allowed = floors.includes(floor) ? floors.slice(0, floors.indexOf(floor) + 1) : ["base", floor];
      assert.ok(allowed.includes(other), `${file} imports ${target}`);
    }
  }
});

test("the first paint has the sizes and colours of the tokens", () => {
  const tokens = (css: string) =>
    new Map([...css.matchAll(/(--[\w-]+):\s*([^;}]+)/g)].map(([, name, value]) => [name, value.replaceAll(/\s/g, "")] as const));
  const all = tokens(readFileSync("src/base/tokens.css", "utf8"));
  const first = tokens(/<style>\s*:root\{([^}]*)\}/.exec(readFileSync("../index.html", "utf8"))?.[1] ?? "");
  assert.ok(
    first.size > 15 && [...first.values()].filter((value) => value.startsWith("light-dark(")).length > 8,
    "the first paint has tokens",
  );
  for (const [name, value] of first) assert.equal(value, all.get(name), name);
});
