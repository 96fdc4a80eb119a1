package yield

import (
	"parley/core/cluster"
	"parley/core/system/yield/solve"
	"parley/core/unit"
)

// sharing lists the hosts whose CPU is to be divided again.
type sharing struct {
	due   bool          // Fire comes
	all   bool          // everything
	nodes []unit.NodeID // otherwise: the hosts coupled with these
	base  float64       // yield that every job got when everything was divided
}

// touch makes sure that the CPU of a node is divided again within the reaction time; unit.NoNode is
// ignored.
func (c *controller) touch(n unit.NodeID) {
	if n == unit.NoNode {
		return
	}
	c.sharing.nodes = append(c.sharing.nodes, n)
	if !c.sharing.due {
		c.sharing.due = true
		c.env.Clock.At(c.env.Clock.Now()+reaction, c, timeToShare)
	}
}

// largestProgram bounds the linear program of an adaptation to some hundredths of a second. Between
// adaptations the rest is allotted greedily.
const largestProgram = 50_000

// allot divides the CPU of hosts anew among the tasks that they have now: of all hosts after an
// adaptation, otherwise of those that were touched and those coupled with them by jobs. base is the
// yield up to which all jobs are raised first; limit bounds the linear program that raises the average.
func (c *controller) allot() {
	s := &c.sharing
	base, even := s.base, !c.settings.RaiseAverage
	var all *census
	limit := 1
	if s.all && c.crowded() {
		all, base = c.coupled(c.everywhere()), 1
	} else if s.all {
		all, base, limit = c.takeCensus(whereItRuns), 1, largestProgram
	} else {
		all = c.coupled(s.nodes)
	}
	s.nodes, s.all = s.nodes[:0], false
	lowest := 1.0
	for i := range all.pools {
		all.pools[i].divide(base, even, limit)
		lowest = min(lowest, all.pools[i].base)
	}
	if base == 1 {
		s.base = lowest
	}
	if !c.crowded() {
		all.level()
	}
	c.grant(all)
}

// level gives a job in several pools the smallest of the shares that they grant: its tasks stay
// equal.
func (all *census) level() {
	if len(all.pools) < 2 {
		return
	}
	lowest := map[*job]unit.Share{}
	for i := range all.pools {
		for _, part := range all.pools[i].parts {
			if share, seen := lowest[part.job]; !seen || part.share < share {
				lowest[part.job] = part.share
			}
		}
	}
	for i := range all.pools {
		for k := range all.pools[i].parts {
			part := &all.pools[i].parts[k]
			part.share = lowest[part.job]
		}
	}
}

// crowded reports whether there are too many tasks to couple them: in a
// recorded cell, jobs of thousands of tasks would couple everything.
func (c *controller) crowded() bool {
	totals := c.env.View.Totals()
	return totals.Alive() > c.settings.SearchTasks
}

func whereItRuns(t *cluster.Task) unit.NodeID { return t.Node }

// grant gives the running tasks their shares: first all that become smaller, then those that become
// larger, so that no host ever gives more than it has.
func (c *controller) grant(all *census) {
	for _, raising := range [2]bool{false, true} {
		for i := range all.pools {
			for _, part := range all.pools[i].parts {
				for _, id := range part.tasks {
					if have, has := c.env.View.Share(id); !has && raising || has && (part.share > have) == raising {
						_ = c.env.Acts.Allot(id, part.share) // it runs and its host has the CPU: see divide
					}
				}
			}
		}
	}
}

// coupled is the census of some nodes and of all that share a job of several tasks with them, directly
// or not. If the cluster is crowded, it has the given nodes alone, and each task as a part of its own.
func (c *controller) coupled(nodes []unit.NodeID) *census {
	v, all := c.env.View, c.emptyCensus()
	var reached []unit.NodeID
	reach := func(n unit.NodeID) {
		if n != unit.NoNode && all.number[n] == 0 {
			if all.host(n, v); all.number[n] > 0 {
				reached = append(reached, n)
			}
		}
	}
	for _, n := range nodes {
		reach(n)
	}
	if c.crowded() {
		c.enterAlone(all, reached)
		return all
	}
	var jobs []*job
	seen := map[*job]bool{}
	for i := 0; i < len(reached); i++ {
		for id := range v.Tasks(reached[i]) {
			j := c.book.job(id)
			if j == nil || seen[j] {
				continue
			}
			jobs, seen[j] = append(jobs, j), true
			if len(j.tasks) == 1 {
				continue
			}
			for _, other := range j.tasks {
				if t, alive := v.Task(other); alive {
					reach(t.Node)
				}
			}
		}
	}
	for _, j := range jobs {
		all.enter(j, c, whereItRuns)
	}
	return all
}

// enterAlone enters the tasks of some nodes, each as a part of its own.
func (c *controller) enterAlone(all *census, nodes []unit.NodeID) {
	for _, n := range nodes {
		p := &all.pools[all.number[n]-1]
		for id := range c.env.View.Tasks(n) {
			if j := c.book.job(id); j != nil {
				p.hold(j, id, int(all.index[n]), pinned, true)
			}
		}
	}
}

// everywhere lists all nodes.
func (c *controller) everywhere() []unit.NodeID {
	nodes := make([]unit.NodeID, c.env.View.Nodes())
	for n := range nodes {
		nodes[n] = unit.NodeID(n)
	}
	return nodes
}

// divide sets the share of each task of the pool's parts, rounded down to whole millionths and at most
// its need, and p.base. Shares are 0 if the solver refuses the pool. base, even and limit are those of
// solve.Allot.
func (p *pool) divide(base float64, even bool, limit int) {
	in, place := solve.Instance{Hosts: len(p.nodes)}, make([][]int, len(p.parts))
	for i, part := range p.parts {
		need := p.need(part.job)
		need.Mem, need.Tasks = min(1, need.Mem), len(part.tasks)
		in.Jobs, place[i] = append(in.Jobs, need), part.home
	}
	plan, err := solve.Allot(in, place, base, even, limit)
	p.base = plan.Searched
	for i, part := range p.parts {
		share := unit.Share(0)
		if err == nil {
			share = whole(plan.CPU[i][0], p.capacity[unit.CPU])
		}
		p.parts[i].share = min(share, part.job.key.need[unit.CPU])
	}
}

// whole turns a fraction of a host's CPU into whole millionths. It rounds down, so that the shares
// of a host sum to at most its capacity, except for the binary error of a fraction such as 0.6.
func whole(fraction float64, capacity unit.Share) unit.Share {
	return unit.Share(float64(fraction*float64(capacity)) + 1e-6)
}
