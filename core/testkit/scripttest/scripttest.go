// Package scripttest runs tests that are written as text: a command, its input and, below
// ----, its expected output (github.com/cockroachdb/datadriven; the flag -rewrite replaces
// the expected outputs with the actual ones).
package scripttest

import (
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
)

// Commands carries out one command of a script and returns its output.
type Commands func(t *testing.T, d *datadriven.TestData) string

// Run runs every testdata/*.txt of the package under test, each with the Commands
// that begin returns for it.
func Run(t *testing.T, begin func() Commands) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		if strings.HasSuffix(path, ".txt") {
			datadriven.RunTest(t, path, begin())
		}
	})
}
