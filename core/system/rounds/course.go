package rounds

import (
	"parley/core/cluster"
	"parley/core/system"
	"parley/core/unit"
)

// keptMarks bounds the course: about 65,000 chunks, 10 MB.
const keptMarks = 1 << 18

// course is what a Gantt chart needs of the run.
type course struct {
	marks []system.Mark
	round uint32 // of the chunk that was put on the port last, counted from 1
	cut   bool
}

// mark keeps what happened to a load, a chunk or a worker, if anybody listens.
func (m *master) mark(e cluster.Event) {
	c := &m.course
	one := system.Mark{At: e.At, Kind: e.Kind, Node: e.Node}
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
	case len(c.marks) == keptMarks:
		c.cut = true
	default:
		c.marks = append(c.marks, one)
	}
}

// Course implements system.Courser.
func (m *master) Course() ([]system.Mark, bool) { return m.course.marks, !m.course.cut }
