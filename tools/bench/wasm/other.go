//go:build !(js && wasm)

package main

import (
	"fmt"
	"os"
)

// main says what to do: natively make bench measures by itself.
func main() {
	fmt.Fprintln(os.Stderr, "wasmbench: this program runs as WebAssembly, where make bench starts it")
	os.Exit(1)
}
