package run

import (
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

// Acts returns what is played.
func (a *acted) Acts() *protocol.Log { return a.acts }

// Shape returns the kind of work.
func (a *acted) Shape() workload.Shape {
	if shape, stated := workload.ShapeOf(a.Source); stated {
		return shape
	}
	return workload.ShapeTasks
}

// Assumed describes the machine on which the work is played.
func (a *acted) Assumed() string { return workload.Assumed(a.Source) }

// Tally returns what became of the rows that bring work.
func (a *acted) Tally() trace.Tally { return a.Source.Tally() }

// onlyActs reports whether files hold nothing but recorded acts.
func onlyActs(source workload.Source) bool {
	_, only := source.(*acts.Source)
	return only
}

// bringsWork reports whether a file of a scenario is one of a workload.
func bringsWork(f scenario.TraceFile) bool { return !strings.HasPrefix(f.Format, acts.Name+"/") }

// HoldsWork reports whether files that were opened bring work: recorded acts alone do not.
func HoldsWork(source workload.Source) bool { return source != nil && !onlyActs(source) }

// takeActs returns what a system receives of recorded acts, and the source of the work; nil
// if there is none.
func takeActs(e *system.Entry, source workload.Source) (actions, work workload.Source, err error) {
	holder, holds := source.(interface{ Acts() *protocol.Log })
	if !holds {
		return nil, source, nil
	}
	if !e.Replays {
		return nil, nil, fmt.Errorf("the files hold recorded acts, which the system %s does not play: leave their file out, or play the scenario that was written with it", e.ID)
	}
	if onlyActs(source) {
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
