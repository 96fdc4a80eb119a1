package board

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"parley/core/system/board/posted"
	_ "parley/core/testkit/scripttest/seed"
	"parley/core/testkit/systemtest"
)

// TestOffers compares the tree with a list that is gone through.
func TestOffers(t *testing.T) {
	systemtest.Cases(t, 3000)
	rapid.Check(t, func(t *rapid.T) {
		var o offers
		var tasks []*task
		kinds := map[*task]posted.Kinds{}
		steps := uint64(rapid.IntRange(1, 60).Draw(t, "steps"))
		for changes := uint64(1); changes < steps; changes++ {
			which := rapid.IntRange(0, len(tasks)).Draw(t, "which")
			if which == len(tasks) {
				tasks = append(tasks, &task{})
			}
			one := tasks[which]
			if rapid.IntRange(0, 3).Draw(t, "ends") == 0 {
				o.drop(one)
				tasks = slices.Delete(tasks, which, which+1)
			} else {
				one.changed, kinds[one] = changes, posted.Kinds(rapid.IntRange(0, 7).Draw(t, "kinds"))
				o.put(one, kinds[one])
			}
			seen, known := uint64(rapid.IntRange(0, int(changes)).Draw(t, "seen")), posted.Kinds(rapid.IntRange(0, 7).Draw(t, "known"))
			var want, got []*task
			for _, one := range tasks {
				if one.changed > seen && kinds[one]&known != 0 {
					want = append(want, one)
				}
			}
			for one, at := o.next(0, seen, known); one != nil; one, at = o.next(at, seen, known) {
				got = append(got, one)
			}
			if !slices.Equal(got, want) {
				t.Fatalf("found %d tasks, there are %d", len(got), len(want))
			}
		}
	})
}
