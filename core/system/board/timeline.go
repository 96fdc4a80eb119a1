package board

import (
	"parley/core/cluster"
	"parley/core/system"
)

// timeline is what a Gantt chart shows of subtasks, while somebody listens.
type timeline struct {
	events []system.TimelineEvent
	cut    bool
}

// keptEvents bounds it.
const keptEvents = 1 << 18

// Timeline implements system.TimelineSource: a subtask is a piece, and its group the
// number of its graph.
func (d *dispatch) Timeline() ([]system.TimelineEvent, bool) {
	return d.timeline.events, !d.timeline.cut
}

// keep remembers what happened to a graph, a subtask or a resource.
func (d *dispatch) keep(e cluster.Event) {
	if d.env.Note == nil {
		return
	}
	one := system.TimelineEvent{At: e.At, Kind: e.Kind, Node: e.Node}
	switch e.Kind {
	case cluster.NodeUp, cluster.NodeDown:
		d.timeline.add(one)
		return
	case cluster.GraphArrived, cluster.SubtaskStarted, cluster.SubtaskFinished:
	case cluster.SubtaskWithdrawn, cluster.SubtaskLost:
		if e.Detail != cluster.UnderWay {
			return
		}
	default:
		return
	}
	t := d.byID[e.Graph()]
	if t != nil { // else it has just been given up
		one.Group = t.number
		if e.Kind == cluster.GraphArrived {
			one.Value = t.posted.Graph.Work().Float()
		} else {
			one.Value = t.posted.Graph.Subtask(e.Subtask()).Work.Float()
		}
	}
	switch e.Kind {
	case cluster.GraphArrived:
		d.timeline.add(one, cluster.LoadArrived)
	case cluster.SubtaskStarted:
		d.timeline.add(one, cluster.ChunkSent, cluster.ChunkReceived, cluster.ChunkStarted)
	case cluster.SubtaskFinished:
		d.timeline.add(one, cluster.ChunkDone)
	default:
		d.timeline.add(one, cluster.ChunkLost)
	}
}

// add keeps an event, or one of each of these kinds.
func (l *timeline) add(one system.TimelineEvent, kinds ...cluster.Kind) {
	if l.cut = l.cut || len(l.events)+max(1, len(kinds)) > keptEvents; l.cut {
		return
	}
	if len(kinds) == 0 {
		l.events = append(l.events, one)
	}
	for _, one.Kind = range kinds {
		l.events = append(l.events, one)
	}
}
