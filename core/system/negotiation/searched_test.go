package negotiation

import (
	"fmt"

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
		Loose         bool // new tasks leave no headroom: the scorer's limit is below theirs
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
	k := newMachineTypes(scorer.limit)
	if sought.Loose {
		k.limit = 100
	}
	b := &broker{pool: pool{random: rng.New(seed, "search")}, types: &k, fresh: unit.Forever}
	b.grow(len(beliefs))
	for n, told := range beliefs {
		n := unit.NodeID(n)
		one := report{cacheEntry: cacheEntry{node: n, machine: k.of(told.Capacity) << 1}, seen: told.Seen}
		if told.Tasks == 0 {
			one.machine++
		}
		if n%64 == 0 {
			b.shuffle(uint64(n/64) % groups)
		}
		b.accept(&one, 0)
		b.correct(n, told.Used, told.Promised)
		if n%7 == 0 { // searches go on meanwhile
			b.expire(min(sought.Oldest, told.Seen))
		}
	}
	q := query{
		demand: demand{sought.Need, sought.Promise}, scorer: &scorer, oldest: sought.Oldest, limit: sought.Limit, most: sought.Most,
		wantsHeadroom: sought.Headroom, not: sought.Not, antiAffinity: sought.Apart,
	}
	view.Suitable(sought.Task, &q.suitable)
	b.search(&q)
	b.force(&q)
	f := Found{Forced: b.scan.forced, Roomy: b.scan.withRoom}
	for i := range b.entries {
		f.Order = append(f.Order, b.entries[(b.scan.from+i)%len(b.entries)].node)
	}
	for _, fit := range b.scan.fits {
		f.Nodes, f.Scores = append(f.Nodes, fit.node), append(f.Scores, fit.score)
	}
	return f
}

// Shuffled lets a group of nodes among others report so often, and returns after
// each time where the group's first node is in the pool.
func Shuffled(nodes int, group uint64, times int, seed uint64) (places []int) {
	p := &pool{random: rng.New(seed, "shuffle")}
	for range nodes {
		p.add()
	}
	first, _ := groupOf(nodes, group)
	for range times {
		p.shuffle(group)
		places = append(places, int(p.place[first]))
	}
	return places
}

// Pooled lets nodes join, so many at a time, with reports of a few groups in
// between, and returns the nodes in the order of the pool and each node's group.
// It panics where a card is not its node's.
func Pooled(joins []int, seed uint64) (nodes []unit.NodeID, group func(unit.NodeID) int) {
	p := &pool{random: rng.New(seed, "join")}
	for _, count := range joins {
		for range count {
			p.add()
			n := unit.NodeID(len(p.entries) - 1)
			p.entry(n).used[0], p.headroom[p.place[n]][0] = unit.Share(n), unit.Share(n)
		}
		for g := range uint64(3) {
			p.shuffle(p.random.Uint64() % groups * (g + 1) % groups)
		}
	}
	for at, c := range p.entries {
		if p.place[c.node] != int32(at) || c.used[0] != unit.Share(c.node) || p.headroom[at][0] != unit.Share(c.node) {
			panic(fmt.Sprintf("place %d holds %+v and %v, but the node's place is %d", at, c, p.headroom[at], p.place[c.node]))
		}
		nodes = append(nodes, c.node)
	}
	return nodes, func(n unit.NodeID) int {
		for g := range uint64(groups) {
			if from, to := groupOf(len(nodes), g); n >= from && n < to {
				return int(g)
			}
		}
		return -1
	}
}
