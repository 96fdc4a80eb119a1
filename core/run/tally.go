package run

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
}

// tally returns what became of the rows of the files so far: what their reader left
// out, and then the run. It returns nil if the run plays no files.
func (r *Run) tally() *trace.Tally {
	s, is := r.feed.source.(*tallied)
	if !is {
		return nil
	}
	t := s.files.Tally()
	scale := r.scenario.Workload.Scale
	if changed, is := s.Source.(interface{ Changed() (left, added int64) }); is {
		left, added := changed.Changed()
		t.LeaveOut("scaled", fmt.Sprintf("by workload.scale %v", scale), left)
		t.Repair("copied", fmt.Sprintf("copies beside their originals by workload.scale %v", scale), added)
	}
	if !r.feed.ended && !r.Behind() && r.Now() >= r.until {
		switch r.feed.record.Kind {
		case workload.TaskArrives, workload.JobArrives:
			t.LeaveOut(trace.AfterEnd, "after the end of the run, where the reading of the files ended", 1)
		}
	}
	return &t
}
