//go:build !(js && wasm)

package main

import (
	"fmt"
	"os"
)

// main refuses to run natively, where make bench measures in its own process.
func main() {
	fmt.Fprintln(os.Stderr, "wasmbench: this program runs as WebAssembly, where make bench starts it")
	os.Exit(1)
}
