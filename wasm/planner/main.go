//go:build js && wasm

// Command planner makes plans in a web worker of its own: one may keep the thread for
// seconds, and the page ends the worker to cancel.
package main

import (
	"parley/core/message"
	"parley/core/planner"
	"parley/wasm/bridge"
)

func main() {
	bridge.Listen(message.ToPlanner, func(m message.Message, _ bridge.Parts) {
		bridge.Post(planner.Answer(m, bridge.Clock))
	})
	bridge.Post(planner.Planners())
	select {}
}
