// The page's own drawing has the looks that core/heatmap/raster publishes.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { PALETTES, rampColours, swatches } from "../../src/base/palette.ts";

const published = (name: string) => JSON.parse(readFileSync(`../assets/palettes/${name}.json`, "utf8")) as unknown;

for (const name of PALETTES) {
  test(`${name} is the published ramp to within 2 % of a channel`, () => {
    for (const [file, light] of [
      [name, false],
      [`${name}-light`, true],
    ] as const) {
      const { colours } = published(file) as { colours: string[] };
      assert.equal(colours.length, 256);
      const drawn = rampColours(name, light, 0, 255);
      const channels = (hex: string) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
      colours.forEach((hex, i) => {
        const want = channels(hex);
        channels(drawn[i]).forEach((channel, k) =>
          assert.ok(Math.abs(channel - want[k]) <= 5, `${file} ${i}: ${channel} beside ${want[k]}`),
        );
      });
    }
  });
}

test("36 task graphs look different", () => {
  const looks = swatches(["idle", ...Array.from({ length: 36 }, (_, i) => `graph ${i + 1}`), "down"], false).slice(1, 37);
  assert.equal(new Set(looks.map(({ colour, pattern }) => colour + pattern)).size, 36);
  assert.deepEqual(
    [0, 6, 12].map((i) => looks[i]),
    [
      { colour: "e69f00", pattern: "slash" },
      { colour: "e69f00", pattern: "level" },
      { colour: "e69f00", pattern: "solid" },
    ],
  );
});

test("categories have the published colours and patterns", () => {
  type Looks = Record<string, { colour: string; pattern: string }>;
  const { named, light, others } = published("category") as { named: Looks; light: Looks; others: { colour: string; pattern: string }[] };
  for (const looks of [named, light]) {
    const names = [...Object.keys(looks), ...others.map((_, i) => `other ${i}`)];
    const want = [...Object.values(looks), ...others];
    assert.deepEqual(
      swatches(names, looks === light).map(({ colour, pattern }) => ({ colour: `#${colour}`, pattern })),
      want,
    );
  }
});
