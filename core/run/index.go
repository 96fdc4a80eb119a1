package run

import (
	"maps"

	"parley/core/cluster"
	"parley/core/unit"
	"parley/core/workload"
)

// index maps the workload's keys of jobs or graphs to their ids. Few workloads need it, and some
// have millions of jobs: it is empty until the first lookup.
type index[ID comparable] struct {
	of  work[ID]
	ids map[workload.Key]ID
}

// work is the cluster's state of its jobs, or of its graphs.
type work[ID comparable] interface {
	Each(yield func(workload.Key, ID) bool) // all that have not ended
	Has(ID) bool                            // one has not ended
}

// add takes one in that arrived, given how many have not ended.
func (x *index[ID]) add(key workload.Key, id ID, alive int) {
	if x.ids == nil {
		return
	}
	x.ids[key] = id
	if len(x.ids) > 2*alive+1024 {
		maps.DeleteFunc(x.ids, func(_ workload.Key, id ID) bool { return !x.of.Has(id) })
	}
}

// find returns the one of this name that has not ended.
func (x *index[ID]) find(key workload.Key) (ID, bool) {
	if x.ids == nil {
		x.ids = maps.Collect(x.of.Each)
	}
	id, known := x.ids[key]
	if known && !x.of.Has(id) {
		delete(x.ids, key)
		known = false
	}
	return id, known
}

// jobsOf are a cluster's jobs.
type jobsOf struct{ cluster.View }

func (j jobsOf) Each(yield func(workload.Key, unit.JobID) bool) {
	for id := range j.AliveJobs {
		if job, _ := j.Job(id); !yield(job.Key, id) {
			return
		}
	}
}

func (j jobsOf) Has(id unit.JobID) bool { _, alive := j.Job(id); return alive }

// graphsOf are a cluster's graphs.
type graphsOf struct{ cluster.View }

func (g graphsOf) Each(yield func(workload.Key, unit.GraphID) bool) {
	for id := range g.Graphs {
		if graph, _ := g.Graph(id); !yield(graph.Key, id) {
			return
		}
	}
}

func (g graphsOf) Has(id unit.GraphID) bool { _, alive := g.Graph(id); return alive }
