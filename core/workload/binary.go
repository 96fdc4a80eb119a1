package workload

import "math/bits"

// Logarithms of the usage model count in 1/4096 of a doubling ("steps"), ratios
// in 1/65536: integers, so that no platform's last bit can differ.
const (
	octave = 4096  // steps of a doubling
	one    = 65536 // the ratio 1
)

// exp2 returns 2^(e/octave) as a ratio, linear between 64 points of each octave:
// within 2.3e-5 of the truth and the rounding of a ratio. e is cut to
// -16 … 8 octaves.
func exp2(e int64) int64 {
	e = min(max(e, -16*octave), 8*octave)
	at, rest := e&(octave-1)>>6, e&63
	low, high := int64(powers[at]), int64(powers[at+1])
	return (low<<6 + (high-low)*rest) << 8 >> uint(14-e>>12)
}

// powers holds 2^(i/64) as ratios.
var powers = [65]uint32{
	65536, 66250, 66971, 67700, 68438, 69183, 69936, 70698, 71468, 72246,
	73032, 73828, 74632, 75444, 76266, 77096, 77936, 78785, 79642, 80510,
	81386, 82273, 83169, 84074, 84990, 85915, 86851, 87796, 88752, 89719,
	90696, 91684, 92682, 93691, 94711, 95743, 96785, 97839, 98905, 99982,
	101070, 102171, 103283, 104408, 105545, 106694, 107856, 109031, 110218, 111418,
	112631, 113858, 115098, 116351, 117618, 118899, 120194, 121502, 122825, 124163,
	125515, 126882, 128263, 129660, 131072,
}

// log2 returns the logarithm of a ratio above 0 in steps, rounded: whole octaves
// first, then one bit for each time the rest is squared.
func log2(ratio int64) int64 {
	whole := bits.Len64(uint64(ratio)) - 17 // of the ratio, which is one << whole … one << whole+1
	x := uint64(ratio) << 14                // one is 1<<30
	if whole >= 0 {
		x >>= uint(whole)
	} else {
		x <<= uint(-whole)
	}
	e := int64(whole)
	for range 13 { // 12 bits, which are the steps, and one to round
		x = x * x >> 30
		e <<= 1
		if x >= 2<<30 {
			x >>= 1
			e++
		}
	}
	return (e + 1) >> 1
}

// deviation turns 64 random bits into two numbers of mean 0 that are nearly
// normal: the sum of four uniform ones (bounded by 3.46 standard deviations), and
// the difference of their pairs, which does not go together with the sum.
func deviation(bits uint64) (sum, difference int64) {
	const lanes = 0x0000ffff0000ffff
	pairs := bits&lanes + bits>>16&lanes
	low, high := int64(pairs&0xffffffff), int64(pairs>>32)
	return low + high - 2*0xffff, low - high
}

// perDeviation turns a spread, the standard deviation of a natural logarithm, into the factor of a
// deviation: steps · one / (ln 2 · the standard deviation of a deviation, 65536/√3).
const perDeviation = 10235.0

// square and halfLog2e turn a spread into the steps by which its mean is above its middle: half its
// square, as a logarithm to the base 2.
const halfLog2e = 0.72134752044448170368

// steps turns a number of settings into steps, per of them a unit.
func steps(x, per float64) int64 { return int64(float64(x*per) + 0.5) }
