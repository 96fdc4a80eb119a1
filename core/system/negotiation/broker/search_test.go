package broker_test

import (
	"math"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"parley/core/cluster"
	"parley/core/des"
	"parley/core/system/negotiation/broker"
	"parley/core/system/negotiation/score"
	"parley/core/unit"
	"parley/core/workload"
)

// TestSearch holds a search to a naive one: read node after node, rate each by
// the settings' own function, sort what fits.
func TestSearch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		beliefs, view, task := drawBeliefs(t)
		q := drawSought(t, len(beliefs))
		if rapid.Bool().Draw(t, "constrained") {
			q.Task = task
		}
		seed := rapid.Uint64().Draw(t, "seed")
		got := broker.Search(beliefs, q, view, seed)
		for i := range uint64(12) {
			with, without := q, q
			with.Indexed, without.Indexed = true, false
			with.Limit, without.Limit = q.Limit>>i+1, q.Limit>>i+1
			if a, b := broker.Search(beliefs, with, view, seed+i), broker.Search(beliefs, without, view, seed+i); !reflect.DeepEqual(a, b) {
				t.Fatalf("with an index it found %+v\nwithout %+v", a, b)
			}
		}
		if order := slices.Sorted(slices.Values(got.Order)); len(slices.Compact(order)) != len(beliefs) {
			t.Fatalf("the pool of %d nodes is %v", len(beliefs), got.Order)
		}
		want := naive(beliefs, q, view, got.Order)
		if !slices.Equal(got.Nodes, want.Nodes) || !slices.Equal(got.Scores, want.Scores) {
			t.Fatalf("found %v %v, want %v %v", got.Nodes, got.Scores, want.Nodes, want.Scores)
		}
		if got.Room != want.Room || !slices.Equal(slices.Sorted(slices.Values(got.Forced)), slices.Sorted(slices.Values(want.Forced))) {
			t.Fatalf("forced %v with room on %d, want %v, %d", got.Forced, got.Room, want.Forced, want.Room)
		}
		for i, n := range got.Forced {
			if room := fitsIn(percents(beliefs[n], beliefs[n].Used, q.Need), 100); room != (i < got.Room) {
				t.Fatalf("node %d has room: %v, but is number %d of %v, of which %d have", n, room, i, got.Forced, got.Room)
			}
		}
	})
}

// drawBeliefs draws nodes of a few kinds with attribute 0, and a task that
// constrains it.
func drawBeliefs(t *rapid.T) ([]broker.Belief, cluster.View, unit.TaskID) {
	c := cluster.New(cluster.Default(), des.New())
	step := rapid.SampledFrom([]int{1, 50_000}).Draw(t, "step") // of 50,000: nodes are full to the last share
	share := func(most int, name string) unit.Share {
		return unit.Share(step * rapid.IntRange(0, max(1, most/step)).Draw(t, name))
	}
	kinds := []unit.Vec{{500_000, 500_000}, {1_000_000, 250_000}, {333_333, 700_001}, {0, 500_000}}
	further := []int{300_000, 700_001, 1_000_000, 0} // of what there is beside CPU and memory
	if rapid.Bool().Draw(t, "whole") {               // no machine lacks anything
		kinds, further = kinds[:3], further[:3]
	}
	for k := range kinds {
		for r := unit.Memory + 1; r < unit.Resources; r++ {
			kinds[k][r] = unit.Share(rapid.SampledFrom(further).Draw(t, "further"))
		}
	}
	beliefs := make([]broker.Belief, rapid.OneOf(rapid.IntRange(1, 600), rapid.IntRange(520, 600)).Draw(t, "nodes"))
	values := rapid.SampledFrom([]int{3, 50}).Draw(t, "values")
	alike := rapid.IntRange(0, 5).Draw(t, "alike") == 0                      // scores that are equal, or nearly so
	roomy := rapid.SampledFrom([]int{len(beliefs), 40, 60}).Draw(t, "roomy") // only the first may promise more
	for n := range beliefs {
		one := &beliefs[n]
		if alike && n > 0 {
			*one = beliefs[0]
			one.Used[0] += share(2, "more")
		} else {
			one.Capacity = kinds[rapid.IntRange(0, len(kinds)-1).Draw(t, "kind")]
			one.Used = unit.Vec{share(600_000, "cpu"), share(600_000, "memory")}
			one.Promised = unit.Vec{share(600_000, "cpu promised"), share(600_000, "memory promised")}
			for r := unit.Memory + 1; r < unit.Resources; r++ {
				one.Used[r] = min(one.Capacity[r], share(400_000, "further used"))
			}
			one.Tasks = rapid.IntRange(0, 3).Draw(t, "tasks")
			one.Seen = unit.Time(rapid.IntRange(-1, 20).Draw(t, "seen"))
		}
		if n >= roomy {
			one.Promised = one.Capacity
		}
		node := workload.Node{Capacity: one.Capacity, Rack: -1, Site: -1}
		if a := rapid.IntRange(0, values).Draw(t, "attribute"); a > 0 {
			node.Attributes = []workload.Attribute{{Name: 0, Value: int64(a)}}
		}
		c.Join(uint64(n), node)
	}
	id := c.Submit(workload.Key{Job: 1}, &workload.Task{Constraints: []workload.Constraint{{
		Name: 0, Op: workload.Operator(rapid.IntRange(0, 3).Draw(t, "operator")), Value: 2,
	}}})
	return beliefs, c.View(), id
}

// limit is the load in percent above which nothing has a score.
const limit = 90.0

func drawScorer(t *rapid.T) score.Scorer {
	s := rapid.SampledFrom([]score.Form{score.SIAS(), score.SRAS()}).Draw(t, "form").Scorer(limit)
	s.Gain, s.IdleFirst = rapid.Bool().Draw(t, "gain"), rapid.Bool().Draw(t, "idle first")
	return s
}

func drawSought(t *rapid.T, nodes int) broker.Sought {
	q := broker.Sought{
		Scorer: drawScorer(t),
		Oldest: unit.Time(rapid.IntRange(0, 10).Draw(t, "oldest")), Limit: rapid.IntRange(1, 700).Draw(t, "limit"),
		Most: rapid.SampledFrom([]int{0, 1, 2, 15, 32}).Draw(t, "most"), Headroom: rapid.Bool().Draw(t, "headroom"), Loose: rapid.Bool().Draw(t, "loose"), Not: unit.NoNode, Task: unit.NoTask,
		Indexed: rapid.Bool().Draw(t, "indexed"),
	}
	most := rapid.SampledFrom([]int{1000, 50_000, 600_000}).Draw(t, "size")
	step := rapid.SampledFrom([]int{1, 50_000}).Draw(t, "step")
	promise := rapid.SampledFrom([]unit.Share{1, 2}).Draw(t, "promise") // of a new task what it needs, of a running one more
	for r := range q.Need {
		q.Need[r] = unit.Share(step * rapid.IntRange(0, most/step).Draw(t, "need"))
		if rapid.Bool().Draw(t, "production") {
			q.Promise[r] = q.Need[r] * promise
		}
	}
	if rapid.Bool().Draw(t, "running") {
		q.Not = unit.NodeID(rapid.IntRange(0, nodes-1).Draw(t, "not"))
	}
	if rapid.IntRange(0, 3).Draw(t, "spread") == 0 {
		q.Apart = func(n unit.NodeID) bool { return n%3 != 1 }
	}
	return q
}

func naive(beliefs []broker.Belief, q broker.Sought, view cluster.View, order []unit.NodeID) (f broker.Result) {
	type fit struct {
		node  unit.NodeID
		score float64
	}
	var fits []fit
	for _, n := range order {
		b := beliefs[n]
		if b.Seen < q.Oldest {
			continue
		}
		suits := n != q.Not && (q.Task == unit.NoTask || view.Satisfies(q.Task, n)) && (q.Apart == nil || q.Apart(n))
		after := percents(b, b.Used, q.Need)
		score := q.Scorer.Rate(percents(b, b.Used), after, b.Tasks == 0)
		if q.Headroom && q.Promise != (unit.Vec{}) && !fitsIn(percents(b, b.Promised.Add(q.Promise)), limit) {
			score = 0
		}
		switch {
		case score > 0 && suits:
			if b.Tasks == 0 && q.Scorer.IdleFirst {
				score = 10
			}
			fits = append(fits, fit{n, score})
		case score == 0 && suits && fitsIn(percents(b, q.Need), 100) && len(f.Forced) < 32:
			f.Forced = append(f.Forced, n)
			if fitsIn(after, 100) {
				f.Room++
			}
		}
		if len(fits) == q.Limit {
			break
		}
	}
	if q.Most > 0 {
		slices.SortStableFunc(fits, func(x, y fit) int {
			switch {
			case x.score > y.score:
				return -1
			case x.score < y.score:
				return 1
			}
			return 0
		})
		fits = fits[:min(q.Most, len(fits))]
	}
	for _, one := range fits {
		f.Nodes, f.Scores = append(f.Nodes, one.node), append(f.Scores, one.score)
	}
	return f
}

// percents returns what parts come to in percent of a node.
func percents(b broker.Belief, parts ...unit.Vec) (p score.Percent) {
	for r, whole := range b.Capacity {
		sum := unit.Share(0)
		for _, part := range parts {
			sum += part[r]
		}
		switch {
		case whole > 0:
			p[r] = float64(float64(sum) * (100 / float64(whole)))
		case sum > 0:
			p[r] = math.Inf(1)
		default:
			p[r] = score.Absent
		}
	}
	return p
}

func fitsIn(p score.Percent, limit float64) bool {
	for _, x := range p {
		if x > limit {
			return false
		}
	}
	return true
}
