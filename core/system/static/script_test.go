package static_test

import (
	"testing"

	"parley/core/scripttest/graphscript"
	"parley/core/system/static"
)

// TestScripts plays the examples of testdata by hand.
func TestScripts(t *testing.T) { graphscript.Run(t, static.Entry()) }
