// Words that are written upon pictures: in a chart without values, and beside the ring of the best node.
import "./browser.ts"; // before lit-html

import assert from "node:assert/strict";
import { test } from "node:test";
import { besideRing } from "../../src/panel/dim.ts";
import { empty } from "../../src/panel/onchart.ts";

Object.assign(globalThis, { devicePixelRatio: 1 });

test("a chart says when its first values come, until it has one", () => {
  const written = (...tracks: (number | null)[][]): string[] => {
    const words: string[] = [];
    const ctx = { save() {}, restore() {}, fillText: (text: string) => words.push(text) };
    empty(
      { ctx, bbox: { left: 0, top: 0, width: 100, height: 50 }, data: [[0, 60], ...tracks] } as unknown as Parameters<typeof empty>[0],
      () => "10px",
    );
    return words;
  };
  assert.deepEqual(written(), ["First values after a minute of the run"]);
  assert.deepEqual(written([null, null], []), ["First values after a minute of the run"]);
  assert.deepEqual(written([null, null], [null, 0]), [], "0 is a value");
});

test("the word at the best node stays on the map", () => {
  for (const x of [12, 200, 375, 389]) {
    const at = besideRing(x, 15, 28, 390);
    assert.ok(at >= 0 && at + 28 <= 390, `a ring at ${x} has its word at ${at}`);
    assert.ok(at >= x + 15 || at + 28 <= x - 15, "beside the ring");
  }
});
