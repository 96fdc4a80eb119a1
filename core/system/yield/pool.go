package yield

import (
	"parley/core/cluster"
	"parley/core/system/yield/solve"
	"parley/core/unit"
)

// pool is hosts of one capacity, which is 1 and 1 to the solver.
type pool struct {
	capacity unit.Vec
	nodes    []unit.NodeID
	parts    []part
	cpu, mem float64 // sums of the parts' needs, in hosts
	base     float64 // yield that every job got, by divide
	accepted []candidate
	plan     solve.Adapted
	tasks    [][]unit.TaskID // by the plan's jobs
	planned  bool            // plan covers the parts and the accepted jobs
	failed   bool            // its hosts cannot be planned
}

// part is the tasks of a job that one pool has.
type part struct {
	job   *job
	tasks []unit.TaskID
	home  []int // index in pool.nodes, or solve.New
	cost  []float64
	share unit.Share // CPU that each task gets, by the latest division
}

// census has the state of every node and every running task.
type census struct {
	pools   []pool
	known   map[unit.Vec]int32 // pools by capacity
	number  []int32            // of a node's pool + 1; 0: it has none
	index   []int32            // of a node in its pool
	waiting []candidate
}

// candidate is the waiting tasks of a job.
type candidate struct {
	job   *job
	tasks []unit.TaskID
	tried []bool // by pool
}

// emptyCensus returns a census without nodes and tasks.
func (c *controller) emptyCensus() *census {
	n := c.env.View.Nodes()
	return &census{number: make([]int32, n), index: make([]int32, n), known: map[unit.Vec]int32{}}
}

// host enters a node that is up, into the pool of its capacity. Pools are in the order of their
// first nodes.
func (all *census) host(n unit.NodeID, v cluster.View) {
	capacity := v.Capacity(n)
	if !v.Up(n) || capacity[unit.CPU] <= 0 || capacity[unit.Memory] <= 0 {
		return
	}
	p, seen := all.known[capacity]
	if !seen {
		p = int32(len(all.pools))
		all.known[capacity] = p
		all.pools = append(all.pools, pool{capacity: capacity})
	}
	all.index[n] = int32(len(all.pools[p].nodes))
	all.pools[p].nodes = append(all.pools[p].nodes, n)
	all.number[n] = p + 1
}

// enter sorts the tasks of a job into pools, by the node that where returns, and those without a node
// among the waiting. Tasks on nodes without a pool, such as those that are down, are left out.
func (all *census) enter(j *job, c *controller, where func(*cluster.Task) unit.NodeID) {
	var waiting []unit.TaskID
	for _, id := range j.tasks {
		t, alive := c.env.View.Task(id)
		if !alive {
			continue
		}
		n := where(&t)
		if n == unit.NoNode {
			waiting = append(waiting, id)
		} else if p := all.number[n]; p > 0 {
			all.pools[p-1].hold(j, id, int(all.index[n]), c.cost(id, &t), false)
		}
	}
	if waiting != nil {
		all.waiting = append(all.waiting, candidate{job: j, tasks: waiting})
	}
}

// takeCensus returns the census of everything but jobs that were refused.
func (c *controller) takeCensus(where func(*cluster.Task) unit.NodeID) *census {
	all := c.emptyCensus()
	for n := range unit.NodeID(c.env.View.Nodes()) {
		all.host(n, c.env.View)
	}
	for j := range c.book.all {
		if !j.refused {
			all.enter(j, c, where)
		}
	}
	return all
}

// hold adds a task to a pool and its need to the sums. host is its index in p.nodes. It belongs to the
// last part if that is of the same job, so tasks of a job must follow each other; alone makes it a part
// of its own.
func (p *pool) hold(j *job, id unit.TaskID, host int, cost float64, alone bool) {
	if n := len(p.parts); n == 0 || alone || p.parts[n-1].job != j {
		p.parts = append(p.parts, part{job: j})
	}
	last := &p.parts[len(p.parts)-1]
	last.tasks, last.home, last.cost = append(last.tasks, id), append(last.home, host), append(last.cost, cost)
	need := p.need(j)
	p.cpu += need.CPU
	p.mem += need.Mem
}

// pinned is the cost of a migration that must not be planned: the task moves
// already, or has constraints that the solver does not know.
const pinned = 100 * maxBudget

// cost returns the cost of migrating a running task, in megabytes of the budget.
func (c *controller) cost(id unit.TaskID, t *cluster.Task) float64 {
	if t.State != cluster.Running || len(t.Constraints) > 0 {
		return pinned
	}
	return max(float64(c.env.View.MigrationCost(id))/float64(unit.MB), 1e-6)
}

// need returns the need of one task of a job on a host of the pool. The solver wants
// positive fractions; a need beyond the host counts as all of it.
func (p *pool) need(j *job) solve.Job {
	fraction := func(r unit.Resource) float64 {
		return max(j.key.need[r], 1).Float() / p.capacity[r].Float()
	}
	return solve.Job{CPU: min(1, fraction(unit.CPU)), Mem: fraction(unit.Memory), Tasks: 1}
}

// problem is the adaptation of a pool with some candidates beside those that were accepted. The
// jobs are the parts, then the candidates; but the waiting tasks of a job that runs are behind its
// running ones.
func (p *pool) problem(budget float64, more []candidate) (solve.Adaptation, [][]unit.TaskID) {
	a := solve.Adaptation{Instance: solve.Instance{Hosts: len(p.nodes)}, Budget: budget, Cost: [][]float64{}}
	var tasks [][]unit.TaskID
	row := map[*job]int{}
	enter := func(j *job, ids []unit.TaskID, home []int, cost []float64) {
		i, seen := row[j]
		if !seen {
			i = len(tasks)
			row[j] = i
			a.Instance.Jobs = append(a.Instance.Jobs, p.need(j))
			a.Instance.Jobs[i].Tasks = 0
			tasks, a.Current, a.Cost = append(tasks, nil), append(a.Current, nil), append(a.Cost, nil)
		}
		a.Instance.Jobs[i].Tasks += len(ids)
		tasks[i] = append(tasks[i], ids...)
		a.Current[i] = append(a.Current[i], home...)
		a.Cost[i] = append(a.Cost[i], cost...)
	}
	for i := range p.parts {
		enter(p.parts[i].job, p.parts[i].tasks, p.parts[i].home, p.parts[i].cost)
	}
	for _, list := range [2][]candidate{p.accepted, more} {
		for _, w := range list {
			home, cost := make([]int, len(w.tasks)), make([]float64, len(w.tasks))
			for k := range w.tasks {
				home[k], cost[k] = solve.New, 1
			}
			enter(w.job, w.tasks, home, cost)
		}
	}
	return a, tasks
}
