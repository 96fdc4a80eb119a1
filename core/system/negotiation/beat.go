package negotiation

import "parley/core/unit"

// Agents are not in step: in the course of each report period one group of
// nodes after the other looks at its load, reports it, and starts to negotiate
// where it is overloaded. The reports of a group travel in bulk.
const groups = 60

// ticker drives the groups.
type ticker balancer

// Fire implements des.Handler: group arg is due.
func (h *ticker) Fire(now unit.Time, arg uint64) {
	a := (*balancer)(h)
	from, to := a.group(arg)
	v, offload := a.env.View, a.settings.Later.Offload > 0
	for n := from; n < to; n++ {
		strained := v.Overloaded(n)
		if offload {
			strained = a.strained(n)
		}
		if (strained || a.nodes[n].changed) && v.Up(n) {
			a.relieve(n)
		}
	}
	if from < to {
		a.sendReports(now, arg)
	}
	if arg == 0 {
		a.retryParked()
	}
	a.env.Clock.At(now+a.settings.Report/groups, h, (arg+1)%groups)
}

// group returns the nodes of a group, [from, to).
func (a *balancer) group(g uint64) (from, to unit.NodeID) {
	return groupOf(len(a.nodes), g)
}
