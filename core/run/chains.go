package run

import (
	"errors"
	"slices"

	"parley/core/unit"
	"parley/core/workload"
)

// chains are the jobs of a log that come when others have started or ended.
type chains struct {
	follows bool      // jobs may name others: without it nothing is kept
	held    []heldJob // by slot
	free    []uint64
	slots   map[workload.Key]uint64   // of the jobs that are held
	behind  map[workload.Key][]waits  // by the job that they wait for
	keys    []workload.Key            // of jobs in the cluster, by their slot there
	came    []cameJob                 // more of them, likewise
	ends    ended                     // in the order of their time
	failed  map[workload.Key]bool     // jobs that ended so
	names   map[nameOf][]workload.Key // jobs of a name that have not ended
}

// waits is a job that is held until another one has started or ended.
type waits struct {
	slot  uint64
	kind  workload.PrecedingKind
	think unit.Time
}

// heldJob is a job that has not come yet.
type heldJob struct {
	key   workload.Key
	job   workload.Job
	at    unit.Time // the earliest time at which it comes
	needs int       // preceding jobs that it still waits for
	never bool      // its dependency can no longer be satisfied
}

// endedJob has the end and the first start of a job.
type endedJob struct {
	key       workload.Key
	at, began unit.Time
}

// ended are jobs that ended, in blocks: a log has a million of them.
type ended [][]endedJob

// endedBlock is how many jobs a block has.
const endedBlock = 4096

// add appends a job.
func (e *ended) add(j endedJob) {
	if len(*e) == 0 {
		*e = append(*e, nil) // which grows, for most logs are short
	} else if len((*e)[len(*e)-1]) == endedBlock {
		*e = append(*e, make([]endedJob, 0, endedBlock))
	}
	last := &(*e)[len(*e)-1]
	*last = append(*last, j)
}

// latest yields the jobs, the last one first.
func (e ended) latest(yield func(*endedJob) bool) {
	for b := len(e) - 1; b >= 0; b-- {
		for i := len(e[b]) - 1; i >= 0; i-- {
			if !yield(&e[b][i]) {
				return
			}
		}
	}
}

// cameJob is the kept part of a job that arrived.
type cameJob struct {
	nameOf
	fails, started bool
	began          unit.Time // if it started
}

// nameOf is a name of jobs and their user.
type nameOf struct{ name, user uint32 }

// keep holds a job and returns its slot.
func (c *chains) keep(h heldJob) (slot uint64) {
	if c.slots == nil {
		c.slots, c.behind = map[workload.Key]uint64{}, map[workload.Key][]waits{}
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

// release frees a slot and returns the job in it.
func (c *chains) release(slot uint64) (workload.Key, workload.Job) {
	h := c.held[slot]
	delete(c.slots, h.key)
	c.free = append(c.free, slot)
	return h.key, h.job
}

// comes submits a job to the cluster and, if jobs may name others, records it under its slot there.
func (f *feeder) comes(key workload.Key, job workload.Job) {
	t := f.cluster.View().Totals().Jobs
	id := f.cluster.SubmitJob(key, &job)
	f.jobs.add(key, id, t.Waiting+t.Running+1)
	c := &f.chains
	if !c.follows {
		return
	}
	for int(id.Slot()) >= len(c.keys) {
		c.keys, c.came = append(c.keys, workload.Key{}), append(c.came, cameJob{})
	}
	c.keys[id.Slot()], c.came[id.Slot()] = key, cameJob{nameOf: nameOf{job.Name, job.User}, fails: job.Fails}
}

// holds reports whether the job of a record must not be submitted at the record's time, because jobs that
// precede it have not started or ended or its think time is not over. It keeps such a job until then, or for
// good if its dependency cannot be satisfied. A singleton waits for all open jobs of its name and user. If
// the source did not announce dependencies, holds sets f.err.
func (f *feeder) holds(r *workload.Record) bool {
	c, name := &f.chains, nameOf{r.Job.Name, r.Job.User}
	after := r.Job.After
	if r.Job.Singleton {
		for _, key := range c.names[name] {
			after = append(after[:len(after):len(after)], workload.Preceding{Key: key})
		}
	}
	if c.follows && name.name > 0 {
		if c.names == nil {
			c.names = map[nameOf][]workload.Key{}
		}
		c.names[name] = append(c.names[name], r.Key)
	}
	if len(after) == 0 {
		return false
	}
	r.Job.After = nil
	if !c.follows {
		f.err = errors.New("a job of the workload names one that precedes it, and its source does not state that jobs may")
		return true
	}
	h := heldJob{key: r.Key, job: *r.Job, at: r.At}
	var open []waits
	var keys []workload.Key
	for _, a := range after {
		_, held := c.slots[a.Key]
		id, alive := f.jobs.find(a.Key)
		switch {
		case held || alive && !(a.Kind == workload.AfterStart && c.came[id.Slot()].started):
			open, keys = append(open, waits{kind: a.Kind, think: a.Think}), append(keys, a.Key)
		case alive:
			h.at = max(h.at, c.came[id.Slot()].began+a.Think)
		case c.failed[a.Key] && a.Kind == workload.AfterOK || !c.failed[a.Key] && a.Kind == workload.AfterNotOK:
			h.never = true
		default:
			h.at = max(h.at, c.ended(&a, r.At-a.Think)+a.Think)
		}
	}
	switch h.needs = len(open); {
	case h.never || h.needs > 0:
		slot := c.keep(h)
		for i, w := range open {
			w.slot = slot
			c.behind[keys[i]] = append(c.behind[keys[i]], w)
		}
		return true
	case h.at > r.At:
		f.kernel.At(h.at, f, c.keep(h)+1)
		return true
	}
	return false
}

// ended returns the end of the job that a names, or its first start if a is AfterStart. It returns after if
// the job ended by then or is unknown: the search goes back from the latest end and stops there.
func (c *chains) ended(a *workload.Preceding, after unit.Time) unit.Time {
	for e := range c.ends.latest {
		switch {
		case e.at <= after:
			return after
		case e.key != a.Key:
		case a.Kind == workload.AfterStart:
			return e.began
		default:
			return e.at
		}
	}
	return after
}

// jobStarted records the first start of a job, and releases the jobs that waited only for it.
func (f *feeder) jobStarted(id unit.JobID, now unit.Time) {
	c := &f.chains
	if int(id.Slot()) >= len(c.keys) {
		return // it came by no record
	}
	if j := &c.came[id.Slot()]; !j.started {
		j.started, j.began = true, now
	}
	key := c.keys[id.Slot()]
	if len(c.behind[key]) == 0 {
		return
	}
	rest := c.behind[key][:0]
	for _, w := range c.behind[key] {
		if w.kind == workload.AfterStart {
			f.satisfied(w, now)
		} else {
			rest = append(rest, w)
		}
	}
	c.wait(key, rest)
}

// jobEnded records how a job ended, and releases the jobs that waited only for it, each after its think time.
// A job whose record says that it fails counts as failed even if it ran to its end.
func (f *feeder) jobEnded(id unit.JobID, now unit.Time, how workload.End) {
	c := &f.chains
	if int(id.Slot()) >= len(c.keys) {
		return // it came by no record
	}
	key := c.keys[id.Slot()]
	c.ends.add(endedJob{key, now, c.came[id.Slot()].began})
	if c.came[id.Slot()].fails || how != workload.Finished {
		if c.failed == nil {
			c.failed = map[workload.Key]bool{}
		}
		c.failed[key] = true
	}
	if name := c.came[id.Slot()].nameOf; name.name > 0 {
		c.names[name] = slices.DeleteFunc(c.names[name], func(k workload.Key) bool { return k == key })
		if len(c.names[name]) == 0 {
			delete(c.names, name)
		}
	}
	if len(c.behind) == 0 {
		return
	}
	failed := c.failed[key]
	for _, w := range c.behind[key] {
		if failed && w.kind == workload.AfterOK || !failed && w.kind == workload.AfterNotOK {
			c.held[w.slot].never = true
		}
		f.satisfied(w, now)
	}
	c.wait(key, nil)
}

// wait replaces the list of the jobs that wait for the job with a key; an empty list removes it.
func (c *chains) wait(key workload.Key, rest []waits) {
	if len(rest) == 0 {
		delete(c.behind, key)
	} else {
		c.behind[key] = rest
	}
}

// satisfied counts one dependency of a held job as satisfied at now. After the last, the job is scheduled to
// arrive; one that can never arrive stays held to the end of the run.
func (f *feeder) satisfied(w waits, now unit.Time) {
	h := &f.chains.held[w.slot]
	h.at = max(h.at, now+w.think)
	if h.needs--; h.needs == 0 && !h.never {
		f.kernel.At(h.at, f, w.slot+1)
	}
}

// neverCome returns sentences about jobs that are still held, at most limit of them.
func (c *chains) neverCome(limit int) (names []string) {
	for i := range c.held {
		h := &c.held[i]
		if slot, held := c.slots[h.key]; held && slot == uint64(i) && len(names) < limit {
			names = append(names, "job "+h.key.JobName()+" behind others")
		}
	}
	return names
}
