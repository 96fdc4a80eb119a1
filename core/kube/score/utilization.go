package score

import (
	"cmp"
	"slices"
)

// Usage counts the resources that the descheduler looks at: CPU, memory, and pods.
type Usage [3]int64

// Percents are thresholds of a Usage in percent of a node's capacity.
type Percents [3]float64

// Pod is an evictable pod.
type Pod struct {
	Usage    Usage
	Priority int32
}

// Node is one node as LowNodeUtilization sees it.
type Node struct {
	Usage, Capacity Usage // a capacity of 0: the resource does not count there
	Unschedulable   bool
	Pods            []Pod // evictable pods, in the order of eviction
}

// Eviction names a pod of a node by their places.
type Eviction struct{ Node, Pod int }

// LowNodeUtilization moves pods off overused nodes while others are underused. A node is underused
// if it is schedulable and no resource is above thresholds, and overused if any resource is above
// targets. Overused nodes are handled in descending order of the sum of their raw amounts. They give
// up pods until none of their resources is above targets, or until the underused nodes have no room
// below targets left.
//
// evict is called for each pod and reports whether the pod left; other pods do not count. limit is
// the maximum number of pods that one node gives up; 0 is no limit.
// (descheduler pkg/framework/plugins/nodeutilization/lownodeutilization.go, nodeutilization.go)
func LowNodeUtilization(nodes []Node, thresholds, targets Percents, limit int, evict func(Eviction) bool) {
	under, over := Split(nodes, thresholds, targets)
	if len(under) == 0 || len(over) == 0 {
		return
	}
	var room Usage
	for _, i := range under {
		most := targets.of(nodes[i].Capacity)
		for r := range room {
			room[r] += most[r] - nodes[i].Usage[r]
		}
	}
	slices.SortStableFunc(over, func(a, b int) int { return cmp.Compare(nodes[b].Usage.sum(), nodes[a].Usage.sum()) })
	for _, i := range over {
		relieve(i, &nodes[i], targets, &room, limit, evict)
	}
}

// Split returns the places of the underused and the overused nodes; no node is both.
func Split(nodes []Node, thresholds, targets Percents) (under, over []int) {
	for i := range nodes {
		n := &nodes[i]
		switch {
		case !n.Unschedulable && !thresholds.passed(n):
			under = append(under, i)
		case targets.passed(n):
			over = append(over, i)
		}
	}
	return under, over
}

// relieve evicts pods from one node while it is above targets and there is room elsewhere.
func relieve(i int, n *Node, targets Percents, room *Usage, limit int, evict func(Eviction) bool) {
	most, left, gone := targets.of(n.Capacity), n.Usage, 0
	for p := range n.Pods {
		if !left.above(most, n.Capacity) || room.spent(n.Capacity) || limit > 0 && gone == limit {
			return
		}
		if !evict(Eviction{i, p}) {
			continue
		}
		gone++
		for r, use := range n.Pods[p].Usage {
			left[r] -= use
			room[r] -= use
		}
	}
}

// passed reports whether any resource of a node is above its percentage.
func (p Percents) passed(n *Node) bool {
	for r := range p {
		if n.Capacity[r] > 0 && float64(n.Usage[r])*100/float64(n.Capacity[r]) > p[r] {
			return true
		}
	}
	return false
}

// of returns percentages of a capacity, rounded down.
func (p Percents) of(capacity Usage) (amount Usage) {
	for r := range p {
		amount[r] = int64(p[r] * 0.01 * float64(capacity[r]))
	}
	return amount
}

func (u *Usage) above(limit, capacity Usage) bool {
	for r := range u {
		if capacity[r] > 0 && u[r] > limit[r] {
			return true
		}
	}
	return false
}

// spent reports whether a resource that counts has no amount left.
func (u *Usage) spent(capacity Usage) bool {
	for r := range u {
		if capacity[r] > 0 && u[r] <= 0 {
			return true
		}
	}
	return false
}

func (u *Usage) sum() (sum int64) {
	for _, x := range u {
		sum += x
	}
	return sum
}
