import assert from "node:assert/strict";
import { test } from "node:test";
import type { Column } from "../../src/base/messages.ts";
import { Series } from "../../src/model/series.ts";

const column = (values: number[]): Column[] => [{ id: "x", name: "X", unit: "", values }];

test("samples are kept in order, and a reset begins anew", () => {
  const series = new Series();
  series.append(true, [1, 2], column([10, 20]));
  series.append(false, [3], column([30]));
  assert.deepEqual(series.at, [1, 2, 3]);
  assert.equal(series.last("x"), 30);
  series.append(true, [5], column([50]));
  assert.deepEqual(series.at, [5]);
  assert.deepEqual(series.tracks.get("x")?.values, [50]);
});

test("a long run stays bounded and keeps its mean", () => {
  const series = new Series();
  const samples = 100_000;
  for (let i = 1; i <= samples; i++) series.append(false, [i], column([i]));
  assert.ok(series.at.length < 8192, `${series.at.length} samples`);
  const values = series.tracks.get("x")?.values ?? [];
  const span = series.at[1] - series.at[0];
  for (let i = 1; i < series.at.length; i++) assert.equal(series.at[i] - series.at[i - 1], span);
  // A kept sample is the mean of the span that ends at its time.
  values.forEach((value, i) => assert.equal(value, series.at[i] - (span - 1) / 2));
});

test("a chart has live points between the samples of a run's first minutes", () => {
  const series = new Series();
  series.append(true, [], column([]));
  for (const at of [1, 2, 3]) series.live(at, { x: 10 * at });
  series.append(true, [], column([])); // sent again while there is no sample
  assert.deepEqual(series.drawn(["x", "rate"]), {
    at: [1, 2, 3],
    lines: [
      [10, 20, 30],
      [null, null, null],
    ],
  });
  series.append(false, [4], [...column([40]), { id: "rate", name: "Rate", unit: "", values: [7] }]);
  series.live(5, { x: 50 });
  assert.deepEqual(series.drawn(["x", "rate"]), {
    at: [1, 2, 3, 4, 5],
    lines: [
      [10, 20, 30, 40, 50],
      [null, null, null, 7, 7],
    ],
  });
  assert.deepEqual(series.at, [4]); // the samples are what they were
  assert.equal(series.last("x"), 40);
  series.live(2, { x: 21 }); // back in time
  assert.deepEqual(series.drawn(["x"]).at, [1, 2, 4]);
  series.append(true, [4], column([40])); // another course
  assert.deepEqual(series.drawn(["x"]).at, [4]);
  series.live(5, { x: 50 });
  series.forget();
  assert.deepEqual(series.drawn(["x"]).at, [4]);
});

test("live points stay bounded, and those of the beginning keep their line when samples are many", () => {
  const series = new Series();
  for (let at = 1; at <= 10_000; at++) series.live(at, { x: at });
  const { at } = series.drawn(["x"]);
  assert.ok(at.length <= 256, `${at.length} points`);
  assert.equal(at.at(-1), 10_000);
  const early = at.length;
  for (let minute = 1; minute <= 30; minute++) series.append(false, [10_000 + minute], column([minute]));
  series.live(11_000, { x: 99 });
  series.live(11_001, { x: 98 });
  assert.deepEqual(series.drawn(["x"]).at.slice(-2), [10_030, 11_001]);
  assert.equal(series.drawn(["x"]).at.length, early + 31);
});
