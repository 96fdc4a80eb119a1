package run

import (
	"errors"
	"io"

	"parley/core/unit"
	"parley/core/workload"
)

// TraceEnd reads a recorded workload to its end and returns when its last
// record about a task is, or its last record where none is about a task. The
// machines of the Google trace are known for a month, its tasks often for an
// hour: after that hour nothing more is recorded that a scheduler could do.
func TraceEnd(source workload.Source) (unit.Time, error) {
	var r workload.Record
	var last, lastTask unit.Time
	for {
		if err := source.Next(&r); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return 0, err
		}
		last = r.At
		if r.Kind >= workload.TaskArrives {
			lastTask = r.At
		}
	}
	if lastTask > 0 {
		return lastTask, nil
	}
	return last, nil
}
