package estimate

import "math"

// Looks says when values are looked at that come one by one until they tell enough: after
// least of them, then twice as many, and so on, and after all. Looking seldom costs few
// values more, and an interval that is to hold at each look need not be much wider.
func Looks(least, all int) (list []int) {
	for n := least; n < all; n *= 2 {
		list = append(list, n)
	}
	return append(list, all)
}

// OfLooks is Of for values that are looked at so many times, where what is seen may
// decide whether others follow. The interval at one look holds the true mean with
// 1 − 0.05/looks, so all of them together do with 95 % at least (Bonferroni), and the one
// at which somebody stopped does too, whatever made them stop. An interval of Of does
// not: looked at after each of a hundred values, it misses the mean at one time or another
// in a third of all studies.
func OfLooks(values []float64, looks int) Estimate {
	e := Of(values)
	if e.N < 3 {
		e.Interval = nil
		return e
	}
	half := quantile(0.05/float64(looks), e.N-1) * e.SD / math.Sqrt(float64(e.N))
	e.Interval = &Interval{e.Mean - half, e.Mean + half}
	return e
}

// mostFreedom is where quantile stops to count: beyond it is wider by a thousandth.
const mostFreedom = 2000

// quantile returns the t that Student's t with so many degrees of freedom, at least 2,
// exceeds either way with a probability. An odd number is taken for the even one below it,
// whose distribution is a finite sum of products (Abramowitz and Stegun 26.7.4): the same
// bits everywhere, and an interval that is a little too wide.
func quantile(either float64, freedom int) float64 {
	freedom = min(freedom, mostFreedom) &^ 1
	low, high := 0.0, 1.0
	for within(high, freedom) < 1-either {
		low, high = high, 2*high
	}
	for range 60 {
		if mid := (low + high) / 2; within(mid, freedom) < 1-either {
			low = mid
		} else {
			high = mid
		}
	}
	return high
}

// within returns the probability of −t … t for an even number of degrees of freedom.
func within(t float64, freedom int) float64 {
	square := float64(t * t)
	cosine := float64(freedom) / (float64(freedom) + square) // of an angle whose tangent is t/√freedom, squared
	sum, term := 1.0, 1.0
	for i := 2; i < freedom; i += 2 {
		term = float64(term * float64(i-1) / float64(i) * cosine)
		sum += term
	}
	return t / math.Sqrt(float64(freedom)+square) * sum
}
