// What the page's documents and sources promise each other.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { test } from "node:test";

const floors = ["base", "model", "panel", "place", "page"];
const places = ["cluster", "compare", "gallery", "papers", "plan", "sweep", "watch"];

/** The sources below src with the files that each imports, as paths in src. */
function importsOf(): Map<string, string[]> {
  const files = readdirSync("src", { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));
  assert.ok(files.length > 30, `${files.length} sources found`);
  const target = (file: string, to: string) => normalize(join(dirname(file), to));
  const found = (file: string) => [...readFileSync(join("src", file), "utf8").matchAll(/(?:from|import|import\() ?"(\.[^"]*\.ts)"/g)];
  return new Map(files.map((file) => [file, found(file).map(([, to]) => target(file, to))]));
}

/** Why a file must not import another; "" if it may. */
function refusal(file: string, other: string): string {
  const [floor, place, room] = file.split("/");
  const [below, elsewhere, part] = other.split("/");
  // worker, view and offline stand alone beside the floors: they may only share the words of the protocol.
  const allowed = floors.includes(floor) ? floors.slice(0, floors.indexOf(floor) + 1) : ["base", floor];
  if (!allowed.includes(below)) return `${floor} is below ${below}`;
  if (floor !== "place") return "";
  if (room === "model" && below === "panel") return "a place's model has no panels";
  if (below !== "place") return "";
  if (elsewhere !== place) return `${place} and ${elsewhere} are different places`;
  return room === "model" && part !== "model" ? "a place's model has no panels" : "";
}

/** The first circle of imports, or nothing. */
function circleOf(imports: Map<string, string[]>): string[] {
  const left = new Map(imports);
  for (let before = -1; before !== left.size; ) {
    before = left.size;
    for (const [file, others] of left) if (!others.some((other) => left.has(other))) left.delete(file);
  }
  const way: string[] = [];
  for (let at = left.keys().next().value; at !== undefined && !way.includes(at); at = left.get(at)?.find((other) => left.has(other)))
    way.push(at);
  return way;
}

test("a file imports its own floor or a lower one, and a place no other place", () => {
  for (const [file, others] of importsOf()) for (const other of others) assert.equal(refusal(file, other), "", `${file} imports ${other}`);
  assert.deepEqual(readdirSync("src/place").sort(), places);
  assert.notEqual(refusal("model/run.ts", "place/papers/model/lab.ts"), "");
  assert.notEqual(refusal("place/sweep/panel/map.ts", "place/compare/panel/table.ts"), "");
  assert.notEqual(refusal("place/plan/model/planner.ts", "place/plan/panel/planner.ts"), "");
  assert.equal(refusal("place/plan/panel/planner.ts", "panel/gantt.ts"), "");
});

test("no files import each other in a circle", () => {
  assert.deepEqual(circleOf(importsOf()), []);
  assert.deepEqual(
    circleOf(
      new Map([
        ["a", ["b"]],
        ["b", ["c"]],
        ["c", ["b"]],
      ]),
    ).sort(),
    ["a", "b", "c"],
  );
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
