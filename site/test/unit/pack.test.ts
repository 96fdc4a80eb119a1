// What a text from elsewhere may make the page do.
import assert from "node:assert/strict";
import { test } from "node:test";
import { pack, parse, unpack } from "../../src/base/pack.ts";

const deep = (n: number) => "[".repeat(n) + "]".repeat(n);

test("parse refuses what nests deeper than 64, and brackets in texts do not count", () => {
  assert.deepEqual(parse(`{"a":[1,"${"[".repeat(999)}\\"${"{".repeat(999)}\\\\"],"b":"]"}`), {
    a: [1, `${"[".repeat(999)}"${"{".repeat(999)}\\`],
    b: "]",
  });
  assert.ok(parse(deep(64)));
  assert.throws(() => parse(deep(65)), /^Error: its lists and objects lie more than 64 deep in each other$/);
  assert.ok(parse(deep(72), true));
  assert.throws(() => parse(deep(100_000), true), /more than 72 deep/);
  assert.throws(() => parse(`{"a":"${"[".repeat(99)}`), SyntaxError);
});

test("unpack refuses what nests and what unfolds to more than its length allows", async () => {
  let value: unknown = 0;
  for (let i = 0; i < 1000; i++) value = [value];
  await assert.rejects(async () => unpack(await pack(value)), /^Error: its lists and objects lie more than 64 deep/);
  const large = await pack({ v: 1, system: "central", name: "a".repeat(5_000_000) });
  await assert.rejects(unpack(large), /^Error: it unfolds to more than \d{7} bytes, which \d+ packed ones may hold$/);
  const shorter = await pack("a".repeat(500_000));
  await assert.rejects(unpack(shorter), /^Error: it unfolds to more than \d{6} bytes/);
  assert.equal(await unpack(await pack("a".repeat(60_000))), "a".repeat(60_000));
});
