package board

import (
	"parley/core/cluster"
	"parley/core/system"
	"parley/core/unit"
	"parley/core/workload"
)

// Timeline implements system.TimelineSource.
func (d *dispatch) Timeline() ([]system.TimelineEvent, bool) { return d.timeline.Timeline() }

// keep records an event of a graph, a subtask or a resource, if notes are read.
func (d *dispatch) keep(e cluster.Event) {
	if d.env.Note == nil {
		return
	}
	d.timeline.Keep(e, func(id unit.GraphID) (uint32, *workload.Subtasks) {
		t := d.byID[id]
		if t == nil { // it has just been given up
			return 0, nil
		}
		return t.number, t.posted.Graph
	})
}
