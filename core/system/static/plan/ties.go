package plan

import (
	"cmp"
	"slices"
)

// tolerance is how far apart two sums of times may be, as a share of the larger, and still
// count as equal. Sums that are equal in exact arithmetic differ by rounding: by less
// than 2^-53 of their size for each addition, so by less than tolerance after 4,000 of them.
const tolerance = 1e-12

// below reports whether a is less than b by more than rounding explains. Neither is
// negative; either may be infinite.
func below(a, b float64) bool { return a+float64(tolerance*a) < b }

// places returns the place of each value among all, 0 for the lowest. Values that
// rounding may have set apart share a place: each is near to the next.
func places(values []float64) []int32 {
	order := make([]int32, len(values))
	for v := range order {
		order[v] = int32(v)
	}
	slices.SortFunc(order, func(u, v int32) int { return cmp.Compare(values[u], values[v]) })
	place, at := make([]int32, len(values)), int32(0)
	for i, v := range order {
		if i > 0 && below(values[order[i-1]], values[v]) {
			at++
		}
		place[v] = at
	}
	return place
}
