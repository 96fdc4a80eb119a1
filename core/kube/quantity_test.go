package kube_test

import (
	"math"
	"testing"

	"parley/core/kube"
)

// TestQuantity has the cases that were run against k8s.io/apimachinery v0.33.0.
func TestQuantity(t *testing.T) {
	for _, c := range []struct {
		text         string
		value, milli int64
	}{
		{"0.1m", 1, 1},
		{"250u", 1, 1},
		{"1.5Gi", 1610612736, 1610612736000},
		{".5", 1, 500},
		{"5.", 5, 5000},
		{"129e6", 129000000, 129000000000},
		{"12E-3", 1, 12},
		{"9Ei", math.MaxInt64, math.MaxInt64},
		{"16287804Ki", 16287804 << 10, 16287804 << 10 * 1000},
		{"29222Mi", 29222 << 20, 29222 << 20 * 1000},
		{"93492209510", 93492209510, 93492209510000},
		{"1E", 1e18, math.MaxInt64},
		{"1k", 1000, 1000000},
		{"100m", 1, 100},
		{"1", 1, 1000},
		{"+2", 2, 2000},
		{"0", 0, 0},
		{"0.000", 0, 0},
		{"0.5Ki", 512, 512000},
		{"0.1Ki", 103, 102400},
		{"1n", 1, 1},
		{"0.0001n", 1, 1},
		{"4187106n", 1, 5},
		{"2000000001n", 3, 2001},
		{"1e3", 1000, 1000000},
		{"1e19", math.MaxInt64, math.MaxInt64},
		{"7Ei", 7 << 60, math.MaxInt64},
		{"0.000000001Ei", 1152921505, 1152921504607},
		{"9223372036854775807", math.MaxInt64, math.MaxInt64},
		{"00012", 12, 12000},
		{"1.0000000001", 2, 1001},
	} {
		q, ok := kube.ParseQuantity(c.text)
		if !ok || q.Value() != c.value || q.MilliValue() != c.milli {
			t.Errorf("%q is %d or %d/1000, want %d and %d (%v)", c.text, q.Value(), q.MilliValue(), c.value, c.milli, ok)
		}
	}
	for _, text := range []string{"", "1K", "1ki", " 1", "1 ", ".", "m", "-1", "1e", "1e+", "1x", "1.2.3", "0x10", "1ii", "NaN", "1_000"} {
		if q, ok := kube.ParseQuantity(text); ok {
			t.Errorf("%q is read as %d/1000", text, q.MilliValue())
		}
	}
	half, _ := kube.ParseQuantity("0.5m")
	if sum := half.Add(half); sum.MilliValue() != 1 {
		t.Errorf("twice 0.5m are %dm: sums are exact and rounded once", sum.MilliValue())
	}
}
