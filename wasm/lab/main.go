//go:build js && wasm

// Command lab runs the papers' experiments and the planners in a web worker of
// their own. An experiment keeps the thread for seconds at a time: the page ends
// the worker to cancel, and the simulation next door never waits.
package main

import (
	"parley/core/lab"
	"parley/core/message"
	"parley/wasm/bridge"
)

func main() {
	bridge.Post(lab.Experiments())
	bridge.Listen(message.ToLab, func(m message.Message, _ bridge.Parts) {
		wake := make(chan struct{}, 1)
		breath := bridge.NewTurns(func() { wake <- struct{}{} })
		go func() {
			bridge.Post(lab.Answer(m, bridge.Clock, func(doing message.Running) error {
				bridge.Post(doing)
				breath.Ask()
				<-wake // the message leaves before the next run takes the thread
				return nil
			}))
		}()
	})
	select {}
}
