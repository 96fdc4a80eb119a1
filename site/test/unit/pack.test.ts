// What a text from elsewhere may make the page do.
import assert from "node:assert/strict";
import { test } from "node:test";
import { pack, parse, unpack } from "../../src/base/pack.ts";
import { decodeAddress } from "../../src/model/address.ts";

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

/** Packs a text that need not be JSON, as far as a link of 9,000 characters holds it. */
async function packed(text: string): Promise<string> {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  return `1.${Buffer.from(await new Response(stream).arrayBuffer()).toString("base64url")}`.slice(0, 9000);
}

test("a link of 9,000 characters is read or refused in a sentence, at once", async () => {
  const view = (text: string) => `{"v":1,"system":"central","view":{"x":${text}}}`;
  const inside = [
    view("[".repeat(2_000_000)),
    view(deep(10_000)),
    view(`${'{"a":'.repeat(10_000)}0${"}".repeat(10_000)}`),
    view(`[${"0,".repeat(300_000)}0]`),
    view(`{${'"k":0,'.repeat(50_000)}"k":0}`),
    view(`"${"a".repeat(5_000_000)}"`),
    view(`"${"\\u0001".repeat(150_000)}"`),
    view("9".repeat(500_000)),
    view(`${"[".repeat(60)}${"[],".repeat(20_000)}[]${"]".repeat(60)}`),
    "[".repeat(4_000),
  ];
  const links = await Promise.all(inside.flatMap((text) => ["z", "ask"].map(async (key) => `#${key}=${await packed(text)}`)));
  links.push(
    `#${"x.a=1&".repeat(1500)}`,
    `#${Array.from({ length: 900 }, (_, i) => `k${i}=1`).join("&")}`,
    `#x.${"a.".repeat(4400)}b=1`,
    `#name=${"%".repeat(8990)}`,
    `#name=${"%e2%80%ae".repeat(990)}`,
    `#n=${"9".repeat(8990)}&seed=${"9".repeat(100)}&at=${"9".repeat(100)}d`,
    `#with=${"central+".repeat(1100)}`,
    `#score=${"(".repeat(8990)}`,
    `#filter=${"(".repeat(8990)}`,
    `#cam=${"node.".repeat(1700)}`,
  );
  for (const link of links) {
    const began = process.cpuUsage();
    const said = await decodeAddress(link).then(
      ({ problems, notes }) => [...problems, ...notes].join(" "),
      (error: Error) => error.message,
    );
    const { user, system } = process.cpuUsage(began);
    assert.ok(said.length < 10_000 && !said.includes("\n"), `${link.slice(0, 40)}: ${said.length} characters: ${said.slice(0, 200)}`);
    assert.ok(user + system < 2e6, `${link.slice(0, 40)} takes ${user + system} µs`);
  }
});
