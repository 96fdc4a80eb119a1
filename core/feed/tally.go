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
}

// Tally returns the counts of the rows of files so far: rows that the reader left out or repaired,
// and jobs that workload.scale left out or added. It returns nil if a run plays no files.
func Tally(source workload.Source, scale float64) *trace.Tally {
	s, is := source.(*tallied)
	if !is {
		return nil
	}
	t := s.files.Tally()
	if changed, is := s.Source.(interface{ Changed() (left, added int64) }); is {
		left, added := changed.Changed()
		t.LeaveOut("scaled", fmt.Sprintf("by workload.scale %v", scale), left)
		t.Repair("copied", fmt.Sprintf("copies beside their originals by workload.scale %v", scale), added)
	}
	return &t
}
