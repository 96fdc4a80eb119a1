// Pictures that carry their scenario, and tables that are taken away.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as zlib from "node:zlib";
import { type Carried, carriedBy, dataElement, metadata, pngWith, textOf } from "../../src/model/carrier.ts";
import { tableCSV, tableJSON } from "../../src/model/export.ts";
import { figureSVG } from "../../src/model/figure.ts";
import { Series } from "../../src/model/series.ts";

const carried: Carried = {
  scenario: { v: 1, name: 'Grüße </script><script>alert("1")</script> 😀', system: "central", seed: 7 },
  at: 324_000_000,
  digest: "8f3a91c2",
};

// One grey pixel, as the specification of PNG builds it.
const PNG = Uint8Array.from(
  Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg==", "base64"),
);

/** The chunks of a PNG by Node's own checksum, where this Node has one. */
function chunks(png: Uint8Array): string[] {
  const view = Buffer.from(png);
  const found: string[] = [];
  const sum = (zlib as { crc32?: (data: Buffer) => number }).crc32;
  for (let at = 8; at < view.length; at += 12 + view.readUInt32BE(at)) {
    const end = at + 8 + view.readUInt32BE(at);
    if (sum) assert.equal(view.readUInt32BE(end), sum(view.subarray(at + 4, end)), "the chunk's checksum");
    found.push(view.toString("latin1", at + 4, at + 8));
  }
  return found;
}

test("a PNG carries its scenario in a chunk, and is a PNG as before", async () => {
  const png = pngWith(PNG, carried);
  assert.deepEqual(chunks(png), ["IHDR", "iTXt", "IDAT", "IEND"]);
  assert.deepEqual(JSON.parse(textOf(png) ?? ""), carried);
  assert.equal(textOf(PNG), undefined);
  const back = await carriedBy(new File([png], "a.PNG"));
  assert.deepEqual({ ...back }, { ...carried, need: undefined });
});

test("SVG and HTML carry it as data that ends where it should", async () => {
  for (const [name, text] of [
    ["a.svg", `<svg>${metadata(carried)}</svg>`],
    ["a.html", `<p>x</p>${dataElement(carried)}`],
  ] as const) {
    assert.equal(text.split("</").length, name === "a.svg" ? 3 : 3, "the name closes nothing");
    assert.deepEqual({ ...(await carriedBy(new File([text], name))) }, { ...carried, need: undefined });
  }
});

test("a fork carries the number of its act, if it has so many", async () => {
  const faults = [
    { at: "1m", kind: "node_down", target: "node.1" },
    { at: "2m", kind: "node_down", target: "node.2" },
  ];
  const forks = await Promise.all(
    [1, 2, 0, 3, 1.5, "2"].map(
      async (fork) =>
        (await carriedBy(new File([metadata({ ...carried, scenario: { ...carried.scenario, faults }, fork: fork as number })], "a.svg")))
          ?.fork,
    ),
  );
  assert.deepEqual(forks, [1, 2, undefined, undefined, undefined, undefined]);
});

test("what carries nothing is no scenario, and what is broken says so", async () => {
  assert.equal(await carriedBy(new File([PNG], "a.png")), undefined);
  assert.equal(await carriedBy(new File(["<svg/>"], "a.svg")), undefined);
  assert.equal(await carriedBy(new File([pngWith(PNG, carried)], "trace.csv")), undefined);
  const broken = pngWith(PNG, carried);
  broken[80] ^= 1;
  await assert.rejects(carriedBy(new File([broken], "a.png")), /changed or damaged on the way/);
  for (let cut = 8; cut < broken.length; cut += 7) await carriedBy(new File([pngWith(PNG, carried).subarray(0, cut)], "a.png")); // ends, whatever is missing
  await assert.rejects(carriedBy(new File([metadata(carried).replace('{"v"', '{"w"')], "a.svg")), /no scenario/);
  await assert.rejects(carriedBy(new File([metadata(carried).replace("}", "")], "a.svg")), /cut off or damaged/);
});

test("tables are CSV that no spreadsheet runs, and JSON by their heads", () => {
  const rows = [
    ["node", "says"],
    ["1", "=1+1"],
    ["2", 'a "b", c'],
  ];
  assert.equal(tableCSV(rows), 'node,says\n1,\'=1+1\n2,"a ""b"", c"\n');
  assert.deepEqual(JSON.parse(tableJSON(rows)), [
    { node: "1", says: "=1+1" },
    { node: "2", says: 'a "b", c' },
  ]);
});

test("a figure has its values at their places", () => {
  const series = new Series();
  series.append(
    true,
    [0, 60_000_000, 120_000_000],
    [
      { id: "a", name: "A", unit: "%", values: [0, 50, 100] },
      { id: "b", name: "B <b>", unit: "%", values: [100, 50, 0] },
    ],
  );
  const lines = [
    { column: "a", name: "A", colour: "#111" },
    { column: "b", name: "B <b>", colour: "#222" },
  ];
  const svg = figureSVG({ title: "CPU & memory", lines, top: 100 }, series, [60_000_000], carried);
  assert.match(svg, /aria-label="CPU &amp; memory\. At the end A: 100 %, B &lt;b&gt;: 0 %\."/);
  assert.match(svg, /points="56\.0,256\.0 376\.0,156\.0 696\.0,56\.0" fill="none" stroke="#111"/);
  assert.match(svg, /M376\.0 56V256/, "the fault");
  const stacked = figureSVG({ title: "x", lines, stacked: true }, series, []);
  assert.match(stacked, /fill="#222".*fill="#111"/s, "the sum lies behind its parts");
});
