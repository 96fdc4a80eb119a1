package central

import (
	"slices"

	"parley/core/choices"
	"parley/core/cluster"
	"parley/core/kube/score"
	"parley/core/rng"
	"parley/core/system"
	"parley/core/unit"
	"parley/core/workload"
)

// sampled are the policies of kube-scheduler: nodes are looked at in turn, from
// where the last search ended, until enough of them have room; the one with the
// highest sum of weighted scores wins, a draw decides among equals.
type sampled struct {
	*book
	profile Kube
	shape   score.Shape
	random  *rng.Stream
	start   int // nextStartNodeIndex

	suitable cluster.Suitable
	looked   int           // nodes, by the last search
	enough   []unit.NodeID // that have room, of the last search
	scores   []int16
	missing  []unit.Vec // by node: the default sizes of its tasks without a request
	counts   bool       // whether there are such tasks

	requested []unit.Vec   // by node: the requests of its tasks
	pairs     []score.Pair // by machine type; empty if a type or the strategy needs the general formulas
	typed     int          // machine types that pairs were made of

	memos  [4]memo // of the latest kinds of tasks
	recent int     // memo that was used last
	window window  // of the latest search in a memo
}

// The default size of a task that requests no CPU or no memory: 100 milli-CPUs and 200 MiB of a
// reference machine that is taken to have 16 CPUs and workload.MemoryUnit.
var unrequested = unit.Vec{
	unit.CPU:    unit.Whole * score.DefaultMilliCPU / 16_000,
	unit.Memory: unit.Share(int64(unit.Whole) * score.DefaultMemory / int64(workload.MemoryUnit)),
}

// absentFrom returns the default sizes of the resources that a request omits.
func absentFrom(request unit.Vec) (more unit.Vec) {
	for r := range request {
		if request[r] == 0 {
			more[r] = unrequested[r]
		}
	}
	return more
}

// rule implements policy.
func (p *sampled) rule() string {
	return "kube-scheduler: of the nodes with room that were looked at, the highest sum of weighted scores; a draw among equals"
}

// choose implements policy.
func (p *sampled) choose(d *demand) unit.NodeID { return p.scan(d, nil) }

// scan implements policy. A task without constraints uses the memo of its kind. If only one node has
// room, it is taken without scores, as in the original; equal scores draw.
func (p *sampled) scan(d *demand, accepted func(unit.NodeID) bool) unit.NodeID {
	p.sync(d)
	if accepted == nil && len(d.constraints) == 0 {
		best, equal := p.recall(d)
		if equal == 0 {
			return unit.NoNode
		}
		return p.pick(best, p.draw(equal))
	}
	p.window.latest = false
	p.sample(d, accepted)
	best, equal := p.scoreAll(d)
	if len(p.enough) <= 1 {
		clear(p.scores)
		if len(p.enough) == 0 {
			return unit.NoNode
		}
		return p.enough[0] // without scores, as the original
	}
	pick := p.draw(equal)
	for i, score := range p.scores {
		if score == best {
			if pick == 0 {
				return p.enough[i]
			}
			pick--
		}
	}
	return unit.NoNode
}

// draw returns a random number below equal; it draws nothing and returns 0 if equal is at most 1.
func (p *sampled) draw(equal int) int {
	if equal <= 1 {
		return 0
	}
	return p.random.Intn(equal)
}

// sample looks at nodes in turn from p.start on, until enough have room, and leaves these in p.enough.
// p.start moves on by p.looked nodes, so searches spread over the cluster.
func (p *sampled) sample(d *demand, accepted func(unit.NodeID) bool) {
	n := len(p.nodes)
	enough, looked := score.NumFeasibleNodesToFind(n, p.profile.Percentage), 0
	p.enough = p.enough[:0]
	sets(p.view, d, &p.suitable)
	need, class, at, nodes, suitable, list := d.need, d.class, p.start, p.nodes, p.suitable, p.enough
	for ; looked < n && len(list) < enough; looked++ {
		node, room := unit.NodeID(at), &nodes[at].room[class]
		if at++; at == n {
			at = 0
		}
		if within(&need, room) && suitable.Has(node) && (accepted == nil || accepted(node)) {
			list = append(list, node)
		}
	}
	p.enough = list
	if n > 0 {
		p.start = (p.start + looked) % n
	}
	p.looked = looked
}

// scoreAll sets p.scores of the nodes in p.enough, and returns the highest score and how many nodes have
// it; equal is 0 if there are none.
func (p *sampled) scoreAll(d *demand) (best int16, equal int) {
	p.scores = slices.Grow(p.scores[:0], len(p.enough))[:len(p.enough)]
	pairs := p.pairable(d)
	best = full
	for i, n := range p.enough {
		s := p.scores[i : i+1]
		s[0] = unscored
		if p.rate(s, int(n), d, pairs); s[0] > best {
			best, equal = s[0], 0
		}
		if s[0] == best {
			equal++
		}
	}
	return best, equal
}

// rate sets the scores that are not known of nodes that follow each other: at most 100 times the sum of two weights
// of at most 100.
func (p *sampled) rate(scores []int16, from int, d *demand, pairs bool) {
	if pairs {
		p.ratePairs(scores, from, d)
		return
	}
	for i, s := range scores {
		if s == unscored {
			scores[i] = int16(p.score(unit.NodeID(from+i), d))
		}
	}
}

// within is need.Within(*room) without a copy of either.
func within(need, room *unit.Vec) bool {
	for r := range need {
		if need[r] > room[r] {
			return false
		}
	}
	return true
}

// pairable brings the table of pairs by machine type up to date, and reports whether the fast formulas
// of ratePairs give the exact scores for d: two resources, a request, no default sizes, and the strategy
// LeastAllocated.
func (p *sampled) pairable(d *demand) bool {
	if p.counts || unit.Resources != 2 || d.request == (unit.Vec{}) ||
		p.profile.Strategy != "" && p.profile.Strategy != "LeastAllocated" {
		return false
	}
	if p.typed != len(p.types) {
		p.typed, p.pairs = len(p.types), p.pairs[:0]
		for i := range p.types {
			capacity := p.types[i].capacity
			pair, ok := score.PairOf([2]int64{int64(capacity[unit.CPU]), int64(capacity[unit.Memory])})
			if !ok {
				p.pairs = p.pairs[:0]
				break
			}
			p.pairs = append(p.pairs, pair)
		}
	}
	return len(p.pairs) > 0
}

// ratePairs is rate by the formulas of score.Pair for two resources; pairable must have returned true.
func (p *sampled) ratePairs(scores []int16, from int, d *demand) {
	nodes, requested := p.nodes[from:from+len(scores)], p.requested[from:from+len(scores)]
	cpu, memory := int64(p.profile.CPUWeight), int64(p.profile.MemoryWeight)
	fit, balanced, total := int64(p.profile.FitWeight), int64(p.profile.BalancedWeight), cpu+memory
	for i, s := range scores {
		if s != unscored {
			continue
		}
		pair := &p.pairs[nodes[i].kind]
		first := int64(d.request[unit.CPU] + requested[i][unit.CPU])
		second := int64(d.request[unit.Memory] + requested[i][unit.Memory])
		a, b := pair.Parts(first, second)
		free := cpu*score.Free(a) + memory*score.Free(b)
		switch total {
		case 0:
			free = 0
		case 2:
			free >>= 1
		default:
			free /= total
		}
		even, sure := score.Balanced(a, b)
		if !sure {
			even = pair.Balanced(first, second)
		}
		scores[i] = int16(fit*free + balanced*even)
	}
}

// score returns the sum of the plugins' scores of a node with a task on it.
func (p *sampled) score(n unit.NodeID, d *demand) int64 {
	var rs [unit.Resources]score.Resource
	requested, capacity := p.view.Requested(n), p.view.Capacity(n)
	weights := [unit.Resources]int64{int64(p.profile.CPUWeight), int64(p.profile.MemoryWeight)}
	requests := false
	for r := range rs {
		rs[r] = score.Resource{
			Requested: int64(requested[r]) + int64(d.request[r]), Allocatable: int64(capacity[r]),
			Weight: weights[r],
		}
		requests = requests || d.request[r] > 0
	}
	sum := int64(0)
	if w := int64(p.profile.BalancedWeight); w > 0 && requests {
		sum += w * score.BalancedAllocation(rs[:])
	}
	if w := int64(p.profile.FitWeight); w > 0 {
		if p.counts {
			defaults, more := absentFrom(d.request), p.missing[n]
			for r := range rs {
				rs[r].Requested += int64(defaults[r]) + int64(more[r])
			}
		}
		sum += w * p.fitScore(rs[:])
	}
	return sum
}

// fitScore returns the score of NodeResourcesFit by the profile's strategy; LeastAllocated is the
// default.
func (p *sampled) fitScore(rs []score.Resource) int64 {
	switch p.profile.Strategy {
	case "MostAllocated":
		return score.MostAllocated(rs)
	case "RequestedToCapacityRatio":
		return p.shape.RequestedToCapacityRatio(rs)
	}
	return score.LeastAllocated(rs)
}

// sync updates the book, the requests and the memos of the nodes that changed. From the first task
// without a request on, p.missing also has the default sizes that kube-scheduler counts for such tasks;
// then all nodes are read anew once.
func (p *sampled) sync(d *demand) {
	if !p.counts && absentFrom(d.request) != (unit.Vec{}) {
		p.counts = true
		p.forget()
	}
	changed, whole := p.clean()
	for _, n := range changed {
		p.requested[n] = p.view.Requested(n)
	}
	for i := range p.memos {
		p.memos[i].forget(changed, whole)
	}
	if !whole {
		p.requested = p.requested[:0]
		for n := range unit.NodeID(len(p.nodes)) {
			p.requested = append(p.requested, p.view.Requested(n))
		}
	}
	if !p.counts {
		return
	}
	for _, n := range changed {
		p.missing[n] = p.unrequested(n)
	}
	if !whole {
		p.missing = p.missing[:0]
		for n := range unit.NodeID(len(p.nodes)) {
			p.missing = append(p.missing, p.unrequested(n))
		}
	}
}

// repeat implements policy.
func (p *sampled) repeat(d *demand, c choices.Choice) {
	p.sync(d)
	p.random.Skip(c.Draws)
	if n := len(p.nodes); n > 0 {
		p.start = (p.start + int(c.Looked)) % n
	}
}

// spent implements policy.
func (p *sampled) spent() (*rng.Stream, uint32) { return p.random, uint32(p.looked) }

// unrequested returns the sum of the default sizes of a node's tasks that have no request.
func (p *sampled) unrequested(n unit.NodeID) (sum unit.Vec) {
	for id := range p.view.Tasks(n) {
		t, _ := p.view.Task(id)
		sum = sum.Add(absentFrom(t.Request))
	}
	return sum
}

// best implements policy, for the nodes of the last search.
func (p *sampled) best(_ *demand, k int) (list []system.Candidate) {
	if p.window.latest {
		return p.bestOf(k)
	}
	for i, n := range p.enough {
		list = enter(list, k, n, float64(p.scores[i]))
	}
	return list
}

// rank implements policy.
func (p *sampled) rank(d *demand, n unit.NodeID) float64 { return float64(p.score(n, d)) }

func (p *sampled) allows(*demand, unit.NodeID) bool { return true }

func (p *sampled) attributesChanged() {}
