package estimate_test

import (
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
