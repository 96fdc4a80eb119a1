package cluster_test

import (
	"testing"

	"parley/core/cluster"
)

// TestKindsHaveNames: each kind of event has a name of its own.
func TestKindsHaveNames(t *testing.T) {
	known := map[string]bool{}
	for k := range cluster.NodePower + 1 {
		if name := k.String(); name == "" || known[name] {
			t.Errorf("kind %d has the name %q, as another one has", uint8(k), name)
		} else {
			known[name] = true
		}
	}
}
