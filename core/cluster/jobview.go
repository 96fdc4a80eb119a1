package cluster

import (
	"parley/core/unit"
	"parley/core/workload"
)

// JobView reads rigid jobs and the processors of nodes.
type JobView struct{ c *Cluster }

// Job is a View's description of a rigid job. Run is known to the world and to
// clairvoyant schedulers, which say that they are.
type Job struct {
	workload.Job
	Key                workload.Key
	State              State // Waiting or Running
	Submitted, Started unit.Time
	Parts              []Part // the processors that it holds; the slice belongs to the cluster
}

// Job returns a job that has not ended.
func (v JobView) Job(id unit.JobID) (Job, bool) {
	slot, ok := v.c.lookupJob(id)
	if !ok {
		return Job{}, false
	}
	j := &v.c.jobs[slot]
	return Job{Job: j.Job, Key: j.key, State: j.state, Submitted: j.submitted, Started: j.started, Parts: j.parts}, true
}

// AliveJobs calls yield for every job that has not ended, by slot, until yield returns
// false. No job may be submitted or end meanwhile.
func (v JobView) AliveJobs(yield func(unit.JobID) bool) {
	for slot := range v.c.jobs {
		if j := &v.c.jobs[slot]; j.state != Free && !yield(unit.NewJobID(uint32(slot), j.use)) {
			return
		}
	}
}

// Processors returns how many processors a node has for jobs, up or down.
func (v JobView) Processors(n unit.NodeID) int32 {
	if int(n) >= len(v.c.nodes.processors) {
		return 0
	}
	return v.c.nodes.processors[n].total
}

// BusyProcessors returns how many of a node's processors jobs hold.
func (v JobView) BusyProcessors(n unit.NodeID) int32 {
	if int(n) >= len(v.c.nodes.processors) {
		return 0
	}
	return v.c.nodes.processors[n].busy
}

// FreeProcessors returns how many of a node's processors no job holds.
func (v JobView) FreeProcessors(n unit.NodeID) int32 { return v.Processors(n) - v.BusyProcessors(n) }

// Jobs calls yield for every job that holds processors of a node, with their number,
// until yield returns false. It takes time in proportion to the running jobs.
func (v JobView) Jobs(n unit.NodeID) func(yield func(unit.JobID, int32) bool) {
	return func(yield func(unit.JobID, int32) bool) {
		for slot := range v.c.jobs {
			j, held := &v.c.jobs[slot], int32(0)
			for _, p := range j.parts {
				if p.Node == n {
					held += p.Processors
				}
			}
			if held > 0 && !yield(unit.NewJobID(uint32(slot), j.use), held) {
				return
			}
		}
	}
}
