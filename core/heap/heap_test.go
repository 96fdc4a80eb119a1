package heap_test

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"parley/core/heap"
	_ "parley/core/testkit/scripttest/seed"
)

func Example() {
	h := heap.New(func(a, b string) bool { return len(a) < len(b) }, "three", "one12", "a")
	h.Push("of")
	for h.Len() > 2 {
		fmt.Println(h.Pop())
	}
	// Output:
	// a
	// of
}

// A sorted slice does all of it, slowly.
func TestAgainstSortedSlice(t *testing.T) {
	type value struct{ rank, serial int }
	order := func(a, b *value) int { return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.serial, b.serial)) }
	rapid.Check(t, func(t *rapid.T) {
		rank := rapid.IntRange(0, 9)
		made := 0
		draw := func() *value { made++; return &value{rank.Draw(t, "rank"), made} }
		var all []*value
		for range rapid.IntRange(0, 20).Draw(t, "values") {
			all = append(all, draw())
		}
		h := heap.New(func(a, b *value) bool { return order(a, b) < 0 }, slices.Clone(all)...)
		for range rapid.IntRange(0, 40).Draw(t, "steps") {
			switch step := rapid.SampledFrom([]string{"push", "pop", "fix", "order"}).Draw(t, "step"); {
			case step == "push":
				v := draw()
				all = append(all, v)
				h.Push(v)
			case len(all) == 0:
			case step == "pop":
				slices.SortFunc(all, order)
				if first := h.Values()[0]; first != all[0] || h.Pop() != first {
					t.Fatalf("%v comes first, not %v", first, all[0])
				}
				all = all[1:]
			case step == "fix":
				i := rapid.IntRange(0, len(all)-1).Draw(t, "entry")
				h.Values()[i].rank = rank.Draw(t, "rank")
				h.Fix(i)
			case step == "order":
				for _, v := range h.Values() {
					v.rank = rank.Draw(t, "rank")
				}
				h.Order()
			}
			if h.Len() != len(all) {
				t.Fatalf("%d values, want %d", h.Len(), len(all))
			}
		}
		slices.SortFunc(all, order)
		for _, v := range all {
			if got := h.Pop(); got != v {
				t.Fatalf("%v comes, want %v", got, v)
			}
		}
	})
}
