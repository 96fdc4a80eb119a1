package rounds

import (
	"parley/core/cluster"
	"parley/core/system"
	"parley/core/system/rounds/plan"
	"parley/core/unit"
)

// keptEvents bounds the timeline: about 65,000 chunks, 10 MB.
const keptEvents = 1 << 18

// timeline records the run for a Gantt chart.
type timeline struct {
	events []system.TimelineEvent
	round  uint32 // of the chunk that was put on the port last, counted from 1
	cut    bool
}

// keep records an event of a load, a chunk or a worker, if notes are read.
func (m *master) keep(e cluster.Event) {
	c := &m.timeline
	one := system.TimelineEvent{At: e.At, Kind: e.Kind, Node: e.Node}
	switch e.Kind {
	case cluster.ChunkSent:
		one.Group = c.round
		fallthrough
	case cluster.LoadArrived, cluster.ChunkReceived, cluster.ChunkStarted, cluster.ChunkDone, cluster.ChunkLost:
		one.Value = unit.Work(e.Amount).Float()
	case cluster.NodeDown, cluster.NodeUp:
	default:
		return
	}
	switch {
	case m.env.Note == nil:
	case len(c.events) == keptEvents:
		c.cut = true
	default:
		c.events = append(c.events, one)
	}
}

// intend remembers when a plan lets each chunk be computed, if anybody listens: as pairs of
// events, SubtaskAssigned with the seconds until it begins, and SubtaskReady with those it takes.
func (m *master) intend(p plan.Platform, r plan.Result) error {
	if m.env.Note == nil {
		return nil
	}
	var t plan.Timeline
	if _, err := plan.Simulate(p, r.Order, r.Chunks, &t); err != nil {
		return err
	}
	c := &m.timeline
	if len(c.events)+2*len(t.Worker) > keptEvents/2 {
		return nil // the course itself comes first
	}
	now := m.env.Clock.Now()
	for i, worker := range t.Worker {
		one := system.TimelineEvent{
			At: now, Kind: cluster.SubtaskAssigned, Node: m.nodes[worker],
			Group: uint32(t.Round[i]) + 1,
		}
		one.Value = t.ComputeStart[i]
		c.events = append(c.events, one)
		one.Kind, one.Value = cluster.SubtaskReady, t.ComputeEnd[i]-t.ComputeStart[i]
		c.events = append(c.events, one)
	}
	return nil
}

// Timeline implements system.TimelineSource.
func (m *master) Timeline() ([]system.TimelineEvent, bool) { return m.timeline.events, !m.timeline.cut }
