package plan

import (
	"math"

	"parley/core/graph"
)

// heft places the vertices by falling upward rank, each where it finishes first
// (HEFT; Topcuoglu et al. 2002, section 4.1).
func (s *state) heft() {
	rank := s.p.upward()
	queue := newQueue(rank)
	s.startsOf(queue)
	var ready []int32
	for queue.len() > 0 {
		v := queue.pop()
		q, start := s.insert(v, nil)
		ready = s.place(v, q, start, ready[:0])
		queue.push(ready...)
	}
}

// upward returns rank_u of every vertex: the longest way to the end with mean
// times and mean travel. A vertex ranks above all that need it, so taking the
// highest of those that are ready is taking them by falling rank.
func (p *Problem) upward() []float64 { return p.Graph.Longest(p.meanTime, p.mean) }

// startsOf fills a queue with the vertices that need nothing.
func (s *state) startsOf(queue *queue) {
	for v, n := range s.missing {
		if n == 0 {
			queue.push(int32(v))
		}
	}
}

// cpop places the vertices of the critical path on the one processor that does
// all of them first, and the others where they finish first, by falling sum of
// upward and downward rank (CPOP; Topcuoglu et al. 2002, section 4.2). Of several
// starts the path begins at the one of the highest priority.
func (s *state) cpop() {
	up, down := s.p.upward(), s.p.Graph.FromStart(s.p.meanTime, s.p.mean)
	priority := make([]float64, len(up))
	for v := range up {
		priority[v] = up[v] + down[v]
	}
	critical := s.p.critical(up)
	home := s.p.fastestFor(critical)
	queue := newQueue(priority)
	s.startsOf(queue)
	var ready []int32
	for queue.len() > 0 {
		v := queue.pop()
		q, start := home, 0.0
		if critical[v] && s.p.can(v, home) {
			s.sums.of(s, v)
			start = s.timelines[q].earliest(s.sums.at(q), s.p.Time(v, q))
		} else {
			q, start = s.insert(v, nil)
		}
		ready = s.place(v, q, start, ready[:0])
		queue.push(ready...)
	}
}

// critical marks the vertices of a longest path with mean times and mean travel; up is the upward rank.
// It begins at the start of the highest rank and follows only arcs over which the rank is reached,
// because a vertex of the same priority behind an arc with slack is on another path. Of equal ones the
// lowest vertex is taken.
func (p *Problem) critical(up []float64) []bool {
	on := make([]bool, len(up))
	at := -1
	for v := range up {
		if len(p.Graph.In(v)) == 0 && (at < 0 || below(up[at], up[v])) {
			at = v
		}
	}
	for at >= 0 {
		on[at] = true
		next, longest := -1, 0.0
		for _, a := range p.Graph.Out(at) {
			if rest := p.mean(a) + up[a.To]; next < 0 || below(longest, rest) {
				next, longest = int(a.To), rest
			}
		}
		at = next
	}
	return on
}

// fastestFor returns the processor that can do most of the marked vertices, and of
// those the one that does them in the least time.
func (p *Problem) fastestFor(marked []bool) (best int) {
	lowest, largest := 0.0, -1
	for q := range p.Processors {
		sum, can := 0.0, 0
		for v, is := range marked {
			if is && p.can(v, q) {
				sum += p.Time(v, q)
				can++
			}
		}
		if can > largest || can == largest && below(sum, lowest) {
			best, lowest, largest = q, sum, can
		}
	}
	return best
}

// peft places the vertices that are ready by falling mean of their optimistic
// costs, each where its finish and the optimistic cost from there on are least
// (PEFT; Arabnejad and Barbosa 2014, section 4).
func (s *state) peft() {
	table := s.p.optimistic()
	n := len(s.p.Processors)
	rank := make([]float64, s.p.Graph.Len())
	for v := range rank {
		for _, x := range table[v*n : (v+1)*n] {
			rank[v] += x / float64(n)
		}
	}
	queue := newQueue(rank)
	s.startsOf(queue)
	var ready []int32
	for queue.len() > 0 {
		v := queue.pop()
		q, start := s.insert(v, table[v*n:(v+1)*n])
		ready = s.place(v, q, start, ready[:0])
		queue.push(ready...)
	}
}

// optimistic returns the optimistic cost table, by vertex and processor: the maximum, over the
// successors, of the shortest time from there to the end, if every processor were free. For each
// successor only two values matter: its time on the same processor, and the smallest time
// elsewhere. So a row costs arcs × processors.
func (p *Problem) optimistic() []float64 {
	n := len(p.Processors)
	table := make([]float64, p.Graph.Len()*n)
	rest := make([]float64, n)
	order := p.Graph.Order()
	for i := len(order) - 1; i >= 0; i-- {
		v := int(order[i])
		row := table[v*n : (v+1)*n]
		for _, a := range p.Graph.Out(v) {
			lowest := math.Inf(1)
			for q := range rest {
				rest[q] = table[int(a.To)*n+q] + p.Time(int(a.To), q)
				lowest = min(lowest, rest[q])
			}
			// where it travels from its own processor elsewhere is never less than staying
			travelled := lowest + p.mean(graph.Arc{Bytes: a.Bytes})
			for q := range row {
				row[q] = max(row[q], min(rest[q], travelled))
			}
		}
	}
	return table
}
