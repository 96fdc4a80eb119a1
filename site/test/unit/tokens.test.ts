// Colours, corners, sizes of type and breakpoints are chosen in one place each: tokens.css,
// tokens.ts and, for what data looks like, palette.ts.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { STAGES } from "../../src/base/palette.ts";
import { BREAKPOINTS, PAPER } from "../../src/base/tokens.ts";

const PLACES = ["base/tokens.css", "base/tokens.ts", "base/palette.ts"];
const inline = /<style>([\s\S]*?)<\/style>/.exec(readFileSync("../index.html", "utf8"))?.[1] ?? "";
const sources = readdirSync("src", { recursive: true, encoding: "utf8" })
  .filter((name) => /\.(css|ts)$/.test(name) && !PLACES.includes(name))
  .map((name): [name: string, text: string] => [name, withoutComments(readFileSync(join("src", name), "utf8"), name)]);
const sheets: [name: string, text: string][] = [
  ...sources.filter(([name]) => name.endsWith(".css")),
  ["index.html", inline.replace(/:root\{[^}]*\}/, "")], // whose tokens page.test.ts compares
];
const scripts = sources.filter(([name]) => name.endsWith(".ts"));

function withoutComments(text: string, name: string): string {
  return name.endsWith(".css") ? text.replaceAll(/\/\*[\s\S]*?\*\//g, "") : text.replaceAll(/\/\*[\s\S]*?\*\/|(?<![:"'`])\/\/.*$/gm, "");
}

/** What in files fits a pattern, each with its file. */
function found(files: [name: string, text: string][], pattern: RegExp): string[] {
  return files.flatMap(([name, text]) => [...text.matchAll(pattern)].map(([hit]) => `${name}: ${hit.trim()}`));
}

const tokens = new Map(
  [...readFileSync("src/base/tokens.css", "utf8").matchAll(/(--[\w-]+):\s*([^;]+);/g)].map(([, name, value]) => [name, value] as const),
);
const pick = (name: string, dark: boolean) => {
  const value = tokens.get(name) ?? "";
  return /^light-dark\((.+),\s*(.+)\)$/.exec(value)?.[dark ? 2 : 1] ?? value;
};

test("no colour stands outside the tokens", () => {
  assert.ok(sheets.length > 20 && scripts.length > 150, `${sheets.length} style sheets and ${scripts.length} scripts found`);
  assert.deepEqual(found(sheets, /(?<=[:\s,(])(?:#[0-9a-f]{3,8}(?=[\s;,)}])|(?:rgba?|hsla?|oklch|lab|lch)\()/gi), []);
  assert.deepEqual(
    found(scripts, /(?<=["'`:\s])#[0-9a-f]{3,8}(?=["'`;\s}])|\b(?:rgba?|hsla?)\(|(?<=["\s])[0-9a-f]{6}(?=["\s])(?<=\D.....)/gi),
    [],
  );
});

test("no corner and no size of type stands outside the tokens", () => {
  assert.deepEqual(found(sheets, /radius:[^;}]*\d(?:px|r?em)[^;}]*/g), []);
  assert.deepEqual(
    found(sheets, /font(?:-size)?:\s*[^;}]*?(?<![\w-])(?!0)[\d.]+(?:px|r?em)(?!\w)[^;}]*/g).filter(
      (hit) => !/font: var\(--t-[\w-]+\) \/ /.test(hit),
    ),
    [],
  );
  assert.deepEqual(found(scripts, /radius:\s*\d|font-size[=:]"?\d|font:\s*\d|`[^`\n]*\b\d+px (?:\$\{|sans|system)[^`\n]*`/g), []);
});

test("the page is laid out otherwise at the breakpoints alone, and at each of them", () => {
  const widths = [
    BREAKPOINTS.tiny,
    BREAKPOINTS.phone,
    BREAKPOINTS.small,
    BREAKPOINTS.medium,
    BREAKPOINTS.narrow,
    BREAKPOINTS.roomy,
    BREAKPOINTS.wide,
  ];
  const heights = [BREAKPOINTS.low, BREAKPOINTS.short, BREAKPOINTS.even];
  const used = new Set<number>();
  for (const [name, text] of sheets)
    for (const [query] of text.matchAll(/@(?:media|container)[^{]*/g)) {
      const sizes = [...query.matchAll(/(min|max)-(width|height):\s*(\d+)px/g)];
      assert.equal(sizes.length, [...query.matchAll(/width|height/g)].length, `${name}: ${query}`);
      for (const [hit, end, side, size] of sizes) {
        const at = Number(size) - (end === "min" ? 1 : 0);
        assert.ok((side === "width" ? widths : heights).includes(at as never), `${name}: ${hit}`);
        used.add(at);
      }
    }
  assert.deepEqual([...used].sort(), [...widths, ...heights].sort());
  assert.deepEqual(found(scripts, /\((?:min|max)-(?:width|height):\s*\d[^)]*\)/g), []);
});

test("paper and the stages have the values of the tokens", () => {
  for (const [name, value] of Object.entries(PAPER)) assert.equal(value, pick(name, false), name);
  for (const [theme, { stage, ink }] of Object.entries(STAGES))
    assert.deepEqual([stage, ink], [pick("--stage", theme === "dark"), pick("--ink", theme === "dark")], theme);
});
