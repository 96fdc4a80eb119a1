package feed

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"parley/core/protocol"
	"parley/core/scenario"
	"parley/core/system"
	"parley/core/trace"
	"parley/core/trace/acts"
	"parley/core/workload"
)

// acted is the workload of files beside which recorded acts are given.
type acted struct {
	trace.Source
	acts *protocol.Log
}

// Acts returns the recorded acts.
func (a *acted) Acts() *protocol.Log { return a.acts }

// Header returns that of the work, which is of tasks if it does not state another shape.
func (a *acted) Header() workload.Header {
	h := a.Source.Header()
	h.Shape = cmp.Or(h.Shape, workload.ShapeTasks)
	return h
}

// OnlyActs reports whether files hold nothing but recorded acts.
func OnlyActs(source workload.Source) bool {
	_, only := source.(*acts.Source)
	return only
}

// bringsWork reports whether a file of a scenario is one of a workload.
func bringsWork(f scenario.TraceFile) bool { return !strings.HasPrefix(f.Format, acts.Name+"/") }

// HoldsWork reports whether files that were opened bring work: recorded acts alone do not.
func HoldsWork(source workload.Source) bool { return source != nil && !OnlyActs(source) }

// TakeActs separates recorded acts, which the system receives, from the source of the work. Each of
// them is nil if the files have none.
func TakeActs(e *system.Entry, source workload.Source) (actions, work workload.Source, err error) {
	holder, holds := source.(interface{ Acts() *protocol.Log })
	if !holds {
		return nil, source, nil
	}
	if !e.Replays {
		return nil, nil,
			fmt.Errorf(
				"the files hold recorded acts, which the system %s does not play: leave their file out, or play the scenario that was written with it", e.ID,
			)
	}
	if OnlyActs(source) {
		source = nil
	}
	return heldActs{holder.Acts()}, source, nil
}

// heldActs are recorded acts as a system receives them.
type heldActs struct{ *protocol.Log }

// Acts returns them.
func (h heldActs) Acts() *protocol.Log { return h.Log }

// Next implements workload.Source: there are no records.
func (heldActs) Next(*workload.Record) error { return io.EOF }
