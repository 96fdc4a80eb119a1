//go:build js && wasm

// Command wasmbench takes one measurement as WebAssembly, under Node or in a
// worker of a browser, and prints it as one line of JSON. make bench builds
// and starts it.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"time"

	"parley/core/play/remote"
	"parley/tools/bench/measure"
	"parley/wasm/memory"
)

func main() {
	if len(os.Args) != 2 {
		fail(fmt.Errorf("wasmbench takes the name of one measurement"))
	}
	m, ok := measure.Find(os.Args[1])
	if !ok {
		fail(fmt.Errorf("there is no measurement %q", os.Args[1]))
	}
	if m.Nodes > 0 {
		new(memory.Heap).Reserve(remote.Needs(m.Nodes))
	}
	value, beside, err := m.Take(time.Now)
	if err != nil {
		fail(err)
	}
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	line, err := json.Marshal(map[string]float64{
		"value": value, "beside": beside,
		"memory_mb": float64(memory.Sys) / 1e6,
	})
	if err != nil {
		fail(err)
	}
	fmt.Println(string(line))
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "wasmbench:", err)
	os.Exit(1)
}
