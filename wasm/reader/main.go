//go:build js && wasm

// Command reader is the simulation in a web worker, with the readers of trace files:
// the page loads it when the first file is opened.
package main

import (
	"parley/core/play/files"
	"parley/wasm/host"
)

func main() { host.Run(files.Reader{}) }
