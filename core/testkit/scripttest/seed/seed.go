// Package seed makes random tests repeatable: with PARLEY_SEED=1 in the environment rapid draws the
// same cases in every run, so that only a change can make make test fail. Without it, as under make
// verify, every run draws its own cases. Each package with tests of rapid imports it; -rapid.seed on
// the command line takes precedence.
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
