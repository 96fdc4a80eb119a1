package instance

import "parley/core/rng"

// normal returns a standard normal number by Karney's algorithm N ("Sampling
// exactly from the normal distribution", ACM TOMS 42, 2016): comparisons of
// uniform numbers only, so the same bits on every platform. math.Log and math.Exp
// of the usual methods are not.
func normal(s *rng.Stream) float64 {
	for {
		k := 0
		for halfLife(s) {
			k++
		}
		if !all(k*(k-1), func() bool { return halfLife(s) }) {
			continue
		}
		x := s.Float64()
		if !all(k+1, func() bool { return keepFraction(s, k, x) }) {
			continue
		}
		if s.Uint64()&1 == 0 {
			return -(float64(k) + x)
		}
		return float64(k) + x
	}
}

// all repeats a trial up to a number of times, and reports whether each was true. It stops at the first
// that is not, so that it draws no more than needed.
func all(times int, trial func() bool) bool {
	for range times {
		if !trial() {
			return false
		}
	}
	return true
}

// halfLife is true with probability exp(-1/2): the length of a falling run below
// one half is even (von Neumann).
func halfLife(s *rng.Stream) bool {
	last, even := 0.5, true
	for {
		u := s.Float64()
		if u >= last {
			return even
		}
		last, even = u, !even
	}
}

// keepFraction is true with probability exp(-x(2k+x)/(2k+2)).
func keepFraction(s *rng.Stream, k int, x float64) bool {
	last, even := x, true
	for {
		u := s.Float64()
		if u >= last || s.Float64() >= (float64(2*k)+x)/float64(2*k+2) {
			return even
		}
		last, even = u, !even
	}
}
