importScripts("wasm_exec.js");
