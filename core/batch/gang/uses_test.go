package gang_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"parley/core/batch/gang"
	_ "parley/core/testkit/scripttest/seed"
)

// TestUses: a gang is only placed on nodes that it could use; a node that it could not use stays so
// whatever becomes free on other nodes; and if a node holds all of it, it has a place if it could
// use one.
func TestUses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		place := gang.Place(rapid.IntRange(0, len(gang.PlaceNames())-1).Draw(t, "place"))
		same, largest := rapid.Bool().Draw(t, "same"), int32(0)
		nodes := make([]gang.Node, rapid.IntRange(1, 6).Draw(t, "nodes"))
		for i := range nodes {
			total := rapid.Int32Range(0, 8).Draw(t, "total")
			if same && total > 0 && i > 0 {
				total = nodes[0].Total
			}
			nodes[i] = gang.Node{Total: total, Free: rapid.Int32Range(0, total).Draw(t, "free")}
			largest = max(largest, total)
		}
		n := rapid.Int32Range(1, 20).Draw(t, "gpus")
		uses := place.Uses(nodes, n)
		parts := place.Find(nodes, n, nil)
		for _, p := range parts {
			if !uses(int(p.Node)) {
				t.Fatalf("%v puts %d of %d GPUs on node %d of %v, which it says it could not use", place, p.GPUs, n, p.Node, nodes)
			}
		}
		some := false
		for i := range nodes {
			some = some || uses(i)
			if uses(i) {
				continue
			}
			other := slices.Clone(nodes)
			for k := range other {
				if k != i {
					other[k].Free = rapid.Int32Range(other[k].Free, other[k].Total).Draw(t, "later")
				}
			}
			for _, p := range place.Find(other, n, nil) {
				if p.Node == int32(i) {
					t.Fatalf("%v later puts a part of %d GPUs on node %d of %v, which was of no use", place, n, i, other)
				}
			}
		}
		if one := n <= largest && place != gang.Pool && place != gang.Spread; one && some != (parts != nil) {
			t.Fatalf("%v could use some of %v for %d GPUs: %v, and finds %v", place, nodes, n, some, parts)
		}
	})
}
