// The page's own drawing has the looks that core/heatmap/raster publishes.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { PALETTES, rampColour, swatches } from "../../src/base/palette.ts";

const published = (name: string) => JSON.parse(readFileSync(`../assets/palettes/${name}.json`, "utf8")) as unknown;

for (const name of PALETTES) {
  test(`${name} is the published ramp to within 2 % of a channel`, () => {
    const { colours } = published(name) as { colours: string[] };
    assert.equal(colours.length, 256);
    colours.forEach((hex, i) => {
      const want = [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
      rampColour(name, i / 255).forEach((channel, k) => assert.ok(Math.abs(channel - want[k]) <= 5, `${name} ${i}: ${channel} beside ${want[k]}`));
    });
  });
}

test("categories have the published colours and patterns", () => {
  const { named, others } = published("category") as { named: Record<string, { colour: string; pattern: string }>; others: { colour: string; pattern: string }[] };
  const names = [...Object.keys(named), ...others.map((_, i) => `other ${i}`)];
  const want = [...Object.values(named), ...others];
  assert.deepEqual(swatches(names).map(({ colour, pattern }) => ({ colour: `#${colour}`, pattern })), want);
});
