package cluster

import (
	"parley/core/des"
	"parley/core/slab"
	"parley/core/unit"
	"parley/core/workload"
)

// A rigid job takes all of its processors at once and gives them back at once. A node has a number
// of processors, which jobs may hold in any number; a job holds processors of one node or several.
// The CPU of busy processors counts as requested and as used on their node.
//
// A job's estimate is a limit: a job that exceeds it is killed. If a node of a running job goes
// down, the job loses all of its processors and waits again, to run from its beginning. A scheduler
// may also suspend a job, which keeps its progress for a cost. Slow sets the slowdown of a job
// whose processors are far apart.

// Part is the number of processors that a job holds on one node.
type Part struct {
	Node       unit.NodeID
	Processors int32
}

// Emptied returns parts with length 0, to be filled again; nil if its capacity is above 32, so that the memory
// of a wide job is freed.
func Emptied(parts []Part) []Part {
	if cap(parts) > 32 {
		return nil
	}
	return parts[:0]
}

// JobTotals are the sums over all jobs, kept after every event.
type JobTotals struct {
	Submitted             int64
	Waiting, Running      int
	Ended                 [5]int64 // by workload.End
	Placements, Displaced int64
	Processors, Busy      int64 // of nodes that are up; of these held by jobs
}

// alive returns how many submitted jobs have not ended.
func (t *JobTotals) alive() int { return t.Waiting + t.Running }

// job is a rigid job that has not ended.
type job struct {
	workload.Job
	key       workload.Key
	use       uint32
	state     State // Free, Waiting or Running
	submitted unit.Time
	started   unit.Time
	done      unit.Time // progress kept from earlier runs
	cost      unit.Time // that its present run, or its next one, loses first
	pace      int64     // thousandths: how many times as long its present run takes
	ending    des.Ticket
	parts     []Part
}

// processors counts a node's processors for jobs.
type processors struct {
	total, busy int32
	cpu         unit.Share // of the busy processors
}

// SubmitJob adds a job, which waits, and returns its ID. Processors, run time and estimate below 1 become 1.
func (c *Cluster) SubmitJob(key workload.Key, w *workload.Job) unit.JobID {
	slot := slab.Take(&c.freeJobs, &c.jobs)
	j := &c.jobs[slot]
	*j = job{Job: *w, key: key, use: j.use + 1, state: Waiting, submitted: c.clock.Now(), parts: j.parts[:0]}
	j.Processors, j.Run, j.Estimate = max(1, j.Processors), max(1, j.Run), max(1, j.Estimate)
	c.totals.Jobs.Submitted++
	c.totals.Jobs.Waiting++
	id := unit.NewJobID(slot, j.use)
	c.emitJob(JobSubmitted, slot, 0)
	return id
}

// PlaceAll implements Acts. It takes all parts or none. It returns ErrGone if the job has ended, ErrState if it runs,
// and an error of hold if the parts do not suit.
func (c *Cluster) PlaceAll(id unit.JobID, at []Part) error {
	slot, ok := c.lookupJob(id)
	if !ok {
		return ErrGone
	}
	j := &c.jobs[slot]
	if j.state != Waiting {
		return ErrState
	}
	if err := c.hold(j, at); err != nil {
		return err
	}
	j.parts = append(j.parts[:0], at...)
	j.state, j.started, j.pace = Running, c.clock.Now(), 1000
	t := &c.totals.Jobs
	t.Waiting--
	t.Running++
	t.Placements++
	for _, p := range at {
		c.emit(Event{Kind: ProcessorsTaken, Task: unit.TaskID(id), Node: p.Node, Amount: int64(p.Processors)})
	}
	c.emitJob(JobPlaced, slot, 0)
	j.ending = c.clock.At(j.ends(), (*jobEnder)(c), uint64(id))
	return nil
}

// ends returns when the present run ends: j.started plus the cost and the remaining time, at its pace, of the
// shorter of run time and estimate. It rounds up to a microsecond. A slowed job is bounded so that the product
// does not overflow.
func (j *job) ends() unit.Time {
	left := max(0, min(j.Run, j.Estimate)-j.done)
	if j.pace > 1000 {
		left = min(left, unit.Forever/MaxPace) // some thousand years
	}
	return j.started + j.cost + unit.Time(int64(left)/1000*j.pace+(int64(left)%1000*j.pace+999)/1000)
}

// MaxPace is the slowest that Slow makes a job, in thousandths.
const MaxPace = 100_000

// Slow implements Acts. It returns ErrGone if the job has ended, ErrState unless it was placed at this moment, and
// ErrPace for a pace outside 1000 to MaxPace.
func (c *Cluster) Slow(id unit.JobID, pace int64) error {
	slot, ok := c.lookupJob(id)
	if !ok {
		return ErrGone
	}
	j := &c.jobs[slot]
	switch {
	case j.state != Running || j.started != c.clock.Now():
		return ErrState
	case pace < 1000 || pace > MaxPace:
		return ErrPace
	}
	j.pace = pace
	c.clock.Cancel(j.ending)
	j.ending = c.clock.At(j.ends(), (*jobEnder)(c), uint64(id))
	return nil
}

// hold takes the processors of all parts for a job, or none and returns why. Parts may name a node twice. The
// parts must have as many processors as the job in all; j itself is not changed.
func (c *Cluster) hold(j *job, at []Part) error {
	var err error
	sum, done := int64(0), 0
	for _, p := range at {
		switch {
		case !c.known(p.Node) || !c.nodes.state[p.Node].up || c.View().Power(p.Node) != On:
			err = ErrDown
		case p.Processors < 1 || p.Processors > c.View().FreeProcessors(p.Node):
			err = ErrFull
		}
		if err != nil {
			break
		}
		c.occupyProcessors(p.Node, p.Processors)
		sum += int64(p.Processors)
		done++
	}
	if err == nil && sum != int64(j.Processors) {
		err = ErrProcessors
	}
	if err != nil {
		c.releaseProcessors(at[:done])
	}
	return err
}

// releaseProcessors gives processors back.
func (c *Cluster) releaseProcessors(parts []Part) {
	for _, p := range parts {
		c.occupyProcessors(p.Node, -p.Processors)
	}
}

// occupyProcessors makes more processors of node n busy (fewer if it is negative) and corrects the CPU that
// counts as requested and used there; 0 only corrects the CPU.
func (c *Cluster) occupyProcessors(n unit.NodeID, more int32) {
	p := &c.nodes.processors[n]
	p.busy += more
	c.totals.Jobs.Busy += int64(more)
	cpu := unit.Share(0)
	if p.busy > 0 {
		cpu = unit.Share(int64(max(0, c.nodes.capacity[n][unit.CPU])) * int64(p.busy) / int64(p.total))
	}
	delta := cpu - p.cpu
	p.cpu = cpu
	c.nodes.used[n][unit.CPU] += delta
	c.nodes.state[n].requested[unit.CPU] += delta
	c.totals.Used[unit.CPU] += int64(delta)
	c.totals.Requested[unit.CPU] += int64(delta)
}

// PreemptAll implements Acts. The job loses its progress. It returns ErrGone if the job has ended, and ErrState if
// it waits.
func (c *Cluster) PreemptAll(id unit.JobID) error {
	slot, ok := c.lookupJob(id)
	if !ok {
		return ErrGone
	}
	if c.jobs[slot].state != Running {
		return ErrState
	}
	c.displaceJob(slot, 0)
	return nil
}

// Suspended is the Detail of a JobDisplaced whose job keeps its progress.
const Suspended = 1

// SuspendAll implements Acts. The progress is the time since the start without the run's cost, divided by its
// pace, and added to that of earlier runs. It returns ErrGone if the job has ended, and ErrState if it waits.
func (c *Cluster) SuspendAll(id unit.JobID, cost unit.Time) error {
	slot, ok := c.lookupJob(id)
	if !ok {
		return ErrGone
	}
	j := &c.jobs[slot]
	if j.state != Running {
		return ErrState
	}
	ran := max(0, c.clock.Now()-j.started-j.cost)
	done := j.done + ran/unit.Time(j.pace)*1000 + ran%unit.Time(j.pace)*1000/unit.Time(j.pace)
	c.displaceJob(slot, Suspended)
	j.done, j.cost = done, max(0, cost)
	return nil
}

// CancelAll implements Acts. The job may wait or run; ErrGone if it has ended.
func (c *Cluster) CancelAll(id unit.JobID) error {
	slot, ok := c.lookupJob(id)
	if !ok {
		return ErrGone
	}
	c.clock.Cancel(c.jobs[slot].ending)
	c.endJob(slot, workload.Evicted)
	return nil
}

// displaceJob takes a running job off its processors, so that it waits again without progress: SuspendAll sets
// its progress afterwards. detail is that of the event, Suspended or 0.
func (c *Cluster) displaceJob(slot uint32, detail uint8) {
	j := &c.jobs[slot]
	j.done, j.cost = 0, 0
	c.clock.Cancel(j.ending)
	c.releaseProcessors(j.parts)
	j.parts, j.state = j.parts[:0], Waiting
	t := &c.totals.Jobs
	t.Running--
	t.Waiting++
	t.Displaced++
	c.emitJob(JobDisplaced, slot, detail)
}

// EndJob ends a job in any state. A job that has ended is not changed.
func (c *Cluster) EndJob(id unit.JobID, how workload.End) {
	if slot, ok := c.lookupJob(id); ok {
		c.clock.Cancel(c.jobs[slot].ending)
		c.endJob(slot, how)
	}
}

// endJob ends the waiting or running job of a slot and frees the slot. The caller has cancelled j.ending, or is
// its handler.
func (c *Cluster) endJob(slot uint32, how workload.End) {
	j, t := &c.jobs[slot], &c.totals.Jobs
	if j.state == Running {
		c.releaseProcessors(j.parts)
		t.Running--
	} else {
		t.Waiting--
	}
	j.parts, j.state = Emptied(j.parts), Free
	c.freeJobs = append(c.freeJobs, slot)
	t.Ended[how]++
	c.emitJob(JobEnded, slot, uint8(how))
}

// jobEnder ends jobs whose run, or whose limit, is over.
type jobEnder Cluster

// Fire ends the job whose ID is arg: as killed if its run time exceeds its estimate, else as finished.
func (e *jobEnder) Fire(_ unit.Time, arg uint64) {
	c := (*Cluster)(e)
	if slot, ok := c.lookupJob(unit.JobID(arg)); ok {
		how := workload.Finished
		if j := &c.jobs[slot]; j.Run > j.Estimate {
			how = workload.Killed
		}
		c.endJob(slot, how)
	}
}

func (c *Cluster) emitJob(k Kind, slot uint32, detail uint8) {
	j := &c.jobs[slot]
	c.emit(Event{
		Kind: k, Task: unit.TaskID(unit.NewJobID(slot, j.use)), Node: unit.NoNode, Amount: int64(j.Processors),
		Detail: detail,
	})
}

// lookupJob returns the slot of a job, and false if the job has ended.
func (c *Cluster) lookupJob(id unit.JobID) (uint32, bool) {
	s := id.Slot()
	if int(s) >= len(c.jobs) || c.jobs[s].use != id.Use() || c.jobs[s].state == Free {
		return 0, false
	}
	return s, true
}

// dropJobs stops all jobs that hold processors of node n; they wait again, without progress.
func (c *Cluster) dropJobs(n unit.NodeID) {
	if int(n) >= len(c.nodes.processors) || c.nodes.processors[n].busy == 0 {
		return
	}
	for slot := range c.jobs {
		if j := &c.jobs[slot]; j.state == Running && holds(j.parts, n) {
			c.displaceJob(uint32(slot), 0)
		}
	}
}

func holds(parts []Part, n unit.NodeID) bool {
	for _, p := range parts {
		if p.Node == n {
			return true
		}
	}
	return false
}

// setProcessors sets the number of a node's processors, and reports whether it changed; 0 or less changes
// nothing. If more are busy than the node has now, all of its jobs are stopped.
func (c *Cluster) setProcessors(n unit.NodeID, total int32) bool {
	if total <= 0 || int(n) < len(c.nodes.processors) && c.nodes.processors[n].total == total {
		return false
	}
	for len(c.nodes.processors) <= int(n) {
		c.nodes.processors = append(c.nodes.processors, processors{})
	}
	p := &c.nodes.processors[n]
	if p.busy > total {
		c.dropJobs(n)
	}
	if c.nodes.state[n].up {
		c.totals.Jobs.Processors += int64(total - p.total)
	}
	p.total = total
	c.occupyProcessors(n, 0)
	return true
}

// countProcessors adds sign times a node's processors to the totals: 1 when it comes up, -1 when it goes down.
func (c *Cluster) countProcessors(n unit.NodeID, sign int64) {
	if int(n) < len(c.nodes.processors) {
		c.totals.Jobs.Processors += sign * int64(c.nodes.processors[n].total)
	}
}

// reweigh updates the CPU of a node's busy processors after a change of its capacity.
func (c *Cluster) reweigh(n unit.NodeID) {
	if int(n) < len(c.nodes.processors) {
		c.occupyProcessors(n, 0)
	}
}
