package negotiation

import (
	"parley/core/cluster"
	"parley/core/rng"
	"parley/core/unit"
)

// Belief is what a broker is told of a node, Sought what it searches for.
type (
	Belief struct {
		Capacity, Used, Promised unit.Vec
		Tasks                    int
		Seen                     unit.Time // -1: never
	}
	Sought struct {
		Need, Promise unit.Vec
		Score         string // of Scores
		IdleFirst     bool
		Oldest        unit.Time
		Limit, Most   int
		Headroom      bool
		Not           unit.NodeID
		Apart         func(unit.NodeID) bool
		Task          unit.TaskID // whose constraints count
	}
	Found struct {
		Order  []unit.NodeID // the pool, from where the search began
		Nodes  []unit.NodeID
		Scores []float64
		Forced []unit.NodeID
		Roomy  int
	}
)

// Search lets a broker that heard these beliefs one after the other search.
func Search(beliefs []Belief, sought Sought, view cluster.View, seed uint64) Found {
	s := Default()
	scorer := s.newScorer(sought.Score)
	scorer.idleFirst = sought.IdleFirst
	k := newKinds()
	b := &broker{random: rng.New(seed, "search"), kinds: &k, fresh: unit.Forever}
	b.grow(len(beliefs))
	for n, told := range beliefs {
		n := unit.NodeID(n)
		one := belief{card{node: n, kind: k.of(told.Capacity) << 1}, told.Seen}
		if told.Tasks == 0 {
			one.kind++
		}
		b.shuffle(n, unit.NodeID(len(beliefs)))
		b.accept(&one, 0)
		b.correct(n, told.Used, told.Promised)
		if n%7 == 0 { // searches go on meanwhile
			b.expire(min(sought.Oldest, told.Seen))
		}
	}
	q := query{
		demand: demand{sought.Need, sought.Promise}, scorer: &scorer, oldest: sought.Oldest, limit: sought.Limit, most: sought.Most,
		headroom: sought.Headroom, not: sought.Not, apart: sought.Apart,
	}
	view.Suitable(sought.Task, &q.suitable)
	b.search(&q)
	b.force(&q)
	f := Found{Forced: b.scan.forced, Roomy: b.scan.roomy}
	for i := range b.pool {
		f.Order = append(f.Order, b.pool[(b.scan.from+i)%len(b.pool)].node)
	}
	for _, fit := range b.scan.fits {
		f.Nodes, f.Scores = append(f.Nodes, fit.node), append(f.Scores, fit.score)
	}
	return f
}

// Shuffled lets a group of nodes among others report so often, and returns after
// each time where the group's first node is in the pool.
func Shuffled(nodes int, from, to unit.NodeID, times int, seed uint64) (places []int) {
	k := newKinds()
	b := &broker{random: rng.New(seed, "shuffle"), kinds: &k, fresh: unit.Forever}
	b.grow(nodes)
	for range times {
		for n := from; n < to; n++ {
			b.shuffle(n, to)
		}
		places = append(places, int(b.place[from]))
	}
	return places
}
