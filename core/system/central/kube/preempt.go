package kube

import "slices"

// Victim is a pod that could make room.
type Victim struct {
	Priority int32
	Start    int64 // when it began to run, in any unit
}

// MoreImportant orders pods by importance: the higher priority first, then the one
// that has run longer. Reprieve goes in this order.
// (pkg/scheduler/util/utils.go)
func MoreImportant(a, b Victim) bool {
	if a.Priority != b.Priority {
		return a.Priority > b.Priority
	}
	return a.Start < b.Start
}

// Candidate is a node with the pods that would have to leave it, at least one, the
// most important first.
type Candidate struct {
	Victims []Victim
	// Violations is how many of the victims a PodDisruptionBudget protects.
	Violations int
}

// Pick returns the index of the node on which pods are preempted, -1 if there is
// none: the one with fewest violations; of these the one whose highest victim's
// priority is lowest; then with the lowest sum of priorities; then with fewest
// victims; then the one where the earliest start among the victims of the highest
// priority is latest; then the first.
// (framework/preemption/preemption.go, pickOneNodeForPreemption)
func Pick(candidates []Candidate) int {
	best := -1
	for i := range candidates {
		if best < 0 || slices.Compare(candidates[i].cost(), candidates[best].cost()) < 0 {
			best = i
		}
	}
	return best
}

// cost lists what is compared, each the less the better.
func (c *Candidate) cost() []int64 {
	sum, earliest := int64(0), int64(0)
	for i, v := range c.Victims {
		sum += int64(v.Priority) + 1<<31
		if v.Priority == c.Victims[0].Priority && (i == 0 || v.Start < earliest) {
			earliest = v.Start
		}
	}
	return []int64{int64(c.Violations), int64(c.Victims[0].Priority), sum, int64(len(c.Victims)), -earliest}
}
