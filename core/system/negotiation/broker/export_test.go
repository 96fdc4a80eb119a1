package broker

import (
	"fmt"

	"parley/core/cluster"
	"parley/core/rng"
	"parley/core/system/negotiation/score"
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
		Scorer        score.Scorer
		Oldest        unit.Time
		Limit, Most   int
		Headroom      bool
		Loose         bool // new tasks leave no headroom: the scorer's limit is below theirs
		Not           unit.NodeID
		Apart         func(unit.NodeID) bool
		Task          unit.TaskID // whose constraints count
		Indexed       bool        // earlier searches read so much that there is an index
	}
	Result struct {
		Order  []unit.NodeID // the cache, from where the search began
		Nodes  []unit.NodeID
		Scores []float64
		Forced []unit.NodeID
		Room   int
	}
)

// Search lets a broker that heard these beliefs one after the other search.
func Search(beliefs []Belief, sought Sought, view cluster.View, seed uint64) Result {
	scorer := sought.Scorer
	k := NewMachines(scorer.Limit)
	if sought.Loose {
		k.limit = 100
	}
	b := New(k, rng.New(seed, "search"))
	b.Grow(len(beliefs))
	if sought.Indexed {
		b.index.work = kept
	}
	for n, told := range beliefs {
		n := unit.NodeID(n)
		machine := k.of(told.Capacity)
		one := Report{cacheEntry: cacheEntry{used: told.Used, node: n, machine: machine << 1}, headroom: k.all[machine].limit.Sub(told.Promised), seen: told.Seen}
		if told.Tasks == 0 {
			one.machine++
		}
		if n%64 == 0 {
			b.Shuffle(uint64(n/64) % Groups)
		}
		b.Accept(&one, 0)
		if n%7 == 0 { // searches go on meanwhile
			b.expire(min(sought.Oldest, told.Seen))
			other := Query{Demand: Demand{sought.Need, sought.Promise}, Scorer: &scorer, Limit: 1000, Headroom: n%2 == 0, Not: unit.NoNode}
			b.search(&other, 15)
			b.Book(n, &Demand{sought.Need, sought.Promise})
			b.seen[n]-- // what it tells once more
			b.Accept(&one, 0)
		}
	}
	q := Query{
		Demand: Demand{sought.Need, sought.Promise}, Scorer: &scorer, Oldest: sought.Oldest, Limit: sought.Limit,
		Headroom: sought.Headroom, Not: sought.Not, AntiAffinity: sought.Apart,
	}
	view.Suitable(sought.Task, &q.Suitable)
	b.search(&q, sought.Most)
	if sought.Indexed != b.index.on && !b.scan.listed && len(beliefs) > 0 {
		panic("the index is not there when it should be, or is when it should not")
	}
	b.force(&q)
	f := Result{Forced: b.scan.forced, Room: b.scan.withRoom}
	for i := range b.entries {
		f.Order = append(f.Order, b.entries[(b.scan.from+i)%len(b.entries)].node)
	}
	for _, fit := range b.scan.fits {
		f.Nodes, f.Scores = append(f.Nodes, fit.Node), append(f.Scores, fit.Score)
	}
	return f
}

// Recommended lets a broker that heard these beliefs recommend one node, so often, and
// returns how often it was each.
func Recommended(beliefs []Belief, sought Sought, weighted bool, times int) (counts []float64) {
	scorer := sought.Scorer
	k := NewMachines(scorer.Limit)
	b := New(k, rng.New(1, "recommend"))
	b.Grow(len(beliefs))
	for n, told := range beliefs {
		machine := k.of(told.Capacity)
		b.Accept(&Report{
			cacheEntry: cacheEntry{used: told.Used, node: unit.NodeID(n), machine: machine << 1}, headroom: k.all[machine].limit.Sub(told.Promised), seen: told.Seen,
		}, 0)
	}
	counts = make([]float64, len(beliefs))
	for range times {
		q := Query{Demand: Demand{sought.Need, sought.Promise}, Scorer: &scorer, Limit: sought.Limit, Not: unit.NoNode, Weighted: weighted, Candidates: 1}
		for _, one := range b.Recommend(&q).Fits {
			counts[one.Node]++
		}
	}
	return counts
}

// Shuffled lets a group of nodes among others report so often, and returns after
// each time where the group's first node is in the cache.
func Shuffled(nodes int, group uint64, times int, seed uint64) (places []int) {
	p := &cache{random: rng.New(seed, "shuffle")}
	for range nodes {
		p.add()
	}
	first, _ := Group(nodes, group)
	for range times {
		p.Shuffle(group)
		places = append(places, int(p.place[first]))
	}
	return places
}

// Pooled lets nodes join, so many at a time, with reports of a few groups in
// between, and returns the nodes in the order of the cache and each node's group.
// It panics where an entry is not its node's.
func Pooled(joins []int, seed uint64) (nodes []unit.NodeID, group func(unit.NodeID) int) {
	p := &cache{random: rng.New(seed, "join")}
	for _, count := range joins {
		for range count {
			p.add()
			n := unit.NodeID(len(p.entries) - 1)
			p.entry(n).used[0], p.headroom[p.place[n]][0] = unit.Share(n), unit.Share(n)
		}
		for g := range uint64(3) {
			p.Shuffle(p.random.Uint64() % Groups * (g + 1) % Groups)
		}
	}
	for at, c := range p.entries {
		if p.place[c.node] != int32(at) || c.used[0] != unit.Share(c.node) || p.headroom[at][0] != unit.Share(c.node) {
			panic(fmt.Sprintf("place %d holds %+v and %v, but the node's place is %d", at, c, p.headroom[at], p.place[c.node]))
		}
		nodes = append(nodes, c.node)
	}
	return nodes, func(n unit.NodeID) int {
		for g := range uint64(Groups) {
			if from, to := Group(len(nodes), g); n >= from && n < to {
				return int(g)
			}
		}
		return -1
	}
}

// Picked, Drawn, Best and Keep work on candidates 0, 1, … of the given scores.

func Picked(scores []float64, random *rng.Stream) int {
	fits, total := candidatesOf(scores)
	return Pick(fits, total, random)
}

func Drawn(scores []float64, k int, random *rng.Stream) []int {
	fits, _ := candidatesOf(scores)
	return numbers(draw(fits, k, random))
}

func Best(scores []float64, k int) []int {
	fits, _ := candidatesOf(scores)
	return numbers(best(fits, k))
}

func Keep(scores []float64, limit int) []int {
	var l shortlist
	l.clear(limit)
	fits, _ := candidatesOf(scores)
	for _, f := range fits {
		l.offer(f.Node, f.Score)
	}
	l.settle(l.length)
	return numbers(l.fits)
}

func candidatesOf(scores []float64) (fits []Scored, total float64) {
	for i, one := range scores {
		fits = append(fits, Scored{unit.NodeID(i), one})
		total += one
	}
	return fits, total
}

func numbers(fits []Scored) (out []int) {
	for _, f := range fits {
		out = append(out, int(f.Node))
	}
	return out
}

// Weighed tells whether there should be an index after searches that read so many
// entries, where there was one or not.
func Weighed(reads []int, on bool) (should bool) {
	x := index{on: on}
	for _, n := range reads {
		should = x.weigh(n)
	}
	return should
}

// Within is the largest share that is not above limit percent.
func Within(limit, per float64) unit.Share { return within(limit, per) }

// Told lets a broker hear such beliefs at time 0; it takes nodes as machines of theirs.
func Told(b *Broker, n unit.NodeID, told Belief) {
	machine := b.machines.of(told.Capacity)
	one := Report{cacheEntry: cacheEntry{used: told.Used, node: n, machine: machine << 1}, headroom: b.machines.all[machine].limit.Sub(told.Promised), seen: told.Seen}
	if told.Tasks == 0 {
		one.machine++
	}
	b.Accept(&one, 0)
}

// LengthOfIdle is how many nodes are on the list of idle ones.
func LengthOfIdle(b *Broker) int { return len(b.idle.nodes) }
