package strict_test

import (
	"strings"
	"testing"

	"parley/core/strict"
)

// A number that no float64 holds is refused with its field, whatever reads the
// document twice.
func TestNumbersThatAreTooLarge(t *testing.T) {
	var into struct {
		Wait float64
		Any  any
	}
	err := strict.Decode([]byte(`{"wait":1e400}`), &into)
	if err == nil || !strings.Contains(err.Error(), "Wait") && !strings.Contains(err.Error(), "wait") || strings.Contains(err.Error(), "Go value") {
		t.Errorf("1e400 is answered with %v", err)
	}
}
