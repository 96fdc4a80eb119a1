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

test("the first paint has the colours of the tokens", () => {
  const tokens = (css: string) =>
    new Map([...css.matchAll(/(--[\w-]+):\s*([^;}]+)/g)].map(([, name, value]) => [name, value.replaceAll(/\s/g, "")] as const));
  const split = (css: string) => {
    const [always, ...media] = css.split("@media");
    return [always, media.find((block) => block.startsWith(" (prefers-color-scheme")) ?? ""] as const;
  };
  const [light, dark] = split(readFileSync("src/base/tokens.css", "utf8")).map(tokens) as [Map<string, string>, Map<string, string>];
  const inline = /<style>([\s\S]*?)<\/style>/.exec(readFileSync("../index.html", "utf8"))?.[1] ?? "";
  const [firstLight, firstDark] = split(inline).map(tokens) as [Map<string, string>, Map<string, string>];
  assert.ok(firstLight.size > 10 && firstDark.size > 5, "the first paint has tokens");
  for (const [name, value] of firstLight) assert.equal(value, light.get(name), `${name} in the light theme`);
  for (const [name, value] of firstDark) assert.equal(value, dark.get(name), `${name} in the dark theme`);
});

test("the two ways to the dark theme are the same", () => {
  const css = readFileSync("src/base/tokens.css", "utf8");
  const blocks = [...css.matchAll(/(?:not\(\[data-theme="light"\]\)|data-theme="dark"\]) \{([^}]*)\}/g)].map(([, body]) =>
    body.replaceAll(/\s|color-scheme:dark;/g, "").replace("color-scheme:dark;", ""),
  );
  assert.equal(blocks.length, 2);
  assert.equal(blocks[0], blocks[1]);
});
