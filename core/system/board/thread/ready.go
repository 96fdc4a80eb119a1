package thread

import (
	"slices"

	"parley/core/system/board/posted"
	"parley/core/unit"
	"parley/core/workload"
)

// onward holds the candidates of the rule Ready. Each vertex ends at most one thread:
// if it lacks results, the thread must make all of them, so the vertex before it is the
// last of those. So candidates form trees whose roots are the vertices that are ready.
type onward struct {
	reached []reach
	within  []bool // of vertices on the path that is being grown; cleared after use
	path    []onstep
}

// reach is a candidate: the thread up to its vertex.
type reach struct {
	vertex, before int32     // before: its candidate; -1: the vertex is ready
	took           unit.Time // by all of its vertices
	latest         unit.Time // start of the first one, for deadlines of those before the last
	length         unit.Time // formula (1)
	start          unit.Time // latest, of the first
}

// onstep is a candidate on the path, and the next of its outgoing arcs to look at.
type onstep struct {
	reach int32
	arc   int32
}

// forward finds the longest thread of vertices that are ready, or made so by it.
func (s *Search) forward(t *posted.Task, r *Resource, now unit.Time) (*Thread, bool) {
	o := &s.onward
	o.reached = o.reached[:0]
	if n := t.Graph.Len(); len(o.within) < n {
		o.within = make([]bool, n)
	}
	best, largest := int32(-1), s.looks()
	for _, v := range t.Ready() {
		if s.seen >= largest {
			break
		}
		s.step(t, r, v, -1, now)
		for len(o.path) > 0 {
			top := &o.path[len(o.path)-1]
			from := o.reached[top.reach].vertex
			first, end := t.Graph.Out(from)
			if first+top.arc == end {
				o.within[from] = false
				o.path = o.path[:len(o.path)-1]
				continue
			}
			to, at := t.Graph.Arc(first+top.arc).To, top.reach
			top.arc++
			if to != workload.Home && s.seen < largest && t.State(to) == posted.Open && o.makes(t, to) {
				s.step(t, r, to, at, now)
			}
		}
	}
	for i := range o.reached {
		c := &o.reached[i]
		if c.start >= now && (best < 0 || c.length > o.reached[best].length || c.length == o.reached[best].length &&
			c.vertex < o.reached[best].vertex) {
			best = int32(i)
		}
	}
	if best < 0 {
		return nil, false
	}
	return s.spelled(t, r, best), true
}

// makes reports whether the path that is being grown makes all that v lacks.
func (o *onward) makes(t *posted.Task, v int32) bool {
	lacks := t.Lacks(v)
	if lacks == 1 || lacks > len(o.path) {
		return lacks == 1
	}
	for _, a := range t.Graph.In(v) {
		if from := t.Graph.Arc(a).From; from != workload.Home && t.State(from) != posted.Done && !o.within[from] {
			return false
		}
	}
	return true
}

// step makes a candidate of v behind another one and goes on from there, if the
// resource can do it and there is time.
func (s *Search) step(t *posted.Task, r *Resource, v, before int32, now unit.Time) {
	took, can := r.Time(t, v)
	if !can {
		return
	}
	s.seen++
	c := reach{vertex: v, before: before, took: took, latest: unit.Forever}
	if before >= 0 {
		b := &s.reached[before]
		c.took += b.took
		c.latest = min(b.latest, r.latest(t, b.vertex, v)-b.took)
	}
	if c.latest < now {
		return
	}
	c.length = c.took + r.sendingBut(t, v, -1)
	c.start = min(c.latest, r.latest(t, v, -1)-c.took)
	s.reached = append(s.reached, c)
	s.path = append(s.path, onstep{reach: int32(len(s.reached) - 1)})
	s.within[v] = true
}

// latest returns when a vertex must be done so that its results are in time, without the deadline
// of the next one of the same thread (-1: it is the last).
func (r *Resource) latest(t *posted.Task, v, next int32) unit.Time {
	needed, labelled := t.DueExcept(v, next)
	if !labelled {
		return unit.Forever
	}
	return needed - r.sendingBut(t, v, next)
}

// sendingBut returns how long the results of v are on the resource's channel: to
// the agents that took or will take its successors, and to the user, but not to next.
func (r *Resource) sendingBut(t *posted.Task, v, next int32) (sum unit.Time) {
	if r.NoChannel {
		return 0
	}
	first, end := t.Graph.Out(v)
	for i := first; i < end; i++ {
		a := t.Graph.Arc(i)
		if a.To == workload.Home || a.To != next && t.State(a.To) != posted.Done {
			sum += r.Worker.CommLatency + duration(int64(a.Bytes), int64(r.Worker.Channel))
		}
	}
	return min(sum, longest)
}

// spelled writes a candidate of the rule Ready out.
func (s *Search) spelled(t *posted.Task, r *Resource, at int32) *Thread {
	f := &s.found
	f.Vertices, f.Length = f.Vertices[:0], s.reached[at].length
	for i := at; i >= 0; i = s.reached[i].before {
		f.Vertices = append(f.Vertices, s.reached[i].vertex)
	}
	slices.Reverse(f.Vertices)
	f.Starts = append(f.Starts[:0], make([]unit.Time, len(f.Vertices))...)
	next, start := int32(-1), unit.Forever
	for d := len(f.Vertices) - 1; d >= 0; d-- {
		v := f.Vertices[d]
		took, _ := r.Time(t, v)
		start = min(start, r.latest(t, v, next)) - took
		f.Starts[d], next = start, v
	}
	f.Due, _ = t.Due(f.Vertices[len(f.Vertices)-1])
	return f
}
