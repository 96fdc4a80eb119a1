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
	"strings"
	"syscall/js"

	"parley/core/run"
	"parley/core/system"
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
	systems := make([]any, 0)
	for _, d := range run.Systems().Descriptions() {
		systems = append(systems, inBrief(d))
	}
	bridge.Post(map[string]any{"type": "ready", "engine": run.Engine, "systems": systems})
	select {}
}

// inBrief is what the page uses of a description so far.
func inBrief(d system.Description) map[string]any {
	settings, choices := map[string]any{}, map[string]any{}
	for _, s := range d.Settings {
		if strings.Contains(s.ID, ".") {
			continue // only a document can say these
		}
		settings[s.ID] = bridge.Value(s.Value)
		if s.Choices != nil {
			choices[s.ID] = bridge.Value(s.Choices)
		}
	}
	return map[string]any{"id": d.ID, "name": d.Name, "settings": settings, "choices": choices, "bringsWorkload": d.Brings == system.BringsAnything}
}
