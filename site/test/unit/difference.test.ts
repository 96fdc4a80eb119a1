// One run's cells less another's, and colours for it that everybody tells apart.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Frame } from "../../src/base/frame.ts";
import type { Layer, Layout } from "../../src/base/messages.ts";
import { makeGrid } from "../../src/model/grid.ts";
import { differencesOf, divergingColours, paintDifferences, reachOf } from "../../src/place/compare/model/difference.ts";

const layers: Layer[] = [
  { id: "cpu", name: "CPU", unit: "" },
  { id: "state", name: "State", unit: "", names: ["up", "down", "idle"] },
];
const frame = (at: number, cpu: number[], state: number[]): Frame => ({
  at,
  sequence: 0,
  cells: cpu.length,
  arcs: [],
  layers: [Uint8Array.from(cpu), Uint8Array.from(state)],
});
const shown = (at: number, cpu: number[], state = cpu.map(() => 0)) => ({ frame: frame(at, cpu, state), layers });

test("A − B in each cell; what is down in both is no difference", () => {
  const a = shown(5, [100, 0, 200, 0], [0, 1, 0, 1]);
  const b = { frame: { ...frame(5, [0, 0, 40, 150], [0, 1, 2, 0]) }, layers };
  const cpu = differencesOf(a, b, "cpu");
  assert.deepEqual([...(cpu?.values ?? [])], [100, 0, 160, -150]);
  assert.deepEqual([[...(cpu?.down ?? [])], cpu?.other], [[0, 1, 0, 0], 3]);
  assert.deepEqual([...(differencesOf(a, b, "state")?.values ?? [])], [0, 0, 1, 1], "categories are the same or not");
});

test("differences take the place of those before, of which nothing stays", () => {
  const before = differencesOf(shown(5, [9, 9, 9], [1, 0, 1]), shown(5, [0, 0, 0], [1, 0, 1]), "cpu");
  const now = differencesOf(shown(6, [0, 5, 5], [0, 1, 0]), shown(6, [0, 5, 4], [0, 1, 0]), "cpu", before);
  assert.deepEqual([now?.at, [...(now?.values ?? [])], [...(now?.down ?? [])], now?.other], [6, [0, 0, 1], [0, 1, 0], 1]);
  assert.equal(now?.values, before?.values, "no new array a picture");
  const wider = differencesOf(shown(7, [1, 1]), shown(7, [0, 0]), "cpu", before);
  assert.deepEqual([...(wider?.values ?? [])], [1, 1], "and another cell has its own");
});

test("other moments, other machines and missing layers have no difference", () => {
  assert.equal(differencesOf(shown(5, [1]), shown(6, [1]), "cpu"), undefined);
  assert.equal(differencesOf(shown(5, [1]), shown(5, [1, 2]), "cpu"), undefined);
  assert.equal(differencesOf(shown(5, [1]), shown(5, [1]), "memory"), undefined);
});

test("a category is compared by its name, whatever its number", () => {
  const other: Layer[] = [layers[0], { id: "state", name: "State", unit: "", names: ["idle", "up", "down"] }];
  const all = differencesOf(shown(5, [1, 1, 1], [0, 1, 2]), { frame: frame(5, [1, 1, 1], [1, 2, 1]), layers: other }, "state");
  assert.deepEqual(
    [[...(all?.values ?? [])], [...(all?.down ?? [])]],
    [
      [0, 0, 1],
      [0, 1, 0],
    ],
  );
});

test("the scale reaches as far as nearly all of what differs, and never shows noise", () => {
  const reach = (...values: number[]) =>
    reachOf([{ at: 0, values: Int16Array.from(values), down: new Uint8Array(values.length), other: 0 }]);
  assert.equal(reach(0, 0, 0), 20);
  assert.equal(reach(0, -3, 2), 20);
  assert.equal(reach(-90, 50, 50), 92, "in steps of 2 %");
  assert.equal(reach(...Array.from({ length: 200 }, () => 40), 255), 40, "one in two hundred is beyond");
});

/** What a dichromat sees of a linear colour: Viénot, Brettel, Mollon 1999, table of their equations 5 to 8 for red, green, blue of sRGB. */
const SEES: Record<string, number[][]> = {
  everybody: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanope: [
    [0.11238, 0.88762, 0],
    [0.11238, 0.88762, 0],
    [0.00401, -0.00401, 1],
  ],
  deuteranope: [
    [0.29275, 0.70725, 0],
    [0.29275, 0.70725, 0],
    [-0.02234, 0.02234, 1],
  ],
};

/** CIELAB of a colour as someone sees it. */
function lab(hex: string, sees: number[][]): number[] {
  const linear = [1, 3, 5]
    .map((at) => parseInt(hex.slice(at, at + 2), 16) / 255)
    .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
  const [r, g, b] = sees.map((row) =>
    Math.min(
      1,
      Math.max(
        0,
        row.reduce((sum, part, i) => sum + part * linear[i], 0),
      ),
    ),
  );
  const f = (t: number) => (t > 216 / 24389 ? Math.cbrt(t) : ((24389 / 27) * t + 16) / 116);
  const [x, y, z] = [
    (0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505,
    0.2126 * r + 0.7152 * g + 0.0722 * b,
    (0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089,
  ].map(f);
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

const apart = (a: number[], b: number[]) => Math.hypot(...a.map((value, i) => value - b[i]));

for (const light of [false, true]) {
  for (const [who, sees] of Object.entries(SEES)) {
    test(`a ${who} tells more from less and both from none, on the ${light ? "light" : "dark"} stage`, () => {
      const colours = divergingColours(light, 200);
      const at = (value: number) => lab(colours[value + 255], sees);
      for (const value of [50, 100, 150, 200]) {
        assert.ok(apart(at(value), at(-value)) > 15, `±${value}: ${apart(at(value), at(-value))}`); // 2.3 is just seen
        for (const sign of [1, -1])
          assert.ok(apart(at(sign * value), at(0)) > 15, `${sign * value} and 0: ${apart(at(sign * value), at(0))}`);
      }
      for (const sign of [1, -1]) {
        const lightness = [0, 50, 100, 150, 200].map((value) => at(sign * value)[0]);
        for (let i = 1; i < lightness.length; i++)
          assert.ok(
            light ? lightness[i] < lightness[i - 1] : lightness[i] > lightness[i - 1],
            `${lightness.map(Math.round)}: what differs more stands out more`,
          );
      }
    });
  }
}

test("cells are painted where the camera has them, and what is down in both is hatched", () => {
  const layout: Layout = {
    columns: 2,
    rows: 1,
    blocks: [],
    x: Uint16Array.of(0, 1),
    y: Uint16Array.of(0, 0),
    rack: Int32Array.of(0, 0),
    pitch: { width: 0, height: 0, gapX: 0, gapY: 0, tall: 0 },
  };
  const { width, height, pixels } = paintDifferences(
    makeGrid(layout),
    { at: 0, values: Int16Array.of(200, 0), down: Uint8Array.of(0, 1), other: 1 },
    { x: -1, y: 0, zoom: 4 },
    { width: 12, height: 4 },
    1,
    false,
    200,
  );
  assert.deepEqual([width, height], [12, 4]);
  const hex = (x: number, y: number) =>
    [...new Uint8Array(pixels.buffer, 4 * (y * width + x), 3)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  assert.equal(hex(4, 0), divergingColours(false, 200)[455].slice(1));
  assert.equal(hex(0, 0), "080b11", "the stage");
  assert.equal(hex(7, 0), "080b11", "a gap between two cells");
  assert.deepEqual([hex(8, 0), hex(10, 0)], ["8e343a", "080b11"]);
});
