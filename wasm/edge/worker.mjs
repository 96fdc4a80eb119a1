// The entry of the worker: starts the Go program (main.go) and hands it the requests.
//
// One instance answers many requests: a fresh one for each takes ten times as long.
// It is replaced now and then, because the library between Go and the runtime leaves
// a few callbacks behind with every request.
import "./build/wasm_exec.js";
import program from "./build/edge.wasm";

const MOST_REQUESTS = 500; // of one instance

let go; // the running program
let binding; // what it offers: handleRequest
let left = 0; // requests until it is replaced

function start(env, ctx) {
  binding = {};
  globalThis.context = { env, ctx, binding }; // where the library looks, once, when it starts
  go = new Go();
  go.run(new WebAssembly.Instance(program, { ...go.importObject, workers: { ready() {} } })); // it is ready when this returns
  left = MOST_REQUESTS;
}

export default {
  async fetch(request, env, ctx) {
    if (!go || go.exited || left-- <= 0) start(env, ctx);
    return binding.handleRequest(request);
  },
};
