package broker

import (
	"cmp"
	"slices"

	"parley/core/rng"
)

// best sorts fits, the highest score first, and returns the first k.
func best(fits []Scored, k int) []Scored {
	slices.SortStableFunc(fits, func(x, y Scored) int { return cmp.Compare(y.Score, x.Score) })
	return fits[:min(k, len(fits))]
}

// draw takes k of fits by weighted random choice without replacement, in the
// order drawn, to its front.
func draw(fits []Scored, k int, random *rng.Stream) []Scored {
	k = min(k, len(fits))
	total := 0.0
	for _, f := range fits {
		total += f.Score
	}
	for i := range k {
		at := i + Pick(fits[i:], total, random)
		total -= fits[at].Score
		fits[i], fits[at] = fits[at], fits[i]
	}
	return fits[:k]
}

// Pick returns an index of fits with probability in proportion to score, of
// which total is the sum.
func Pick(fits []Scored, total float64, random *rng.Stream) int {
	x := random.Float64() * total
	for i := range fits {
		if x -= fits[i].Score; x < 0 {
			return i
		}
	}
	return len(fits) - 1
}
