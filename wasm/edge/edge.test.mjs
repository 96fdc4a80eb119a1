// The worker on workerd, Cloudflare's own runtime: every body of the handler's table,
// good and bad, again and again from many addresses. PARLEY_LOAD_SECONDS=30 makes it long.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { after, before, test } from "node:test";
import { crc32, deflateSync } from "node:zlib";
import { Miniflare } from "miniflare";

const SECONDS = Number(process.env.PARLEY_LOAD_SECONDS ?? 2);
const TOGETHER = 16; // requests at a time
const MB = 1 << 20;
const MOST = 64 * MB; // of the Go program's memory, which never shrinks: twice its limit
const ARENA = 4 * MB; // in which Go takes memory: where a collection falls may make the difference of one
const HELD = 250_000; // objects of JavaScript that it holds: those of some ten thousand requests, until it collects
const LONG = 20; // seconds after which memory has stopped to grow

const read = (name, encoding) => readFileSync(new URL(name, import.meta.url), encoding);
const bodies = JSON.parse(read("../../tools/links/testdata/bodies.json", "utf8")).map((body) => {
  const text = body.base64 ? Buffer.from(body.base64, "base64") : body.body.replace("%s", (body.with ?? "a").repeat(body.fill ?? 0));
  return { ...body, text, query: (body.query ?? "").replace("%s", "a".repeat(body.fillquery ?? 0)) };
});
const config = JSON.parse(read("wrangler.jsonc", "utf8").replaceAll(/^\s*\/\/.*$/gm, ""));

// What the program holds, which only this entry around the worker's tells.
const watched = `
import worker from "./worker.mjs";
let program;
globalThis.Go = class extends globalThis.Go { constructor() { super(); program = this; } };
export default { async fetch(request, env, ctx) {
  if (new URL(request.url).pathname === "/held") return Response.json({ wasm: program._inst.exports.mem.buffer.byteLength, held: program._values.length - program._idPool.length });
  return worker.fetch(request, env, ctx);
} };`;

let host;
let home;
let empty; // a worker that does nothing, in the same runtime
before(async () => {
  empty = new Miniflare({ compatibilityDate: config.compatibility_date, cf: false, modules: true, script: 'export default { fetch: () => new Response("nothing") };' });
  host = new Miniflare({
    compatibilityDate: config.compatibility_date,
    cf: false,
    kvNamespaces: config.kv_namespaces.map(({ binding }) => binding),
    ratelimits: Object.fromEntries(config.ratelimits.map(({ name, simple }) => [name, { simple }])),
    modules: [
      { type: "ESModule", path: "watched.mjs", contents: watched },
      { type: "ESModule", path: config.main, contents: read(config.main, "utf8") },
      { type: "ESModule", path: "build/wasm_exec.js", contents: read("build/wasm_exec.js", "utf8") },
      { type: "CompiledWasm", path: "build/edge.wasm", contents: read("build/edge.wasm") },
    ],
  });
  home = await host.ready;
});
after(() => Promise.all([host?.dispose(), empty?.dispose()]));

let visitors = 0;
/** Sends a body from an address that nobody has used. */
function send({ text, query, type }, from = `10.${(visitors >> 16) & 255}.${(visitors >> 8) & 255}.${visitors++ & 255}`) {
  return fetch(new URL(`api/links?${query}`, home), { method: "POST", headers: { "Content-Type": type ?? "application/json", "CF-Connecting-IP": from }, body: text });
}

/** What is wrong with the answer to a body; undefined: nothing. */
async function wrong(body) {
  const answer = await send(body);
  const text = await answer.text();
  const say = () => `${body.name}: ${answer.status} ${text.slice(0, 200)}`;
  if (answer.status !== body.status || answer.headers.has("set-cookie")) return say();
  const told = JSON.parse(text);
  if (body.status >= 400) return told.error.includes(body.says) && /^[A-Z].*[.?]$/s.test(told.error) ? undefined : say();
  const back = await fetch(new URL(`api/links/${told.id}`, home));
  const scenario = await back.text();
  if (back.status !== 200 || JSON.parse(scenario).system !== JSON.parse(body.text).system || JSON.parse(scenario).name !== JSON.parse(body.text).name) return `${body.name} came back as ${scenario.slice(0, 200)}`;
  const leads = await fetch(new URL(told.path, home), { redirect: "manual" });
  const page = await leads.text();
  const target = leads.status === 302 ? leads.headers.get("location") : /content="0; url=([^"]*)"/.exec(page)?.[1];
  return /^\.\.\/#.*z=1\./.test(target ?? "") ? undefined : `${body.name} leads to ${target}`;
}

/** A PNG of 1200 × 630 white pixels. */
function white() {
  const chunk = (kind, data) => {
    const whole = Buffer.alloc(12 + data.length);
    whole.writeUInt32BE(data.length, 0);
    whole.write(kind, 4, "latin1");
    data.copy(whole, 8);
    whole.writeUInt32BE(crc32(whole.subarray(4, 8 + data.length)), 8 + data.length);
    return whole;
  };
  const header = Buffer.from("000004b0000002760802000000", "hex");
  const pixels = Buffer.alloc(630 * (1 + 3 * 1200), 255).map((byte, i) => (i % 3601 === 0 ? 0 : byte));
  return Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), chunk("IHDR", header), chunk("IDAT", deflateSync(pixels)), chunk("IEND", Buffer.alloc(0))]);
}

test("a picture comes back byte for byte, and a link's head names it", async () => {
  const picture = white();
  const sent = await fetch(new URL("api/pictures", home), { method: "POST", headers: { "Content-Type": "image/png", "CF-Connecting-IP": "192.0.2.9" }, body: picture });
  const { id, path } = await sent.json();
  assert.equal(sent.status, 201);
  const back = await fetch(new URL(path, home));
  assert.equal(back.headers.get("content-type"), "image/png");
  assert.ok(Buffer.from(await back.arrayBuffer()).equals(picture));
  const link = await (await send({ text: '{"v":1,"system":"central"}', query: `picture=${id}` })).json();
  const page = await (await fetch(new URL(link.path, home), { redirect: "manual" })).text();
  assert.match(page, new RegExp(`og:image" content="${home}api/pictures/${id}"`));
});

test("every body is answered as the table says", async () => {
  for (const body of bodies) assert.equal(await wrong(body), undefined);
});

test("other requests are answered in words", async () => {
  for (const [path, method, status, says] of [["api/links", "GET", 200, '{"kept_days":365,"most_bytes":65536,"picture_bytes":262144}'], ["s/AAAAAAAAAAA", "GET", 404, "no scenario under this name"], ["s/x", "GET", 404, "cut off"], ["api/links", "PUT", 405, "not possible"], ["api/else", "GET", 404, "nothing under this address"]]) {
    const answer = await fetch(new URL(path, home), { method });
    const text = await answer.text();
    assert.equal(answer.status, status, text);
    assert.ok(text.includes(says), text);
  }
});

test("one address sends so much in a minute", async () => {
  const codes = [];
  for (let i = 0; i < 2 * config.ratelimits[0].simple.limit + 1; i++) codes.push((await send(bodies[0], "192.0.2.7")).status); // the minute may end meanwhile
  assert.equal(codes[0], 201);
  assert.ok(codes.includes(429), codes.join(" "));
});

/** The middle one of numbers. */
const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];

/** The memory of the worker's workerd, in bytes; undefined where nobody tells. */
function resident() {
  let most;
  try {
    for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
      const [name, rest] = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ");
      if (name.endsWith("(workerd") && Number(rest.split(" ")[1]) === process.pid) most = Math.max(most ?? 0, Number(readFileSync(`/proc/${pid}/statm`, "utf8").split(" ")[1]) * 4096);
    }
  } catch {} // not Linux, or it ended between two reads
  return most;
}

/** Sends requests for some seconds, so many at a time; returns how many were answered in a second. */
async function rate(seconds, one) {
  const start = performance.now();
  const spent = () => (performance.now() - start) / 1000;
  let answers = 0;
  await Promise.all(Array.from({ length: TOGETHER }, async () => {
    while (spent() < seconds) {
      const more = await one(spent); // before the sum is read: others add to it meanwhile
      answers += more;
    }
  }));
  return answers / spent();
}

test("it stands all of them at once, without a wrong answer and without growing", async (t) => {
  const found = [];
  const samples = []; // of memory, ten a third
  let due = 0;
  let sent = 0;
  const counted = globalThis.fetch;
  let requests = 0;
  globalThis.fetch = (...args) => (requests++, counted(...args));
  t.after(() => (globalThis.fetch = counted));
  await rate(SECONDS, async (spent) => {
    if (found.length > 0) return 0;
    const fault = await wrong(bodies[sent++ % bodies.length]);
    if (fault) found.push(fault);
    if (spent() > due) {
      due = spent() + SECONDS / 30;
      const sample = { resident: resident() ?? 0 };
      samples.push(sample);
      Object.assign(sample, await (await counted(new URL("held", home))).json());
    }
    return 0;
  });
  assert.deepEqual(found, []);
  t.diagnostic(`${(requests / SECONDS).toFixed(0)} requests a second of all bodies`);
  const at = await empty.ready;
  const get = (address, options) => async () => (await (await counted(address, options)).text()).length > 0 ? 1 : 0;
  const nothing = await rate(Math.min(SECONDS, 5), get(at));
  const one = await rate(Math.min(SECONDS, 5), get(new URL("api/links", home)));
  t.diagnostic(`a worker that does nothing: ${nothing.toFixed(0)} a second; GET api/links: ${one.toFixed(0)}, ${(100 * one / nothing).toFixed(0)} % of it`);
  const third = samples.length / 3;
  for (const [what, unit] of [["resident", MB], ["wasm", MB], ["held", 1]]) {
    const thirds = [0, 1, 2].map((k) => samples.slice(Math.round(k * third), Math.round((k + 1) * third)).map((sample) => sample[what]));
    t.diagnostic(`${what}${unit === MB ? ", MB" : ""}: ${samples.map((sample) => Math.round(sample[what] / unit)).join(" ")}; medians of its thirds ${thirds.map((part) => Math.round(median(part) / unit)).join(", ")}`);
  }
  const of = (what, from, to) => samples.slice(Math.round(from * third), Math.round(to * third)).map((sample) => sample[what]);
  assert.ok(Math.max(...of("wasm", 0, 3)) <= MOST && Math.max(...of("held", 0, 3)) <= HELD, "the program holds more than a bounded heap does");
  if (SECONDS < LONG) return; // it has not seen its first collections
  assert.ok(samples.length >= 9, `${samples.length} samples of memory are too few`);
  const grew = Math.max(...of("wasm", 2, 3)) - Math.max(...of("wasm", 0, 2));
  assert.ok(grew < ARENA, `the program's memory grew by ${grew} bytes in the last third`);
  assert.ok(Math.min(...of("held", 2, 3)) <= Math.max(...of("held", 1, 2)), "the program holds more and more objects");
});
