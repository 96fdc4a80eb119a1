package negotiation

import (
	"parley/core/system/negotiation/broker"
	"parley/core/system/negotiation/score"
	"parley/core/system/negotiation/selection"
	"parley/core/unit"
)

// watchers are the part of the node agents that looks at their own nodes: each checks its load once
// a period and, if it is too high, chooses the tasks to move.
type watchers struct {
	*base
	move         score.Scorer
	negotiations *negotiations
	hosts        *hosts
	changed      []bool // by node: capacity, attributes or a task's constraints changed, look for compulsory tasks

	problem selection.Problem // scratch of step 1
	offers  []offer
}

// join makes room for a node's agent.
func (w *watchers) join(n unit.NodeID) {
	for len(w.changed) <= int(n) {
		w.changed = append(w.changed, false)
	}
}

// look lets the agents of a group look at their nodes.
func (w *watchers) look(group uint64) {
	from, to := broker.Group(len(w.changed), group)
	offload := w.settings.Later.Offload > 0
	for n := from; n < to; n++ {
		strained := w.View.Overloaded(n)
		if offload {
			strained = w.strained(n)
		}
		if (strained || w.changed[n]) && w.View.Up(n) {
			w.relieve(n)
		}
	}
}

// strained reports whether an agent wants to shed load: it is overloaded or,
// with proactive offloading, above that share of a resource.
func (w *watchers) strained(n unit.NodeID) bool {
	if w.settings.Later.Offload == 0 {
		return w.View.Overloaded(n)
	}
	return score.Of(w.View.Used(n), w.View.Capacity(n)).Max() > 100*w.settings.Later.Offload
}
