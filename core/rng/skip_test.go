package rng_test

import (
	"testing"

	"parley/core/rng"
)

// Skip passes over as many draws as Since counts.
func TestSkip(t *testing.T) {
	for _, n := range []uint64{0, 1, 7, 1000} {
		drawn, skipped := rng.New(3, "skip"), rng.New(3, "skip")
		before := *drawn
		for range n {
			drawn.Uint64()
		}
		skipped.Skip(n)
		if drawn.Since(before) != n || *drawn != *skipped {
			t.Errorf("%d draws: counted %d, and skipped to %v, want %v", n, drawn.Since(before), *skipped, *drawn)
		}
	}
}
