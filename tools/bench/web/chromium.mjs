// Measures in Chromium: node chromium.mjs BROWSER NAME RUNS. It serves this
// folder to a headless browser with an empty profile; a page starts one worker
// after the other and sends back what they printed, which goes to standard
// output as a JSON list.
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const [browser, name, runs] = process.argv.slice(2);
const folder = dirname(fileURLToPath(import.meta.url));
const limit = 30 * 60 * 1000; // ms

const page = `<!doctype html><title>bench</title><script type="module">
const measure = () => new Promise((resolve, reject) => {
  const worker = new Worker("/worker.js");
  worker.onmessage = ({ data }) => { worker.terminate(); data.failed ? reject(new Error(data.failed)) : resolve(JSON.parse(data.line)); };
  worker.onerror = (event) => reject(new Error(event.message));
});
let answer;
try {
  const all = [];
  for (let i = 0; i < ${Number(runs)}; i++) all.push(await measure());
  answer = { all };
} catch (error) {
  answer = { failed: String(error) };
}
await fetch("/done", { method: "POST", body: JSON.stringify(answer) });
</script>`;

const worker = `importScripts("/wasm_exec.js");
let last = "";
console.log = (line) => { last = line; };
console.error = console.log;
const go = new Go();
go.argv = ["wasmbench", ${JSON.stringify(name)}];
go.exit = (code) => { if (code !== 0) postMessage({ failed: last }); };
WebAssembly.instantiateStreaming(fetch("/bench.wasm"), go.importObject)
  .then(({ instance }) => go.run(instance))
  .then(() => postMessage({ line: last }), (error) => postMessage({ failed: String(error) }));
`;

const profile = mkdtempSync(join(folder, "profile-")); // goes away with the folder
let chromium;
let ended = false;

function end(failure, all) {
  if (ended) return;
  ended = true;
  server.close();
  server.closeAllConnections();
  const leave = () => {
    if (failure) console.error(failure);
    else console.log(JSON.stringify(all));
    process.exit(failure ? 1 : 0);
  };
  if (!chromium || chromium.exitCode !== null) return leave();
  chromium.once("exit", leave);
  chromium.kill();
}

const server = createServer((request, response) => {
  const answer = (type, body) => {
    response.setHeader("Content-Type", type);
    response.end(body);
  };
  switch (request.url) {
    case "/":
      return answer("text/html", page);
    case "/worker.js":
      return answer("text/javascript", worker);
    case "/wasm_exec.js":
      return answer("text/javascript", readFileSync(join(folder, "wasm_exec.js")));
    case "/bench.wasm":
      return answer("application/wasm", readFileSync(join(folder, "bench.wasm")));
    case "/done": {
      let body = "";
      request.on("data", (piece) => (body += piece));
      request.on("end", () => {
        response.end();
        const { failed, all } = JSON.parse(body);
        end(failed, all);
      });
      return;
    }
    default:
      response.statusCode = 404;
      response.end();
  }
});

server.listen(0, "127.0.0.1", () => {
  chromium = spawn(
    browser,
    ["--headless=new", "--no-sandbox", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
      `--user-data-dir=${profile}`, `http://127.0.0.1:${server.address().port}/`],
    { stdio: "ignore" },
  );
  chromium.once("error", (error) => end(String(error)));
  chromium.once("exit", (code) => end(`the browser ended with ${code} before it had measured`));
});
setTimeout(() => end("the browser took more than ten minutes"), limit).unref();
