// Words that are written upon pictures: in a chart without values, and beside the ring of the best node.
import "./browser.ts"; // before lit-html

import assert from "node:assert/strict";
import { test } from "node:test";
import { empty } from "../../src/panel/onchart.ts";
import { besideRing } from "../../src/place/watch/panel/dim.ts";

Object.assign(globalThis, { devicePixelRatio: 1 });

test("a chart says when its first values come, in lines it has room for, until it has one", () => {
  const written = (width: number, ...tracks: (number | null)[][]): [text: string, left: number, top: number][] => {
    const words: [string, number, number][] = [];
    const ctx = {
      save() {},
      restore() {},
      fillRect() {},
      measureText: (text: string) => ({ width: 5 * text.length }),
      fillText: (...word: [string, number, number]) => words.push(word),
    };
    empty(
      { ctx, bbox: { left: 40, top: 0, width, height: 50 }, data: [[0, 60], ...tracks] } as unknown as Parameters<typeof empty>[0],
      () => "10px",
    );
    return words;
  };
  const all = "First values after a minute of the run";
  assert.deepEqual(written(200), [[all, 45, 20]]);
  assert.deepEqual(written(200, [null, null], []), [[all, 45, 20]]);
  assert.deepEqual(written(180, [null]), [
    ["First values after a", 80, 12.5],
    ["minute of the run", 87.5, 27.5],
  ]);
  assert.deepEqual(written(200, [null, null], [null, 0]), [], "0 is a value");
});

test("the word at the best node stays on the map", () => {
  for (const x of [12, 200, 375, 389]) {
    const at = besideRing(x, 15, 28, 390);
    assert.ok(at >= 0 && at + 28 <= 390, `a ring at ${x} has its word at ${at}`);
    assert.ok(at >= x + 15 || at + 28 <= x - 15, "beside the ring");
  }
});
