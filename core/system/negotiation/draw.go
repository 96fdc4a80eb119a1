package negotiation

import (
	"cmp"
	"slices"

	"parley/core/rng"
)

// best sorts fits, the highest score first, and returns the first k.
func best(fits []scored, k int) []scored {
	slices.SortStableFunc(fits, func(x, y scored) int { return cmp.Compare(y.score, x.score) })
	return fits[:min(k, len(fits))]
}

// draw takes k of fits by weighted random choice without replacement, in the
// order drawn, to its front.
func draw(fits []scored, k int, random *rng.Stream) []scored {
	k = min(k, len(fits))
	total := 0.0
	for _, f := range fits {
		total += f.score
	}
	for i := range k {
		at := i + pick(fits[i:], total, random)
		total -= fits[at].score
		fits[i], fits[at] = fits[at], fits[i]
	}
	return fits[:k]
}

// pick returns an index of fits with probability in proportion to score, of
// which total is the sum.
func pick(fits []scored, total float64, random *rng.Stream) int {
	x := random.Float64() * total
	for i := range fits {
		if x -= fits[i].score; x < 0 {
			return i
		}
	}
	return len(fits) - 1
}
