package negotiation

import (
	"cmp"
	"math/bits"
	"slices"

	"parley/core/cluster"
	"parley/core/unit"
)

// relieve is step 1: the agent of an overloaded node selects the tasks that
// leave and opens a negotiation for each. Compulsory ones, which can no longer
// run here, leave whatever the load.
func (a *balancer) relieve(n unit.NodeID) {
	c := &a.choice
	a.consider(n, c)
	if !a.strained(n) {
		return // it only had compulsory tasks to look for
	}
	free := a.rank()
	a.fill(c, len(a.offers))
	if c.fitness(0, &a.move) > 0 || len(a.offers) == 0 {
		return // those that leave already relieve the node
	}
	a.fill(c, free)
	set := a.selectTasks(c)
	if set == 0 && free < len(a.offers) {
		a.fill(c, len(a.offers))
		set = a.selectTasks(c)
	}
	a.note(noteSelect, n, unit.NoNode, unit.NoTask, 0, float64(len(c.Use)))
	for ; set != 0; set &= set - 1 {
		a.open(a.offers[bits.TrailingZeros64(set)].task, n)
	}
}

// offer is a task that step 1 may choose.
type offer struct {
	task         unit.TaskID
	forced       bool // upon this node: next to nobody else takes it
	use, promise Percent
}

// consider puts the load of a node into c, without what is on its way out, and
// the rest of its tasks on offer.
func (a *balancer) consider(n unit.NodeID, c *Choice) {
	v := a.env.View
	changed := a.nodes[n].changed
	a.nodes[n].changed = false
	c.Top = 100
	if a.settings.Later.Offload > 0 {
		c.Top = 100 * a.settings.Later.Offload
	}
	capacity := v.Capacity(n)
	c.Load, c.Promised = percent(v.Used(n), capacity), percent(v.Promised(n), capacity)
	a.offers = a.offers[:0]
	for id := range v.Tasks(n) {
		t, _ := v.Task(id)
		one := offer{task: id, forced: a.wasForced(id), use: percent(t.Usage, capacity)}
		if t.Class == production {
			one.promise = percent(t.Request, capacity)
		}
		leaving := a.leaving(id, &t)
		if changed && (!v.Suits(id, n) || !t.Usage.Within(capacity)) {
			a.nodes[n].changed = true // look again until it is gone
			if !leaving {
				a.open(id, n)
			}
			leaving = true
		}
		if !leaving {
			a.offers = append(a.offers, one)
			continue
		}
		for r := range one.use {
			c.Load[r] -= one.use[r]
			c.Promised[r] -= one.promise[r]
		}
	}
}

// rank puts the tasks that were forced upon the node behind the others and
// returns how many others there are. Of more than the selection can consider it
// keeps those that use most.
func (a *balancer) rank() (free int) {
	most := maxTasks
	if a.settings.Selection == "exact" {
		most = maxExact
	}
	if len(a.offers) > most {
		slices.SortStableFunc(a.offers, func(x, y offer) int { return cmp.Compare(slices.Max(y.use[:]), slices.Max(x.use[:])) })
	}
	slices.SortStableFunc(a.offers, func(x, y offer) int { return cmp.Compare(flag(x.forced), flag(y.forced)) })
	a.offers = a.offers[:min(most, len(a.offers))]
	for free < len(a.offers) && !a.offers[free].forced {
		free++
	}
	return free
}

// fill gives c the first n tasks on offer.
func (a *balancer) fill(c *Choice, n int) {
	c.Use, c.Promise, c.Cost = c.Use[:0], c.Promise[:0], c.Cost[:0]
	for i := range a.offers[:n] {
		one := &a.offers[i]
		c.Use, c.Promise = append(c.Use, one.use), append(c.Promise, one.promise)
		c.Cost = append(c.Cost, float64(a.env.View.MigrationCost(one.task)))
	}
}

func (a *balancer) selectTasks(c *Choice) uint64 {
	switch a.settings.Selection {
	case "exact":
		return c.Exact(&a.move)
	case "greedy":
		return c.Greedy(&a.move)
	}
	return c.Tabu(&a.move, a.settings.Restarts, a.settings.Depth, a.settings.Patience, a.random)
}

// leaving reports whether a task is on its way out of its node already, or its
// agent negotiates about it.
func (a *balancer) leaving(id unit.TaskID, t *cluster.Task) bool {
	return t.State == cluster.Migrating || a.negotiating(id)
}

// forcedUpon remembers whether a task came to its node by force.
func (a *balancer) forcedUpon(id unit.TaskID, forced bool) {
	for len(a.forced) <= int(id.Slot()) {
		a.forced = append(a.forced, false)
	}
	a.forced[id.Slot()] = forced
}

func (a *balancer) wasForced(id unit.TaskID) bool {
	return int(id.Slot()) < len(a.forced) && a.forced[id.Slot()]
}

func percent(part, whole unit.Vec) (p Percent) {
	for r := range part {
		if whole[r] > 0 {
			p[r] = 100 * float64(part[r]) / float64(whole[r])
		}
	}
	return p
}
