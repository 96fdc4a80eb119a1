package board_test

import (
	"encoding/json"
	"testing"

	"parley/core/system/board"
	"parley/core/testkit/systemtest"
)

func TestDescription(t *testing.T) { systemtest.Describes(t, board.Entry(), board.Default()) }

// TestConformance: tasks that no graph is made of pass it by.
func TestConformance(t *testing.T) {
	systemtest.Run(t, board.Entry(), json.RawMessage(`{"boards":2}`), systemtest.MayWait(), systemtest.Trials(20))
}

// TestGraphs holds the boards to the contract with trials of graphs and failures: by
// every reading, no graph that machines are left for stays open for ever.
func TestGraphs(t *testing.T) {
	for _, settings := range []string{`{"boards":2}`, `{"thread_rule":"literal"}`, `{"thread_rule":"ready","boards":3}`} {
		t.Run(settings, func(t *testing.T) { systemtest.Graphs(t, board.Entry(), json.RawMessage(settings), 20) })
	}
}
