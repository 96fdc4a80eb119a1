package feed

import (
	"errors"
	"fmt"

	"parley/core/scenario"
	"parley/core/trace"
	"parley/core/unit"
	"parley/core/workload"
)

// SliceOf returns which part of a trace of tasks workload.jobs names.
func SliceOf(j *scenario.Jobs) trace.Slice {
	s := trace.Slice{From: unit.Time(j.From), To: unit.Time(j.To), Every: uint64(j.Every)}
	for _, u := range j.Users {
		s.Users = append(s.Users, string(u))
	}
	for _, c := range j.Classes {
		s.Classes = append(s.Classes, map[string]workload.PriorityClass{
			scenario.ClassBatch:      workload.Batch,
			scenario.ClassProduction: workload.Production,
		}[c])
	}
	return s
}

// sliced is the part of a trace of tasks that is played. A reader that knows slices has left out
// the rest already.
type sliced struct {
	trace.Source
	slice  trace.Slice
	judges bool // the reader does not know slices
	kept   map[workload.Key]struct{}
	left   int64
}

// newSliced returns a part of a trace of tasks.
func newSliced(j *scenario.Jobs, source trace.Source) (trace.Source, error) {
	switch {
	case len(j.Queues) > 0:
		return nil,
			errors.New(
				"workload.jobs.queues is about logs of rigid jobs, and the files bring tasks: leave it out, or choose users or classes",
			)
	case j.MinProcessors > 0 || j.MaxProcessors > 0:
		return nil,
			errors.New(
				"workload.jobs.min_processors and max_processors are about logs of rigid jobs, and the files bring tasks: leave them out",
			)
	case j.Independent:
		return nil,
			errors.New("workload.jobs.independent is about logs of rigid jobs, and the files bring tasks: leave it out")
	case j.Resample != "":
		return nil,
			errors.New("workload.jobs.resample is about logs of rigid jobs, and the files bring tasks: leave it out")
	}
	s := &sliced{Source: source, slice: SliceOf(j), kept: map[workload.Key]struct{}{}}
	s.judges = !source.Header().Sliced
	if s.judges && len(s.slice.Users) > 0 {
		return nil,
			errors.New(
				"workload.jobs.users: the reader of this trace does not know users by name: leave it out, and choose a window of time or one of every few jobs",
			)
	}
	return s, nil
}

// Next implements workload.Source: time begins where the slice does.
func (s *sliced) Next(r *workload.Record) error {
	for {
		if err := s.Source.Next(r); err != nil {
			return err
		}
		if s.keeps(r) {
			r.At = max(0, r.At-s.slice.From)
			return nil
		}
	}
}

// keeps reports whether a record is of the slice.
func (s *sliced) keeps(r *workload.Record) bool {
	if !s.judges || r.Kind < workload.TaskArrives {
		return true
	}
	switch _, kept := s.kept[r.Key]; {
	case r.Kind == workload.TaskArrives && s.slice.Holds(r.At, r.Task.Class):
		s.kept[r.Key] = struct{}{}
		return true
	case r.Kind == workload.TaskArrives:
		s.left++
		return false
	case r.Kind == workload.TaskEnds:
		delete(s.kept, r.Key)
		return kept
	default:
		return kept
	}
}

// Tally implements trace.Source.
func (s *sliced) Tally() trace.Tally {
	t := s.Source.Tally()
	leaveOutTasks(&t, "outside_the_slice", "outside the slice (workload.jobs)", s.left)
	return t
}

// Header adds to that of the trace when time begins.
func (s *sliced) Header() workload.Header {
	h := s.Source.Header()
	if from := s.slice.From; from > 0 {
		begins := fmt.Sprintf(
			"time begins at %g s of the trace, where the slice does (workload.jobs.from): what was submitted before is not there", from.Seconds(),
		)
		h.Remarks = append([]string{begins}, h.Remarks...)
	}
	return h
}
