// The workers of the simulation and of the lab. The page loads their parts
// itself, so that they are the ones that index.html preloads, and starts them
// from a blob: address: such a worker has the page's content-security policy on
// every host, also on those that send no headers.
import type { FromLab, FromWorker, ToLab, ToWorker, Trouble } from "../base/protocol.ts";

export interface Engine<To, From> {
  send(message: To): void;
  listen(listener: (message: From) => void): void;
  end(): void;
}

export function startSimulation(): Engine<ToWorker, FromWorker> {
  return start("simulation", "worker.wasm", (message) => (message.type === "frame" ? [message.buffer] : []));
}

export function startLab(): Engine<ToLab, FromLab> {
  return start("lab", "lab.wasm", () => []);
}

/** Starts a worker; messages to it wait until it is there. */
function start<To, From>(name: string, wasm: string, transfer: (message: To) => Transferable[]): Engine<To, From | { type: "trouble"; trouble: Trouble }> {
  let listener: (message: From | { type: "trouble"; trouble: Trouble }) => void = () => {};
  let worker: Worker | undefined;
  let ended = false;
  const waiting: To[] = [];
  const fail = (why: string) => listener({ type: "trouble", trouble: { class: "engine", sentence: `The ${name} cannot start: ${why}.` } });
  const post = (message: To) => worker?.postMessage(message, transfer(message));

  const module = compile(wasm);
  Promise.all([load("wasm_exec.js").then((answer) => answer.text()), load("worker.js").then((answer) => answer.text())])
    .then(async (scripts) => {
      if (ended) return;
      worker = new Worker(URL.createObjectURL(new Blob(scripts.map((text) => text + "\n"), { type: "text/javascript" })), { name });
      worker.onmessage = ({ data }: MessageEvent<From>) => listener(data);
      worker.onerror = (event) => fail(event.message || "the browser does not say why");
      worker.postMessage(await module);
      for (const message of waiting.splice(0)) post(message);
    })
    .catch((error: unknown) => fail(error instanceof Error ? error.message : String(error)));
  return {
    send: (message) => void (worker && waiting.length === 0 ? post(message) : waiting.push(message)),
    listen: (to) => void (listener = to),
    end: () => {
      ended = true;
      worker?.terminate();
    },
  };
}

async function load(address: string): Promise<Response> {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`the server answers ${response.status} for ${address}`);
  return response;
}

/** Compiles while it loads, where the server names the type of the file. */
async function compile(address: string): Promise<WebAssembly.Module> {
  const response = await load(address);
  if (response.headers.get("content-type")?.startsWith("application/wasm")) return WebAssembly.compileStreaming(response);
  return WebAssembly.compile(await response.arrayBuffer());
}
