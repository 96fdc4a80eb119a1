package static_test

import (
	"testing"

	"parley/core/system/static"
	"parley/core/testkit/scripttest/graphscript"
)

// TestScripts plays the examples of testdata by hand.
func TestScripts(t *testing.T) { graphscript.Run(t, static.Entry()) }
