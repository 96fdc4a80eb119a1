package question

import (
	"fmt"
	"slices"
	"strings"

	"parley/core/kube"
	"parley/core/kube/constraint"
	"parley/core/kube/plane"
)

// bound returns a number of nodes that no plan exceeds. A node counts only if there is no static
// reason against it: each of its pods has another node whose selector, taints, volumes and size take
// it, and no budget that never allows an eviction covers one. bound counts as many of these nodes as
// leave enough room on all other nodes for their pods; pods may be split.
func (d *drain) bound() int {
	d.never = plane.NeverAllow(d.c, d.budgets)
	var free []int
	for at := range d.blocked {
		if (d.blocked[at].Reason == "" || !d.blocked[at].Always) && d.mayLeave(at) {
			free = append(free, at)
		}
	}
	limit := min(len(free), d.most(free))
	if limit == len(d.c.Nodes) && d.anyMoves() {
		limit-- // somewhere its pods must be
	}
	return limit
}

// anyMoves reports whether a pod of any node needs another node, so that at least one node must stay.
func (d *drain) anyMoves() bool {
	for at := range d.moving {
		for _, pod := range d.moving[at] {
			if d.fate(pod) == plane.Moves {
				return true
			}
		}
	}
	return false
}

// mayLeave reports whether each pod of a node could be elsewhere if it were alone there.
func (d *drain) mayLeave(at int) bool {
	for _, pod := range d.moving[at] {
		for _, b := range d.budgets.Of(pod) {
			if p := &d.c.Pods[pod]; d.never[b] && p.Phase != kube.PhasePending && !p.Terminating() {
				return false
			}
		}
		if unknown := d.foreign(pod) || d.c.Pods[pod].Spec.ResourceClaims > 0; d.fate(pod) == plane.Moves && !unknown &&
			!d.hasPlace(pod, at) {
			return false
		}
	}
	return true
}

// hasPlace reports whether a node other than from could take a pod if no other pod moved there or was in
// its way. The pod must be on from, and is so afterwards. Pods that are alike share the node that was found
// for one of them.
func (d *drain) hasPlace(pod, from int) bool {
	like := d.alike(pod)
	if at, known := d.places[like]; known && at != from {
		return true
	}
	d.s.Unbind(pod)
	defer d.s.Bind(pod, from)
	for at := range d.c.Nodes {
		if at != from && !Lasting(d.s.Reason(pod, at)) && d.large(pod, at) {
			d.places[like] = at
			return true
		}
	}
	return false
}

// Lasting reports whether a reason against a pod on a node does not depend on where other pods are, so that
// it holds in every plan; false for nil, no reason.
func Lasting(r *constraint.Reason) bool {
	if r == nil || !r.Final {
		return false
	}
	switch r.Plugin {
	case constraint.NodeUnschedulable, constraint.TaintToleration, constraint.NodeAffinity, constraint.VolumeZone:
		return true
	case constraint.VolumeBinding:
		return len(r.Texts) == 1 && r.Texts[0] == "node(s) didn't match PersistentVolume's node affinity"
	case constraint.PodTopologySpread:
		return true // of a missing label
	}
	return false
}

// large reports whether a node has room for a pod's requests beside the pods that never leave it.
func (d *drain) large(pod, at int) bool {
	for r := range d.c.Resources {
		want := d.c.Pods[pod].Spec.Requests.At(r)
		if want > 0 && want > d.c.Nodes[at].Allocatable.At(r)-d.fixed(at, r) {
			return false
		}
	}
	return true
}

// fixed returns the requests of the pods that stay on a node until it is removed.
func (d *drain) fixed(at, r int) (sum int64) {
	sum = d.s.Requested(at).At(r)
	for _, pod := range d.moving[at] {
		sum -= d.c.Pods[pod].Spec.Requests.At(r)
	}
	return sum
}

// takes returns the amount of a resource that a node can take, with the requests of pods of negative
// priority if others may preempt them.
func (d *drain) takes(at, r int) int64 {
	sum := d.s.Free(at, r)
	for _, pod := range d.moving[at] {
		if d.yields(pod) {
			sum += d.c.Pods[pod].Spec.Requests.At(r)
		}
	}
	return max(0, sum)
}

// yields reports whether a pod makes room for others and may stay pending.
func (d *drain) yields(pod int) bool { return d.idle && d.c.Pods[pod].Spec.Priority < 0 }

// supply is the amount of a resource that nodes can take, and the amount lost with each emptied
// node: its pods' requests, and its own free amount if that was counted.
type supply struct {
	all   float64
	costs []float64
}

// most returns how many of the nodes free can be emptied at most. For each resource, and each pair of
// resources in several proportions, it empties the cheapest nodes as long as the supply lasts, and takes
// the least number: sums of inequalities that hold for every plan hold as well.
func (d *drain) most(free []int) int {
	largest, groups := len(free), d.groups(free)
	for _, capped := range []int64{0, 4, 1} {
		largest = min(largest, d.mixed(free, groups, capped))
	}
	return largest
}

// mixed is most with the supplies for one value of capped: see supply.
func (d *drain) mixed(free []int, groups []*takers, capped int64) int {
	supplies := make([]supply, len(d.c.Resources))
	for r := range supplies {
		supplies[r] = d.supply(free, groups, r, capped)
	}
	largest := len(free)
	for r := range supplies {
		largest = min(largest, covered(&supplies[r], &supplies[r], 0))
		for q := range r {
			for share := 1; share < mixtures; share++ {
				largest = min(largest, covered(&supplies[q], &supplies[r], float64(share)/mixtures))
			}
		}
	}
	return largest
}

// mixtures is in how many steps the proportion of two resources goes from one to the other.
const mixtures = 32

// covered returns how many nodes can be emptied at most by a mixture of two supplies: the inequality of a
// weighted with 1-share plus that of b weighted with share, each as a part of its whole. If one supply is
// 0, the other counts alone; if both are, the nodes that cost nothing.
func covered(a, b *supply, share float64) int {
	if a.all <= 0 || b.all <= 0 {
		share, b = 0, a
		if a.all <= 0 {
			return countZero(a.costs)
		}
	}
	costs := make([]float64, len(a.costs))
	for i := range costs {
		costs[i] = float64((1-share)*(a.costs[i]/a.all)) + float64(share*(b.costs[i]/b.all))
	}
	slices.Sort(costs)
	left := 1 + 1e-9 // more than the sums can be off by rounding
	for i, cost := range costs {
		if left -= cost; left < 0 {
			return i
		}
	}
	return len(costs)
}

// countZero returns how many nodes cost nothing.
func countZero(costs []float64) (n int) {
	for _, c := range costs {
		if c <= 0 {
			n++
		}
	}
	return n
}

// takers is nodes with the same taints, and the requests of the pods that may leave and tolerate
// these taints.
type takers struct {
	nodes  []int
	wanted kube.Vector
}

// groups returns the nodes of the cluster by their taints and cordon, each group with the requests of the
// pods on the nodes free that must move and that the group's taints let in. Preferred taints do not count.
func (d *drain) groups(free []int) []*takers {
	known := map[string]*takers{}
	var all []*takers
	for at := range d.c.Nodes {
		key := strings.Builder{}
		fmt.Fprint(&key, d.c.Nodes[at].Unschedulable)
		for _, t := range d.s.Taints(at) {
			if t.Effect != kube.PreferNoSchedule {
				fmt.Fprintf(&key, "%q%q%d", t.Key, t.Value, t.Effect)
			}
		}
		g := known[key.String()]
		if g == nil {
			g = &takers{wanted: make(kube.Vector, len(d.c.Resources))}
			known[key.String()] = g
			all = append(all, g)
		}
		g.nodes = append(g.nodes, at)
	}
	pods := map[*kube.Spec]int64{}
	for _, at := range free {
		for _, pod := range d.moving[at] {
			if d.fate(pod) == plane.Moves && !d.yields(pod) {
				pods[d.c.Pods[pod].Spec]++
			}
		}
	}
	for _, g := range all {
		for sp, n := range pods { // sums do not depend on the order
			if !d.kept(sp, g.nodes[0]) {
				for r := range g.wanted {
					g.wanted[r] += n * sp.Requests.At(r)
				}
			}
		}
	}
	return all
}

// kept reports whether the taints of a node, or that it is unschedulable, keep pods off it.
func (d *drain) kept(sp *kube.Spec, at int) bool {
	if d.c.Nodes[at].Unschedulable &&
		!sp.Tolerates(&kube.Taint{Key: kube.UnschedulableTaint, Effect: kube.NoSchedule}) {
		return true
	}
	for _, t := range d.s.Taints(at) {
		if t.Effect != kube.PreferNoSchedule && !sp.Tolerates(&t) {
			return true
		}
	}
	return false
}

// supply returns the amount of a resource that the nodes can take: in each group the free amount or,
// if capped times their sum is less, the requests of the pods that may run there. Both are valid;
// which of them gives the lower bound depends on how full the cluster is.
func (d *drain) supply(free []int, groups []*takers, r int, capped int64) supply {
	out := supply{costs: make([]float64, len(free))}
	counted := make([]bool, len(d.c.Nodes))
	for _, g := range groups {
		room := int64(0)
		for _, at := range g.nodes {
			room += d.takes(at, r)
		}
		if capped > 0 && g.wanted[r]*capped < room {
			out.all += float64(g.wanted[r])
			continue
		}
		out.all += float64(room)
		for _, at := range g.nodes {
			counted[at] = true
		}
	}
	for i, at := range free {
		if counted[at] {
			out.costs[i] = float64(d.takes(at, r))
		}
		for _, pod := range d.moving[at] {
			if d.fate(pod) == plane.Moves && !d.yields(pod) {
				out.costs[i] += float64(d.c.Pods[pod].Spec.Requests.At(r))
			}
		}
	}
	return out
}
