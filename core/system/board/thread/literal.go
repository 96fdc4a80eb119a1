package thread

import (
	"slices"

	"parley/core/heap"
	"parley/core/system/board/posted"
	"parley/core/unit"
	"parley/core/workload"
)

// literal goes through the paths that end where a result is needed, longest first
// and lazily, until one can be finished in time. There can be more paths than
// anybody can look at: after Looks of them it grows a thread back from an end.
func (s *Search) literal(t *posted.Task, r *Resource, now unit.Time) (*Thread, bool) {
	e := newEnumeration(t, r, nil)
	dropped := make([]bool, t.Graph.Len())
	for s.seen < s.looks() {
		path, length, ok := e.next()
		if !ok {
			return nil, false
		}
		s.seen++
		if needed, _ := t.Due(path[len(path)-1]); needed-length >= now {
			return s.written(t, r, path, length), true
		}
		if s.DropVertices {
			for _, v := range path {
				dropped[v] = true
			}
			e = newEnumeration(t, r, dropped)
		}
	}
	return s.backward(t, r, now)
}

// written fills in latest starts: formula (2).
func (s *Search) written(t *posted.Task, r *Resource, path []int32, length unit.Time) *Thread {
	f := &s.found
	last := path[len(path)-1]
	f.Vertices = append(f.Vertices[:0], path...)
	f.Length = length
	f.Due, _ = t.Due(last)
	f.Starts = append(f.Starts[:0], make([]unit.Time, len(path))...)
	at := f.Due - r.Sending(t, last)
	for d := len(path) - 1; d >= 0; d-- {
		took, _ := r.Time(t, path[d])
		at -= took
		f.Starts[d] = at
	}
	return f
}

// backward grows a thread back from each end where a result is needed: before its
// first vertex the longest one that still lets it start in time. It returns the
// longest of these.
func (s *Search) backward(t *posted.Task, r *Resource, now unit.Time) (*Thread, bool) {
	var best []int32
	longest := unit.Time(-1)
	for v := range int32(t.Graph.Len()) {
		needed, labelled := t.Due(v)
		took, can := r.Time(t, v)
		length := took + r.Sending(t, v)
		if t.State(v) != posted.Open || !labelled || !can || needed-length < now {
			continue
		}
		path := []int32{v}
		for {
			next, largest := int32(-1), unit.Time(-1)
			for _, a := range t.Graph.In(path[len(path)-1]) {
				from := t.Graph.Arc(a).From
				if from == workload.Home || t.State(from) != posted.Open {
					continue
				}
				if took, can := r.Time(t, from); can && took > largest && needed-length-took >= now {
					next, largest = from, took
				}
			}
			if next < 0 {
				break
			}
			path = append(path, next)
			length += largest
		}
		if length > longest {
			best, longest = path, length
		}
	}
	if best == nil {
		return nil, false
	}
	slices.Reverse(best)
	return s.written(t, r, best, longest), true
}

// enumeration yields the paths of open vertices that a resource can execute and
// that end where a result is needed, longest first. Each state stands for all
// paths with one beginning that take the vertex's choice number rank, or a worse
// one; the best of them follows the best choices from there on.
type enumeration struct {
	t       *posted.Task
	r       *Resource
	rest    []unit.Time // the longest thread from a vertex; -1 if none
	choices [][]choice  // of a vertex, best first; nil: not sorted yet
	starts  []choice
	heap    *heap.Heap[ranked]
	made    []state
}

// choice is how a path goes on from a vertex: to another, or it ends there.
type choice struct {
	to   int32 // -1: it ends
	rest unit.Time
}

// state is a beginning of paths: those of the state before, then the vertex.
type state struct {
	before int32 // index into made; -1: the vertex is the first
	vertex int32 // -1: the beginning is empty
	rank   int
	done   unit.Time // length of the vertices up to this one
	length unit.Time // of the longest path that it stands for
}

// newEnumeration begins before the longest path; dropped vertices do not count
// (nil: there are none).
func newEnumeration(t *posted.Task, r *Resource, dropped []bool) *enumeration {
	n := t.Graph.Len()
	e := &enumeration{t: t, r: r, rest: make([]unit.Time, n), choices: make([][]choice, n), heap: heap.New(longer)}
	order := t.Graph.Graph().Order()
	for i := n - 1; i >= 0; i-- {
		v := order[i]
		e.rest[v] = -1
		took, can := r.Time(t, v)
		if !can || t.State(v) != posted.Open || dropped != nil && dropped[v] {
			continue
		}
		if best := e.best(v); best.rest >= 0 {
			e.rest[v] = took + best.rest
			e.starts = append(e.starts, choice{v, e.rest[v]})
		}
	}
	slices.SortFunc(e.starts, byRest)
	if len(e.starts) > 0 {
		e.push(state{before: -1, vertex: -1, length: e.starts[0].rest})
	}
	return e
}

// byRest orders choices by falling rest, equal ones by the number of the vertex.
func byRest(a, b choice) int {
	switch {
	case a.rest != b.rest && a.rest > b.rest:
		return -1
	case a.rest != b.rest:
		return 1
	}
	return int(a.to) - int(b.to)
}

// best returns the best choice of a vertex; its rest is -1 if there is none.
func (e *enumeration) best(v int32) choice {
	best := choice{-1, -1}
	if _, labelled := e.t.Due(v); labelled {
		best.rest = e.r.Sending(e.t, v)
	}
	first, end := e.t.Graph.Out(v)
	for a := first; a < end; a++ {
		to := e.t.Graph.Arc(a).To
		if to == workload.Home || e.rest[to] < 0 {
			continue
		}
		if c := (choice{to, e.rest[to]}); byRest(c, best) < 0 {
			best = c
		}
	}
	return best
}

// of returns the choices of a vertex, best first.
func (e *enumeration) of(v int32) []choice {
	if v < 0 {
		return e.starts
	}
	if e.choices[v] != nil {
		return e.choices[v]
	}
	var all []choice
	if _, labelled := e.t.Due(v); labelled {
		all = append(all, choice{-1, e.r.Sending(e.t, v)})
	}
	first, end := e.t.Graph.Out(v)
	for a := first; a < end; a++ {
		if to := e.t.Graph.Arc(a).To; to != workload.Home && e.rest[to] >= 0 {
			all = append(all, choice{to, e.rest[to]})
		}
	}
	slices.SortFunc(all, byRest)
	e.choices[v] = all
	return all
}

func (e *enumeration) push(s state) {
	e.made = append(e.made, s)
	e.heap.Push(ranked{int32(len(e.made) - 1), s.length})
}

// next returns the next longest path, and its length; the path is the caller's.
func (e *enumeration) next() (path []int32, length unit.Time, ok bool) {
	if e.heap.Len() == 0 {
		return nil, 0, false
	}
	index := e.heap.Pop().state
	s := e.made[index]
	for at := index; at >= 0 && e.made[at].vertex >= 0; at = e.made[at].before {
		path = append(path, e.made[at].vertex)
	}
	slices.Reverse(path)
	own := e.of(s.vertex)
	if s.rank+1 < len(own) {
		e.push(state{
			before: s.before, vertex: s.vertex, rank: s.rank + 1, done: s.done,
			length: s.done + own[s.rank+1].rest,
		})
	}
	// the path follows the chosen vertex and then best choices; every worse choice on
	// its way begins a state of its own
	before, done := index, s.done
	for c := own[s.rank]; c.to >= 0; {
		took, _ := e.r.Time(e.t, c.to)
		done += took
		path = append(path, c.to)
		further := e.of(c.to)
		link := state{before: before, vertex: c.to, done: done}
		if len(further) > 1 {
			link.rank, link.length = 1, done+further[1].rest
			e.push(link)
		} else {
			e.made = append(e.made, link)
		}
		before = int32(len(e.made) - 1)
		c = further[0]
	}
	return path, s.length, true
}

// ranked is a state in the heap.
type ranked struct {
	state  int32
	length unit.Time
}

// longer orders the heap: the longest first, of equal ones the one made first.
func longer(a, b ranked) bool {
	return a.length > b.length || a.length == b.length && a.state < b.state
}
