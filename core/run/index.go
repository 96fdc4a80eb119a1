package run

import (
	"maps"

	"parley/core/cluster"
	"parley/core/unit"
	"parley/core/workload"
)

// index finds what the workload named, of jobs or of graphs. Few workloads ask for
// it, and some bring millions: it is empty until somebody asks.
type index[ID comparable] struct {
	alive func(yield func(workload.Key, ID) bool) // all that have not ended
	is    func(ID) bool                           // one has not ended
	ids   map[workload.Key]ID
}

// add takes one in that arrived, when so many have not ended.
func (x *index[ID]) add(key workload.Key, id ID, alive int) {
	if x.ids == nil {
		return
	}
	x.ids[key] = id
	if len(x.ids) > 2*alive+1024 {
		maps.DeleteFunc(x.ids, func(_ workload.Key, id ID) bool { return !x.is(id) })
	}
}

// find returns the one of this name that has not ended.
func (x *index[ID]) find(key workload.Key) (ID, bool) {
	if x.ids == nil {
		x.ids = maps.Collect(x.alive)
	}
	id, known := x.ids[key]
	if known && !x.is(id) {
		delete(x.ids, key)
		known = false
	}
	return id, known
}

// jobsOf is the index of a cluster's jobs.
func jobsOf(v cluster.View) index[unit.JobID] {
	return index[unit.JobID]{
		alive: func(yield func(workload.Key, unit.JobID) bool) {
			for id := range v.AliveJobs {
				if j, _ := v.Job(id); !yield(j.Key, id) {
					return
				}
			}
		},
		is: func(id unit.JobID) bool { _, alive := v.Job(id); return alive },
	}
}

// graphsOf is the index of a cluster's graphs.
func graphsOf(v cluster.View) index[unit.GraphID] {
	return index[unit.GraphID]{
		alive: func(yield func(workload.Key, unit.GraphID) bool) {
			for id := range v.Graphs {
				if g, _ := v.Graph(id); !yield(g.Key, id) {
					return
				}
			}
		},
		is: func(id unit.GraphID) bool { _, alive := v.Graph(id); return alive },
	}
}
