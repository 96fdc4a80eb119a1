package solve

import "slices"

// raiseAverage gives every job the yield base, which the placement supports, and
// then hands the CPU that is left out so that the mean yield of the jobs is
// largest, without moving a task and without lowering a job (section 3.5; for
// parallel jobs section 5.2). It returns the yield of each job.
//
// With one task a job the optimum is greedy: on each host the smallest need
// first. A job with tasks on several hosts couples them, so such hosts form a
// group whose optimum is a linear program, of at most limit entries: maximise the sum of the
// increases x of its jobs, 0 <= x <= 1-base, under the CPU left on each host.
func raiseAverage(in Instance, t tasks, host []int32, base float64, limit int) []float64 {
	yields := make([]float64, len(in.Jobs))
	left := make([]float64, t.hosts)
	for h := range left {
		left[h] = 1
	}
	for i, h := range host {
		left[h] -= float64(t.cpu[i] * base)
	}
	for i := range yields {
		yields[i] = base
	}
	if base >= 1 {
		return yields
	}
	for _, g := range groups(in, t, host) {
		var raise []float64
		if g.hosts == 1 {
			raise = raiseOnOneHost(g, 1-base, max(0, left[g.firstHost]))
		} else {
			raise = raiseTogether(g, 1-base, left, limit)
		}
		for k, job := range g.jobs {
			if raise[k] >= 1-base {
				yields[job] = 1
			} else {
				yields[job] = base + raise[k]
			}
		}
	}
	return yields
}

// group is a set of hosts coupled by jobs, with those jobs.
type group struct {
	hosts     int
	firstHost int32
	jobs      []int32
	cost      []float64 // CPU that one unit of yield of the job takes, over all hosts
	demand    []demand  // with several hosts: the same host by host, sorted by job, then host
}

// demand is the CPU on one host that one unit of yield of one job takes.
type demand struct {
	job  int32 // position in group.jobs
	host int32
	cpu  float64
}

// groups returns the groups of hosts that jobs couple, by their lowest host, without those that run no
// job. With one host, demand is empty: cost has all. host is the host of each task, and the tasks of a
// job follow each other in t.
func groups(in Instance, t tasks, host []int32) []group {
	root := coupled(in, t, host)
	slot := make([]int32, t.hosts) // of a root: its group
	var all []group
	for h := range int32(t.hosts) {
		if root(h) == h {
			slot[h] = int32(len(all))
			all = append(all, group{firstHost: h})
		}
		all[slot[root(h)]].hosts++
	}
	count := make([]int, len(all)) // jobs of each group
	first := 0
	for _, j := range in.Jobs {
		count[slot[root(host[first])]]++
		first += j.Tasks
	}
	jobs, cost := make([]int32, len(in.Jobs)), make([]float64, len(in.Jobs))
	for g, n := range count {
		all[g].jobs, jobs = jobs[:0:n], jobs[n:]
		all[g].cost, cost = cost[:0:n], cost[n:]
	}
	first = 0
	for i, j := range in.Jobs {
		g := &all[slot[root(host[first])]]
		if g.hosts > 1 {
			g.couple(j.CPU, host[first:first+j.Tasks])
		}
		g.jobs = append(g.jobs, int32(i))
		g.cost = append(g.cost, float64(j.CPU*float64(j.Tasks)))
		first += j.Tasks
	}
	return slices.DeleteFunc(all, func(g group) bool { return len(g.jobs) == 0 })
}

// coupled joins the hosts of each job (union-find) and returns a function that maps a host to the lowest
// host of its set.
func coupled(in Instance, t tasks, host []int32) func(h int32) int32 {
	parent := make([]int32, t.hosts)
	for h := range parent {
		parent[h] = int32(h)
	}
	root := func(h int32) int32 {
		for parent[h] != h {
			parent[h] = parent[parent[h]]
			h = parent[h]
		}
		return h
	}
	first := 0
	for _, j := range in.Jobs {
		for k := 1; k < j.Tasks; k++ {
			a, b := root(host[first]), root(host[first+k])
			parent[max(a, b)] = min(a, b)
		}
		first += j.Tasks
	}
	return root
}

// couple records the CPU that one unit of yield of the next job takes on each of its hosts.
func (g *group) couple(cpu float64, host []int32) {
	on := slices.Clone(host)
	slices.Sort(on)
	for k, h := range on {
		if k == 0 || on[k-1] != h {
			g.demand = append(g.demand, demand{job: int32(len(g.jobs)), host: h})
		}
		g.demand[len(g.demand)-1].cpu += cpu
	}
}

// cheapest lists positions in g.jobs, least CPU per unit of yield first.
func (g *group) cheapest() []int32 {
	return sorted(len(g.jobs), func(k int32) float64 { return g.cost[k] })
}

// raiseOnOneHost returns the raise of the yield of each of g.jobs, at most limit. left is the CPU that
// the host has left; the job with the least need gets it first, which maximises the sum of the raises.
func raiseOnOneHost(g group, limit, left float64) []float64 {
	raise := make([]float64, len(g.jobs))
	for _, k := range g.cheapest() {
		raise[k] = min(limit, left/g.cost[k])
		left = max(0, left-float64(raise[k]*g.cost[k]))
	}
	return raise
}
