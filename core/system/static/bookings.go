package static

import (
	"slices"

	"parley/core/unit"
)

// bookings records until when the plans of graphs keep each node busy. A new plan of a graph
// replaces the former one; that of a graph which is done early keeps its nodes until its end,
// because the next plan counted on it.
type bookings [][]booking // by node, in no order

type booking struct {
	graph unit.GraphID
	until float64 // seconds of the run
}

// until returns when the plans on a node are done; 0 if there are none.
func (b bookings) until(n unit.NodeID) float64 {
	last := 0.0
	if int(n) < len(b) {
		for _, one := range b[n] {
			last = max(last, one.until)
		}
	}
	return last
}

// add books a node for a graph until at least a time in seconds of the run.
func (b bookings) add(n unit.NodeID, graph unit.GraphID, until float64) {
	at := slices.IndexFunc(b[n], func(one booking) bool { return one.graph == graph })
	if at < 0 {
		b[n] = append(b[n], booking{graph, until})
		return
	}
	b[n][at].until = max(b[n][at].until, until)
}

// clear forgets all plans on a node.
func (b bookings) clear(n unit.NodeID) {
	if int(n) < len(b) {
		b[n] = b[n][:0]
	}
}

// drop forgets the plan of a graph, and those that were to be done by now.
func (b bookings) drop(graph unit.GraphID, now float64) {
	for n := range b {
		b[n] = slices.DeleteFunc(b[n], func(one booking) bool { return one.graph == graph || one.until <= now })
	}
}
