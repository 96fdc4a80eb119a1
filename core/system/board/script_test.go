package board_test

import (
	"testing"

	"parley/core/system/board"
	"parley/core/testkit/scripttest/graphscript"
)

// TestScripts plays the examples of testdata by hand.
func TestScripts(t *testing.T) { graphscript.Run(t, board.Entry()) }
