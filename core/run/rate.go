package run

import (
	"errors"
	"fmt"

	"parley/core/scenario"
	"parley/core/trace"
	"parley/core/unit"
	"parley/core/workload"
)

// hasten returns a log of rigid jobs whose gaps between arrivals are divided by
// workload.rate, which multiplies its offered load. Run times stay as they are.
func hasten(s *scenario.Scenario, source trace.Source) (trace.Source, error) {
	rate := s.Workload.Rate
	if rate == 0 || rate == 1 {
		return source, nil
	}
	if !isLog(source) {
		return nil, errors.Join(errors.New("workload.rate is about logs of rigid jobs, and the files bring other work: leave it out, or change workload.scale"), source.Close())
	}
	return &hastened{log: log{source}, rate: rate}, nil
}

// hastened is a log whose jobs come rate times as fast.
type hastened struct {
	log
	rate  float64
	moved int64 // jobs that come at another moment than in the log
}

// Next implements workload.Source.
func (h *hastened) Next(r *workload.Record) error {
	err := h.Source.Next(r)
	if err == nil && r.Kind == workload.JobArrives {
		if at := unit.Time(float64(r.At) / h.rate); at != r.At {
			r.At = at
			h.moved++
		}
	}
	return err
}

// Tally implements trace.Source.
func (h *hastened) Tally() trace.Tally {
	t := h.Source.Tally()
	t.Repair("moved", fmt.Sprintf("arrivals moved by workload.rate %v", h.rate), h.moved)
	return t
}

// changedLoad says in sentences how the load of files was changed, if it was.
func changedLoad(w *scenario.Workload, seed uint64) (said []string) {
	said = saidOfJobs(&w.Jobs, seed)
	if w.Rate != 0 && w.Rate != 1 {
		said = append(said, fmt.Sprintf("load changed by the gaps between arrivals: each is divided by %v (workload.rate), run times stay", w.Rate))
	}
	switch {
	case w.Scale > 1:
		said = append(said, fmt.Sprintf("load changed by cloning: a random part of the jobs or tasks comes more than once, %v times as many in all (workload.scale)", w.Scale))
	case w.Scale < 1:
		said = append(said, fmt.Sprintf("load changed by thinning: a random part of the jobs or tasks is left out, %v of them stay (workload.scale)", w.Scale))
	}
	return said
}
