package static_test

import (
	"testing"

	"parley/core/system/static"
	"parley/core/system/systemtest"
)

// TestScripts plays the examples of testdata by hand.
func TestScripts(t *testing.T) { systemtest.GraphScripts(t, static.Entry()) }
