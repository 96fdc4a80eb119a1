package slab_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"parley/core/slab"
	_ "parley/core/testkit/scripttest/seed"
)

func Example() {
	var letters []string
	var free []uint32
	send := func(text string) uint32 {
		i := slab.Take(&free, &letters)
		letters[i] = text
		return i
	}
	a, b := send("a"), send("b")
	free = append(free, a)
	fmt.Println(a, b, send("c"), send("d"), letters)
	// Output: 0 1 0 2 [c b d]
}

// No number is handed out twice at a time, and there are as many entries as were ever
// in use at once.
func TestAgainstSet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var all []int
		var free []int32
		inUse, order, largest := map[int32]bool{}, []int32(nil), 0
		for _, take := range rapid.SliceOf(rapid.Bool()).Draw(t, "take or give") {
			if !take && len(order) > 0 {
				i := rapid.IntRange(0, len(order)-1).Draw(t, "which")
				free = append(free, order[i])
				delete(inUse, order[i])
				order = append(order[:i], order[i+1:]...)
				continue
			}
			n := slab.Take(&free, &all)
			if inUse[n] || int(n) >= len(all) {
				t.Fatalf("%d of %d entries, in use %v", n, len(all), inUse)
			}
			inUse[n] = true
			order = append(order, n)
			largest = max(largest, len(order))
		}
		if len(all) != largest {
			t.Fatalf("%d entries, and at most %d were in use", len(all), largest)
		}
	})
}
