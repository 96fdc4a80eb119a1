// Intervals of means, by the script file that core/estimate is held to as well.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { intervalOf, sampleOf, student } from "../../src/model/spread.ts";

const text = readFileSync("../core/estimate/testdata/intervals.txt", "utf8").replace(/^#.*\n/gm, "");
const steps = [...text.matchAll(/^(of|student)\n(.*)\n----\n(.*)$/gm)].map(([, command, input, output]) => ({
  command,
  values: input.split(" ").map(Number),
  wanted: output.split(" ").map(Number),
}));

test("the file has cases of both kinds", () => assert.deepEqual(new Set(steps.map(({ command }) => command)), new Set(["student", "of"])));

for (const { command, values, wanted } of steps) {
  test(`${command} ${values.join(" ").slice(0, 40)}`, () => {
    const sample = sampleOf(values);
    assert.ok(sample);
    const { low, high } = intervalOf(sample);
    const got = command === "student" ? values.map(student) : [sample.n, sample.mean, sample.sd, ...(sample.n > 1 ? [low, high] : [])];
    assert.equal(got.length, wanted.length);
    got.forEach((value, i) =>
      assert.ok(Math.abs(value - wanted[i]) <= 1e-8 * Math.max(1, Math.abs(wanted[i])), `${value}, not ${wanted[i]}`),
    );
  });
}
