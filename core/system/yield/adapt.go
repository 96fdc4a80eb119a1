package yield

import (
	"slices"

	"parley/core/cluster"
	"parley/core/system/yield/solve"
	"parley/core/unit"
)

// adapt plans a new allocation and begins to carry it out. Acts of an earlier plan that have not
// begun are dropped.
func (c *controller) adapt() {
	c.intents = c.intents[:0]
	c.repacks++
	c.unload()
	all := c.takeCensus(home)
	unplanned, displaced, fresh := c.classify(all)
	if unplanned != nil {
		for _, w := range c.placeGreedily(unplanned) {
			c.refuse(w)
		}
		all = c.takeCensus(home) // placing has changed the load of the pools
		_, displaced, fresh = c.classify(all)
	}
	if !c.plansNothing(all) {
		plan := planner{controller: c, census: all, tries: c.settings.Tries}
		plan.enter(displaced, 0)
		for _, w := range plan.enter(fresh, c.settings.FloorYield) {
			c.refuse(w)
		}
		plan.finish()
		c.act()
		c.placeGreedily(plan.postponed)
	}
}

// home is the node that a task is on, or will be.
func home(t *cluster.Task) unit.NodeID {
	if t.State == cluster.Migrating {
		return t.Target
	}
	return t.Node
}

// plansNothing reports whether nothing is planned: the settings say so, or there are too many tasks or hosts.
func (c *controller) plansNothing(all *census) bool {
	return c.settings.Algorithm == Greedy || c.crowded() || len(all.number) > solve.MaxHosts
}

// classify splits the waiting jobs of a census into those that are placed without a plan, because nothing is
// planned or they have constraints, those that lost a host, and new ones. No pool counts as tried for any of them.
func (c *controller) classify(all *census) (unplanned, displaced, fresh []candidate) {
	greedily := c.plansNothing(all)
	for _, w := range all.waiting {
		w.tried = make([]bool, len(all.pools))
		switch {
		case greedily || slices.ContainsFunc(w.tasks, c.env.View.Constrained):
			unplanned = append(unplanned, w)
		case w.job.admitted:
			displaced = append(displaced, w)
		default:
			fresh = append(fresh, w)
		}
	}
	return unplanned, displaced, fresh
}

// refuse drops a new job that cannot start for good, and counts it; with the setting queue it stays
// waiting, and nothing is recorded.
func (c *controller) refuse(w candidate) {
	if c.settings.OnFloor == Queue {
		return
	}
	w.job.refused = true
	c.rejected++
	c.note(noteRefused, w.tasks[0], unit.NoNode, unit.NoNode, float64(len(w.tasks)))
}

// unload preempts tasks of hosts whose memory has become smaller than their requests, until the rest
// fits: tasks that the host owns, the latest first, then those that move to it. They are placed again.
func (c *controller) unload() {
	v := c.env.View
	for n := range unit.NodeID(v.Nodes()) {
		over := func() bool { return v.Up(n) && v.Requested(n)[unit.Memory] > v.Capacity(n)[unit.Memory] }
		if !over() {
			continue
		}
		var tasks []unit.TaskID
		for id := range v.Tasks(n) {
			tasks = append(tasks, id)
		}
		for m := range v.Migrations {
			if m.To == n {
				tasks = append(tasks, m.Task)
			}
		}
		for _, id := range tasks {
			if over() {
				_ = c.env.Acts.Preempt(id) // it runs, or its migration was broken off: then it need not go
			}
		}
	}
}

// planner plans the pools of one adaptation.
type planner struct {
	*controller
	*census
	tries     int         // plans that may still fail
	postponed []candidate // by want of tries
}

// enter lets waiting jobs into pools in which the smallest yield stays at floor; each tries the pool
// with the least expected load per host first, then the others. It returns the jobs that no pool could
// take. Jobs left when no tries remain are in p.postponed.
func (p *planner) enter(waiting []candidate, floor float64) (turned []candidate) {
	for len(waiting) > 0 {
		lists := make([][]candidate, len(p.pools))
		expected := make([]float64, len(p.pools))
		for i := range p.pools {
			expected[i] = p.pools[i].cpu
		}
		for _, w := range waiting {
			best, lowest := -1, 0.0
			for i := range p.pools {
				need := p.pools[i].need(w.job)
				load := (expected[i] + float64(need.CPU*float64(len(w.tasks)))) / float64(len(p.pools[i].nodes))
				if !w.tried[i] && need.Mem <= 1 && (best < 0 || load < lowest) {
					best, lowest = i, load
				}
			}
			if best < 0 {
				turned = append(turned, w)
				continue
			}
			w.tried[best] = true
			expected[best] = float64(lowest * float64(len(p.pools[best].nodes)))
			lists[best] = append(lists[best], w)
		}
		waiting = nil
		for i := range p.pools {
			waiting = append(waiting, p.admit(&p.pools[i], lists[i], floor)...)
		}
	}
	return turned
}

// admit lets as much of list as possible into a pool, in its order, and returns the jobs with which no
// plan was found. It tries the whole list first and, if that is too much, each half beside the jobs
// accepted before. Every failed plan costs a try; without tries, or if the pool cannot be planned at
// all, the jobs are postponed.
func (p *planner) admit(at *pool, list []candidate, floor float64) (turned []candidate) {
	var possible []candidate
	for _, w := range list {
		need, n := at.need(w.job), float64(len(w.tasks))
		hosts := float64(len(at.nodes))
		if at.mem+float64(need.Mem*n) > hosts+solve.Slack || (at.cpu+float64(need.CPU*n))*floor > hosts+solve.Slack {
			turned = append(turned, w)
		} else {
			possible = append(possible, w)
		}
	}
	switch {
	case len(possible) == 0:
		return turned
	case p.tries <= 0 || at.failed:
		p.postponed = append(p.postponed, possible...)
		return turned
	case p.try(at, possible, floor):
		return turned
	}
	p.tries--
	if len(possible) == 1 {
		return append(turned, possible[0])
	}
	half := len(possible) / 2
	turned = append(turned, p.admit(at, possible[:half:half], floor)...)
	return append(turned, p.admit(at, possible[half:], floor)...)
}

// try plans a pool with the candidates more beside its tasks and the accepted ones. It keeps the plan
// and accepts the candidates if the smallest yield reaches floor, and otherwise returns false and leaves
// the pool as it was. The budget of migrations is shared among pools by their hosts.
func (p *planner) try(at *pool, more []candidate, floor float64) bool {
	opt := solve.Default()
	opt.StepLimit = p.settings.StepLimit
	budget := float64(p.settings.BudgetMB*float64(len(at.nodes))) / float64(p.up())
	a, tasks := at.problem(budget, more)
	a.ExactTasks, a.Even = p.settings.ExactTasks, true
	plan, err := solve.Adapt(a, opt)
	if err != nil || !plan.Feasible || plan.MinYield < floor-solve.Slack {
		at.failed = at.failed || err != nil
		return false
	}
	at.plan, at.tasks, at.planned = plan, tasks, true
	at.accepted = append(at.accepted, more...)
	for _, w := range more {
		need, n := at.need(w.job), float64(len(w.tasks))
		at.cpu += float64(need.CPU * n)
		at.mem += float64(need.Mem * n)
	}
	return true
}

// up returns how many hosts the pools have.
func (all *census) up() (n int) {
	for i := range all.pools {
		n += len(all.pools[i].nodes)
	}
	return n
}

// finish plans the pools that got no new job and turns all plans into intents: the starts of waiting
// tasks first, then migrations, both in the order of the jobs.
func (p *planner) finish() {
	var moves []intent
	for i := range p.pools {
		at := &p.pools[i]
		if len(at.parts) > 0 && !at.planned {
			p.try(at, nil, 0)
		}
		if !at.planned {
			continue
		}
		for _, w := range at.accepted {
			w.job.admitted = true
		}
		p.note(noteAdapted, unit.NoTask, unit.NoNode, unit.NoNode, at.plan.MinYield)
		for row, ids := range at.tasks {
			for k, id := range ids {
				t, _ := p.env.View.Task(id)
				switch n := at.nodes[at.plan.Place[row][k]]; {
				case t.State == cluster.Waiting:
					p.intents = append(p.intents, intent{task: id, node: n})
				case t.State == cluster.Running && t.Node != n:
					moves = append(moves, intent{task: id, node: n, from: t.Node, migrates: true})
				}
			}
		}
	}
	p.intents = append(p.intents, moves...)
}
