//go:build js && wasm

// Command lab runs the papers' experiments and the planners in a web worker of
// their own. An experiment keeps the thread for seconds at a time: the page
// ends the worker to cancel, and the simulation next door never waits.
package main

import (
	"fmt"
	"syscall/js"

	"parley/core/paper"
	"parley/core/system/rounds/grid"
	"parley/wasm/bridge"
)

func main() {
	js.Global().Set("parley", js.ValueOf(map[string]any{
		"post": js.FuncOf(func(_ js.Value, args []js.Value) any {
			receive(args[0])
			return nil
		}),
	}))
	if ready := js.Global().Get("parleyReady"); ready.Type() == js.TypeFunction {
		ready.Invoke()
	}
	var list []any
	for _, e := range paper.Experiments() {
		list = append(list, map[string]any{"id": e.ID, "title": e.Title, "source": e.Source, "seconds": e.Seconds})
	}
	bridge.Post(map[string]any{"type": "experiments", "experiments": list})
	select {}
}

// receive handles one message of protocol.ts's ToLab.
func receive(m js.Value) {
	switch m.Get("type").String() {
	case "experiment":
		go experiment(m.Get("id").String(), whole(m.Get("seeds")), whole(m.Get("nodes")))
	case "plan":
		makePlan(m.Get("kind").String(), m.Get("algorithm").String(), m.Get("document").String())
	case "platform":
		readPlatform(m.Get("name").String(), m.Get("text").String(), m.Get("master").String(), grid.Unit{Flops: m.Get("flops").Float(), Bytes: m.Get("bytes").Float()})
	}
}

// whole reads an optional number; 0 where there is none.
func whole(v js.Value) int {
	if v.Type() != js.TypeNumber {
		return 0
	}
	return max(0, v.Int())
}

func experiment(id string, seeds, nodes int) {
	e, err := paper.Find(id)
	if err != nil {
		bridge.Trouble(err)
		return
	}
	began, runs := bridge.Now(), 0
	wake := make(chan struct{}, 1)
	breath := bridge.NewTurns(func() { wake <- struct{}{} })
	result, err := e.Run(paper.Options{Seeds: seeds, Nodes: nodes, Progress: func(doing string) error {
		runs++
		bridge.Post(map[string]any{"type": "lab", "id": id, "doing": doing, "runs": runs, "seconds": (bridge.Now() - began) / 1000})
		breath.Ask()
		<-wake // the message leaves before the next run takes the thread
		return nil
	}})
	if err != nil {
		bridge.Trouble(fmt.Errorf("%s: %w", id, err))
		return
	}
	bridge.Post(map[string]any{"type": "paper", "result": bridge.Value(result), "seconds": (bridge.Now() - began) / 1000})
}
