package trace_test

import (
	"math"
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	_ "parley/core/testkit/scripttest/seed"
	"parley/core/trace"
)

func TestShare(t *testing.T) {
	for _, c := range []struct {
		text, reason string
		want         int32
	}{
		{"0.2493", "", 249_300},
		{"0.02499", "", 24_990},
		{"1", "", 1_000_000},
		{".5", "", 500_000},
		{"5.", "", 5_000_000},
		{"3.815e-06", "", 4},
		{"9.537e-07", "", 1},
		{"4.999e-07", "", 0},
		{"5E-7", "", 1},
		{"1.5e+1", "", 15_000_000},
		{"-0.0", "", 0},
		{"0e999999999999", "", 0},
		{"2147.483647", "", math.MaxInt32},
		{"2147.4836475", trace.ReasonLarge, 0},
		{"1e30", trace.ReasonLarge, 0},
		{"1e-30", "", 0},
		{"-0.5", trace.ReasonNegative, 0},
		{"", trace.ReasonEmpty, 0},
		{".", trace.ReasonNumber, 0},
		{"-", trace.ReasonNumber, 0},
		{"--1", trace.ReasonNumber, 0},
		{"1.2.3", trace.ReasonNumber, 0},
		{"1e", trace.ReasonNumber, 0},
		{"1e-", trace.ReasonNumber, 0},
		{"e5", trace.ReasonNumber, 0},
		{"1x", trace.ReasonNumber, 0},
		{" 1", trace.ReasonNumber, 0},
		{"0x10", trace.ReasonNumber, 0},
		{"NaN", trace.ReasonNumber, 0},
		{"1_000", trace.ReasonNumber, 0},
	} {
		got, reason := trace.Share([]byte(c.text))
		if int32(got) != c.want || reason != c.reason {
			t.Errorf("Share(%q) = %d, %q; want %d, %q", c.text, got, reason, c.want, c.reason)
		}
	}
}

func TestWhole(t *testing.T) {
	for _, c := range []struct {
		text   string
		limit  uint64
		want   uint64
		reason string
	}{
		{"0", 8, 0, ""},
		{"8", 8, 8, ""},
		{"9", 8, 0, trace.ReasonLarge},
		{"9223372036854775807", math.MaxInt64, math.MaxInt64, ""},
		{"9223372036854775808", math.MaxInt64, 0, trace.ReasonLarge},
		{"18446744073709551615", math.MaxUint64, math.MaxUint64, ""},
		{"18446744073709551616", math.MaxUint64, 0, trace.ReasonLarge},
		{"00000000000000000000000000007", 8, 7, ""},
		{"-1", 8, 0, trace.ReasonNegative},
		{"-99999999999999999999", 8, 0, trace.ReasonNegative},
		{"-", 8, 0, trace.ReasonWhole},
		{"-x", 8, 0, trace.ReasonWhole},
		{"1.0", 8, 0, trace.ReasonWhole},
		{"1e3", 8, 0, trace.ReasonWhole},
		{"", 8, 0, trace.ReasonEmpty},
	} {
		got, reason := trace.Whole([]byte(c.text), c.limit)
		if reason == "" && got != c.want || reason != c.reason {
			t.Errorf("Whole(%q, %d) = %d, %q; want %d, %q", c.text, c.limit, got, reason, c.want, c.reason)
		}
	}
}

var decimal = regexp.MustCompile(`^-?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?$`)

// checkDecimal compares Decimal with arithmetic on fractions.
func checkDecimal(t interface{ Fatalf(string, ...any) }, text string) {
	got, reason := trace.Decimal([]byte(text), 6)
	if !decimal.MatchString(text) {
		if reason == "" {
			t.Fatalf("Decimal(%q) = %d, but it is no number", text, got)
		}
		return
	}
	if e := strings.IndexAny(text, "eE"); e >= 0 {
		if n, err := strconv.Atoi(text[e+1:]); err != nil || n < -2000 || n > 2000 {
			return // a fraction would fill the memory
		}
	}
	x, ok := new(big.Rat).SetString(text)
	if !ok {
		t.Fatalf("%q is no fraction", text)
	}
	if x.Sign() < 0 {
		if reason != trace.ReasonNegative {
			t.Fatalf("Decimal(%q) = %d, %q, but it is negative", text, got, reason)
		}
		return
	}
	x.Mul(x, big.NewRat(1_000_000, 1)).Add(x, big.NewRat(1, 2))
	want, largest := new(big.Int).Quo(x.Num(), x.Denom()), big.NewInt(1e18)
	switch {
	case want.Cmp(largest) < 0 && (reason != "" || got != want.Uint64()):
		t.Fatalf("Decimal(%q) = %d, %q; want %v", text, got, reason, want)
	case want.Cmp(largest) >= 0 && reason != trace.ReasonLarge:
		t.Fatalf("Decimal(%q) = %d, %q; want it to be too large", text, got, reason)
	}
}

// Share takes a short way for short fractions, which must lead to the same.
func TestShareAgainstDecimal(t *testing.T) {
	text := rapid.StringMatching(`0?\.[0-9x]{0,8}(e-?[0-9])?`)
	rapid.Check(t, func(t *rapid.T) {
		s := text.Draw(t, "text")
		share, reason := trace.Share([]byte(s))
		n, reasonNot := trace.Decimal([]byte(s), 6)
		if reason != trace.ReasonLarge && (uint64(share) != n || reason != reasonNot) {
			t.Fatalf("Share(%q) = %d, %q; Decimal %d, %q", s, share, reason, n, reasonNot)
		}
	})
}

func TestDecimalAgainstFractions(t *testing.T) {
	text := rapid.StringMatching(`-?[0-9]{0,25}\.?[0-9]{0,25}([eE][-+]?[0-9]{1,2})?`)
	rapid.Check(t, func(t *rapid.T) { checkDecimal(t, text.Draw(t, "text")) })
}

func FuzzDecimal(f *testing.F) {
	for _, s := range []string{"0.2493", "3.815e-06", "-1", "1e400", "0.49999950000000000000001", "99999999999999999999.5"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) { checkDecimal(t, text) })
}
