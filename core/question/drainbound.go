package question

import (
	"slices"

	"parley/core/kube"
	"parley/core/kube/constraint"
)

// bound returns a number of nodes that no plan exceeds. A node counts only if nothing static
// stops it: each of its pods has another node whose selector, taints, volumes and size take it,
// and no budget that never allows an eviction covers one. Of these nodes as many as leave, for
// each resource by itself, enough room on all other nodes for what they give away; pods may be
// split.
func (d *drain) bound() int {
	var free []int
	for _, at := range d.free() {
		if d.mayLeave(at) {
			free = append(free, at)
		}
	}
	most := len(free)
	for r := range d.c.Resources {
		most = min(most, d.room(free, r))
	}
	if most == len(d.c.Nodes) && d.anyMoves() {
		most-- // somewhere its pods must be
	}
	return most
}

func (d *drain) anyMoves() bool {
	for at := range d.moving {
		for _, pod := range d.moving[at] {
			if d.fate(pod) == moves {
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
			if d.never(b) && d.c.Pods[pod].Phase != kube.PhasePending {
				return false
			}
		}
		if d.fate(pod) == moves && !d.hasPlace(pod, at) {
			return false
		}
	}
	return true
}

// never reports whether a budget allows no eviction and never will: all its pods are ready, so
// that no move can raise the number of healthy ones.
func (d *drain) never(budget int) bool {
	if d.budgets.Allowed(budget) > 0 {
		return false
	}
	for pod := range d.c.Pods {
		if !slices.Contains(d.budgets.Of(pod), budget) {
			continue
		}
		if p := &d.c.Pods[pod]; !p.Ready || p.Terminating() || p.Phase == kube.PhasePending || p.Pending() {
			return false
		}
	}
	return true
}

// hasPlace reports whether a node other than from could take a pod if no other pod moved there
// or was in its way.
func (d *drain) hasPlace(pod, from int) bool {
	d.s.Unbind(pod)
	defer d.s.Bind(pod, from)
	for at := range d.c.Nodes {
		if at != from && !Lasting(d.s.Why(pod, at)) && d.large(pod, at) {
			return true
		}
	}
	return false
}

// Lasting reports whether a reason does not depend on where other pods are.
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

// large reports whether a node has what a pod requests beside the pods that never leave it.
func (d *drain) large(pod, at int) bool {
	for r := range d.c.Resources {
		want := d.c.Pods[pod].Spec.Requests.At(r)
		if want > 0 && want > d.c.Nodes[at].Allocatable.At(r)-d.fixed(at, r) {
			return false
		}
	}
	return true
}

// fixed returns what the pods request that stay on a node until it goes.
func (d *drain) fixed(at, r int) (sum int64) {
	sum = d.s.Requested(at).At(r)
	for _, pod := range d.moving[at] {
		sum -= d.c.Pods[pod].Spec.Requests.At(r)
	}
	return sum
}

// room returns how many of some nodes can give away what their pods request of a resource: the
// least demanding first, as long as the free amounts of all other nodes suffice.
func (d *drain) room(free []int, r int) int {
	all := int64(0)
	for at := range d.c.Nodes {
		all += max(0, d.s.Free(at, r))
	}
	weights := make([]int64, len(free))
	for i, at := range free {
		weights[i] = max(0, d.s.Free(at, r))
		for _, pod := range d.moving[at] {
			if d.fate(pod) == moves {
				weights[i] += d.c.Pods[pod].Spec.Requests.At(r)
			}
		}
	}
	slices.Sort(weights)
	for i, w := range weights {
		if all -= w; all < 0 {
			return i
		}
	}
	return len(weights)
}
