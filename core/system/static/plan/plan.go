package plan

import (
	"fmt"
	"strings"

	"parley/core/graph"
)

// Algorithms returns the names that Plan knows, but for "best".
func Algorithms() []string { return []string{"heft", "cpop", "peft", "min-min", "max-min"} }

// Best returns the shortest of the schedules that all algorithms make, and whose
// it is: of equal ones the first of Algorithms.
func (p *Problem) Best() (algorithm string, best *Schedule, err error) {
	for _, name := range Algorithms() {
		s, err := p.Plan(name)
		if err != nil {
			return "", nil, err
		}
		if best == nil || below(s.Makespan, best.Makespan) {
			algorithm, best = name, s
		}
	}
	return algorithm, best, nil
}

// Plan returns the schedule that the algorithm of this name makes. If a paper
// breaks ties at random the lowest vertex and then the lowest processor wins. Ranks and
// finishes are tied if they differ by at most 1e-12 of the larger.
func (p *Problem) Plan(algorithm string) (*Schedule, error) {
	s := p.begin()
	switch algorithm {
	case "heft":
		s.heft()
	case "cpop":
		s.cpop()
	case "peft":
		s.peft()
	case "min-min":
		s.minMin(false)
	case "max-min":
		s.minMin(true)
	default:
		return nil, fmt.Errorf("there is no algorithm %q: choose one of %s", algorithm,
			strings.Join(Algorithms(), ", "))
	}
	return &s.Schedule, nil
}

// state is a schedule under way.
type state struct {
	Schedule
	p         *Problem
	timelines []timeline
	missing   []int32 // results that a vertex still waits for
	sums      arrivals
}

// begin returns an empty schedule: processors are busy until their given times, and each vertex misses
// the results of all its predecessors.
func (p *Problem) begin() *state {
	s := &state{p: p, timelines: make([]timeline, len(p.Processors)), missing: make([]int32, p.Graph.Len())}
	s.Slots = make([]Slot, p.Graph.Len())
	s.sums.begin(len(p.Processors))
	for q, until := range p.busy {
		s.timelines[q].take(0, until)
	}
	for v := range s.missing {
		s.missing[v] = int32(len(p.Graph.In(v)))
	}
	return s
}

// place puts a vertex onto a processor at a start and returns ready with the vertices that became ready
// by it, lowest first. All predecessors of v must be placed.
func (s *state) place(v, q int, start float64, ready []int32) []int32 {
	finish := start + s.p.Time(v, q)
	s.Slots[v] = Slot{Processor: int32(q), Start: start, Finish: finish}
	s.timelines[q].take(start, finish)
	s.Makespan = max(s.Makespan, finish)
	for _, a := range s.p.Graph.Out(v) {
		if s.missing[a.To]--; s.missing[a.To] == 0 {
			ready = append(ready, a.To)
		}
	}
	return ready
}

// insert returns the processor on which a vertex finishes first, and its start there, with insertion
// into gaps. add is a cost by processor that is added to the finish, or nil. Nothing is placed; all
// predecessors of v must be.
func (s *state) insert(v int, add []float64) (best int, start float64) {
	s.sums.of(s, v)
	lowest := 0.0
	for q := range s.timelines {
		took := s.p.Time(v, q)
		at := s.timelines[q].earliest(s.sums.at(q), took)
		value := at + took
		if add != nil {
			value += add[q]
		}
		if q == 0 || below(value, lowest) {
			best, start, lowest = q, at, value
		}
	}
	return best, start
}

// arrivals returns when all results that a vertex needs are on each processor. One
// pass over its arcs is enough: elsewhere than where they were made, results
// arrive at a time that does not depend on where to.
type arrivals struct {
	local  []float64 // the last finish of the needed vertices on each processor
	away   []float64 // the last arrival, elsewhere, of results made on each processor
	made   []int32   // the processors on which needed vertices are
	last   float64   // the latest of away
	lastAt int32     // where that is made; -1 if no result is needed
	second float64   // the latest of the others
}

func (r *arrivals) begin(processors int) {
	r.local, r.away = make([]float64, processors), make([]float64, processors)
}

// of computes the arrivals of the results that v needs, for at. All predecessors of v must be placed.
func (r *arrivals) of(s *state, v int) {
	for _, q := range r.made {
		r.local[q], r.away[q] = 0, 0
	}
	r.made, r.last, r.lastAt, r.second = r.made[:0], 0, -1, 0
	for _, a := range s.p.Graph.In(v) {
		from := s.Slots[a.From]
		q := from.Processor
		if r.local[q] == 0 && r.away[q] == 0 {
			r.made = append(r.made, q)
		}
		r.local[q] = max(r.local[q], from.Finish)
		r.away[q] = max(r.away[q], from.Finish+s.p.Travel(graph.Arc{Bytes: a.Bytes}, int(q), -1))
	}
	for _, q := range r.made {
		switch x := r.away[q]; {
		case q == r.lastAt: // it is listed twice where it made something at time 0
		case x > r.last || r.lastAt < 0:
			r.last, r.lastAt, r.second = x, q, r.last
		default:
			r.second = max(r.second, x)
		}
	}
}

// at returns when all are on processor q.
func (r *arrivals) at(q int) float64 {
	if int32(q) == r.lastAt {
		return max(r.local[q], r.second)
	}
	return max(r.local[q], r.last)
}
