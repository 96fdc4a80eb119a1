package estimate

import "math"

// maxFreedom is where Either and Quantile stop to count: beyond it an interval is wider
// by a thousandth.
const maxFreedom = 2000

// Quantile returns the t whose absolute value Student's t exceeds with the probability
// either. The degrees of freedom are at least 1.
func Quantile(either float64, freedom int) float64 {
	low, high := 0.0, 1.0
	for Either(high, freedom) > either {
		low, high = high, 2*high
	}
	for range bisections {
		if mid := (low + high) / 2; Either(mid, freedom) > either {
			low = mid
		} else {
			high = mid
		}
	}
	return high
}

// Either returns the probability that the absolute value of Student's t exceeds t, which
// is at least 0. The degrees of freedom are at least 1. It is a finite sum of products
// (Abramowitz and Stegun 26.7.3 and 26.7.4), with an arctangent if the degrees are odd, so
// that every platform computes the same bits.
func Either(t float64, freedom int) float64 {
	freedom = min(freedom, maxFreedom)
	nu := float64(freedom)
	square := float64(t * t)
	cosine := nu / (nu + square) // squared, of the angle whose tangent is t/√freedom
	if freedom%2 == 0 {
		sum, term := 1.0, 1.0
		for i := 2; i < freedom; i += 2 {
			term = float64(term * float64(i-1) / float64(i) * cosine)
			sum += term
		}
		return max(0, 1-float64(t/math.Sqrt(nu+square)*sum))
	}
	sum, term := 0.0, 1.0
	for i := 3; i <= freedom; i += 2 {
		if i > 3 {
			term = float64(term * float64(i-3) / float64(i-2) * cosine)
		}
		sum += term
	}
	root := math.Sqrt(nu)
	product := float64(float64(t*root) / (nu + square) * sum) // sine times cosine times the sum
	// The remainder to a quarter turn is the arctangent of √freedom/t: so a small remainder keeps
	// its digits.
	return max(0, 2/math.Pi*(arctangent(root, t)-product))
}

// arctangent returns that of y/x for y > 0 and x ≥ 0, whose bits do not differ between
// platforms as those of package math may: the angle is halved until a series is short.
func arctangent(y, x float64) float64 {
	// tan(a/2) = y/(x + √(x² + y²))
	z := y / (x + math.Sqrt(float64(x*x)+float64(y*y)))
	turns := 2.0
	for range 3 {
		z /= 1 + math.Sqrt(1+float64(z*z))
		turns *= 2
	}
	square, sum := float64(z*z), 0.0
	for i := 13; i >= 1; i -= 2 {
		sum = 1/float64(i) - float64(square*sum)
	}
	return float64(turns * z * sum)
}
