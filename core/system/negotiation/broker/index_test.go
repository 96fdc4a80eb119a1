package broker_test

import (
	"fmt"
	"testing"

	"parley/core/cluster"
	"parley/core/des"
	"parley/core/system/negotiation/broker"
	"parley/core/system/negotiation/score"
	"parley/core/unit"
)

// TestIndexAtTheLimit: what fits to the last share is found by the index too, and
// what is one share too large is not. Of a node of 1,000,000 shares 900,000 may be
// used, and as much promised.
func TestIndexAtTheLimit(t *testing.T) {
	view := cluster.New(cluster.Default(), des.New()).View()
	const room = 100_000
	for _, c := range []struct{ room, headroom unit.Vec }{
		{unit.Vec{room, 5 * room}, unit.Vec{5 * room, 5 * room}},
		{unit.Vec{5 * room, room}, unit.Vec{5 * room, 5 * room}},
		{unit.Vec{room, room}, unit.Vec{5 * room, 5 * room}},
		{unit.Vec{5 * room, 5 * room}, unit.Vec{room, 5 * room}},
		{unit.Vec{5 * room, 5 * room}, unit.Vec{5 * room, room}},
	} {
		var beliefs []broker.Belief
		most := unit.Vec{900_000, 900_000}
		for range 40 {
			beliefs = append(beliefs, broker.Belief{
				Capacity: unit.Vec{unit.Whole, unit.Whole}, Used: most.Sub(c.room), Promised: most.Sub(c.headroom), Tasks: 3,
			})
		}
		for _, byProduction := range []bool{false, true} {
			tight := byProduction || min(c.room[0], c.room[1]) == room
			for more := range unit.Share(2) {
				q := broker.Sought{Need: unit.Vec{room, room}, Scorer: score.Form{Width: 1e9}.Scorer(limit), Limit: 100, Most: 32, Not: unit.NoNode, Headroom: byProduction}
				if byProduction {
					q.Promise = unit.Vec{room, room}
				}
				for r := range q.Need {
					if c.room[r] == room {
						q.Need[r] += more
					}
					if c.headroom[r] == room && byProduction {
						q.Promise[r] += more
					}
				}
				tooLarge := more == 1 && (min(c.room[0], c.room[1]) == room || byProduction && min(c.headroom[0], c.headroom[1]) == room)
				want := 32
				if tooLarge && tight {
					want = 0
				}
				for _, q.Indexed = range []bool{false, true} {
					t.Run(fmt.Sprint(c, byProduction, more, q.Indexed), func(t *testing.T) {
						if got := broker.Search(beliefs, q, view, 1); len(got.Nodes) != want {
							t.Errorf("%d nodes fit, want %d", len(got.Nodes), want)
						}
					})
				}
			}
		}
	}
}

// TestIndexComesAndGoes: searches that read much more than usual bring the index, and
// it stays until as much less was read.
func TestIndexComesAndGoes(t *testing.T) {
	const usual, tooMuch, kept = 350, 20_000, 2_000_000
	for _, c := range []struct {
		reads []int
		on    bool // before
		want  bool
	}{
		{[]int{usual, usual, usual}, false, false},
		{[]int{usual + tooMuch}, false, false},
		{[]int{usual + tooMuch + 1}, false, true},
		{[]int{usual + tooMuch, usual + 1}, false, true},
		{[]int{usual + tooMuch + 1, usual - 1}, false, false},
		{[]int{usual + tooMuch + 1, usual - 1}, true, true},
		{[]int{usual + 1}, true, true},
		{[]int{usual + 1, usual - 1}, true, false},
		{[]int{usual}, true, false},
		{[]int{0, 0, usual + 1}, true, true},
		{[]int{10 * kept, usual - kept + 1}, true, true},
		{[]int{10 * kept, usual - kept}, true, false},
	} {
		if got := broker.Weighed(c.reads, c.on); got != c.want {
			t.Errorf("%v, on %v: %v", c.reads, c.on, got)
		}
	}
}
