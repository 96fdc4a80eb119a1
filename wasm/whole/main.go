//go:build js && wasm

// Command whole is the simulation in a web worker, with all systems and with the
// readers of trace files: the page loads it when the first file is opened, or a
// system is chosen that the first program has not.
package main

import (
	"parley/core/play/files"
	"parley/core/run"
	"parley/wasm/host"
)

func main() { host.Run(run.Systems(), files.Reader{}) }
