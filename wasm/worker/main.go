//go:build js && wasm

// Command worker is the simulation in a web worker, with the systems of the first scenario and
// without readers of files; the page loads it first. Command whole is the same with all systems and
// with readers.
package main

import (
	"parley/core/run"
	"parley/wasm/host"
)

func main() {
	host.Start(run.First(), nil)
	select {}
}
