package estimate_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"parley/core/estimate"
)

// Limit finds what trying every place from the first on finds, in few tries.
func TestLimitAgainstEveryPlace(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		last := rapid.IntRange(0, 400).Draw(t, "last")
		want := rapid.IntRange(-1, last).Draw(t, "limit")
		begin := rapid.IntRange(-1, last).Draw(t, "begin")
		tried := map[int]bool{}
		for {
			limit, ask := estimate.Limit(begin, last, func(at int) (bool, bool) { return at <= want, tried[at] })
			if ask < 0 {
				if limit != want {
					t.Fatalf("the limit is %d, not %d", limit, want)
				}
				break
			}
			if tried[ask] || ask > last {
				t.Fatalf("it asks for %d (again: %v)", ask, tried[ask])
			}
			tried[ask] = true
		}
		bound := 1
		for n := 1; n < last+2; n *= 2 {
			bound++
		}
		if begin >= 0 {
			bound *= 2
		}
		if len(tried) > bound {
			t.Fatalf("%d tries among %d places, more than %d", len(tried), last+1, bound)
		}
	})
}

// The places that are asked for: from begin in steps of 4, 8, 16 … up or down, never past
// an end, then halving what is left; from -1 halving alone. Worked out by hand.
func TestLimitAsksIn(t *testing.T) {
	for _, c := range []struct {
		begin, last, limit int
		want               []int
	}{
		{10, 100, 70, []int{10, 14, 22, 38, 70, 100, 85, 77, 73, 71}},
		{0, 100, 70, []int{0, 4, 12, 28, 60, 100, 80, 70, 75, 72, 71}},
		{50, 100, 3, []int{50, 46, 38, 22, 0, 11, 5, 2, 3, 4}},
		{3, 100, -1, []int{3, 0}},
		{97, 100, 100, []int{97, 100}},
		{50, 100, 48, []int{50, 46, 48, 49}},
		{50, 100, 51, []int{50, 54, 52, 51}},
		{-1, 100, 70, []int{50, 75, 62, 68, 71, 69, 70}},
		{-1, 3, -1, []int{1, 0}},
	} {
		var requested []int
		estimate.Limit(c.begin, c.last, func(at int) (bool, bool) {
			requested = append(requested, at)
			return at <= c.limit, true
		})
		if !slices.Equal(requested, c.want) {
			t.Errorf("from %d, of %d, up to %d: %v, not %v", c.begin, c.last, c.limit, requested, c.want)
		}
	}
}
