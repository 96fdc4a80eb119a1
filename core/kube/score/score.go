// Package score has the formulas of kube-scheduler and of the descheduler as plain functions: the
// scores of a node, the number of nodes to score, the pods to preempt, and the pods to move off an
// overused node.
//
// Source: k8s.io/kubernetes v1.33.0, pkg/scheduler, and kubernetes-sigs/descheduler of June 2026;
// each function names its file there. As there, scores are whole numbers from 0 to MaxScore by
// integer division. Many nodes have equal scores, and a random draw breaks the tie.
//
//	rs := []score.Resource{{Requested: 3000, Allocatable: 4000, Weight: 1}, {Requested: 5000, Allocatable: 10000, Weight: 1}}
//	score.LeastAllocated(rs) // 37
package score

import "math"

// MaxScore is the highest score that a plugin gives a node.
const MaxScore = 100

// Resource is one resource of a node as scores see it. Amounts are in any unit;
// kube-scheduler counts milli-CPUs and bytes.
type Resource struct {
	Requested   int64 // by the pods there and the one to place
	Allocatable int64 // of the node; a resource with 0 does not count
	Weight      int64 // 1 … 100
}

// Requests assumed by the strategies of the Fit plugin for a container that requests no CPU or no
// memory: milli-CPUs and bytes. BalancedAllocation assumes 0.
// (util/pod_resources.go)
const (
	DefaultMilliCPU = 100
	DefaultMemory   = 200 * 1024 * 1024
)

// LeastAllocated prefers nodes with little requested: the weighted mean of the free share in
// percent, rounded down twice.
// (plugins/noderesources/least_allocated.go)
func LeastAllocated(rs []Resource) int64 {
	sum, weights := int64(0), int64(0)
	for _, r := range rs {
		if r.Allocatable == 0 {
			continue
		}
		if r.Requested <= r.Allocatable {
			sum += (r.Allocatable - r.Requested) * MaxScore / r.Allocatable * r.Weight
		}
		weights += r.Weight
	}
	return quotient(sum, weights)
}

// MostAllocated prefers nodes with much requested, to pack them.
// (plugins/noderesources/most_allocated.go)
func MostAllocated(rs []Resource) int64 {
	sum, weights := int64(0), int64(0)
	for _, r := range rs {
		if r.Allocatable == 0 {
			continue
		}
		sum += min(r.Requested, r.Allocatable) * MaxScore / r.Allocatable * r.Weight
		weights += r.Weight
	}
	return quotient(sum, weights)
}

func quotient(sum, weights int64) int64 {
	if weights == 0 {
		return 0
	}
	return sum / weights
}

// BalancedAllocation prefers nodes whose resources would be requested to like
// parts: 100 less the standard deviation of the parts in percent, rounded down.
// Weights do not count.
// (plugins/noderesources/balanced_allocation.go)
func BalancedAllocation(rs []Resource) int64 {
	first, last, total, n := 0.0, 0.0, 0.0, 0
	for i := range rs {
		if r := &rs[i]; r.Allocatable > 0 {
			last = r.part()
			if n == 0 {
				first = last
			}
			total += last
			n++
		}
	}
	deviation := 0.0
	switch {
	case n == 2:
		deviation = math.Abs((first - last) / 2)
	case n > 2:
		mean, squares := total/float64(n), 0.0
		for i := range rs {
			if r := &rs[i]; r.Allocatable > 0 {
				off := r.part() - mean
				squares += float64(off * off)
			}
		}
		deviation = math.Sqrt(squares / float64(n))
	}
	return int64((1 - deviation) * MaxScore)
}

// part returns which part of a resource would be requested, at most 1.
func (r *Resource) part() float64 {
	return min(1, float64(r.Requested)/float64(r.Allocatable))
}
