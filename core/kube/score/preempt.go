package score

// Victim is a pod that could make room.
type Victim struct {
	Priority int32
	Start    int64 // when it began to run, in any unit
}

// MoreImportant orders pods by importance: the higher priority first, then the longer-running pod.
// Pods are reprieved in this order.
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
	// Violations is the number of victims that a PodDisruptionBudget protects.
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
	var lowest cost
	for i := range candidates {
		if c := candidates[i].cost(); best < 0 || c.below(&lowest) {
			best, lowest = i, c
		}
	}
	return best
}

// cost has the criteria in the order in which they are compared; lower is better.
type cost [5]int64

// cost returns the criteria of a candidate, which must have a victim.
func (c *Candidate) cost() cost {
	sum, earliest := int64(0), int64(0)
	for i, v := range c.Victims {
		sum += int64(v.Priority) + 1<<31
		if v.Priority == c.Victims[0].Priority && (i == 0 || v.Start < earliest) {
			earliest = v.Start
		}
	}
	return cost{int64(c.Violations), int64(c.Victims[0].Priority), sum, int64(len(c.Victims)), -earliest}
}

// below reports whether c is preferred to other, by the first criterion in which they differ.
func (c *cost) below(other *cost) bool {
	for i := range c {
		if c[i] != other[i] {
			return c[i] < other[i]
		}
	}
	return false
}
