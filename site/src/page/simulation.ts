// The workers of the simulation and of all else that computes. The page loads their
// parts itself, so that they are the ones that index.html preloads, and starts them
// from a blob: address: such a worker has the page's content-security policy on
// every host, also on those that send no headers. Beside the first scenario's program
// there is one more with everything in it, which is loaded once and told its mode.
import type { Download } from "../base/format.ts";
import type {
  FromCluster,
  FromLab,
  FromPlanner,
  FromSweep,
  ToCluster,
  ToLab,
  ToPlanner,
  ToSweep,
  ToWhole,
  Trouble,
} from "../base/messages.ts";
import { scriptAddress } from "../base/trusted.ts";
import { pack, transferable, unpack, type Wire } from "../base/wire.ts";
import type { Engine, Part, Simulation } from "../model/engines.ts";
import type { Table } from "../model/mapper.ts";
import type { Looker } from "../panel/mapper.ts";

/** Starts a program of the simulation; progress hears how much of it has come, and undefined when all of it has. */
export function startSimulation(part: Part, progress?: (download: Download | undefined) => void): Simulation {
  return start("simulation", `${part}.wasm`, part === "whole" ? "run" : undefined, progress);
}

/** Starts what reads the beginning of tables: a simulation that plays nothing. */
export function startLooker(): Looker {
  const engine = startSimulation("whole");
  const waiting: { resolve: (table: Table) => void; reject: (error: Error) => void }[] = []; // answers come in the order of the questions
  engine.listen((message) => {
    if (message.type === "table") waiting.shift()?.resolve(message);
    if (message.type === "trouble") for (const one of waiting.splice(0)) one.reject(new Error(message.trouble.sentence));
  });
  return {
    look: (file, map) =>
      new Promise((resolve, reject) => {
        waiting.push({ resolve, reject });
        engine.send({ type: "lookattable", file, map });
      }),
    end: () => engine.end(),
  };
}

export function startLab(): Engine<ToLab, FromLab> {
  return start("lab", "whole.wasm", "papers");
}

export function startPlanner(progress: (download: Download | undefined) => void): Engine<ToPlanner, FromPlanner> {
  return start("planner", "whole.wasm", "plan", progress);
}

export function startSweep(progress: (download: Download | undefined) => void): Engine<ToSweep, FromSweep> {
  return start("sweep", "whole.wasm", "sweep", progress);
}

export function startCluster(progress: (download: Download | undefined) => void): Engine<ToCluster, FromCluster> {
  return start("cluster", "questions.wasm", undefined, progress);
}

const failed = new Set<string>(); // programs with which a worker did not start: what the browser keeps of them is not trusted

interface Program {
  module: WebAssembly.Module;
  scripts: string[];
}

/** A program that comes, or has come: every worker starts one. */
interface Coming {
  program: Promise<Program>;
  progress: Set<(download: Download) => void>; // of the workers that wait for it; the last one that leaves ends the download
  loading: AbortController;
}

const programs = new Map<string, Coming>(); // by file

function programOf(wasm: string, progress: (download: Download) => void): Coming {
  const known = programs.get(wasm);
  if (known) {
    known.progress.add(progress);
    return known;
  }
  const loading = new AbortController();
  const asked: RequestInit = { signal: loading.signal, cache: failed.has(wasm) ? "reload" : "default" };
  const waiting = new Set([progress]);
  const tell = (download: Download) => waiting.forEach((each) => each(download));
  const parts = [compile(wasm, asked, tell), script("wasm_exec.js", asked, "class"), script("worker.js", asked, "WebAssembly")] as const;
  const program = Promise.all(parts).then(([module, ...scripts]) => ({ module, scripts }));
  const coming = { program, progress: waiting, loading };
  programs.set(wasm, coming);
  program.then(
    () => waiting.clear(),
    () => forget(wasm, coming),
  );
  return coming;
}

function forget(wasm: string, coming: Coming): void {
  if (programs.get(wasm) === coming) programs.delete(wasm);
}

type Told = { type: "trouble"; trouble: Trouble };

/** Starts a worker; messages to it wait until it is there. Of one that did not start, or ended, the last message says why. */
function start<To extends object, From extends { type: string }>(
  name: string,
  wasm: string,
  mode: ToWhole["mode"] | undefined,
  progress: (download: Download | undefined) => void = () => {},
): Engine<To, From | Told> {
  let listener: (message: From | Told) => void = () => {};
  let worker: Worker | undefined;
  let ended = false;
  let heard = false; // it started: its program said something
  const waiting: To[] = [];
  const tell = (download: Download) => progress(download);
  const coming = programOf(wasm, tell);
  const end = () => {
    ended = true;
    if (coming.progress.delete(tell) && coming.progress.size === 0) {
      coming.loading.abort();
      forget(wasm, coming);
    }
    worker?.terminate();
    progress(undefined);
  };
  const fail = (why: string) => {
    if (ended) return;
    end();
    failed.add(wasm);
    forget(wasm, coming);
    listener({ type: "trouble", trouble: { class: "gone", sentence: `The ${name} ${heard ? "stopped" : "cannot start"}: ${why}.` } });
  };
  const hear = (message: From | Told) => {
    if (ended) return;
    if (message.type === "trouble" && (message as Told).trouble.class === "gone") return fail((message as Told).trouble.sentence);
    heard = true;
    listener(message);
  };
  const post = (message: To | ToWhole) => {
    const wire = pack(message);
    worker?.postMessage(wire, transferable(wire));
  };
  coming.program
    .then(({ module, scripts }) => {
      if (ended) return;
      progress(undefined);
      worker = new Worker(
        scriptAddress(
          URL.createObjectURL(
            new Blob(
              scripts.map((text) => text + "\n"),
              { type: "text/javascript" },
            ),
          ),
        ),
        { name },
      );
      worker.onmessage = ({ data }: MessageEvent<Wire>) => hear(unpack<From | Told>(data));
      worker.onerror = (event) => {
        event.preventDefault();
        fail(event.message || "the browser does not say why");
      };
      worker.postMessage(module);
      if (mode) post({ type: "begin", mode });
      for (const message of waiting.splice(0)) post(message);
    })
    .catch((error: unknown) => fail(error instanceof Error ? error.message : String(error)));
  return {
    send: (message) => {
      if (!ended) void (worker && waiting.length === 0 ? post(message) : waiting.push(message));
    },
    listen: (to) => void (listener = to),
    end,
  };
}

/** Why a part of the page does not come. */
const missing = () =>
  globalThis.navigator?.onLine !== false
    ? "the server is unreachable"
    : "there is no network, and this part was not kept yet. Open the page with a network once more and leave it open for a minute; then all of it is kept";

async function load(address: string, asked: RequestInit): Promise<Response> {
  const response = await fetch(address, asked).catch(() => {
    throw new Error(`${address} could not be loaded: ${missing()}`);
  });
  if (!response.ok) throw new Error(`the server answers ${response.status} for ${address}`);
  return response;
}

/** A script that has a word in it; a page that asks for a login has not. */
async function script(address: string, asked: RequestInit, word: string): Promise<string> {
  const text = await (await load(address, asked)).text().catch(() => "");
  if (!text.includes(word)) throw new Error(`the server sent something other than ${address}, or only part of it`);
  return text;
}

/** Compiles while it loads, where the server names the type of the file. */
async function compile(address: string, asked: RequestInit, progress: (download: Download) => void): Promise<WebAssembly.Module> {
  if (typeof WebAssembly === "undefined")
    throw new Error("this browser has no WebAssembly, or its settings forbid it here; allow it for this page, or use another browser");
  progress({ file: address, bytes: 0, total: 0 });
  const response = await load(address, asked);
  void watch(address, response.clone(), progress);
  try {
    if (WebAssembly.compileStreaming && response.headers.get("content-type")?.startsWith("application/wasm"))
      return await WebAssembly.compileStreaming(response);
    return await WebAssembly.compile(await response.arrayBuffer());
  } catch (error) {
    if (error instanceof RangeError) throw new Error("the browser has no memory for it");
    if (/content.security.policy|unsafe-eval/i.test(String(error)))
      throw new Error("a policy of the page's host, or of this browser, forbids WebAssembly here");
    throw new Error(`the server sent something other than ${address}, or only part of it`);
  }
}

/** Counts what comes. */
async function watch(file: string, { headers, body }: Response, progress: (download: Download) => void): Promise<void> {
  const total = headers.has("content-encoding") ? 0 : Number(headers.get("content-length"));
  const reader = body?.getReader();
  for (let bytes = 0; reader; ) {
    const part = await reader.read().catch(() => undefined); // its compiler reports that it broke off
    if (!part || part.done) return;
    bytes += part.value.byteLength;
    progress({ file, bytes, total });
  }
}
