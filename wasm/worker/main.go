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
	systems := make([]any, len(run.Systems))
	for i, s := range run.Systems {
		systems[i] = map[string]any{"id": s.ID, "name": s.Name, "settings": bridge.Value(s.Settings), "choices": bridge.Value(s.Choices), "bringsWorkload": bringsWorkload(s)}
	}
	bridge.Post(map[string]any{"type": "ready", "engine": run.Engine, "systems": systems})
	select {}
}

// bringsWorkload tells whether a system makes machines and a workload of its own where
// the scenario says nothing of them.
func bringsWorkload(e run.Entry) bool {
	if e.Workload == nil {
		return false
	}
	source, err := e.Workload(nil, 0)
	return err == nil && source != nil
}
