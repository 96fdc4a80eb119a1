package system

import (
	"parley/core/cluster"
	"parley/core/unit"
	"parley/core/workload"
)

// GraphTimeline is the TimelineSource of systems of task graphs: a subtask is a piece
// whose group is the number of its graph, counted from 1. The zero value is ready.
type GraphTimeline struct {
	events []TimelineEvent
	cut    bool
}

// keptEvents bounds a timeline: about 10 MB.
const keptEvents = 1 << 18

// Timeline implements TimelineSource.
func (l *GraphTimeline) Timeline() ([]TimelineEvent, bool) { return l.events, !l.cut }

// Keep adds an event of a node, a graph or a subtask; other events are ignored. graph returns the
// number of a graph and its subtasks; 0 and nil if the system does not know it.
func (l *GraphTimeline) Keep(e cluster.Event, graph func(unit.GraphID) (uint32, *workload.Subtasks)) {
	one := TimelineEvent{At: e.At, Kind: e.Kind, Node: e.Node}
	switch e.Kind {
	case cluster.GraphArrived, cluster.SubtaskStarted, cluster.SubtaskFinished, cluster.SubtaskWithdrawn,
		cluster.SubtaskLost:
		number, g := graph(e.Graph())
		one.Group = number
		switch {
		case g == nil:
		case e.Kind == cluster.GraphArrived:
			one.Value = g.Work().Float()
		default:
			one.Value = g.Subtask(e.Subtask()).Work.Float()
		}
	}
	switch e.Kind {
	case cluster.NodeUp, cluster.NodeDown:
		l.add(one, e.Kind)
	case cluster.GraphArrived:
		l.add(one, cluster.LoadArrived)
	case cluster.SubtaskStarted:
		l.add(one, cluster.ChunkSent, cluster.ChunkReceived, cluster.ChunkStarted)
	case cluster.SubtaskFinished:
		l.add(one, cluster.ChunkDone)
	case cluster.SubtaskWithdrawn, cluster.SubtaskLost:
		if e.Detail == cluster.UnderWay {
			l.add(one, cluster.ChunkLost)
		}
	}
}

// Replan begins another plan of a graph at a moment: planned starts after it are void.
func (l *GraphTimeline) Replan(at unit.Time, group uint32) {
	l.add(TimelineEvent{At: at, Node: unit.NoNode, Group: group}, cluster.SubtaskWithdrawn)
}

// Plan adds that a subtask is planned, at a moment, to begin on a node after a number of
// seconds, and how many it is to take: as a pair of events, SubtaskAssigned and SubtaskReady.
func (l *GraphTimeline) Plan(at unit.Time, after, length float64, node unit.NodeID, group uint32) {
	one := TimelineEvent{At: at, Kind: cluster.SubtaskAssigned, Node: node, Group: group, Value: after}
	if l.cut = l.cut || len(l.events)+2 > keptEvents; l.cut {
		return
	}
	l.events = append(l.events, one)
	one.Kind, one.Value = cluster.SubtaskReady, length
	l.events = append(l.events, one)
}

// add keeps one event of each of these kinds.
func (l *GraphTimeline) add(one TimelineEvent, kinds ...cluster.Kind) {
	if l.cut = l.cut || len(l.events)+len(kinds) > keptEvents; l.cut {
		return
	}
	for _, one.Kind = range kinds {
		l.events = append(l.events, one)
	}
}
