package question

import (
	"slices"

	"parley/core/kube"
	"parley/core/kube/constraint"
	"parley/core/kube/plane"
)

// greedy empties nodes in turn, those with the smallest requests to move first, and skips those that cannot
// be emptied then. It works on copies of the state and the budgets. kept has the reasons of the others.
func (d *drain) greedy() (steps []Step, kept []Kept) {
	order := make([]int, 0, len(d.c.Nodes))
	need, totals := make([]float64, len(d.c.Nodes)), d.totals()
	for at := range d.c.Nodes {
		if d.blocked[at].Reason != "" {
			kept = append(kept, d.blocked[at])
			continue
		}
		order = append(order, at)
		need[at] = d.weight(at, totals)
	}
	slices.SortStableFunc(order, func(x, y int) int {
		switch {
		case need[x] < need[y]:
			return -1
		case need[x] > need[y]:
			return 1
		}
		return x - y
	})
	s, b := d.s.Clone(), d.budgets.Clone()
	for _, at := range order {
		s.Cordon(at, true)
		step, reason := d.empty(s, b, at)
		if reason.Reason != "" {
			s.Cordon(at, d.c.Nodes[at].Unschedulable)
			kept = append(kept, reason)
			continue
		}
		steps = append(steps, step)
	}
	return steps, kept
}

// weight returns the demand that the pods of a node put on the others if it is emptied: over all resources,
// the pods among them, the largest part of the cluster's allocatable amount that they request (0 to 1).
func (d *drain) weight(at int, totals []int64) float64 {
	largest := 0.0
	for r, all := range totals {
		sum := int64(0)
		for _, pod := range d.moving[at] {
			sum += d.c.Pods[pod].Spec.Requests.At(r)
		}
		if all > 0 {
			largest = max(largest, float64(sum)/float64(all))
		}
	}
	return largest
}

// totals returns the allocatable amount of each resource, over all nodes.
func (d *drain) totals() []int64 {
	sums := make([]int64, len(d.c.Resources))
	for i := range d.c.Nodes {
		for r := range sums {
			sums[r] += d.c.Nodes[i].Allocatable.At(r)
		}
	}
	return sums
}

// placed is a pod that was put on another node, or on none, in a step.
type placed struct{ pod, from, to int }

// empty moves the pods of a cordoned node away, which changes s and b, and returns the step. If a pod
// cannot leave, s and b are as before and Kept has the reason, which is "" otherwise. Pods of negative
// priority that make room are placed again at the end; those without a place are Preempted.
func (d *drain) empty(s *constraint.State, b *constraint.Budgets, at int) (Step, Kept) {
	before := b.Clone()
	n := &d.c.Nodes[at]
	step := Step{Node: n.Name, Zone: n.Zone(), Moves: []Move{}, node: at}
	var done []placed
	put := func(pod, to int) {
		done = append(done, placed{pod, s.NodeOf(pod), to})
		s.Unbind(pod)
		if to != kube.Nowhere {
			s.Bind(pod, to)
		}
	}
	back := func(k Kept) (Step, Kept) {
		for _, p := range slices.Backward(done) {
			if s.Unbind(p.pod); p.from != kube.Nowhere {
				s.Bind(p.pod, p.from)
			}
		}
		*b = *before
		k.Node = n.Name
		return Step{}, k
	}
	for _, pod := range slices.Clone(s.PodsOn(at)) {
		p := &d.c.Pods[pod]
		if f := d.fate(pod); f == plane.Ends || f == plane.GonePod {
			step.Daemons++
		}
		// A pod that is bound to its node is evicted all the same, unlike those of DaemonSets.
		if p.NodeBound() && b.Evict(pod) != nil {
			return back(d.keptBy(budgetAllowsNone, pod))
		}
	}
	for _, pod := range d.leaving(s, at) {
		p := &d.c.Pods[pod]
		if plane.LocalData(p) {
			step.DeleteEmptyDir, step.Data = true, append(step.Data, p.Full())
			step.volumes = append(step.volumes, plane.LocalVolumes(p))
		}
		step.grace = max(step.grace, p.Spec.Grace)
		for _, i := range b.Of(pod) {
			if left := b.Allowed(i); step.Budget == "" || left < step.Allowed {
				step.Budget, step.Allowed = d.c.Budgets[i].Namespace+"/"+d.c.Budgets[i].Name, left
			}
		}
		if refused := b.Evict(pod); refused != nil {
			return back(d.keptBy(budgetAllowsNone, pod))
		}
		put(pod, kube.Nowhere)
		if d.fate(pod) == plane.LostPod {
			step.Lost++
			step.LostPods = append(step.LostPods, p.Full())
			continue
		}
		to, v := s.Schedule(pod, d.draw)
		if to == kube.Nowhere {
			var victims []int
			if to, victims = d.preempt(s, pod, v); to == kube.Nowhere {
				return back(Kept{Reason: elsewhere(v), Pod: p.Full()})
			}
			for _, victim := range victims {
				put(victim, kube.Nowhere)
			}
		}
		if platform := d.systems.Foreign(p, &d.c.Nodes[to]); platform != "" {
			return back(Kept{Reason: "a pod would go to a node of another " + platform + " and not start", Pod: p.Full()})
		}
		put(pod, to)
		b.Replaced(pod)
		d.waitFor(&step, p)
		step.Moves = append(step.Moves, Move{Pod: p.Full(), From: n.Name, To: d.c.Nodes[to].Name})
	}
	for _, p := range done { // those that were preempted are tried again
		if p.from == at || s.NodeOf(p.pod) != kube.Nowhere || p.to != kube.Nowhere {
			continue
		}
		to := kube.Nowhere
		if d.fate(p.pod) == plane.Moves {
			to = s.Place(p.pod, d.draw)
		}
		if to == kube.Nowhere {
			step.Preempted = append(step.Preempted, d.c.Pods[p.pod].Full())
			continue
		}
		put(p.pod, to)
		step.Moves = append(step.Moves, Move{
			Pod: d.c.Pods[p.pod].Full(), From: d.c.Nodes[p.from].Name,
			To: d.c.Nodes[to].Name, Reason: "preempted",
		})
	}
	for _, p := range done {
		if on := s.NodeOf(p.pod); on != kube.Nowhere {
			if other, claim := d.once.Elsewhere(s, p.pod, on); other >= 0 {
				return back(Kept{Reason: "a pod would go to another node than one with which it shares a ReadWriteOnce volume (" + claim + ")", Pod: d.c.Pods[p.pod].Full()})
			}
		}
	}
	return step, Kept{}
}

const budgetAllowsNone = "a disruption budget allows no eviction"

// preempt returns the node on which the scheduler preempts pods of negative priority for a pod, and these
// victims; kube.Nowhere if it would preempt another pod, or if preemption does not help. v is the filters'
// verdict on the pod. s is not changed.
func (d *drain) preempt(s *constraint.State, pod int, v *constraint.Verdict) (int, []int) {
	if v.Stop != "" || v.Gated || !d.idle {
		return kube.Nowhere, nil
	}
	to, victims := s.Preempt(pod, v, d.draw(max(1, len(d.c.Nodes))))
	if slices.ContainsFunc(victims, func(i int) bool { return d.c.Pods[i].Spec.Priority >= 0 }) {
		return kube.Nowhere, nil
	}
	return to, victims
}

// elsewhere returns the reason that excludes a pod from most of the nodes that are not cordoned.
func elsewhere(v *constraint.Verdict) string {
	const cordon = "node(s) were unschedulable"
	for _, c := range v.Counts() {
		if c.Reason != cordon {
			return c.Reason
		}
	}
	if reason := v.MainReason(); reason != cordon {
		return reason
	}
	return "no other node is left: all are emptied or cordoned"
}

// leaving returns the pods that must leave a node, the largest first, so that a pod that does not
// fit is found early.
func (d *drain) leaving(s *constraint.State, at int) []int {
	var out []int
	for _, pod := range s.PodsOn(at) {
		if f := d.fate(pod); f == plane.Moves || f == plane.LostPod {
			out = append(out, pod)
		}
	}
	slices.SortFunc(out, func(x, y int) int {
		p, q := d.c.Pods[x].Spec.Requests, d.c.Pods[y].Spec.Requests
		if by := sign(q.At(kube.Memory) - p.At(kube.Memory)); by != 0 {
			return int(by)
		}
		return x - y
	})
	return out
}

// replay plays a plan again with all its nodes cordoned from the beginning, and returns the steps
// that succeed and the nodes that are left.
func (d *drain) replay(plan []Step) (steps []Step, left []Kept) {
	s, b := d.s.Clone(), d.budgets.Clone()
	for _, step := range plan {
		s.Cordon(step.node, true)
	}
	for _, step := range plan {
		again, reason := d.empty(s, b, step.node)
		if reason.Reason == "" {
			steps = append(steps, again)
			continue
		}
		s.Cordon(step.node, d.c.Nodes[step.node].Unschedulable)
		left = append(left, reason)
	}
	return steps, left
}

// maxReplays is how often a plan is played again without the nodes that could not be emptied.
const maxReplays = 12

// calm returns the steps of a plan that can be done with all their nodes cordoned first, so that
// no pod moves twice, and the nodes that are left.
func (d *drain) calm(plan []Step) (steps []Step, left []Kept) {
	for range maxReplays {
		again, failed := d.replay(plan)
		if left = append(left, failed...); len(failed) == 0 {
			return again, left
		}
		plan = again
	}
	return nil, nil
}

// subsets tries all sets of nodes that are larger than known and not above bound, the largest
// first.
func (d *drain) subsets(free []int, bound, known int) []Step {
	for size := min(bound, len(free)); size > known; size-- {
		for set := range 1 << len(free) {
			var plan []Step
			for i, at := range free {
				if set&(1<<i) != 0 {
					plan = append(plan, Step{node: at})
				}
			}
			if len(plan) != size {
				continue
			}
			for range tries {
				if steps, left := d.replay(plan); len(left) == 0 {
					return steps
				}
			}
		}
	}
	return nil
}

// tries is how often a small set of nodes is tried with other draws.
const tries = 4
