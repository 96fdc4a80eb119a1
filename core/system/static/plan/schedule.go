package plan

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"parley/core/graph"
)

// Slot is when and where one vertex is done.
type Slot struct {
	Processor int32   `json:"processor"`
	Start     float64 `json:"start_s"`
	Finish    float64 `json:"finish_s"`
}

// Schedule is a slot for each vertex, by its number.
type Schedule struct {
	Slots    []Slot
	Makespan float64 // the last finish
}

// Check checks a schedule against the problem by its definition alone: each vertex takes its time,
// no processor does two at once, and every result has arrived before it is needed. Times may differ
// by the rounding error of sums of this size.
func (p *Problem) Check(s *Schedule) error {
	if len(s.Slots) != p.Graph.Len() {
		return fmt.Errorf("the schedule has %d slots for %d vertices", len(s.Slots), p.Graph.Len())
	}
	slack := float64(1e-9 * (1 + math.Abs(s.Makespan)))
	name := func(v int) string { return p.Graph.Vertex(v).Name }
	byProcessor := make([][]int, len(p.Processors))
	last := 0.0
	for v, at := range s.Slots {
		if at.Processor < 0 || int(at.Processor) >= len(p.Processors) {
			return fmt.Errorf("vertex %q is on processor %d of %d", name(v), at.Processor, len(p.Processors))
		}
		if !(at.Start >= 0) || !(math.Abs(at.Finish-at.Start-p.Time(v, int(at.Processor))) <= slack) {
			return fmt.Errorf("vertex %q takes %v s from %v to %v, but needs %v", name(v), at.Finish-at.Start, at.Start,
				at.Finish, p.Time(v, int(at.Processor)))
		}
		if at.Finish > at.Start { // a subtask without length delays no other
			byProcessor[at.Processor] = append(byProcessor[at.Processor], v)
		}
		last = max(last, at.Finish)
	}
	if math.Abs(last-s.Makespan) > slack {
		return fmt.Errorf("the last vertex finishes at %v, but the makespan is %v", last, s.Makespan)
	}
	for q, own := range byProcessor {
		slices.SortFunc(own, func(a, b int) int {
			return cmp.Or(cmp.Compare(s.Slots[a].Start, s.Slots[b].Start),
				cmp.Compare(s.Slots[a].Finish, s.Slots[b].Finish))
		})
		for i := 1; i < len(own); i++ {
			if before, v := own[i-1], own[i]; s.Slots[v].Start < s.Slots[before].Finish-slack {
				return fmt.Errorf("processor %d begins %q at %v, but does %q until %v", q, name(v), s.Slots[v].Start,
					name(before), s.Slots[before].Finish)
			}
		}
	}
	for v, at := range s.Slots {
		for _, a := range p.Graph.In(v) {
			from := s.Slots[a.From]
			if arrives := from.Finish + p.Travel(a, int(from.Processor), int(at.Processor)); at.Start < arrives-slack {
				return fmt.Errorf("vertex %q begins at %v, but the result of %q arrives at %v", name(v), at.Start,
					name(int(a.From)), arrives)
			}
		}
	}
	return nil
}

// Figures are the figures by which schedules are compared (Topcuoglu et al. 2002, section 5).
type Figures struct {
	// makespan / the critical path with each vertex where it is fastest, nothing travelling; at least 1
	SLR        float64 `json:"slr"`
	Speedup    float64 `json:"speedup"`    // all vertices one after the other on the best single processor / makespan
	Efficiency float64 `json:"efficiency"` // speedup / processors
	BoundS     float64 `json:"bound_s"`    // no schedule is shorter: see Bound
	Travelled  float64 `json:"travelled_bytes"`
	IdlePct    float64 `json:"idle_pct"` // of the processors' time until the makespan
}

// Measure returns the figures of a schedule. Of a graph without work ratios are 1.
func (p *Problem) Measure(s *Schedule) Figures {
	ratio := func(a, b float64) float64 {
		if b > 0 {
			return a / b
		}
		return 1
	}
	_, critical := p.Graph.Critical(p.fastest, func(graph.Arc) float64 { return 0 })
	sequential := math.Inf(1)
	for q := range p.Processors {
		sum := 0.0
		for v := range p.Graph.Len() {
			sum += p.Time(v, q)
		}
		sequential = min(sequential, sum)
	}
	f := Figures{SLR: ratio(s.Makespan, critical), Speedup: ratio(sequential, s.Makespan), BoundS: p.Bound()}
	f.Efficiency = f.Speedup / float64(len(p.Processors))
	busy := 0.0
	for v, at := range s.Slots {
		busy += at.Finish - at.Start
		for _, a := range p.Graph.Out(v) {
			if s.Slots[a.To].Processor != at.Processor {
				f.Travelled += a.Bytes
			}
		}
	}
	if s.Makespan > 0 {
		f.IdlePct = 100 * (1 - busy/(s.Makespan*float64(len(p.Processors))))
	}
	return f
}

// Bound returns a time that no schedule stays below: the critical path with each
// vertex where it is fastest, or all that work shared evenly, whichever is longer.
func (p *Problem) Bound() float64 {
	_, critical := p.Graph.Critical(p.fastest, func(graph.Arc) float64 { return 0 })
	sum, fastest := 0.0, 0.0
	for v := range p.Graph.Len() {
		sum += p.fastest(v)
	}
	if p.costs != nil {
		return max(critical, sum/float64(len(p.Processors)))
	}
	for _, x := range p.Processors {
		fastest += x.Speed
	}
	return max(critical, p.Graph.Work()/fastest)
}
