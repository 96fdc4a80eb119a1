package evidence_test

import (
	"testing"

	"parley/core/paper/evidence"
)

func TestVerdicts(t *testing.T) {
	const open, yes, no = "open", "holds", "does not hold"
	for _, c := range []struct {
		name   string
		values []float64
		judge  func(*evidence.Row)
		want   string
	}{
		{"inside the rounding", []float64{2.9, 3, 3.1}, func(r *evidence.Row) { r.Near(3, 0.5) }, yes},
		{"outside it, but the interval reaches it", []float64{3.4, 3.6, 3.8}, func(r *evidence.Row) { r.Near(3, 0.5) }, yes},
		{"above", []float64{9.1, 9.2, 9.3}, func(r *evidence.Row) { r.Near(3, 0.5) }, no},
		{"below", []float64{0.8, 0.84, 0.88}, func(r *evidence.Row) { r.Near(10, 0.5) }, no},
		{"an interval of more than a quarter", []float64{2.8, 3, 3.7}, func(r *evidence.Row) { r.Near(3, 0.5) }, open},
		{"a spread that would agree with anything", []float64{7, 15, 23}, func(r *evidence.Row) { r.Near(3, 0.5) }, open},
		{"one run", []float64{3}, func(r *evidence.Row) { r.Near(3, 0.5) }, open},
		{"below a limit", []float64{0.01, 0.02, 0.03}, func(r *evidence.Row) { r.AtMost(0.5) }, yes},
		{"beyond it", []float64{0.7, 0.71, 0.72}, func(r *evidence.Row) { r.AtMost(0.5) }, no},
		{"the limit lies inside", []float64{0.3, 0.6}, func(r *evidence.Row) { r.AtMost(0.5) }, open},
		{"one run at the limit", []float64{0.5}, func(r *evidence.Row) { r.AtMost(0.5) }, yes},
		{"one run beyond", []float64{0.51}, func(r *evidence.Row) { r.AtMost(0.5) }, no},
		{"above a lower limit", []float64{3.1, 3.11}, func(r *evidence.Row) { r.AtLeast(3) }, yes},
		{"below a lower limit", []float64{2.1, 2.11}, func(r *evidence.Row) { r.AtLeast(3) }, no},
		{"within a distance", []float64{2.5}, func(r *evidence.Row) { r.Within(3, 0.5) }, yes},
		{"beyond a distance", []float64{3.51}, func(r *evidence.Row) { r.Within(3, 0.5) }, no},
	} {
		r := evidence.New(c.name, "", c.values)
		c.judge(&r)
		got := open
		if r.Holds != nil {
			got = map[bool]string{true: yes, false: no}[*r.Holds]
		}
		if got != c.want || r.Rule == "" {
			t.Errorf("%s: %s by %q, not %s", c.name, got, r.Rule, c.want)
		}
	}
}
