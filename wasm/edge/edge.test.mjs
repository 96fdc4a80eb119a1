// The worker on workerd, Cloudflare's own runtime: every body of the handler's table,
// good and bad, again and again from many addresses. PARLEY_LOAD_SECONDS=30 makes it long.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { after, before, test } from "node:test";
import { Miniflare } from "miniflare";

const SECONDS = Number(process.env.PARLEY_LOAD_SECONDS ?? 2);
const TOGETHER = 16; // requests at a time
const MB = 1 << 20;
const MOST = 450 * MB; // resident: workerd with a script that does nothing reaches 320 MB after 40,000 requests, before it looks for what is free

const read = (name, encoding) => readFileSync(new URL(name, import.meta.url), encoding);
const bodies = JSON.parse(read("../../tools/serve/links/testdata/bodies.json", "utf8")).map((body) => {
  const text = body.base64 ? Buffer.from(body.base64, "base64") : body.body.replace("%s", (body.with ?? "a").repeat(body.fill ?? 0));
  return { ...body, text, query: (body.query ?? "").replace("%s", "a".repeat(body.fillquery ?? 0)) };
});
const config = JSON.parse(read("wrangler.jsonc", "utf8").replaceAll(/^\s*\/\/.*$/gm, ""));

let host;
let home;
before(async () => {
  host = new Miniflare({
    compatibilityDate: config.compatibility_date,
    cf: false,
    kvNamespaces: config.kv_namespaces.map(({ binding }) => binding),
    ratelimits: Object.fromEntries(config.ratelimits.map(({ name, simple }) => [name, { simple }])),
    modules: [
      { type: "ESModule", path: config.main, contents: read(config.main, "utf8") },
      { type: "ESModule", path: "build/wasm_exec.js", contents: read("build/wasm_exec.js", "utf8") },
      { type: "CompiledWasm", path: "build/edge.wasm", contents: read("build/edge.wasm") },
    ],
  });
  home = await host.ready;
});
after(() => host?.dispose());

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

test("every body is answered as the table says", async () => {
  for (const body of bodies) assert.equal(await wrong(body), undefined);
});

test("other requests are answered in words", async () => {
  for (const [path, method, status, says] of [["api/links", "GET", 200, '{"kept_days":365,"most_bytes":65536}'], ["s/AAAAAAAAAAA", "GET", 404, "no scenario under this name"], ["s/x", "GET", 404, "cut off"], ["api/links", "PUT", 405, "not possible"], ["api/else", "GET", 404, "nothing under this address"]]) {
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

/** The memory that workerd holds, in bytes; undefined where nobody tells. */
function resident() {
  try {
    for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
      const [name, rest] = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ");
      if (name.endsWith("(workerd") && Number(rest.split(" ")[1]) === process.pid) return Number(readFileSync(`/proc/${pid}/statm`, "utf8").split(" ")[1]) * 4096;
    }
  } catch {} // not Linux, or it ended between two reads
  return undefined;
}

test("it stands all of them at once, without a wrong answer and without growing", async (t) => {
  const found = [];
  const sizes = [];
  let sent = 0;
  const start = performance.now();
  const spent = () => (performance.now() - start) / 1000;
  const counted = globalThis.fetch;
  let requests = 0;
  globalThis.fetch = (...args) => (requests++, counted(...args));
  t.after(() => (globalThis.fetch = counted));
  await Promise.all(
    Array.from({ length: TOGETHER }, async () => {
      while (spent() < SECONDS && found.length === 0) {
        const fault = await wrong(bodies[sent++ % bodies.length]);
        if (fault) found.push(fault);
        if (spent() > (sizes.length + 1) * (SECONDS / 10)) sizes.push(resident() ?? 0);
      }
    }),
  );
  t.diagnostic(`${requests} requests in ${spent().toFixed(1)} s, ${(requests / spent()).toFixed(0)} a second; MB resident: ${sizes.map((size) => Math.round(size / MB)).join(" ")}`);
  assert.deepEqual(found, []);
  assert.ok(Math.max(...sizes) < MOST, `it grew: ${sizes}`);
});
