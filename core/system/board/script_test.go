package board_test

import (
	"testing"

	"parley/core/scripttest/graphscript"
	"parley/core/system/board"
)

// TestScripts plays the examples of testdata by hand.
func TestScripts(t *testing.T) { graphscript.Run(t, board.Entry()) }
