package negotiation

import (
	"cmp"
	"math/bits"
	"slices"

	"parley/core/system/negotiation/score"
	"parley/core/system/negotiation/selection"
	"parley/core/unit"
)

// relieve is step 1: the agent of an overloaded node selects the tasks that
// leave and opens a negotiation for each. Compulsory ones, which can no longer
// run here, leave whatever the load.
func (w *watchers) relieve(n unit.NodeID) {
	c := &w.problem
	w.consider(n, c)
	if !w.strained(n) {
		return // it only had compulsory tasks to look for
	}
	free := w.rank()
	w.fill(c, len(w.offers))
	if c.Fitness(0, &w.move) > 0 || len(w.offers) == 0 {
		return // those that leave already relieve the node
	}
	w.fill(c, free)
	set := w.selectTasks(c)
	if set == 0 && free < len(w.offers) {
		w.fill(c, len(w.offers))
		set = w.selectTasks(c)
	}
	w.journal.note(noteSelect, n, unit.NoNode, unit.NoTask, 0, float64(len(c.Use)))
	for ; set != 0; set &= set - 1 {
		w.negotiations.begin(w.offers[bits.TrailingZeros64(set)].task, n)
	}
}

// offer is a task that step 1 may choose.
type offer struct {
	task         unit.TaskID
	forced       bool // upon this node: hardly another node takes it
	use, promise score.Percent
}

// consider puts the load of a node into c, without tasks that are leaving, and the rest of its
// tasks on offer.
func (w *watchers) consider(n unit.NodeID, c *selection.Problem) {
	v := w.View
	changed := w.changed[n]
	w.changed[n] = false
	c.Top = 100
	if w.settings.Later.Offload > 0 {
		c.Top = 100 * w.settings.Later.Offload
	}
	capacity := v.Capacity(n)
	c.Load, c.Production = score.Of(v.Used(n), capacity), score.Of(v.Production(n), capacity)
	w.offers = w.offers[:0]
	for id := range v.Tasks(n) {
		t, _ := v.Task(id)
		one := offer{task: id, forced: w.hosts.wasForced(id), use: score.Need(t.Usage, capacity)}
		if t.Class == production {
			one.promise = score.Need(t.Request, capacity)
		}
		leaving := w.negotiations.leaving(id, &t)
		if changed && (!v.Satisfies(id, n) || !t.Usage.Within(capacity)) {
			w.changed[n] = true // look again until it is gone
			if !leaving {
				w.negotiations.begin(id, n)
			}
			leaving = true
		}
		if !leaving {
			w.offers = append(w.offers, one)
			continue
		}
		for r := range one.use {
			c.Load[r] -= one.use[r]
			c.Production[r] -= one.promise[r]
		}
	}
}

// rank puts the tasks that were forced upon the node behind the others and
// returns how many others there are. Of more than the selection can consider it
// keeps those that use most.
func (w *watchers) rank() (free int) {
	limit := selection.MaxTasks
	if w.settings.Selection == "exact" {
		limit = selection.MaxExact
	}
	if len(w.offers) > limit {
		slices.SortStableFunc(w.offers,
			func(x, y offer) int { return cmp.Compare(slices.Max(y.use[:]), slices.Max(x.use[:])) })
	}
	slices.SortStableFunc(w.offers, func(x, y offer) int { return cmp.Compare(flag(x.forced), flag(y.forced)) })
	w.offers = w.offers[:min(limit, len(w.offers))]
	for free < len(w.offers) && !w.offers[free].forced {
		free++
	}
	return free
}

// fill gives c the first n tasks on offer.
func (w *watchers) fill(c *selection.Problem, n int) {
	c.Use, c.Promise, c.Cost = c.Use[:0], c.Promise[:0], c.Cost[:0]
	for i := range w.offers[:n] {
		one := &w.offers[i]
		c.Use, c.Promise = append(c.Use, one.use), append(c.Promise, one.promise)
		c.Cost = append(c.Cost, float64(w.View.MigrationCost(one.task)))
	}
}

// selectTasks returns the tasks to move, as a set of bits by their position in c, by the algorithm of
// the settings.
func (w *watchers) selectTasks(c *selection.Problem) uint64 {
	switch w.settings.Selection {
	case "exact":
		return c.Exact(&w.move)
	case "greedy":
		return c.Greedy(&w.move)
	}
	return c.Tabu(&w.move, w.settings.Restarts, w.settings.Depth, w.settings.Patience, w.random)
}
