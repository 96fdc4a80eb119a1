package rng_test

import (
	"fmt"
	"math/big"
	"testing"

	"parley/core/rng"
)

// Uint64n against the definition of D. Lemire, "Fast random integer generation in an
// interval" (2019), in whole numbers of any length: a draw x gives the high part of
// x·n, and is drawn again when the low part is less than 2^64 mod n. Large n
// draw again often.
func TestUint64nAgainstWholeNumbers(t *testing.T) {
	two64 := new(big.Int).Lsh(big.NewInt(1), 64)
	for _, n := range []uint64{1, 2, 3, 10, 1 << 32, 1<<63 - 1, 1<<63 + 1, 3 << 62, 1<<64 - 1} {
		got, draws := rng.New(n, "lemire"), rng.New(n, "lemire")
		minimum := new(big.Int).Mod(two64, new(big.Int).SetUint64(n))
		for i := range 200 {
			var high, low big.Int
			for {
				product := new(big.Int).Mul(new(big.Int).SetUint64(draws.Uint64()), new(big.Int).SetUint64(n))
				if high.DivMod(product, two64, &low); low.Cmp(minimum) >= 0 {
					break
				}
			}
			if g := got.Uint64n(n); g != high.Uint64() {
				t.Fatalf("draw %d of %d: %d, want %s", i, n, g, &high)
			}
		}
	}
}

// A draw whose low part is just 2^64 mod n counts. The stream that draws it is
// found backwards, from the draw to the seed.
func TestUint64nAtTheThreshold(t *testing.T) {
	const n, threshold = 1<<63 + 1, 1<<63 - 1
	var x uint64 = threshold
	x *= inverse(n)
	s := rng.New(unmix(unmix(x)-golden)^golden, "")
	if again := *s; again.Uint64() != x {
		t.Fatal("the stream does not begin with that draw")
	}
	high := new(big.Int).Rsh(new(big.Int).Mul(new(big.Int).SetUint64(x), new(big.Int).SetUint64(n)), 64)
	if got := s.Uint64n(n); got != high.Uint64() {
		t.Errorf("%d, want %s: the draw was not taken", got, high)
	}
}

const golden = 0x9e3779b97f4a7c15

// unmix is the inverse of Mix.
func unmix(x uint64) uint64 {
	x ^= x>>31 ^ x>>62
	x *= inverse(0x94d049bb133111eb)
	x ^= x>>27 ^ x>>54
	x *= inverse(0xbf58476d1ce4e5b9)
	return x ^ x>>30 ^ x>>60
}

// inverse of an odd number modulo 2^64, by Newton's steps.
func inverse(a uint64) uint64 {
	x := a
	for range 6 {
		x *= 2 - a*x
	}
	return x
}

// Shuffle is that of R. Durstenfeld (1964): from the last place down to the
// second, each swapped with one at or below it. All orders are equally likely.
func TestShuffle(t *testing.T) {
	s, draws := rng.New(5, "shuffle"), rng.New(5, "shuffle")
	var got, want []string
	s.Shuffle(4, func(i, j int) { got = append(got, fmt.Sprint(i, j)) })
	for i := 3; i >= 1; i-- {
		want = append(want, fmt.Sprint(i, draws.Intn(i+1)))
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("swaps %v, want %v", got, want)
	}
	seen := map[[3]int]float64{}
	const draws6 = 60_000
	for range draws6 {
		x := [3]int{0, 1, 2}
		s.Shuffle(3, func(i, j int) { x[i], x[j] = x[j], x[i] })
		seen[x]++
	}
	chi := 0.0
	for _, n := range seen {
		chi += (n - draws6/6) * (n - draws6/6) / (draws6 / 6)
	}
	if len(seen) != 6 || chi > 20.52 { // 5 degrees of freedom, 0.1 %
		t.Errorf("%d orders, chi-square %.1f", len(seen), chi)
	}
}
