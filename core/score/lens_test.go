package score_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"parley/core/score"
	"parley/core/unit"
)

// TestBest: the best nodes are those that sorting all of them gives.
func TestBest(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		var l score.Lens
		var all []unit.NodeID
		fits := func(n unit.NodeID) bool { return n%3 != 0 }
		for n := range unit.NodeID(random.IntN(30)) {
			l.Scores = append(l.Scores, float64(random.IntN(8))) // with ties
			l.Kept = append(l.Kept, byte(random.IntN(2)))
			if l.Kept[n] == 1 && fits(n) {
				all = append(all, n)
			}
		}
		slices.SortStableFunc(all, func(a, b unit.NodeID) int { return int(l.Scores[b] - l.Scores[a]) })
		k := 1 + random.IntN(6)
		want := append([]unit.NodeID{7}, all[:min(k, len(all))]...)
		if got := l.Best(k, fits, []unit.NodeID{7}); !slices.Equal(got, want) {
			t.Fatalf("of %v, kept %v, the best %d are %v, want %v", l.Scores, l.Kept, k, got, want)
		}
	}
}

// TestPaint: the ends of a layer are the least and the greatest score that are kept, and
// what is left out changes neither.
func TestPaint(t *testing.T) {
	l := score.Lens{Scores: []float64{-4, -2, 100, 0, math.NaN()}, Kept: []byte{1, 1, 0, 1, 0}}
	low, high, ok := l.Range()
	if low != -4 || high != 0 || !ok {
		t.Fatalf("the scores run from %v to %v: %v", low, high, ok)
	}
	layer, beyond := l.Paint(nil, low, high, 200)
	if !slices.Equal(layer, []byte{0, 100, 0, 200, 0}) || beyond != 0 {
		t.Errorf("the layer is %v, %d beyond", layer, beyond)
	}
	if layer, beyond = l.Paint(layer, -3, -1, 200); !slices.Equal(layer, []byte{0, 100, 0, 200, 0}) || beyond != 2 {
		t.Errorf("a narrower layer is %v, %d beyond", layer, beyond)
	}
	if _, _, ok := (&score.Lens{Scores: []float64{1}, Kept: []byte{0}}).Range(); ok {
		t.Error("no node is kept, and there is a range")
	}
}
