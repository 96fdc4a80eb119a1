package feed

import (
	"fmt"

	"parley/core/trace"
	"parley/core/workload"
)

// tallied is the workload of a run that plays files, with the files' reader. It is one
// object, because a restored run replaces its sources as a whole.
type tallied struct {
	workload.Source
	files trace.Source
	late  unplacer // nil if tasks arrive when they were submitted
}

// unplacer is a source whose tasks arrive when they were placed: see workload.WhenScheduled.
type unplacer interface{ Unplaced() int64 }

// leaveOutTasks counts n tasks that are not played; about continues the word "tasks". They are left out if each is
// a row of the files, such as a pod of a dump; of a trace with several rows a task, their rows are not counted.
func leaveOutTasks(t *trace.Tally, rule, about string, n int64) {
	if t.Of == "rows" {
		t.Repair(rule, "tasks "+about+", of which no row is played", n)
	} else {
		t.LeaveOut(rule, about, n)
	}
}

// Tally returns the counts of the rows of files so far: rows that the reader left out or repaired,
// tasks that workload.arrive keeps away, and jobs that workload.scale left out or added. It returns nil if a run
// plays no files.
func Tally(source workload.Source, scale float64) *trace.Tally {
	s, is := source.(*tallied)
	if !is {
		return nil
	}
	t := s.files.Tally()
	if s.late != nil {
		leaveOutTasks(&t, "not_placed", "not placed by the trace's own scheduler (workload.arrive)",
			s.late.Unplaced())
	}
	if changed, is := s.Source.(interface{ Changed() (left, added int64) }); is {
		left, added := changed.Changed()
		t.LeaveOut("scaled", fmt.Sprintf("by workload.scale %v", scale), left)
		t.Repair("copied", fmt.Sprintf("copies beside their originals by workload.scale %v", scale), added)
	}
	return &t
}
