package run

import (
	"errors"
	"fmt"
	"io"

	"parley/core/cluster"
	"parley/core/des"
	"parley/core/unit"
	"parley/core/workload"
)

// feeder turns the workload's records into facts of the cluster at their time.
type feeder struct {
	kernel  *des.Kernel
	cluster *cluster.Cluster
	source  workload.Source
	record  workload.Record
	keys    map[workload.Key]unit.TaskID // tasks that later records may name
	gone    map[unit.NodeID]bool         // machines that the workload took away and has not brought back
	ended   bool
	err     error
}

// batch bounds the records of one kernel event, so that a burst of a hundred
// thousand tasks at one moment still leaves room to draw and cancel.
const batch = 1024

func (f *feeder) start() error {
	f.read()
	if f.err != nil {
		return f.err
	}
	if !f.ended {
		f.kernel.At(f.record.At, f, 0)
	}
	return nil
}

func (f *feeder) read() {
	last := f.record.At
	if err := f.source.Next(&f.record); err != nil {
		f.ended = true
		if !errors.Is(err, io.EOF) {
			f.err = fmt.Errorf("the workload stops after %v: %w", last, err)
		}
	}
}

// Fire implements des.Handler: it applies the records that are due.
func (f *feeder) Fire(now unit.Time, _ uint64) {
	for range batch {
		f.apply(&f.record)
		if f.read(); f.ended {
			return
		}
		if f.record.At > now {
			break
		}
	}
	f.kernel.At(f.record.At, f, 0)
}

func (f *feeder) apply(r *workload.Record) {
	c := f.cluster
	switch r.Kind {
	case workload.NodeJoins:
		delete(f.gone, c.Join(r.Machine, r.Node))
	case workload.NodeLeaves:
		if n, ok := c.Node(r.Machine); ok {
			f.gone[n] = true
			c.Leave(n)
		}
	case workload.NodeChanges:
		if n, ok := c.Node(r.Machine); ok {
			c.Resize(n, r.Node.Capacity)
		}
	case workload.NodeAttribute:
		if n, ok := c.Node(r.Machine); ok {
			c.SetAttribute(n, r.Attribute)
		}
	case workload.TaskArrives:
		id := c.Submit(r.Key, &r.Task)
		if r.Task.Lifetime == 0 {
			f.keys[r.Key] = id
		}
	case workload.LoadArrives:
		c.Arrive(r.Load)
	default:
		f.applyToTask(r)
	}
}

func (f *feeder) applyToTask(r *workload.Record) {
	id, known := f.keys[r.Key]
	if !known {
		return
	}
	c := f.cluster
	switch r.Kind {
	case workload.TaskEnds:
		c.End(id, r.End)
		delete(f.keys, r.Key)
	case workload.TaskChanges:
		c.Change(id, &r.Task)
	case workload.TaskUses:
		c.Measure(id, r.Use)
	case workload.TaskRecorded:
		if n, ok := c.Node(r.Machine); ok {
			c.Record(id, n)
		}
	case workload.TaskReleased:
		c.Record(id, unit.NoNode)
	}
}
