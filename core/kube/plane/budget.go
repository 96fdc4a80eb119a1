package plane

import (
	"fmt"

	"parley/core/kube"
	"parley/core/kube/constraint"
	"parley/core/unit"
)

// budgets counts as the disruption controller does, and answers evictions as the API server does.
// (pkg/controller/disruption/disruption.go, pkg/registry/core/pod/storage/eviction.go)
type budgets struct {
	of      [][]int // by pod: the budgets that cover it
	known   map[like][]int
	in      map[string][]int // budgets by namespace
	healthy []int32
	pods    []int32 // that a budget covers
	wants   []budgetCounts
	// spent are evictions of pods that are not ready which a budget has allowed at a moment: its controller
	// does not count again before the moment ends.
	spent   []int32
	spentAt unit.Time
}

// budgetCounts has a budget's expected and desired number of healthy pods.
type budgetCounts struct {
	expected, desired int32
	whole             bool // minAvailable is a number: the expected pods are those that it covers
}

type like struct {
	namespace string
	labels    *kube.Label
}

// newBudgets returns the budgets of a cluster with the numbers that they want, and without pods: join adds
// each. A percentage of the expected pods is fixed now; see want.
func newBudgets(c *kube.Cluster) budgets {
	b := budgets{
		of: make([][]int, len(c.Pods)), known: map[like][]int{}, in: map[string][]int{},
		healthy: make([]int32, len(c.Budgets)), pods: make([]int32, len(c.Budgets)),
		wants: make([]budgetCounts, len(c.Budgets)), spent: make([]int32, len(c.Budgets)),
	}
	start := constraint.NewBudgets(c)
	for i := range c.Budgets {
		x := &c.Budgets[i]
		b.in[x.Namespace] = append(b.in[x.Namespace], i)
		_, desired, expected := start.Counts(i)
		b.wants[i] = budgetCounts{expected, desired, x.MinAvailable != nil && !x.MinAvailable.Percent}
	}
	return b
}

// grow makes room for pods from a place on.
func (b *budgets) grow(p *Plane, from int) {
	b.of = append(b.of, make([][]int, len(p.c.Pods)-from)...)
}

// covering returns the places of the budgets that cover a pod. Pods that share labels share the result,
// which must not be changed.
func (b *budgets) covering(p *Plane, q *kube.Pod) []int {
	key := like{namespace: q.Namespace}
	if len(q.Labels) > 0 {
		key.labels = &q.Labels[0]
	}
	all, known := b.known[key]
	if !known {
		for _, i := range b.in[q.Namespace] {
			if constraint.Covers(&p.c.Budgets[i], q) {
				all = append(all, i)
			}
		}
		b.known[key] = all
	}
	return all
}

// join adds a pod to the budgets that cover it, as expected and, if it is ready, as healthy. Its place must
// not be joined yet.
func (b *budgets) join(p *Plane, i int) {
	b.of[i] = b.covering(p, &p.c.Pods[i])
	for _, k := range b.of[i] {
		b.pods[k]++
	}
	if p.pods[i].ready {
		b.ready(i, 1)
	}
}

// leave removes a pod from its budgets' expected pods. The caller has taken it out of the healthy ones: see
// Plane.unready.
func (b *budgets) leave(i int) {
	for _, k := range b.of[i] {
		b.pods[k]--
	}
	b.of[i] = nil
}

// ready adds to the healthy pods of a pod's budgets.
func (b *budgets) ready(i int, by int32) {
	for _, k := range b.of[i] {
		b.healthy[k] += by
	}
}

// counts returns the healthy and desired pods of budget k, and how many evictions it allows now, 0 if it
// covers no pod. Evictions of this moment that the disruption controller has not seen yet are deducted.
func (b *budgets) counts(k int) (healthy, desired, allowed int32) {
	w := b.wants[k]
	if w.whole {
		w.expected = b.pods[k]
	}
	if w.expected > 0 {
		allowed = max(0, b.healthy[k]-w.desired-b.spent[k])
	}
	return b.healthy[k], w.desired, allowed
}

// NeverAllow returns which budgets allow no eviction and never will: all their pods are ready, so that no move can
// raise the number of healthy ones.
func NeverAllow(c *kube.Cluster, b *constraint.Budgets) []bool {
	never := make([]bool, len(c.Budgets))
	for i := range never {
		never[i] = b.Allowed(i) <= 0
	}
	for pod := range c.Pods {
		if p := &c.Pods[pod]; !p.Ready || p.Terminating() || p.Phase == kube.PhasePending || p.Pending() {
			for _, i := range b.Of(pod) {
				never[i] = false
			}
		}
	}
	return never
}

// Refusal is why an eviction is refused.
type Refusal struct {
	Budget int    // -1 if there are two
	Final  bool   // kubectl drain does not try again
	Text   string // the API server's words
}

// Evict evicts a pod, or returns why that is refused.
func (p *Plane) Evict(i int) *Refusal { return p.evict(i, 0) }

// evict is Evict with a grace period of at most limit seconds; 0: the pod's own. Like the API server, it
// deletes a pending pod and a pod without a budget without a check, refuses a pod with two budgets for
// good, and may ignore the budget of a pod that is not ready.
func (p *Plane) evict(i int, limit int64) *Refusal {
	l, of := &p.pods[i], p.budgets.of[i]
	if now := p.kernel.Now(); p.budgets.spentAt != now {
		p.budgets.spentAt = now
		clear(p.budgets.spent)
	}
	if p.c.Pods[i].Phase == kube.PhasePending || l.terminating || len(of) == 0 {
		p.removeWithin(i, "evicted", limit)
		return nil
	}
	if len(of) > 1 {
		return &Refusal{-1, true, "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support."}
	}
	x := &p.c.Budgets[of[0]]
	healthy, desired, allowed := p.budgets.counts(of[0])
	if !l.ready && (x.AlwaysAllow || healthy >= desired && desired > 0) {
		p.removeWithin(i, "evicted", limit)
		return nil
	}
	if allowed < 1 {
		return &Refusal{of[0], false, fmt.Sprintf("Cannot evict pod as it would violate the pod's disruption budget. The disruption budget %s needs %d healthy pods and has %d currently", x.Name, desired, healthy)}
	}
	if !l.ready {
		p.budgets.spent[of[0]]++
	}
	p.removeWithin(i, "evicted", limit)
	return nil
}
