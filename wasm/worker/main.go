//go:build js && wasm

// Command worker is the simulation in a web worker, without readers of files: it
// is what the page loads first. Command reader is the same with them.
package main

import "parley/wasm/host"

func main() { host.Run(nil) }
