package run

import (
	"errors"
	"fmt"
	"io"
	"maps"

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
	all     bool                         // keys holds tasks that end by themselves too
	jobs    index[unit.JobID]            // of the jobs that arrived; see index
	graphs  index[unit.GraphID]
	repairs Repairs
	gone    map[unit.NodeID]bool // machines that the workload took away and has not brought back
	chains  chains
	records int64 // read from source so far
	behind  int64 // of them still to be read again, in a restored run
	ended   bool
	err     error
}

// Repairs counts the records of the workload that could not be taken as they are.
type Repairs struct {
	// Ended counts records about tasks, jobs and graphs that had ended by then, or
	// never came, and about machines that never came. They are passed over.
	Ended int64 `json:"records_about_ended"`
	// Elsewhere counts records that the workload's own scheduler put a task on a machine that the cluster does not
	// have: one of a trace without its machines, or left out by cluster.keep. They are passed over.
	Elsewhere int64 `json:"records_of_unknown_machines"`
}

// maxAtOnce limits the records of one kernel event, so that a burst of a hundred
// thousand tasks at one moment still leaves room to draw and cancel.
const maxAtOnce = 1024

// newFeeder returns a feeder whose first record is read and scheduled. follows means that jobs may name
// jobs that precede them: only then the feeder keeps the end of each job. The error is the source's.
func newFeeder(kernel *des.Kernel, c *cluster.Cluster, source workload.Source, follows bool) (*feeder, error) {
	f := &feeder{
		kernel: kernel, cluster: c, source: source, keys: map[workload.Key]unit.TaskID{}, gone: map[unit.NodeID]bool{},
		chains: chains{follows: follows}, jobs: index[unit.JobID]{of: jobsOf{c.View()}},
		graphs: index[unit.GraphID]{of: graphsOf{c.View()}},
	}
	if f.read(); f.err == nil && !f.ended {
		kernel.At(f.record.At, f, 0)
	}
	return f, f.err
}

// read reads the next record into f.record, which replaces the last one. It sets f.ended at the end of the
// source and on an error, and f.err only on an error.
func (f *feeder) read() {
	last := f.record.At
	f.records++
	if err := f.source.Next(&f.record); err != nil {
		f.ended = true
		if !errors.Is(err, io.EOF) {
			f.err = fmt.Errorf("the workload stops after %v: %w", last, err)
		}
	}
}

// Fire implements des.Handler. If held is 0, it applies the records that are due, maxAtOnce at most, and
// schedules itself for the next one; otherwise it submits the held job of slot held-1.
func (f *feeder) Fire(now unit.Time, held uint64) {
	if held > 0 {
		f.comes(f.chains.release(held - 1))
		return
	}
	for range maxAtOnce {
		if f.apply(&f.record); f.err != nil {
			return
		}
		if f.read(); f.ended {
			return
		}
		if f.record.At > now {
			break
		}
	}
	f.kernel.At(f.record.At, f, 0)
}

// apply changes the cluster by one record. A record about a thing that is not there counts as a repair of the
// trace; a graph that the cluster refuses sets f.err. Only tasks that later records may name are indexed.
func (f *feeder) apply(r *workload.Record) {
	c := f.cluster
	switch r.Kind {
	case workload.NodeJoins:
		delete(f.gone, c.Join(r.Machine, r.Node))
	case workload.NodeLeaves:
		if n, ok := f.node(r.Machine); ok {
			f.gone[n] = true
			c.Leave(n)
		}
	case workload.NodeChanges:
		if n, ok := f.node(r.Machine); ok {
			c.Resize(n, r.Node.Capacity)
		}
	case workload.NodeAttribute:
		if n, ok := f.node(r.Machine); ok {
			c.SetAttribute(n, r.Attribute)
		}
	case workload.TaskArrives:
		id := c.Submit(r.Key, &r.Task)
		if f.all || r.Task.Lifetime == 0 {
			f.keys[r.Key] = id
			f.tidy()
		}
	case workload.JobArrives:
		if !f.holds(r) {
			f.comes(r.Key, *r.Job)
		}
	case workload.JobEnds:
		if id, known := f.jobs.find(r.Key); known {
			c.EndJob(id, r.End)
		} else {
			f.repairs.Ended++
		}
	case workload.GraphArrives:
		id, err := c.SubmitGraph(r.Key, r.Graph)
		if err != nil {
			f.err = fmt.Errorf("the workload's graph %d cannot be taken at %v: %w", r.Key.Job, r.At, err)
			return
		}
		f.graphs.add(r.Key, id, c.View().GraphTotals().Open)
	case workload.GraphEnds:
		if id, known := f.graphs.find(r.Key); known {
			c.EndGraph(id, r.End)
		} else {
			f.repairs.Ended++
		}
	case workload.LoadArrives:
		c.Arrive(r.Load)
	default:
		f.applyToTask(r)
	}
}

// node returns the node of a machine, or counts a repair.
func (f *feeder) node(machine uint64) (unit.NodeID, bool) {
	n, ok := f.cluster.Node(machine)
	if !ok {
		f.repairs.Ended++
	}
	return n, ok
}

// task returns the ID of the task with a key, and false if it has ended, which counts as a repair of the
// trace. On the first unknown key it indexes all tasks that are alive: until then, f.keys has only some.
func (f *feeder) task(key workload.Key) (unit.TaskID, bool) {
	v := f.cluster.View()
	id, known := f.keys[key]
	if !known && !f.all {
		f.all = true
		for one := range v.Alive {
			t, _ := v.Task(one)
			f.keys[t.Key] = one
		}
		id, known = f.keys[key]
	}
	if known {
		if _, alive := v.Task(id); alive {
			return id, true
		}
		delete(f.keys, key)
	}
	f.repairs.Ended++
	return id, false
}

// tidy forgets tasks that ended by themselves once they are most of those kept.
func (f *feeder) tidy() {
	v := f.cluster.View()
	totals := v.Totals()
	if !f.all || len(f.keys) < 2*totals.Alive()+1024 {
		return
	}
	maps.DeleteFunc(f.keys, func(_ workload.Key, id unit.TaskID) bool {
		_, alive := v.Task(id)
		return !alive
	})
}

// applyToTask applies a record about a task that arrived earlier. A record of a task that has ended is
// passed over and counts as a repair, and so does one of a recorded machine that does not exist.
func (f *feeder) applyToTask(r *workload.Record) {
	id, known := f.task(r.Key)
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
		} else {
			f.repairs.Elsewhere++
		}
	case workload.TaskReleased:
		c.Record(id, unit.NoNode)
	}
}
