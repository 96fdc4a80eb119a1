package plane

import (
	"slices"

	"parley/core/kube"
	"parley/core/unit"
)

// remove begins to remove those of the given nodes that have not been needed for long enough, and returns
// their number. Each group keeps its least size, and only some removals go on at a time. It notes in Kept
// why the others are kept, and in due when the next is ripe. (core/scaledown/unneeded, RemovableAt;
// core/scaledown/budgets, CropNodes)
func (a *Autoscaler) remove(all []needless) (begun int) {
	var order [3][]needless // empty, safe and risky ones
	for _, x := range all {
		switch {
		case len(x.moves) == 0:
			order[0] = append(order[0], x)
		case !x.risky:
			order[1] = append(order[1], x)
		default:
			order[2] = append(order[2], x)
		}
	}
	now := a.p.kernel.Now()
	for _, x := range slices.Concat(order[:]...) {
		n := &a.p.c.Nodes[x.at]
		long, reason := a.o.Unneeded, "NotUnneededLongEnough"
		if n.Ready != kube.ReadyTrue || a.p.states[x.at].unknown {
			long, reason = UnreadyTime, "NotUnreadyLongEnough"
		}
		keep := func(reason, detail string) { a.Kept = append(a.Kept, Kept{x.at, reason, detail}) }
		group, _ := GroupOf(n)
		// Looks come a little later than every 10 s, so that one after as long finds it longer.
		switch due := a.unneeded[x.at] + long; {
		case due > now:
			a.due = min(a.due, due)
			keep(reason, "for "+After(now-a.unneeded[x.at]))
		case a.groups[group] <= a.o.MinGroupSize:
			keep("NodeGroupMinSizeReached", group)
		case a.open >= parallelRemovals || len(x.moves) > 0 && a.drains >= parallelDrains:
			keep("it waits for other removals", "")
		default:
			a.groups[group]--
			a.begin(x, group)
			begun++
		}
	}
	return begun
}

// begin begins the removal of a node: it cordons it, and a little later drains it, or removes it if it has
// no pods to move. A pod that was placed on an empty node meanwhile lets the removal fail.
// (core/scaledown/actuation/actuator.go)
func (a *Autoscaler) begin(x needless, group string) {
	r := &Removal{
		Node: x.at, Empty: len(x.moves) == 0, Unneeded: a.unneeded[x.at], Started: a.p.kernel.Now(), Ended: -1,
		Moves: x.moves, group: group,
	}
	a.Removals = append(a.Removals, r)
	delete(a.unneeded, x.at)
	a.busy[x.at] = true
	a.open++
	if !r.Empty {
		a.drains++
	}
	a.p.cordon(x.at, true)
	a.p.after(delayAfterTaint, func() {
		switch {
		case !r.Empty:
			a.drain(r)
		case len(a.movers(x.at)) > 0:
			a.end(r, "new pods were scheduled")
		default:
			a.end(r, "")
		}
	})
}

// drain evicts the pods of a node and then ends the removal. It fails if an eviction is still refused after
// longestEviction, or if pods are left headroom after the longest grace.
func (a *Autoscaler) drain(r *Removal) {
	fail := func(reason string) func() {
		return func() {
			if !r.Drain.over {
				r.Drain.giveUp()
				a.end(r, reason)
			}
		}
	}
	d := &Drain{p: a.p, at: r.Node, done: func() { a.p.after(0, func() { a.end(r, "") }) }, maxGrace: maxGrace}
	d.wait = func(int) unit.Time { return retryEviction }
	d.evicted = func() { a.p.after(maxGrace*unit.Second+headroom, fail("pods remaining after timeout")) }
	r.Drain = d
	d.begin()
	if !d.over && d.waits {
		a.p.after(longestEviction, func() {
			if d.waits {
				fail("failed to evict pod within allowed timeout")()
			}
		})
	}
}

// end ends a removal: the node leaves, or, if failed has a reason, it is uncordoned and the next removal
// waits for DelayAfterFailure.
func (a *Autoscaler) end(r *Removal, failed string) {
	r.Ended, r.FailReason = a.p.kernel.Now(), failed
	delete(a.busy, r.Node)
	a.open--
	if !r.Empty {
		a.drains--
	}
	if failed == "" {
		a.p.leave(r.Node)
		return
	}
	a.failed = r.Ended
	a.p.cordon(r.Node, a.p.c.Nodes[r.Node].Unschedulable)
}

// Over reports whether the autoscaler finds nothing more to do. It must be called at the end of each moment:
// Plane.Run does if it is given to it.
func (a *Autoscaler) Over() bool {
	return a.idle && a.open == 0 && (a.More || a.seen == a.p.factCount && a.p.settled())
}
