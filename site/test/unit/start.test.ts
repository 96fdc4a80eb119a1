// Starts that fail: each ends in a sentence, and the first scenario is offered.
import "./browser.ts"; // before lit-html

import assert from "node:assert/strict";
import { test } from "node:test";
import type { FromWorker } from "../../src/base/messages.ts";
import { unpack, type Wire } from "../../src/base/wire.ts";
import { DEFAULT_BASE } from "../../src/model/address.ts";
import { emptyState, type State, Store } from "../../src/model/store.ts";
import { startSimulation } from "../../src/page/simulation.ts";
import { mountTrouble } from "../../src/panel/trouble.ts";
import { all, pass, place, text } from "./browser.ts";

type Part = Parameters<typeof startSimulation>[0];

await fetch("data:,"); // Node's own fetch compiles a program when it is first used

/** The smallest WebAssembly module. */
const MODULE = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]);
const parts: Part[] = ["worker", "whole", "program"];

/** A browser with some things in another way than usual, while work goes on. */
async function where<T>(otherwise: Record<string, unknown>, work: () => Promise<T>): Promise<T> {
  const before = Object.keys(otherwise).map((name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)] as const);
  for (const [name, value] of Object.entries(otherwise)) {
    if (value === undefined) delete (globalThis as Record<string, unknown>)[name];
    else Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
  }
  try {
    return await work();
  } finally {
    for (const [name, was] of before) {
      delete (globalThis as Record<string, unknown>)[name];
      if (was) Object.defineProperty(globalThis, name, was);
    }
  }
}

const served = (wasm: () => Response) => (address: string) =>
  Promise.resolve(address.endsWith(".wasm") ? wasm() : new Response("class WebAssembly"));
const wasm = (body: Uint8Array<ArrayBuffer> = MODULE) =>
  served(() => new Response(body, { headers: { "content-type": "application/wasm" } }));

/** What the page is told of a simulation that does not start, or ends. */
const told = (part: Part, after: () => void = () => {}): Promise<string> =>
  new Promise((say) => {
    startSimulation(part).listen((message) => message.type === "trouble" && say(`${message.trouble.class}: ${message.trouble.sentence}`));
    setTimeout(after, 50);
  });

class NoWorker {
  constructor() {
    throw new DOMException("Failed to construct 'Worker'", "SecurityError");
  }
}

const workers: QuietWorker[] = [];
class QuietWorker {
  onerror?: (event: { message: string; preventDefault(): void }) => void;
  constructor(readonly address: string) {
    workers.push(this);
  }
  postMessage(): void {}
  terminate(): void {}
}

const page = {
  location: { origin: "https://host.example" },
  URL: class extends URL {
    static override createObjectURL = () => "blob:https://host.example/1";
  },
};
const refused = () => Promise.reject(new WebAssembly.CompileError("Refused to compile: violates the following Content Security Policy"));
const policed = Object.assign(Object.create(WebAssembly), { compileStreaming: refused, compile: refused });

const starts: [what: string, otherwise: Record<string, unknown>, says: RegExp][] = [
  [
    "there is no WebAssembly",
    { WebAssembly: undefined, fetch: wasm() },
    /this browser has no WebAssembly, or its settings forbid it here; allow it/,
  ],
  [
    "a policy forbids it",
    { WebAssembly: policed, fetch: wasm() },
    /a policy of the page's host, or of this browser, forbids WebAssembly here/,
  ],
  [
    "the program does not come",
    { fetch: () => Promise.reject(new TypeError("x")) },
    /\.wasm could not be loaded: the server is unreachable/,
  ],
  ["the program is missing", { fetch: served(() => new Response("", { status: 404 })) }, /the server answers 404 for \w+\.wasm/],
  ["the program is cut off", { fetch: wasm(MODULE.slice(0, 6)) }, /something other than \w+\.wasm, or only part of it/],
  ["the program is a login page", { fetch: served(() => new Response("<html>")) }, /something other than \w+\.wasm, or only part of it/],
  ["the browser starts no worker", { fetch: wasm(), Worker: NoWorker, ...page }, /Failed to construct 'Worker'/],
];

for (const [what, otherwise, says] of starts) {
  test(`where ${what}, every program says so`, async () => {
    for (const part of parts) {
      const sentence = await where(otherwise, () => told(part));
      assert.match(sentence, /^gone: The simulation cannot start: .*\.$/);
      assert.match(sentence, says);
    }
  });
}

test("a worker that dies says so, in the browser's words or in the page's", async () => {
  for (const [message, says] of [
    ["RuntimeError: unreachable", "RuntimeError: unreachable"],
    ["", "the browser does not say why"],
  ])
    assert.equal(
      await where({ fetch: wasm(), Worker: QuietWorker, ...page }, () =>
        told("worker", () => workers.at(-1)?.onerror?.({ message, preventDefault() {} })),
      ),
      `gone: The simulation cannot start: ${says}.`,
    );
});

test("a script comes from the page's own blobs and nowhere else", async () => {
  const { scriptAddress } = await import("../../src/base/trusted.ts");
  await where({ location: { origin: "https://host.example" } }, async () => {
    for (const good of ["offline.js", "blob:https://host.example/1"]) assert.equal(scriptAddress(good), good);
    for (const bad of [
      "",
      "x.js",
      "./offline.js",
      "https://host.example/x.js",
      "blob:https://host.example.evil/1",
      "data:text/javascript,1",
      "javascript:1",
    ])
      assert.throws(() => scriptAddress(bad), /is no script of this page/, bad);
  });
});

/** A program of Go that behaves as told. */
const goThat = (run: () => Promise<void>) =>
  class {
    importObject = {};
    run = run;
  };

test("a worker's program that ends, traps or finds no memory says so with its last message", async () => {
  const posted: FromWorker[] = [];
  const scope: Record<string, unknown> = {
    name: "run",
    fs: { writeSync: () => 0 },
    postMessage: (message: Wire) => posted.push(unpack<FromWorker>(message)),
  };
  await where({ self: scope }, () => import("../../src/worker/main.ts"));
  const begin = async (run: () => Promise<void>) => {
    scope.Go = goThat(run);
    (scope.onmessage as (event: { data: unknown }) => void)({ data: await WebAssembly.compile(MODULE) });
    await new Promise((done) => setTimeout(done, 20));
  };
  const write = (words: string) =>
    (scope.fs as { writeSync(to: number, bytes: Uint8Array): number }).writeSync(2, new TextEncoder().encode(words));
  await begin(async () => {});
  await begin(async () => void write("panic: index out of range\n\ngoroutine 1"));
  await begin(async () => void write("fatal error: runtime: out of memory\n"));
  await begin(() => Promise.reject(new WebAssembly.RuntimeError("unreachable")));
  await begin(() => Promise.reject(new RangeError("Maximum")));
  (scope.onmessageerror as () => void)();
  assert.deepEqual(
    posted.map((message) => message.type === "trouble" && `${message.trouble.class}: ${message.trouble.sentence}`),
    [
      "gone: its program ended",
      "gone: index out of range",
      "gone: this tab has no more memory for it",
      "gone: unreachable",
      "gone: the browser has no memory for it",
      "gone: the browser could not hand over a message",
    ],
  );
});

test("a renderer whose program ends or traps gives the map back to the page", async () => {
  const posted: unknown[] = [];
  let trap: (event: { message: string }) => void = () => {};
  await where(
    {
      Go: goThat(async () => {}),
      fetch: wasm(),
      parent: { postMessage: (message: Wire) => posted.push(unpack(message)) },
      location: { origin: "" },
      addEventListener: (_kind: string, listener: typeof trap) => (trap = listener),
    },
    async () => {
      await import("../../src/view/main.ts");
      await new Promise((done) => setTimeout(done, 50));
      trap({ message: "unreachable" });
    },
  );
  assert.deepEqual(posted, [
    { type: "failed", reason: "its program ended" },
    { type: "failed", reason: "unreachable" },
  ]);
});

const first = { v: 1, system: "one", name: "First" } as const;

/** The buttons of the dialog about trouble, in a state; and what the press of one sends. */
async function offered(state: Partial<State>): Promise<{ buttons: string[]; sent: string[] }> {
  const sent: string[] = [];
  const store = new Store<State>({ ...emptyState(), bases: { [DEFAULT_BASE]: first } }, (message) =>
    sent.push(message.type === "open" ? `open ${message.scenario.name}` : message.type),
  );
  const stop = mountTrouble(
    place(),
    store,
    () => {},
    () => {},
    () => {},
  );
  store.set(state);
  await pass(1000);
  const buttons = all(document, "dialog .buttons button");
  const names = buttons.map(text);
  buttons[names.indexOf("Open the first scenario")]?.click();
  for (let i = 0; i < 5; i++) await pass(100);
  stop();
  for (const dialog of all(document, "dialog")) dialog.remove();
  return { buttons: names, sent };
}

test("a first run that cannot start offers the first scenario, unless it is the first scenario", async () => {
  const request = {
    base: "",
    scenario: { v: 1, system: "two", name: "Other" },
    files: [],
    push: true,
    at: 0,
    digest: "",
    play: true,
    shared: false,
    selected: -1,
  };
  const gone = { class: "gone", sentence: "The simulation stopped: unreachable." } as const;
  const missing = { class: "missing", sentence: "whole.wasm could not be loaded: the server is unreachable." } as const;
  const otherwise = { buttons: ["Open the first scenario", "Close", "Try again"], sent: ["open First"] };
  assert.deepEqual(await offered({ trouble: gone, session: { is: "broken", again: request } }), otherwise);
  assert.deepEqual(await offered({ trouble: { ...missing, again: request } }), otherwise);
  const same = { ...request, base: DEFAULT_BASE, scenario: first };
  assert.deepEqual(await offered({ trouble: gone, session: { is: "broken", again: same } }), { buttons: ["Close", "Try again"], sent: [] });
  const changed = { ...same, scenario: { ...first, seed: 7 } };
  assert.deepEqual(await offered({ trouble: gone, session: { is: "broken", again: changed } }), otherwise);
  assert.deepEqual((await offered({ trouble: gone, scenario: first, session: { is: "broken", again: same } })).buttons, [
    "Restart from the beginning",
    "Close",
    "Try again",
  ]);
});
