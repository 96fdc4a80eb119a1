package plan

import (
	"cmp"
	"fmt"
	"slices"
)

// Result is a schedule with its figures. Its JSON is the output of `parley plan graph`.
type Result struct {
	Algorithm string  `json:"algorithm"`
	Makespan  float64 `json:"makespan_s"`
	Figures
	Schedule []Row `json:"schedule"` // by start, then processor
}

// Row is a vertex of a schedule.
type Row struct {
	Task string `json:"task"`
	Slot
	Vertex int32 `json:"-"`
}

// Result returns the schedule of an algorithm, or the shortest of all for "best". It is
// checked: one that breaks a rule is an error.
func (p *Problem) Result(algorithm string) (Result, error) {
	var s *Schedule
	var err error
	if algorithm == "best" {
		algorithm, s, err = p.Best()
	} else {
		s, err = p.Plan(algorithm)
	}
	if err != nil {
		return Result{}, err
	}
	if err := p.Check(s); err != nil {
		return Result{}, fmt.Errorf("the schedule of %s breaks a rule, which is a fault of this program: %w", algorithm,
			err)
	}
	r := Result{
		Algorithm: algorithm, Makespan: s.Makespan, Figures: p.Measure(s),
		Schedule: make([]Row, 0, len(s.Slots)),
	}
	for v, slot := range s.Slots {
		r.Schedule = append(r.Schedule, Row{p.Graph.Vertex(v).Name, slot, int32(v)})
	}
	slices.SortStableFunc(r.Schedule, func(a, b Row) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.Processor, b.Processor))
	})
	return r, nil
}
