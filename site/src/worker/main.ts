// Starts the simulation, or the lab, in its worker, which is named after it.
// Go's own glue stands before this script;
// the page's first message is the compiled module. The Go program (wasm/worker)
// sets self.parley = { post(message) } and calls self.parleyReady(); it posts
// its own messages to the page. What comes before it is ready waits here.
import type { FromWorker, ToWorker } from "../base/protocol.ts";

interface Go {
  importObject: WebAssembly.Imports;
  run(instance: WebAssembly.Instance): Promise<void>;
}

interface Scope {
  Go: new () => Go;
  name: string;
  parley?: { post(message: ToWorker): void };
  parleyReady?: () => void;
  onmessage: ((event: MessageEvent<ToWorker | WebAssembly.Module>) => void) | null;
  postMessage(message: FromWorker): void;
}

const scope = self as unknown as Scope;
const waiting: ToWorker[] = [];

scope.onmessage = ({ data }) => {
  if (data instanceof WebAssembly.Module) start(data).catch(fail);
  else if (scope.parley) scope.parley.post(data);
  else waiting.push(data);
};
scope.parleyReady = () => {
  for (const message of waiting.splice(0)) scope.parley?.post(message);
};

async function start(module: WebAssembly.Module): Promise<void> {
  const go = new scope.Go();
  await go.run(await WebAssembly.instantiate(module, go.importObject));
  throw new Error("it ended");
}

function fail(error: unknown): void {
  const sentence = `The ${scope.name} cannot go on: ${error instanceof Error ? error.message : String(error)}.`;
  scope.postMessage({ type: "trouble", trouble: { class: "engine", sentence } });
}
