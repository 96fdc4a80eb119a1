// Package thread finds the thread of a posted task graph that an agent takes. Among the
// paths that its resource can execute, that end where a result is needed, and that it can
// finish in time, this is the longest.
//
// The length of a thread is formula (1) of the paper: the time of its vertices on the
// resource plus the time of its last results on the resource's channel. Latest starts are
// formula (2). The search does not enumerate all paths: see Safe and Literal.
//
// Source: Kalyaev, Kalyaev, Korovin, Computational Technologies 21(5), 2016,
// section 2, steps 4 to 12.
//
//	search := thread.Search{Rule: thread.Safe}
//	found, ok := search.Find(task, &resource, now)
package thread

import (
	"math/bits"
	"slices"

	"parley/core/system/board/posted"
	"parley/core/unit"
	"parley/core/workload"
)

// Resource describes an agent's knowledge of its own resource.
type Resource struct {
	Node   unit.NodeID // its own results need not travel to it
	Worker workload.Worker
	// NoChannel plans as if results took no time: the older method, which this
	// paper adds channels to.
	NoChannel bool
}

// Time returns how long the resource computes a vertex of a task; false if it does not support the type.
func (r *Resource) Time(t *posted.Task, v int32) (unit.Time, bool) {
	one := t.Graph.Subtask(v)
	speed := r.Worker.SpeedFor(one.Type)
	if speed <= 0 {
		return 0, false
	}
	return r.Worker.CompLatency + duration(int64(one.Work), int64(speed)), true
}

// Sending returns how long the results of v occupy the resource's channel: towards the agents that took
// its successors, other than itself, and towards the user. It is 0 with NoChannel.
func (r *Resource) Sending(t *posted.Task, v int32) (sum unit.Time) {
	if r.NoChannel {
		return 0
	}
	first, end := t.Graph.Out(v)
	for i := first; i < end; i++ {
		a := t.Graph.Arc(i)
		if a.To == workload.Home || t.State(a.To) == posted.Taken && t.Agent(a.To) != int32(r.Node) {
			sum += r.Worker.CommLatency + duration(int64(a.Bytes), int64(r.Worker.Channel))
		}
	}
	return min(sum, longest)
}

// longest bounds a time: longer than any run, and sums of many stay in range.
const longest = 36_500 * unit.Day

// duration returns how long an amount takes at a rate a second, to the nearest
// microsecond, as the cluster counts it; at no rate it takes no time.
func duration(amount, rate int64) unit.Time {
	if rate <= 0 {
		return 0
	}
	high, low := bits.Mul64(uint64(amount), uint64(unit.Second))
	low, carry := bits.Add64(low, uint64(rate)/2, 0)
	if high += carry; high >= uint64(rate) {
		return longest
	}
	q, _ := bits.Div64(high, low, uint64(rate))
	return min(unit.Time(min(q, uint64(longest))), longest)
}

// Rule defines which paths are threads.
type Rule uint8

// The rules.
const (
	// Safe takes a vertex only if all of its successors are taken, or are in
	// the same thread. So no later thread can need an earlier result. Results that
	// others need from the middle of a thread count in its latest starts.
	Safe Rule = iota
	// Literal takes any path whose last vertex has a deadline, and counts the last vertex's result
	// alone: formulas (1) and (2) literally.
	Literal
	// Ready is our addition: it takes a vertex only if its inputs are there, or are made by the
	// same thread. If its successors are not taken, posted.Task.Estimate is its deadline.
	Ready
)

// Search finds threads. Its zero value follows the rule Safe and passes over the
// thread alone when one cannot be finished in time. It keeps room between calls
// and is not safe for concurrent use.
type Search struct {
	Rule Rule
	// DropVertices passes over all vertices of a thread that cannot be finished in
	// time: step 10 to the letter. Shorter threads to the same end are lost then.
	DropVertices bool
	// Looks is the number of candidates a search looks at; 0: DefaultLooks. Behind them
	// the rule Safe takes the longest that it saw, and the rule Literal, which sees
	// them longest first, grows one back from an end.
	Looks int

	seen  int // candidates of the last search
	found Thread
	forest
	onward
}

// DefaultLooks is used if Search.Looks is 0: more than any graph of a
// thousand vertices has by the rule Safe.
const DefaultLooks = 1024

// Thread is a path that one agent executes.
type Thread struct {
	Vertices []int32     // in the order of execution
	Starts   []unit.Time // latest, of each: formula (2)
	Due      unit.Time   // when the last result must be with its recipient: T_{k+1}
	Length   unit.Time   // formula (1)
}

// Seen returns how many candidates the last Find looked at.
func (s *Search) Seen() int { return s.seen }

func (s *Search) looks() int {
	if s.Looks == 0 {
		return DefaultLooks
	}
	return s.Looks
}

// Find returns the longest thread that the resource can finish in time if it begins now; false if there
// is none. Of equally long ones, Safe takes that of the lowest first vertex and Ready that of the lowest
// last vertex. The thread belongs to the search and is good until the next call.
func (s *Search) Find(t *posted.Task, r *Resource, now unit.Time) (*Thread, bool) {
	s.seen = 0
	if t.Count(posted.Open) == 0 {
		return nil, false
	}
	switch s.Rule {
	case Literal:
		return s.literal(t, r, now)
	case Ready:
		return s.forward(t, r, now)
	}
	s.grow(t, r, now, !s.DropVertices)
	if s.DropVertices {
		return s.dropping(t, now)
	}
	best := int32(-1)
	for i := range s.nodes {
		if best < 0 || s.nodes[i].before(&s.nodes[best]) {
			best = int32(i)
		}
	}
	if best < 0 {
		return nil, false
	}
	return s.thread(t, best), true
}

// forest holds the candidates of the rule Safe. Each vertex begins at most one
// thread: if it has open successors, the thread must hold all of them, so its next
// vertex is the first of them. So candidates form trees whose roots are the ends.
type forest struct {
	nodes []node
	mark  []bool // of vertices on the path that is being grown; cleared after use
	stack []step
}

// node is a candidate: the thread from its vertex on.
type node struct {
	vertex int32
	next   int32     // its node; -1: the vertex is an end
	length unit.Time // formula (1)
	start  unit.Time // latest, of the vertex
}

// step is a vertex on the path back from an end, and the next of its incoming arcs
// to look at.
type step struct {
	node     int32
	arc      int
	extended bool // a longer candidate was looked at
}

func (n *node) before(m *node) bool {
	return n.length > m.length || n.length == m.length && n.vertex < m.vertex
}

// grow fills s.nodes with the candidates of the rule Safe, depth first from each end, until looks are
// used up. With prune it keeps only those that can be finished in time: a longer thread to the same end
// starts earlier still.
func (s *Search) grow(t *posted.Task, r *Resource, now unit.Time, prune bool) {
	s.nodes = s.nodes[:0]
	if n := t.Graph.Len(); len(s.mark) < n {
		s.mark = make([]bool, n)
	}
	limit := s.looks()
	for _, end := range t.Ends() {
		if s.seen >= limit {
			return
		}
		if !s.push(t, r, end, -1, now, prune) {
			continue
		}
		for len(s.stack) > 0 {
			top := &s.stack[len(s.stack)-1]
			v := s.nodes[top.node].vertex
			in := t.Graph.In(v)
			if top.arc == len(in) {
				s.mark[v] = false
				s.stack = s.stack[:len(s.stack)-1]
				continue
			}
			from, at := t.Graph.Arc(in[top.arc]).From, top.node
			top.arc++
			if from != workload.Home && s.seen < limit && t.State(from) == posted.Open && s.onPath(t, from) {
				s.push(t, r, from, at, now, prune)
			}
		}
	}
}

// onPath reports whether all open successors of v are on the path that is being
// grown.
func (s *Search) onPath(t *posted.Task, v int32) bool {
	waits := t.Waits(v)
	if waits == 1 || waits > len(s.stack) {
		return waits == 1
	}
	first, end := t.Graph.Out(v)
	for a := first; a < end; a++ {
		if to := t.Graph.Arc(a).To; to != workload.Home && t.State(to) == posted.Open && !s.mark[to] {
			return false
		}
	}
	return true
}

// push adds the candidate that begins with v and goes on as node next does (-1: v is an end), and goes
// on growing from there. It returns false if the resource cannot do v, or with prune not in time.
func (s *Search) push(t *posted.Task, r *Resource, v, next int32, now unit.Time, prune bool) bool {
	took, can := r.Time(t, v)
	if !can {
		return false
	}
	n := node{vertex: v, next: next, length: took}
	needed, labelled := t.Due(v)
	sending := r.Sending(t, v)
	if next < 0 {
		n.length += sending
		n.start = needed - sending - took
	} else {
		n.length += s.nodes[next].length
		n.start = s.nodes[next].start
		if labelled {
			n.start = min(n.start, needed-sending)
		}
		n.start -= took
	}
	if next < 0 || len(s.stack) == 0 || s.stack[len(s.stack)-1].extended {
		s.seen++ // the first way on from a candidate is the same look
	} else {
		s.stack[len(s.stack)-1].extended = true
	}
	if prune && n.start < now {
		return false
	}
	s.nodes = append(s.nodes, n)
	s.stack = append(s.stack, step{node: int32(len(s.nodes) - 1)})
	s.mark[v] = true
	return true
}

// thread writes a candidate out.
func (s *Search) thread(t *posted.Task, at int32) *Thread {
	f := &s.found
	f.Vertices, f.Starts, f.Length = f.Vertices[:0], f.Starts[:0], s.nodes[at].length
	for ; at >= 0; at = s.nodes[at].next {
		f.Vertices = append(f.Vertices, s.nodes[at].vertex)
		f.Starts = append(f.Starts, s.nodes[at].start)
	}
	f.Due, _ = t.Due(f.Vertices[len(f.Vertices)-1])
	return f
}

// dropping looks at the candidates, longest first, and returns the first that can be finished in time;
// false if there is none. Each that cannot excludes all that share a vertex with it.
func (s *Search) dropping(t *posted.Task, now unit.Time) (*Thread, bool) {
	order := make([]int32, len(s.nodes))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(a, b int32) int {
		if s.nodes[a].before(&s.nodes[b]) {
			return -1
		}
		return 1
	})
	dropped := make([]bool, t.Graph.Len())
	for _, i := range order {
		if s.touches(i, dropped) {
			continue
		}
		if s.nodes[i].start >= now {
			return s.thread(t, i), true
		}
		for at := i; at >= 0; at = s.nodes[at].next {
			dropped[s.nodes[at].vertex] = true
		}
	}
	return nil, false
}

// touches reports whether a candidate has a marked vertex.
func (s *Search) touches(at int32, marked []bool) bool {
	for ; at >= 0; at = s.nodes[at].next {
		if marked[s.nodes[at].vertex] {
			return true
		}
	}
	return false
}
