//go:build js && wasm

// Command worker is the simulation in a web worker: it holds one run, advances
// it in slices between messages, and posts frames, samples and answers. The
// messages are those of site/src/base/protocol.ts.
//
// Everything happens on the worker's one thread. A slice lasts a few
// milliseconds; between slices the browser delivers messages, so that Pause and
// Cancel are answered at once.
package main

import (
	"syscall/js"

	"parley/core/run"
	"parley/wasm/bridge"
)

func main() {
	p := newPlayer()
	js.Global().Set("parley", js.ValueOf(map[string]any{
		"post": js.FuncOf(func(_ js.Value, args []js.Value) any {
			p.receive(args[0])
			return nil
		}),
	}))
	if ready := js.Global().Get("parleyReady"); ready.Type() == js.TypeFunction {
		ready.Invoke()
	}
	bridge.Post(map[string]any{"type": "ready", "engine": run.Engine, "systems": bridge.Value(run.Systems().Descriptions())})
	select {}
}
