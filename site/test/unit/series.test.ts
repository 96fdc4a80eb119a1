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
