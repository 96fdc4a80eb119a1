package score_test

import (
	"testing"

	"pgregory.net/rapid"

	"parley/core/kube/score"
	_ "parley/core/testkit/scripttest/seed"
)

// TestScoresStayInRange: whatever the figures, a score lies in 0 … MaxScore, and
// least and most allocated of one node with nothing beyond it add up to MaxScore but
// for what is rounded down.
func TestScoresStayInRange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rs := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) score.Resource {
			return score.Resource{Requested: rapid.Int64Range(0, 1<<40).Draw(t, "requested"), Allocatable: rapid.Int64Range(0, 1<<40).Draw(t, "allocatable"), Weight: rapid.Int64Range(1, 100).Draw(t, "weight")}
		}), 1, 4).Draw(t, "resources")
		s := score.Shape{{Utilization: 0, Score: rapid.Int64Range(0, 10).Draw(t, "low")}, {Utilization: 70, Score: rapid.Int64Range(0, 10).Draw(t, "middle")}, {Utilization: 100, Score: rapid.Int64Range(0, 10).Draw(t, "high")}}
		minimum, largest := score.LeastAllocated(rs), score.MostAllocated(rs)
		for name, got := range map[string]int64{"least": minimum, "most": largest, "balanced": score.BalancedAllocation(rs), "ratio": s.RequestedToCapacityRatio(rs)} {
			if got < 0 || got > score.MaxScore {
				t.Fatalf("%s of %+v is %d", name, rs, got)
			}
		}
		counted := false
		for _, r := range rs {
			counted = counted || r.Allocatable > 0
		}
		if sum := minimum + largest; counted && (sum < score.MaxScore-2 || sum > score.MaxScore) {
			t.Fatalf("least %d and most %d of %+v", minimum, largest, rs)
		}
	})
}

// TestImportanceIsStrict: of two pods that are alike neither is more important.
func TestImportanceIsStrict(t *testing.T) {
	if a := (score.Victim{Priority: 3, Start: 5}); score.MoreImportant(a, a) {
		t.Error("a pod is more important than its like")
	}
}
