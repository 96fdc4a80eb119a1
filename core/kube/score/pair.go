package score

import "math"

// Pair scores nodes of one machine type that have two resources, with the results of
// LeastAllocated, MostAllocated and BalancedAllocation, but without a division for each node:
//
//	first, second := p.Parts(requested[0], requested[1])
//	free := (Free(first) + Free(second)) / 2 // LeastAllocated for weights of 1
//	balanced, sure := Balanced(first, second)
type Pair struct {
	capacity [2]int64
	inverse  [2]float64
}

// maxPaired limits capacities: two percentages of a larger one may be nearer to each other than
// offWhole.
const (
	maxPaired = 1 << 28
	offWhole  = 1e-9
)

// PairOf returns the scores of machines with a capacity from 1 to 2^28 of each resource; ok is false for
// another one.
func PairOf(capacity [2]int64) (p Pair, ok bool) {
	for r, c := range capacity {
		if c <= 0 || c > maxPaired {
			return p, false
		}
		p.inverse[r] = 1 / float64(c)
	}
	p.capacity = capacity
	return p, true
}

// Parts returns which parts of the two resources are requested, at most 1. Requested amounts are not negative.
func (p *Pair) Parts(first, second int64) (a, b float64) {
	return float64(min(first, p.capacity[0])) * p.inverse[0], float64(min(second, p.capacity[1])) * p.inverse[1]
}

// Free returns which percentage stays free beside a part of Parts, rounded down.
//
// A percentage that is not a whole number is at least 1/2^28 from the next one, and a part is off by 2^-52.
func Free(part float64) int64 { return int64(MaxScore + offWhole - MaxScore*part) }

// Taken returns which percentage a part of Parts is, rounded down.
func Taken(part float64) int64 { return int64(MaxScore*part + offWhole) }

// Balanced returns the score of BalancedAllocation for the requested parts of two resources. If the
// rounding of a division could change the result, sure is false; then use Pair.Balanced.
func Balanced(a, b float64) (score int64, sure bool) {
	exact := MaxScore - MaxScore/2*math.Abs(a-b)
	score = int64(exact)
	rest := exact - float64(score)
	return score, rest > offWhole && rest < 1-offWhole
}

// Balanced returns the score of BalancedAllocation by its divisions.
func (p *Pair) Balanced(first, second int64) int64 {
	a := min(1, float64(first)/float64(p.capacity[0]))
	b := min(1, float64(second)/float64(p.capacity[1]))
	return int64((1 - math.Abs((a-b)/2)) * MaxScore)
}
