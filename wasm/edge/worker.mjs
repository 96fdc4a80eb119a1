// The entry of the worker: starts the Go program (main.go) and hands it the requests.
//
// One instance answers all requests: a fresh one for each takes ten times as long. It
// gets of a request what its handler reads, and the body in one piece: each header and
// each part of a stream is a walk between two heaps, and an object that both keep.
import "./build/wasm_exec.js";
import program from "./build/edge.wasm";

const MOST_BYTES = (256 << 10) + 1; // of a body that are handed over: links.MostPicture, and one more, which says that it is too long
const MOST_DRAINS = 8 << 20; // of a body that are read away, so that the connection can be used again
const HEADERS = ["content-type", "content-encoding", "cf-connecting-ip"]; // that the handler reads

let go; // the running program
let binding; // what it offers: handleRequest
let named = 0; // the last body
const bodies = new Map(); // that the program has not taken yet, by name

function start(env, ctx) {
  binding = {};
  const take = (name) => {
    const body = bodies.get(name);
    bodies.delete(name);
    return body;
  };
  globalThis.context = { env, ctx, binding, take }; // where the library looks, once, when it starts
  go = new Go();
  go.run(new WebAssembly.Instance(program, { ...go.importObject, workers: { ready() {} } })); // it is ready when this returns
}

/** The beginning of a request's body. */
async function bodyOf(request) {
  const parts = [];
  let [size, kept] = [0, 0];
  for await (const part of request.body) {
    size += part.length;
    if (kept < MOST_BYTES) kept += parts[parts.push(part.subarray(0, MOST_BYTES - kept)) - 1].length;
    if (size > MOST_DRAINS) break;
  }
  if (parts.length === 1) return parts[0];
  const body = new Uint8Array(kept);
  let at = 0;
  for (const part of parts) {
    body.set(part, at);
    at += part.length;
  }
  return body;
}

export default {
  async fetch(request, env, ctx) {
    const headers = new Map(HEADERS.flatMap((name) => (request.headers.has(name) ? [[name, request.headers.get(name)]] : [])));
    if (request.body) {
      let body;
      try {
        body = await bodyOf(request);
      } catch {
        return Response.json({ error: "The scenario came in part only; send it again." }, { status: 400, headers: { "Cache-Control": "no-store" } });
      }
      headers.set("parley-body", String(++named));
      bodies.set(String(named), body);
    }
    if (!go || go.exited) start(env, ctx);
    return binding.handleRequest({ method: request.method, url: request.url, headers, body: null });
  },
};
