package feed

import (
	"cmp"
	"errors"
	"fmt"
	"io"

	"parley/core/scenario"
	"parley/core/trace"
	"parley/core/unit"
	"parley/core/workload"
)

// hasten returns a log of rigid jobs whose gaps between arrivals are divided by
// workload.rate, which multiplies its offered load, or by the rate that gives the offered load
// of workload.load. Run times stay as they are. Of a log whose load is set, at most limit jobs are
// held in memory (0: maxHeld).
func hasten(s *scenario.Scenario, source trace.Source, limit int) (trace.Source, error) {
	rate := s.Workload.Rate
	if s.Workload.Load != 0 {
		if !isLog(source) {
			return nil,
				errors.Join(
					errors.New(
						"workload.load is about logs of rigid jobs, and the files bring other work: leave it out, or change workload.scale",
					), source.Close(),
				)
		}
		return &loaded{Source: source, load: s.Workload.Load, limit: cmp.Or(limit, maxHeld)}, nil
	}
	if rate == 0 || rate == 1 {
		return source, nil
	}
	if !isLog(source) {
		return nil,
			errors.Join(
				errors.New(
					"workload.rate is about logs of rigid jobs, and the files bring other work: leave it out, or change workload.scale",
				), source.Close(),
			)
	}
	return &hastened{Source: source, rate: rate}, nil
}

// hastened is a log whose jobs come rate times as fast.
type hastened struct {
	trace.Source
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

// loaded is a log whose jobs come so fast that they ask for a given part of the machine: the
// processor seconds of all jobs / those of the machine from the first arrival to the last.
type loaded struct {
	trace.Source
	load       float64
	limit      int
	processors float64
	jobs       []arrival
	first      unit.Time
	rate       float64 // by which gaps are divided; 0: not known yet
	moved      int64   // jobs that come at another moment than in the log
	job        workload.Job
}

// Next implements workload.Source. At the first job it reads all others, to find the rate that gives the load.
func (l *loaded) Next(r *workload.Record) error {
	if l.rate == 0 {
		if err := l.Source.Next(r); err != nil || r.Kind != workload.JobArrives {
			if err == nil && r.Kind == workload.NodeJoins {
				l.processors += float64(r.Node.Processors)
			}
			return err
		}
		var err error
		if l.jobs, err = drained(l.Source, *r, "workload.load", l.limit); err != nil {
			return err
		}
		work := 0.0
		for i := range l.jobs {
			j := &l.jobs[i].job
			work += float64(min(j.Run, j.Estimate).Seconds() * float64(j.Processors))
		}
		l.first = l.jobs[0].at
		span := (l.jobs[len(l.jobs)-1].at - l.first).Seconds()
		if l.rate = l.load * l.processors * span / work; !(l.rate > 0) || l.rate > 1e9 {
			return errors.New(
				"workload.load: all jobs of the log come at once or none asks for work, so that no rate gives an offered load: leave it out",
			)
		}
	}
	if len(l.jobs) == 0 {
		return io.EOF
	}
	next := &l.jobs[0]
	l.jobs, l.job = l.jobs[1:], next.job
	at := l.first + unit.Time(float64(next.at-l.first)/l.rate)
	if at != next.at {
		l.moved++
	}
	*r = workload.Record{At: at, Kind: workload.JobArrives, Key: next.key, Job: &l.job}
	return nil
}

// Tally implements trace.Source.
func (l *loaded) Tally() trace.Tally {
	t := l.Source.Tally()
	t.Repair("moved",
		fmt.Sprintf("arrivals moved: each gap is divided by %.6g, which gives the offered load %v of workload.load",
			l.rate, l.load), l.moved)
	return t
}

// Tally implements trace.Source.
func (h *hastened) Tally() trace.Tally {
	t := h.Source.Tally()
	t.Repair("moved", fmt.Sprintf("arrivals moved by workload.rate %v", h.rate), h.moved)
	return t
}

// ChangedLoad describes in sentences how the load of files was changed, if it was.
func ChangedLoad(w *scenario.Workload, seed uint64) (stated []string) {
	stated = saidOfJobs(&w.Jobs, seed)
	if w.Rate != 0 && w.Rate != 1 {
		stated = append(stated,
			fmt.Sprintf(
				"load changed by the gaps between arrivals: each is divided by %v (workload.rate), run times stay",
				w.Rate,
			))
	}
	if w.Load != 0 {
		stated = append(stated,
			fmt.Sprintf(
				"load changed by the gaps between arrivals, which are all divided so that the offered load is %v (workload.load), run times stay", w.Load,
			))
	}
	switch {
	case w.Scale > 1:
		stated = append(stated,
			fmt.Sprintf(
				"load changed by cloning: a random part of the jobs or tasks comes more than once, %v times as many in all (workload.scale)", w.Scale,
			))
	case w.Scale < 1:
		stated = append(stated,
			fmt.Sprintf(
				"load changed by thinning: a random part of the jobs or tasks is left out, %v of them stay (workload.scale)", w.Scale,
			))
	}
	return stated
}
