package plan

import "math"

// UMR2's three policies, named by their condition on θ.
const (
	Above = "theta>1" // policy I: rounds grow; the set of largest rate that fits, a 0/1 knapsack (2.16)
	Below = "theta<1" // policy II: rounds shrink; greedy by (2.17)
	Equal = "theta=1" // policy III: the prefix of the greedy path whose θ is nearest to one
)

// selection is the set of workers one policy takes, in sending order; empty
// if the policy is not to be had.
type selection struct {
	policy string
	order  []int
}

// umr2Selections returns the selection of each policy. The sending order is S/B
// increasing, which puts W_n, the worker of the smallest B/(B+S), last.
func umr2Selections(p Platform, nodes int) [3]selection {
	last := 0
	for i, w := range p.Workers {
		if w.room() < p.Workers[last].room() {
			last = i
		}
	}
	path, crosses := greedyPath(p, last)
	equal := append([]int(nil), path[:nearestToOne(p, last, path)]...)
	if !crosses {
		path = nil
	}
	sets := [3]selection{{Above, knapsack(p, last, nodes)}, {Below, path}, {Equal, equal}}
	for _, set := range sets {
		sortBy(p, set.order, Worker.load)
		putLast(set.order, last)
	}
	return sets
}

// putLast moves a worker of the order to its end.
func putLast(order []int, worker int) {
	for k, i := range order {
		if i == worker {
			copy(order[k:], order[k+1:])
			order[len(order)-1] = worker
			return
		}
	}
}

// nearestToOne returns the length of the prefix of path whose
// θ = B_n/(B_n+S_n) / Σ S/(B+S) is nearest to one.
func nearestToOne(p Platform, last int, path []int) int {
	room := p.Workers[last].room()
	weights := 0.0
	best, distance := 0, math.Inf(1)
	for k, i := range path {
		weights += p.Workers[i].weight()
		if d := math.Abs(room/weights - 1); d < distance {
			best, distance = k+1, d
		}
	}
	return best
}
