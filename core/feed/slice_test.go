package feed

import (
	"errors"
	"io"
	"slices"
	"testing"

	"parley/core/scenario"
	"parley/core/trace"
	"parley/core/unit"
	"parley/core/workload"
)

// arriving is a trace of three tasks, one a minute, whose reader does not know slices.
type arriving struct {
	trace.Source
	of   string
	next uint64
}

func (a *arriving) Header() workload.Header { return workload.Header{Shape: workload.ShapeTasks} }

func (a *arriving) Next(r *workload.Record) error {
	if a.next == 3 {
		return io.EOF
	}
	*r = workload.Record{At: unit.Time(a.next) * unit.Minute, Kind: workload.TaskArrives, Key: workload.Key{Job: a.next}}
	a.next++
	return nil
}

func (a *arriving) Tally() trace.Tally {
	t := trace.NewTally(a.of, nil)
	t.Rows, t.Played = 3, 3
	return t
}

// TestSliceCountsWhatIsLeftOut: where each task is a row of the files, one outside the slice is no row that is played.
// Where tasks have several rows, the tasks are counted beside them.
func TestSliceCountsWhatIsLeftOut(t *testing.T) {
	for of, want := range map[string][]string{
		"pods": {"1 of the 3 pods in the files are played; left out: outside the slice (workload.jobs): 2"},
		"rows": {"decided where the files leave it open: tasks outside the slice (workload.jobs), of which no row is played: 2"},
	} {
		s, err := newSliced(&scenario.Jobs{From: scenario.Duration(2 * unit.Minute)}, &arriving{of: of})
		if err != nil {
			t.Fatal(err)
		}
		var r workload.Record
		played := 0
		for ; err == nil; played++ {
			err = s.Next(&r)
		}
		tally := s.Tally()
		if got := tally.Sentences(); !errors.Is(err, io.EOF) || played-1 != 1 || !slices.Equal(got, want) {
			t.Errorf("%s: %d tasks (%v), %d of %d played, %q, want %q", of, played-1, err, tally.Played, tally.Rows, got, want)
		}
	}
}
