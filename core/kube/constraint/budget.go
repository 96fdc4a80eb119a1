package constraint

import (
	"fmt"
	"math"
	"slices"

	"parley/core/kube"
)

// Budgets answers whether a pod may be evicted, as the API server does, and keeps count of
// evictions. Create one with NewBudgets.
// (pkg/registry/core/pod/storage/eviction.go, pkg/controller/disruption)
type Budgets struct {
	c    *kube.Cluster
	left []allowance
	of   [][]int // budgets by pod
}

// allowance has the counts of a budget, and the evictions that it still allows.
type allowance struct{ healthy, desired, expected, allowed int32 }

// NewBudgets returns the budgets of a cluster with the counts of their statuses. A budget without a
// status is counted as the disruption controller would.
func NewBudgets(c *kube.Cluster) *Budgets {
	b := &Budgets{c: c, left: make([]allowance, len(c.Budgets)), of: make([][]int, len(c.Pods))}
	inNamespace := map[string][]int{}
	for i := range c.Budgets {
		inNamespace[c.Budgets[i].Namespace] = append(inNamespace[c.Budgets[i].Namespace], i)
	}
	for pod := range c.Pods {
		for _, i := range inNamespace[c.Pods[pod].Namespace] {
			if Covers(&c.Budgets[i], &c.Pods[pod]) {
				b.of[pod] = append(b.of[pod], i)
			}
		}
	}
	for i := range c.Budgets {
		x := &c.Budgets[i]
		b.left[i] = allowance{x.Healthy, x.Desired, x.Expected, x.Allowed}
		if !x.HasStatus {
			b.left[i] = b.count(i)
		}
	}
	return b
}

// Covers reports whether a budget applies to evictions of a pod: an empty selector selects all pods
// of its namespace, in policy/v1beta1 none.
func Covers(b *kube.Budget, p *kube.Pod) bool {
	if b.Namespace != p.Namespace || b.Selector == nil || b.Beta && len(b.Selector.Requirements) == 0 {
		return false
	}
	return b.Selector.Matches(p.Labels)
}

// Clone returns an independent copy.
func (b *Budgets) Clone() *Budgets {
	d := *b
	d.left = slices.Clone(b.left)
	return &d
}

// Of returns the budgets that are about a pod, places of Cluster.Budgets.
func (b *Budgets) Of(pod int) []int { return b.of[pod] }

// Allowed returns the number of pods of a budget that may still be evicted.
func (b *Budgets) Allowed(budget int) int { return int(b.left[budget].allowed) }

// Counts returns the healthy pods of a budget, those that it wants and those that it expects.
func (b *Budgets) Counts(budget int) (healthy, desired, expected int32) {
	left := b.left[budget]
	return left.healthy, left.desired, left.expected
}

// Refusal is why an eviction is refused.
type Refusal struct {
	Budget    int    // place of the budget, -1 if there are two
	Permanent bool   // to wait and try again does not help
	Text      string // the API server's words
}

// Evict records the eviction of a pod and returns nil, or the reason why it is refused; then it changes
// nothing. Pods that are pending, terminating or without a budget need no permission, and one that is not
// ready may need none. The evicted pod stays counted as expected: see Replaced.
func (b *Budgets) Evict(pod int) *Refusal {
	p := &b.c.Pods[pod]
	if p.Phase == kube.PhasePending || p.Terminating() || len(b.of[pod]) == 0 {
		return nil
	}
	if len(b.of[pod]) > 1 {
		return &Refusal{-1, true, "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support."}
	}
	i := b.of[pod][0]
	x, left := &b.c.Budgets[i], &b.left[i]
	if !p.Ready && (x.AlwaysAllow || left.healthy >= left.desired && left.desired > 0) {
		return nil
	}
	switch {
	case x.HasStatus && x.Observed < x.Generation:
		return &Refusal{i, false, fmt.Sprintf("Cannot evict pod as it would violate the pod's disruption budget. The disruption budget %s is still being processed by the server.", x.Name)}
	case left.allowed < 1:
		text := fmt.Sprintf("Cannot evict pod as it would violate the pod's disruption budget. The disruption budget %s needs %d healthy pods and has %d currently", x.Name, left.desired, left.healthy)
		return &Refusal{i, left.desired >= left.expected && left.expected > 0, text}
	}
	left.allowed--
	if p.Ready {
		left.healthy--
	}
	return nil
}

// Replaced records that a pod like an evicted one takes its place: healthy if the evicted one was. Call it
// after Evict of that pod. The evictions allowed are computed anew.
func (b *Budgets) Replaced(pod int) {
	if b.c.Pods[pod].Terminating() {
		return
	}
	for _, i := range b.of[pod] {
		left := &b.left[i]
		if b.c.Pods[pod].Ready {
			left.healthy++ // the successor of a pod that was not ready, such as one that crashes, is as unready
		}
		left.allowed = left.disruptions()
	}
}

// disruptions returns the number of pods that a budget allows to evict.
func (a *allowance) disruptions() int32 {
	if a.expected <= 0 {
		return 0
	}
	return max(0, a.healthy-a.desired)
}

// count computes a budget's numbers from the pods and workloads of the dump, as the disruption controller
// does: expected pods are the replicas of the workloads that own covered pods, or the covered pods if
// minAvailable is a number.
func (b *Budgets) count(budget int) allowance {
	x := &b.c.Budgets[budget]
	var a allowance
	pods, owners := int32(0), map[string]int32{}
	for pod := range b.c.Pods {
		if !slices.Contains(b.of[pod], budget) {
			continue
		}
		p := &b.c.Pods[pod]
		pods++
		if p.Ready && !p.Terminating() && !slices.Contains(x.Disrupted, p.Name) {
			a.healthy++
		}
		if p.Owner.Kind != "" {
			name, replicas := b.controller(p)
			owners[name] = replicas
		}
	}
	expected := int64(0)
	for _, replicas := range owners {
		expected += int64(replicas)
	}
	a.expected = int32(min(expected, math.MaxInt32))
	switch {
	case x.MaxUnavailable != nil:
		a.desired = max(0, a.expected-x.MaxUnavailable.Of(a.expected))
	case x.MinAvailable != nil && !x.MinAvailable.Percent:
		a.expected, a.desired = pods, x.MinAvailable.Value
	case x.MinAvailable != nil:
		a.desired = x.MinAvailable.Of(a.expected)
	}
	a.allowed = a.disruptions()
	return a
}

// controller returns KIND/NAME and the replicas of the workload that owns a pod, the Deployment of a
// ReplicaSet; 0 replicas if the dump lacks it.
func (b *Budgets) controller(p *kube.Pod) (string, int32) {
	owner, replicas := p.Owner, int32(0)
	for range 2 {
		for i := range b.c.Workloads {
			w := &b.c.Workloads[i]
			if w.Kind == owner.Kind && w.Name == owner.Name && w.Namespace == p.Namespace {
				replicas = int32(w.Replicas)
				if w.Kind == "ReplicaSet" && w.Owner.Kind == "Deployment" {
					owner = w.Owner
				}
				break
			}
		}
	}
	return owner.Kind + "/" + owner.Name, replicas
}
