package run

import (
	"errors"

	"parley/core/unit"
	"parley/core/workload"
)

// chains are the jobs of a log that come when others have ended.
type chains struct {
	follows bool      // jobs may name others: without it nothing is kept
	held    []heldJob // by slot
	free    []uint64
	slots   map[workload.Key]uint64   // of the jobs that are held
	behind  map[workload.Key][]uint64 // slots, by the job that they wait for
	keys    []workload.Key            // of jobs in the cluster, by their slot there
	ends    []endedJob                // in the order of their time
}

// heldJob is a job that has not come yet.
type heldJob struct {
	key   workload.Key
	job   workload.Job
	think unit.Time
	at    unit.Time // of its record
}

// endedJob is when a job ended.
type endedJob struct {
	key workload.Key
	at  unit.Time
}

// keep holds a job and returns its slot.
func (c *chains) keep(h heldJob) (slot uint64) {
	if c.slots == nil {
		c.slots, c.behind = map[workload.Key]uint64{}, map[workload.Key][]uint64{}
	}
	if n := len(c.free); n > 0 {
		slot, c.free = c.free[n-1], c.free[:n-1]
		c.held[slot] = h
	} else {
		slot, c.held = uint64(len(c.held)), append(c.held, h)
	}
	c.slots[h.key] = slot
	return slot
}

// release returns the job of a slot, which is held no longer.
func (c *chains) release(slot uint64) (workload.Key, workload.Job) {
	h := c.held[slot]
	delete(c.slots, h.key)
	c.free = append(c.free, slot)
	return h.key, h.job
}

// comes submits a job.
func (f *feeder) comes(key workload.Key, job workload.Job) {
	t := f.cluster.View().Totals().Jobs
	id := f.cluster.SubmitJob(key, &job)
	f.jobs.add(key, id, t.Waiting+t.Running+1)
	c := &f.chains
	if !c.follows {
		return
	}
	for int(id.Slot()) >= len(c.keys) {
		c.keys = append(c.keys, workload.Key{})
	}
	c.keys[id.Slot()] = key
}

// holds reports whether a job comes later than its record says, and keeps it until then.
func (f *feeder) holds(r *workload.Record) bool {
	after := r.Job.After
	if after == nil {
		return false
	}
	r.Job.After = nil
	c := &f.chains
	if !c.follows {
		f.err = errors.New("a job of the workload names one that precedes it, and its source does not state that jobs may")
		return true
	}
	h := heldJob{key: r.Key, job: *r.Job, think: after.Think, at: r.At}
	_, held := c.slots[after.Key]
	if _, alive := f.jobs.find(after.Key); alive || held {
		slot := c.keep(h)
		c.behind[after.Key] = append(c.behind[after.Key], slot)
		return true
	}
	for i := len(c.ends) - 1; i >= 0 && c.ends[i].at+after.Think > r.At; i-- {
		if c.ends[i].key == after.Key {
			f.kernel.At(c.ends[i].at+after.Think, f, c.keep(h)+1)
			return true
		}
	}
	return false
}

// jobEnded lets the jobs come that waited for one, each after its user's think time.
func (f *feeder) jobEnded(id unit.JobID, now unit.Time) {
	c := &f.chains
	if int(id.Slot()) >= len(c.keys) {
		return // it came by no record
	}
	key := c.keys[id.Slot()]
	c.ends = append(c.ends, endedJob{key, now})
	for _, slot := range c.behind[key] {
		h := &c.held[slot]
		f.kernel.At(max(h.at, now+h.think), f, slot+1)
	}
	delete(c.behind, key)
}
