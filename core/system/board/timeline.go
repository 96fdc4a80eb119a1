package board

import (
	"parley/core/cluster"
	"parley/core/system"
)

// Timeline implements system.TimelineSource.
func (d *dispatch) Timeline() ([]system.TimelineEvent, bool) { return d.timeline.Timeline() }

// keep remembers what happened to a graph, a subtask or a resource, while somebody
// listens.
func (d *dispatch) keep(e cluster.Event) {
	if d.env.Note == nil {
		return
	}
	group, work := uint32(0), 0.0
	switch e.Kind {
	case cluster.GraphArrived, cluster.SubtaskStarted, cluster.SubtaskFinished, cluster.SubtaskWithdrawn, cluster.SubtaskLost:
		t := d.byID[e.Graph()]
		if t == nil { // it has just been given up
			break
		}
		group = t.number
		if e.Kind == cluster.GraphArrived {
			work = t.posted.Graph.Work().Float()
		} else {
			work = t.posted.Graph.Subtask(e.Subtask()).Work.Float()
		}
	}
	d.timeline.Keep(e, group, work)
}
