package central

import (
	"cmp"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"parley/core/system"
	"parley/core/unit"
)

// TestBestOfMany: the list of the best is the head of all in a stable order.
func TestBestOfMany(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := rapid.IntRange(1, 5).Draw(t, "k")
		var all, best []system.Candidate
		for i, score := range rapid.SliceOfN(rapid.IntRange(0, 8), 0, 30).Draw(t, "scores") {
			n := unit.NodeID(i)
			all = append(all, system.Candidate{Node: n, Score: float64(score), Answer: "accepted"})
			best = enter(best, k, n, float64(score))
		}
		slices.SortStableFunc(all, func(a, b system.Candidate) int { return cmp.Compare(b.Score, a.Score) })
		if !slices.Equal(best, all[:min(k, len(all))]) {
			t.Fatalf("%v are the best %d of %v", best, k, all)
		}
	})
}
