package evidence_test

import (
	"math"
	"testing"

	"parley/core/paper/evidence"
)

// row is one whose interval reaches so far to each side of what was measured.
func row(measured, half float64) evidence.Row {
	return evidence.Row{Measured: measured, Interval: &evidence.Interval{Low: measured - half, High: measured + half}}
}

// TestVerdictsAtTheLimits: an interval that just reaches what the paper says holds, one
// of just a quarter of it still tells, and one that just touches a limit keeps it from
// within and leaves it open from beyond.
func TestVerdictsAtTheLimits(t *testing.T) {
	yes, no := true, false
	for what, c := range map[string]struct {
		row   evidence.Row
		judge func(*evidence.Row)
		want  *bool
		open  bool
	}{
		"just reaches":      {row(10, 1), func(r *evidence.Row) { r.Near(12, 1) }, &yes, false},
		"does not reach":    {row(10, 1), func(r *evidence.Row) { r.Near(12.1, 1) }, &no, false},
		"just a quarter":    {row(4, 1), func(r *evidence.Row) { r.Near(4, 0) }, &yes, false},
		"beyond a quarter":  {row(4, 1.1), func(r *evidence.Row) { r.Near(4, 0) }, nil, true},
		"touches within":    {row(9, 1), func(r *evidence.Row) { r.AtMost(10) }, &yes, false},
		"touches beyond":    {row(11, 1), func(r *evidence.Row) { r.AtMost(10) }, nil, true},
		"beyond":            {row(11.5, 1), func(r *evidence.Row) { r.AtMost(10) }, &no, false},
		"least, within":     {row(11, 1), func(r *evidence.Row) { r.AtLeast(10) }, &yes, false},
		"one run":           {evidence.Row{Measured: 10}, func(r *evidence.Row) { r.AtMost(10) }, &yes, false},
		"one run near":      {evidence.Row{Measured: 10}, func(r *evidence.Row) { r.Near(10, 1) }, nil, true},
		"one set":           {evidence.Row{Measured: 10}, func(r *evidence.Row) { r.Sampled(10, 1, 4, 1) }, nil, true},
		"two sets":          {evidence.Row{Measured: 10, Spread: 1}, func(r *evidence.Row) { r.Sampled(10, 1, 4, 2) }, &yes, false},
		"just rounded":      {evidence.Row{Measured: 10}, func(r *evidence.Row) { r.Sampled(10.5, 0.5, 4, 4) }, &yes, false},
		"within error":      {evidence.Row{Measured: 10, Spread: 2}, func(r *evidence.Row) { r.Sampled(14.9, 0.5, 4, 4) }, &yes, false},
		"beyond error":      {evidence.Row{Measured: 10, Spread: 2}, func(r *evidence.Row) { r.Sampled(15.1, 0.5, 4, 4) }, &no, false},
		"nothing said":      {row(10, 1), func(*evidence.Row) {}, nil, false},
		"said, not claimed": {row(10, 1), func(r *evidence.Row) { r.Says(10) }, nil, false},
		"a rule alone":      {row(10, 1), func(r *evidence.Row) { r.Rule = "ours" }, nil, false},
	} {
		r := c.row
		c.judge(&r)
		if (r.Holds == nil) != (c.want == nil) || c.want != nil && *r.Holds != *c.want || r.Open() != c.open {
			t.Errorf("%s: %+v, open %v", what, r, r.Open())
		}
	}
	r := evidence.Row{Measured: 10, Spread: 2} // 2 √(1/4 + 1/4) is 1.414214, times 3.182446 and 0.5 more is 5.0007
	r.Sampled(13, 0.5, 4, 4)
	if want := "within 5.001, the 95 % of drawing another set as the paper did; it is 2.1 standard errors off"; r.Rule != want {
		t.Errorf("the rule is %q, want %q", r.Rule, want)
	}
}

// TestStudent: 2, 31 and 32 values have intervals of 12.706205, 2.042272 and 2.039513
// standard errors (scipy.stats.t.ppf(0.975, n − 1)).
func TestStudent(t *testing.T) {
	for n, want := range map[int]float64{2: 12.706205, 31: 2.042272, 32: 2.039513} {
		values := make([]float64, n)
		for i := range values {
			values[i] = 100 + float64(i)
		}
		mean := 100 + float64(n-1)/2
		deviation := math.Sqrt(float64(n*(n+1)) / 12) // of n whole numbers in a row
		r := evidence.New("x", "", values)
		got := (r.Interval.High - r.Interval.Low) / 2 * math.Sqrt(float64(n)) / deviation
		if math.Abs(r.Measured-mean) > 1e-9 || math.Abs(r.Spread-deviation) > 1e-9 || math.Abs(got-want) > 2e-6 {
			t.Errorf("%d values: mean %v, deviation %v (want %v), interval of %v standard errors (want %v)", n, r.Measured, r.Spread, deviation, got, want)
		}
	}
}
