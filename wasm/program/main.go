//go:build js && wasm

// Command program is the simulation with all systems, readers of files and the system of
// users' programs, whose interpreter is 0.4 MB: the page loads it when a scenario has one.
package main

import (
	"parley/core/play/files"
	"parley/core/run/full"
	"parley/wasm/host"
)

func main() {
	host.Start(full.Systems(), files.Reader{})
	select {}
}
