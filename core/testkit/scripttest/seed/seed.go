// Package seed lets random tests repeat themselves: with PARLEY_SEED=1 in the environment
// rapid draws the same cases in every run, so that a change and not chance decides whether
// make test passes. Without it, as under make verify, every run draws cases of its own. Each
// package with tests of rapid imports it; -rapid.seed on the command line goes before it.
package seed

import (
	"flag"
	"os"

	_ "pgregory.net/rapid" // registers its flags
)

func init() {
	const variable = "PARLEY_SEED"
	if seed := os.Getenv(variable); seed != "" {
		if err := flag.Set("rapid.seed", seed); err != nil {
			panic(variable + ": " + err.Error())
		}
	}
}
