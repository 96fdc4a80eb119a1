// The service worker of several releases in folders of one host, in one browser's caches.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";

const HOST = "https://host.example";

/** A cache by address, as a browser's. */
class FakeCache {
  held = new Map<string, string>();
  #name = (of: URL | string): string => new URL(of, HOST).href;
  async put(of: URL | string, response: Response): Promise<void> {
    this.held.set(this.#name(of), await response.text());
  }
  async match(of: URL | string): Promise<Response | undefined> {
    const text = this.held.get(this.#name(of));
    return text === undefined ? undefined : new Response(text);
  }
  keys = async (): Promise<{ url: string }[]> => [...this.held.keys()].map((url) => ({ url }));
  delete = async (of: URL | string): Promise<boolean> => this.held.delete(this.#name(of));
}

/** A browser: caches that outlive workers, and a network. */
class Browser {
  caches = new Map<string, FakeCache>();
  served = new Map<string, string>(); // what the host has, by path
  online = true;
  static #workers = 0;

  /** Starts the worker of a build that lies in a folder, and returns how to fire its events. */
  async worker(folder: string, build: string): Promise<(kind: string, more?: object) => Promise<Response | undefined>> {
    const listeners = new Map<string, (event: object) => void>();
    const page = `page of ${build}`;
    this.served.set(`${folder}index.html`, page);
    Object.assign(globalThis, {
      self: { location: { href: `${HOST}${folder}offline.js` } },
      BUILD: build,
      FILES: { "index.html": createHash("sha256").update(page).digest("hex").slice(0, 16) },
      LATER: { "whole.wasm": createHash("sha256").update(`program of ${build}`).digest("hex").slice(0, 16) },
      addEventListener: (kind: string, listener: (event: object) => void) => listeners.set(kind, listener),
      caches: {
        open: async (name: string) => {
          const cache = this.caches.get(name) ?? new FakeCache();
          this.caches.set(name, cache);
          return cache;
        },
        keys: async () => [...this.caches.keys()],
        delete: async (name: string) => this.caches.delete(name),
      },
      fetch: async (of: URL | string) => {
        const text = this.served.get(new URL(of).pathname);
        if (!this.online || text === undefined) throw new TypeError("no network");
        return new Response(text);
      },
    });
    const from = new URL(`../../src/offline/main.js?${Browser.#workers++}`, import.meta.url).href;
    await import(from);
    return async (kind, more = {}) => {
      let work: Promise<unknown> = Promise.resolve();
      const take = (one: Promise<unknown>): void => {
        work = one;
      };
      listeners.get(kind)?.({ waitUntil: take, respondWith: take, ...more });
      return (await work) as Response | undefined;
    };
  }
}

test("an idle page has the other programs kept, of its own build alone", async () => {
  const browser = new Browser();
  const worker = await browser.worker("/", "a");
  await worker("install");
  const kept = () => browser.caches.get("parley:/:a")?.match("/whole.wasm");
  await worker("message"); // the host does not have it
  assert.equal(await kept(), undefined);
  browser.served.set("/whole.wasm", "program of b");
  await worker("message");
  assert.equal(await kept(), undefined, "it is of another build");
  browser.served.set("/whole.wasm", "program of a");
  await worker("message");
  assert.equal(await (await kept())?.text(), "program of a");
});

test("releases in folders of one host keep their builds beside each other; a newer build of a folder replaces the older one", async () => {
  const browser = new Browser();
  const visit = async (worker: Awaited<ReturnType<Browser["worker"]>>, folder: string): Promise<string | undefined> =>
    (
      await worker("fetch", { request: { method: "GET", url: `${HOST}${folder}`, mode: "navigate" }, clientId: "", resultingClientId: "p" })
    )?.text();
  const first = await browser.worker("/0.1.0/", "a");
  await first("install");
  await first("activate");
  const second = await browser.worker("/0.2.0/", "b");
  await second("install");
  await second("activate");
  browser.online = false;
  assert.equal(await visit(first, "/0.1.0/"), "page of a", "the first release opens without a network after the second was opened");
  assert.equal(await visit(second, "/0.2.0/"), "page of b");

  browser.online = true;
  const newer = await browser.worker("/0.1.0/", "c");
  await newer("install");
  await newer("activate");
  browser.online = false;
  assert.equal(await visit(newer, "/0.1.0/"), "page of c");
  assert.equal(await visit(second, "/0.2.0/"), "page of b");
  assert.equal(browser.caches.size, 2, "one build a folder is kept");
});
