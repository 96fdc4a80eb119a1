// Package rng gives every decision that needs chance its own named stream of
// one seed, so that adding a draw in one place never shifts the draws of
// another.
//
// The generator is SplitMix64 (Steele, Lea and Flood, "Fast splittable
// pseudorandom number generators", OOPSLA 2014): eight bytes of state, exact
// integer arithmetic, the same bits on every platform.
//
//	ties := rng.New(seed, "market/ties")
//	winner := offers[ties.Intn(len(offers))]
package rng

import "math/bits"

// Stream is one sequence of random numbers. Its zero value is a valid stream
// of seed zero; copy it to replay from the present point.
type Stream struct{ state uint64 }

// New returns the stream that belongs to name under seed. Equal arguments
// give equal streams on every platform.
func New(seed uint64, name string) *Stream {
	h := Mix(seed ^ golden)
	for i := 0; i < len(name); i++ {
		h = Mix(h ^ uint64(name[i]))
	}
	return &Stream{state: h}
}

const golden = 0x9e3779b97f4a7c15

// Mix scrambles 64 bits so that every input bit flips every output bit with
// probability one half (David Stafford's variant 13).
func Mix(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}

// Hash is the counter-based generator: a pure function of its arguments, for
// values that are recomputed rather than stored.
func Hash(key, a, b uint64) uint64 {
	return Mix(Mix(key^(a*golden)) + b*0xd1b54a32d192ed03)
}

// Uint64 returns 64 random bits.
func (s *Stream) Uint64() uint64 {
	s.state += golden
	return Mix(s.state)
}

// Skip passes over n draws of Uint64.
func (s *Stream) Skip(n uint64) { s.state += n * golden }

// Since returns how many draws of Uint64 led here from an earlier copy of the stream.
func (s *Stream) Since(before Stream) uint64 { return (s.state - before.state) * perGolden }

// perGolden is the inverse of golden modulo 2^64.
const perGolden = 0xf1de83e19937733d

// Uint64n returns a uniform number in [0, n), n > 0, without bias (Lemire,
// "Fast random integer generation in an interval", 2019).
func (s *Stream) Uint64n(n uint64) uint64 {
	hi, lo := bits.Mul64(s.Uint64(), n)
	if lo < n {
		for threshold := -n % n; lo < threshold; {
			hi, lo = bits.Mul64(s.Uint64(), n)
		}
	}
	return hi
}

// Intn returns a uniform number in [0, n), n > 0.
func (s *Stream) Intn(n int) int { return int(s.Uint64n(uint64(n))) }

// Float64 returns a uniform multiple of 2^-53 in [0, 1).
func (s *Stream) Float64() float64 { return Unit(s.Uint64()) }

// Unit maps 64 random bits to a multiple of 2^-53 in [0, 1).
//
// The conversion keeps arm64 from fusing the product with a sum of the caller's.
func Unit(bits uint64) float64 { return float64(float64(bits>>11) * (1.0 / (1 << 53))) }

// Exponential returns an exponentially distributed number of mean 1. It is von
// Neumann's comparison method (1951): it needs no logarithm, whose last bit
// differs between platforms.
func (s *Stream) Exponential() float64 {
	for whole := 0; ; whole++ {
		first := s.Float64()
		lowest, runs := first, 1
		for {
			next := s.Float64()
			if next >= lowest {
				break
			}
			lowest = next
			runs++
		}
		if runs%2 == 1 {
			return float64(whole) + first
		}
	}
}

// Shuffle puts n elements into a uniformly random order by calling swap.
func (s *Stream) Shuffle(n int, swap func(i, j int)) {
	for i := n - 1; i > 0; i-- {
		swap(i, s.Intn(i+1))
	}
}
