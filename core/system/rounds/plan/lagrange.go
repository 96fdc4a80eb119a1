package plan

import "math"

// lagrange solves the one-variable equation that remains when the Lagrange
// multiplier of (2.6) (or (2.12)) under the constraint Σ R(j) = load is
// eliminated,
//
//	E (q^m-1)/(q-1) = P [ η + (load - m·η) q^m ln q / (q^m-1) ],
//
// for a real number of rounds m in (0, limit] by bisection. It needs
// logarithms and exponentials, whose last bit differs between machines, so the
// planner decides by scan and keeps this as the paper's own way and as a
// check: package tests compare the two.
func (s series) lagrange(limit int) float64 {
	low, high := 0.0, float64(limit)
	if s.slope(high) < 0 {
		return high // the makespan still falls at the limit
	}
	for range 200 { // more than a bisection of doubles takes: it ends when the middle is one of the ends
		middle := (low + high) / 2
		if middle <= low || middle >= high {
			break
		}
		if s.slope(middle) < 0 {
			low = middle
		} else {
			high = middle
		}
	}
	return high
}

// slope has the sign of dF/dm at m > 0: left minus right side of the equation
// above, divided by q^m where that could overflow.
func (s series) slope(m float64) float64 {
	q := s.ratio()
	if math.Abs(q-1) < 1e-7 {
		// The limit q -> 1: R(0) = load/m - (m-1)(E-D)/(2P).
		return float64((s.waitFixed+s.sendFixed)/2) - s.sendPerUnit*s.load/float64(m*m)
	}
	eta := (s.waitFixed - s.sendFixed) / s.sendPerUnit / (1 - q)
	exponent := float64(m * math.Log(q))
	grown := math.Exp(-math.Abs(exponent)) // q^m if q < 1, else q^-m
	growing := float64((s.load - float64(m*eta)) * math.Log(q) * grown)
	if q < 1 {
		steps := math.Expm1(exponent) / (q - 1)
		return float64(s.waitFixed*steps) - float64(s.sendPerUnit*(eta+growing/math.Expm1(exponent)))
	}
	shrunk := -math.Expm1(-exponent) // 1 - q^-m
	return s.waitFixed*shrunk/(q-1) - float64(s.sendPerUnit*(float64(eta*grown)+growing/shrunk))
}

// byLagrange tests floor and ceiling of the root and keeps the better one
// without negative chunks; if neither is admissible it takes the largest
// admissible number of rounds below.
func (s series) byLagrange(limit int) (best chosen, ok bool) {
	if s.load < s.lowest {
		return chosen{}, false
	}
	root := int(s.lagrange(limit))
	walk := s.walk()
	for m := 1; m <= min(root+1, limit); m++ {
		first, last := walk.next()
		if first < s.lowest || last < s.lowest {
			continue
		}
		c := chosen{m, first, s.predicted(m, first)}
		if !ok || m <= root || c.predicted < best.predicted {
			best, ok = c, true
		}
	}
	return s.fewest(best), ok
}
