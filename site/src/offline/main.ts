// The page without a network: a service worker that keeps one whole build, and hands
// out all of it or nothing of it.
//
// A document that the network has is compared with the one that is kept. If they are
// the same, so is everything else of the build (each document names it), and what is
// kept is used; if it is another one, or the worker does not know who asks, the
// network answers alone. So a page never meets a program of another build.
// tools/build puts BUILD, FILES and LATER before this script.
declare const BUILD: string; // the hash of everything
declare const FILES: Record<string, string>; // what is kept at once, by name, with the first 64 bits of its SHA-256
declare const LATER: Record<string, string>; // what is kept when it is first used

interface Waiting extends Event {
  waitUntil(work: Promise<unknown>): void;
}
interface Asking extends Waiting {
  readonly request: Request;
  readonly clientId: string;
  readonly resultingClientId: string;
  respondWith(answer: Promise<Response>): void;
}

const root = new URL("./", self.location.href);
const PREFIX = "parley";
const KEPT = `${PREFIX}:${root.pathname}:${BUILD}`; // caches are those of the host, which may have other releases in other folders
const WHO = "/served/"; // under this name stands, in the same cache, who is served from it

addEventListener("install", (event) => (event as Waiting).waitUntil(keep()));
addEventListener("activate", (event) => (event as Waiting).waitUntil(forget()));
addEventListener("fetch", (event) => {
  const asking = event as Asking;
  const name = nameOf(asking.request);
  if (name !== undefined) asking.respondWith(answer(asking, name));
});

addEventListener("message", (event: Event) => (event as Waiting).waitUntil(keepRest()));

/** Keeps the programs that other places and systems need, when an idle page asks for it. One that does not come is asked for again by the next visit. */
async function keepRest(): Promise<void> {
  const kept = await caches.open(KEPT);
  for (const name of Object.keys(LATER))
    if (name.endsWith(".wasm") && !(await kept.match(new URL(name, root)))) await later(kept, name).catch(() => undefined);
}

/** The name of a file of the build that is asked for. */
function nameOf({ method, url }: Request): string | undefined {
  const { origin, pathname } = new URL(url);
  if (method !== "GET" || origin !== root.origin || !pathname.startsWith(root.pathname)) return undefined;
  const name = pathname.slice(root.pathname.length) || "index.html";
  return Object.hasOwn(FILES, name) || Object.hasOwn(LATER, name) ? name : undefined;
}

/** Keeps the build. When the server has a file of another one, nothing is kept. */
async function keep(): Promise<void> {
  const kept = await caches.open(KEPT);
  try {
    for (const [name, wanted] of Object.entries(FILES)) {
      const address = new URL(name, root);
      const come = await fetch(address, { cache: "no-cache" });
      if (!come.ok || (await hash(come.clone())) !== wanted) throw new Error(`${name} is not of build ${BUILD}`);
      await kept.put(address, come);
    }
  } catch (error) {
    await caches.delete(KEPT);
    throw error;
  }
}

/** Removes older builds of this folder: this worker takes over when no page of theirs is open any more. */
async function forget(): Promise<void> {
  for (const name of await caches.keys()) {
    if (!name.startsWith(PREFIX) || name === KEPT) continue;
    const cache = await caches.open(name);
    if (await cache.match(new URL("index.html", root))) await caches.delete(name);
  }
  const kept = await caches.open(KEPT);
  for (const { url } of await kept.keys()) if (new URL(url).pathname.startsWith(WHO)) await kept.delete(url);
}

async function answer(asking: Asking, name: string): Promise<Response> {
  const kept = await caches.open(KEPT);
  const have = await kept.match(new URL(name, root));
  const served = asking.clientId !== "" && (await kept.match(WHO + asking.clientId)) !== undefined;
  if (!have) {
    if (served) return later(kept, name);
    return asking.request.mode === "navigate" ? opened(kept, asking, name) : fetch(asking.request);
  }
  if (asking.request.mode !== "navigate") return served ? have : fetch(asking.request);
  if (!served) {
    const come = await fetch(asking.request.url, { cache: "no-cache" }).catch(() => undefined);
    if (come && (!come.ok || (await hash(come.clone())) !== sumOf(name))) return come;
  }
  if (asking.resultingClientId !== "") await kept.put(WHO + asking.resultingClientId, new Response(""));
  return have;
}

/** A large file for a page of this build, kept from now on; one of another build would not fit the page. */
async function later(kept: Cache, name: string): Promise<Response> {
  const address = new URL(name, root);
  const come = await fetch(address, { cache: "no-cache" });
  if (!come.ok) return come;
  if ((await hash(come.clone())) !== LATER[name]) return new Response("There is a newer build: load the page again.", { status: 409 });
  await kept.put(address, come.clone());
  return come;
}

/** A document that is opened for the first time: it and what it loads are kept if they belong to this build. */
async function opened(kept: Cache, asking: Asking, name: string): Promise<Response> {
  const come = await fetch(asking.request.url, { cache: "no-cache" });
  if (come.ok && (await hash(come.clone())) === sumOf(name)) {
    await kept.put(new URL(name, root), come.clone());
    if (asking.resultingClientId !== "") await kept.put(WHO + asking.resultingClientId, new Response(""));
  }
  return come;
}

const sumOf = (name: string): string | undefined => FILES[name] ?? LATER[name];

async function hash(response: Response): Promise<string> {
  const sum = await crypto.subtle.digest("SHA-256", await response.arrayBuffer());
  return [...new Uint8Array(sum, 0, 8)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
