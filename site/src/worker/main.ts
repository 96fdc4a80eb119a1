// Starts the simulation, or the lab, in its worker, which is named after it.
// Go's own glue stands before this script;
// the page's first message is the compiled module. The Go program (wasm/worker)
// sets self.parley = { post(message) } and calls self.parleyReady(); it posts
// its own messages to the page. What comes before it is ready waits here. When
// the program ends, the page hears why: that is this worker's last message.
import type { FromWorker } from "../base/messages.ts";
import { pack, type Wire } from "../base/wire.ts";

interface Go {
  env: Record<string, string>;
  importObject: WebAssembly.Imports;
  run(instance: WebAssembly.Instance): Promise<void>;
}

interface Scope {
  Go: new () => Go;
  fs: { writeSync(descriptor: number, bytes: Uint8Array): number };
  name: string;
  FileReaderSync: new () => { readAsArrayBuffer(part: Blob): ArrayBuffer };
  parley?: { post(message: Wire): void };
  parleyReady?: () => void;
  parleyRead?: (file: File, from: number, to: number, into: Uint8Array) => void;
  onmessage: ((event: MessageEvent<Wire | WebAssembly.Module>) => void) | null;
  onmessageerror: (() => void) | null;
  postMessage(message: Wire): void;
}

const scope = self as unknown as Scope;
const waiting: Wire[] = [];
const MOST_SAID = 10_000; // letters

scope.onmessage = ({ data }) => {
  if (data instanceof WebAssembly.Module) start(data).catch(fail);
  else if (scope.parley) scope.parley.post(data);
  else waiting.push(data);
};
scope.onmessageerror = () => fail("the browser could not hand over a message");
scope.parleyReady = () => {
  for (const message of waiting.splice(0)) scope.parley?.post(message);
};
/** Reads a part of a file for the program. A part that the program held itself would be kept until it collects its own garbage. */
scope.parleyRead = (file, from, to, into) => into.set(new Uint8Array(new scope.FileReaderSync().readAsArrayBuffer(file.slice(from, to))));

async function start(module: WebAssembly.Module): Promise<void> {
  let said = "";
  const write = scope.fs.writeSync;
  scope.fs.writeSync = (descriptor, bytes) => {
    said = (said + new TextDecoder().decode(bytes)).slice(0, MOST_SAID);
    return write.call(scope.fs, descriptor, bytes);
  };
  const go = new scope.Go();
  // An answer about a cluster holds the thread to its end. A collection of garbage beside it would wait as long for its own
  // turn, and keep all that is allocated meanwhile.
  if (scope.name === "cluster") go.env = { GODEBUG: "gcstoptheworld=1" };
  await go.run(await WebAssembly.instantiate(module, go.importObject));
  throw new Error(
    /out of memory/.test(said)
      ? "this tab has no more memory for it"
      : (/^(?:panic|fatal error): (.+)/m.exec(said)?.[1] ?? "its program ended"),
  );
}

function fail(error: unknown): void {
  const why = error instanceof RangeError ? "the browser has no memory for it" : error instanceof Error ? error.message : String(error);
  const message: FromWorker = { type: "trouble", trouble: { class: "gone", sentence: why } };
  scope.postMessage(pack(message));
}
