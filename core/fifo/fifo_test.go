package fifo_test

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"parley/core/fifo"
	_ "parley/core/testkit/scripttest/seed"
)

// TestQueueAgainstSlice: what comes out is what a slice that is cut at its front gives,
// also when many places are spent.
func TestQueueAgainstSlice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var q fifo.Queue[int]
		var want []int
		next := 0
		t.Repeat(map[string]func(*rapid.T){
			"push": func(t *rapid.T) {
				for range rapid.SampledFrom([]int{1, 3, 5000}).Draw(t, "pushed") {
					q.Push(next)
					want = append(want, next)
					next++
				}
			},
			"pop": func(t *rapid.T) {
				for range min(len(want), rapid.SampledFrom([]int{1, 2, 4097, 9000}).Draw(t, "popped")) {
					if got := q.Pop(); got != want[0] {
						t.Fatalf("%d came out, want %d", got, want[0])
					}
					want = want[1:]
				}
			},
			"clear": func(t *rapid.T) {
				if rapid.IntRange(0, 9).Draw(t, "clears") == 0 {
					q.Clear()
					want = nil
				}
			},
			"": func(t *rapid.T) {
				if q.Len() != len(want) || !slices.Equal(q.Values(), want) {
					t.Fatalf("%d values are left, want %d", q.Len(), len(want))
				}
			},
		})
	})
}

// TestQueueStaysSmall: a queue that never gets long does not grow with what went
// through it.
func TestQueueStaysSmall(t *testing.T) {
	var q fifo.Queue[int]
	for i := range 100_000 {
		q.Push(i)
		if i >= 10 {
			q.Pop()
		}
	}
	if c := cap(q.Values()); c > 20_000 {
		t.Errorf("for ten values it holds %d places", c)
	}
}

// TestRingKeepsTheLatest holds a ring to a slice of all that was added.
func TestRingKeepsTheLatest(t *testing.T) {
	for _, largest := range []int{1, 2, 7} {
		r := fifo.NewRing[int](largest)
		var all []int
		for i := range 20 {
			if leaving := r.Leaving(); (leaving == nil) != (i < largest) || leaving != nil && *leaving != all[i-largest] {
				t.Fatalf("of %d the next takes the place of %v", largest, leaving)
			}
			r.Add(i)
			all = append(all, i)
			var got []int
			for k := range r.Len() {
				got = append(got, *r.Latest(k))
			}
			want := slices.Clone(all[max(0, len(all)-largest):])
			slices.Reverse(want)
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Fatalf("of %d it keeps %v, want %v", largest, got, want)
			}
			slices.Reverse(want)
			if older, newer := r.Parts(); !slices.Equal(slices.Concat(older, newer), want) {
				t.Fatalf("of %d the parts are %v and %v, want %v", largest, older, newer, want)
			}
		}
	}
}
