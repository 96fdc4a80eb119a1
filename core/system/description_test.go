package system_test

import (
	"encoding/json"
	"strings"
	"testing"

	"parley/core/system"
)

// TestDescriptionListsAreLists: who reads a description as JSON finds a list wherever
// one belongs, also of a system that has nothing to put into it.
func TestDescriptionListsAreLists(t *testing.T) {
	text, err := json.Marshal([]system.Description{{ID: "bare"}})
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), "null") {
		t.Errorf("a description without lists is written as %s", text)
	}
}
