// Starts the renderer in its frame. The Go program (wasm/view) speaks with the
// page by itself, in message events; here it is only loaded. Where that fails, or
// the program ends, the page hears why and goes on drawing itself.
import type { FromView } from "../base/messages.ts";
import { pack } from "../base/wire.ts";

interface Go {
  importObject: WebAssembly.Imports;
  run(instance: WebAssembly.Instance): Promise<void>;
}

declare const Go: new () => Go; // of wasm_exec.js

async function start(): Promise<void> {
  const go = new Go();
  const response = await fetch("view.wasm");
  if (!response.ok) throw new Error(`the server answers ${response.status} for view.wasm`);
  const { instance } = response.headers.get("content-type")?.startsWith("application/wasm")
    ? await WebAssembly.instantiateStreaming(response, go.importObject)
    : await WebAssembly.instantiate(await response.arrayBuffer(), go.importObject);
  await go.run(instance);
  throw new Error("its program ended");
}

function fail(error: unknown): void {
  const message: FromView = { type: "failed", reason: error instanceof Error ? error.message : String(error) };
  parent.postMessage(pack(message), location.origin);
}

addEventListener("error", ({ message }) => fail(message)); // also a trap of the program in one of its callbacks
start().catch(fail);
