package score_test

import (
	"testing"

	"pgregory.net/rapid"

	"parley/core/kube/score"
)

// TestPair: the scores without divisions are those with them, also where a percentage or a score is a
// whole number.
func TestPair(t *testing.T) {
	amount := func(t *rapid.T, capacity int64, name string) int64 {
		if rapid.Bool().Draw(t, name+" at a whole percentage") {
			percent := rapid.Int64Range(0, 110).Draw(t, name+" percentage")
			whole, rest := capacity/100, capacity%100
			return max(0, whole*percent+rest*percent/100+rapid.Int64Range(-2, 2).Draw(t, name+" off it"))
		}
		return rapid.Int64Range(0, capacity+capacity/8+2).Draw(t, name)
	}
	capacities := rapid.OneOf(rapid.Int64Range(1, 200), rapid.Int64Range(1, 4_000_000), rapid.Int64Range(1, 1<<28))
	rapid.Check(t, func(t *rapid.T) {
		capacity := [2]int64{capacities.Draw(t, "first capacity"), capacities.Draw(t, "second capacity")}
		p, ok := score.PairOf(capacity)
		if !ok {
			t.Fatal("refused")
		}
		requested := [2]int64{amount(t, capacity[0], "first"), amount(t, capacity[1], "second")}
		var both []score.Resource
		var parts [2]float64
		parts[0], parts[1] = p.Parts(requested[0], requested[1])
		for r := range capacity {
			one := score.Resource{Requested: requested[r], Allocatable: capacity[r], Weight: 1}
			both = append(both, one)
			if got, want := score.Free(parts[r]), score.LeastAllocated([]score.Resource{one}); got != want {
				t.Fatalf("%d of %d: %d %% free, want %d", requested[r], capacity[r], got, want)
			}
			if got, want := score.Taken(parts[r]), score.MostAllocated([]score.Resource{one}); got != want {
				t.Fatalf("%d of %d: %d %% taken, want %d", requested[r], capacity[r], got, want)
			}
		}
		if got, want := p.Balanced(requested[0], requested[1]), score.BalancedAllocation(both); got != want {
			t.Fatalf("%d of %d: balanced by division %d, want %d", requested, capacity, got, want)
		}
		if got, sure := score.Balanced(parts[0], parts[1]); sure && got != score.BalancedAllocation(both) {
			t.Fatalf("%d of %d: balanced %d, want %d", requested, capacity, got, score.BalancedAllocation(both))
		}
	})
	for _, capacity := range [][2]int64{{0, 5}, {5, -1}, {1<<28 + 1, 5}} {
		if _, ok := score.PairOf(capacity); ok {
			t.Errorf("%d is taken", capacity)
		}
	}
}
