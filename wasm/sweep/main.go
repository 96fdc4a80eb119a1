//go:build js && wasm

// Command sweep expands sweeps and draws their tables in a web worker of its own; the
// runs are played by the page's other workers.
package main

import (
	"parley/assets"
	"parley/core/message"
	"parley/core/study/remote"
	"parley/wasm/bridge"
)

func main() {
	desk := remote.New(assets.Scenario)
	bridge.Listen(message.ToSweep, func(m message.Message, _ bridge.Parts) {
		bridge.Post(desk.Answer(m))
	})
	select {}
}
