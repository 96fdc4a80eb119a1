package evidence_test

import (
	"fmt"
	"testing"

	"parley/core/study/evidence"
)

const open, yes, no = "open", "holds", "does not hold"

// verdict is what a row says of its claim.
func verdict(r *evidence.Row) string {
	if r.Holds == nil {
		return open
	}
	return map[bool]string{true: yes, false: no}[*r.Holds]
}

// TestVerdicts: a claim holds where the whole interval lies in its range, does not where it
// lies outside, and is open between. Three values whose middle is their mean and which lie
// d apart have an interval of ± 2.484 d, two values that lie d apart one of ± 6.353 d.
func TestVerdicts(t *testing.T) {
	near := func(paper, tolerance float64) func(*evidence.Row) {
		return func(r *evidence.Row) { r.Near(paper, tolerance, "why") }
	}
	most := func(limit float64) func(*evidence.Row) { return func(r *evidence.Row) { r.AtMost(limit) } }
	least := func(limit float64) func(*evidence.Row) { return func(r *evidence.Row) { r.AtLeast(limit) } }
	for _, c := range []struct {
		name   string
		values []float64
		judge  func(*evidence.Row)
		want   string
	}{
		{"wholly within", []float64{2.9, 3, 3.1}, near(3, 0.5), yes},
		{"the mean alone within", []float64{2.7, 3, 3.3}, near(3, 0.5), open},
		{"wider than the whole range", []float64{2, 3, 4}, near(3, 0.5), open},
		{"just within", []float64{2.9, 3, 3.1}, near(3, 0.2485), yes},
		{"just not within", []float64{2.9, 3, 3.1}, near(3, 0.2483), open},
		{"near the upper end", []float64{3.3, 3.4, 3.5}, near(3, 0.5), open},
		{"the interval reaches the range", []float64{3.4, 3.6, 3.8}, near(3, 0.5), open},
		{"above", []float64{9.1, 9.2, 9.3}, near(3, 0.5), no},
		{"below", []float64{0.8, 0.84, 0.88}, near(10, 0.5), no},
		{"two values", []float64{2.99, 3.01}, near(3, 0.5), yes},
		{"two values that lie apart", []float64{2.9, 3.1}, near(3, 0.5), open},
		{"one run", []float64{3}, near(3, 0.5), open},
		{"a tenth", []float64{54, 54.1, 54.2}, func(r *evidence.Row) { r.Roughly(50) }, yes},
		{"more than a tenth", []float64{55.5, 55.6, 55.7}, func(r *evidence.Row) { r.Roughly(50) }, no},
		{"below a limit", []float64{0.01, 0.02, 0.03}, most(0.5), yes},
		{"beyond it", []float64{0.7, 0.71, 0.72}, most(0.5), no},
		{"the limit lies inside", []float64{0.3, 0.6}, most(0.5), open},
		{"one run below", []float64{0.4}, most(0.5), open},
		{"always at the limit", []float64{0.5, 0.5}, most(0.5), yes},
		{"above a lower limit", []float64{3.1, 3.11}, least(3), yes},
		{"below a lower limit", []float64{2.1, 2.11}, least(3), no},
	} {
		r := evidence.New(c.name, "", c.values)
		c.judge(&r)
		if got := verdict(&r); got != c.want || r.Rule == "" || r.Paper == nil || r.Open() != (got == open) {
			t.Errorf("%s: %s by %q, not %s", c.name, got, r.Rule, c.want)
		}
	}
	r := evidence.New("exact", "", []float64{3})
	r.Judge(false, "digits")
	if verdict(&r) != no || r.Interval == nil || r.Interval.Low != 3 || r.Interval.High != 3 {
		t.Errorf("what nothing random goes into: %+v", r)
	}
	if r := evidence.New("told", "", []float64{3, 4}); func() bool { r.Says(3); return r.Open() || r.Rule != "" }() {
		t.Error("what is only said is judged")
	}
}

// TestFewerSeedsAgreeLess: the same spread around the same mean holds with many seeds and is
// open with few; it never turns from open to holds as seeds go.
func TestFewerSeedsAgreeLess(t *testing.T) {
	for _, jitter := range []float64{0.1, 0.5, 2} {
		last := yes
		for seeds := 40; seeds >= 2; seeds -= 2 {
			values := make([]float64, seeds)
			for i := range values {
				values[i] = 68 + jitter*float64(1-2*(i%2))
			}
			r := evidence.New("a", "%", values)
			r.Near(68, 1, "why")
			if got := verdict(&r); got == no || got == yes && last == open {
				t.Errorf("± %v, %d seeds: %s, with more %s", jitter, seeds, got, last)
			} else {
				last = got
			}
		}
	}
}

// TestSampled: the paper's value of four sets scatters by half of what one of ours does, so
// with four sets of ours the error is 2 √(1/4 + 1/4) = 1.414 and the interval ± 4.5007.
func TestSampled(t *testing.T) {
	values := []float64{8, 12, 10, 10} // deviation 1.633, so × 1.2247 is 2
	for i := range values {
		values[i] = 10 + (values[i]-10)*1.2247449
	}
	for _, c := range []struct {
		paper, tolerance float64
		want             string
	}{{10, 4.51, yes}, {10, 4.49, open}, {15, 0.49, no}, {15, 0.51, open}} {
		r := evidence.New("a", "%", values)
		r.Sampled(c.paper, c.tolerance, 4, "half way")
		if got := verdict(&r); got != c.want {
			t.Errorf("%v ± %v: %s by %q, not %s", c.paper, c.tolerance, got, r.Rule, c.want)
		}
	}
	r := evidence.New("a", "%", []float64{3})
	if r.Sampled(3, 1, 1, "why"); r.Holds != nil {
		t.Error("one set tells nothing about how sets scatter")
	}
}

// TestApart: the difference of two means that have nothing in common is judged by the error
// of both.
func TestApart(t *testing.T) {
	r := evidence.Apart("d", "points", []float64{70, 70.2, 70.4}, []float64{70.1, 70.3, 70.2, 70.1})
	if r.Near(0, 1, "why"); verdict(&r) != yes {
		t.Errorf("the same: %+v", r)
	}
	r = evidence.Apart("d", "points", []float64{67, 67.1, 67.2}, []float64{70.1, 70.3, 70.2, 70.1})
	if r.Near(0, 1, "why"); verdict(&r) != no {
		t.Errorf("three points apart: %+v", r)
	}
	r = evidence.Apart("d", "points", []float64{70}, []float64{70.1, 70.3, 70.2, 70.1})
	if r.Near(0, 1, "why"); verdict(&r) != open {
		t.Errorf("a single run: %+v", r)
	}
}

// TestHolm: of claims that are judged together the clearest needs 1 − 0.05/n, the next
// 1 − 0.05/(n−1), and after the first that is not clear none is. With n values in pairs
// 0 ± 1 the error is √(n/(n−1))/√n; the limits below are chosen at given risks.
func TestHolm(t *testing.T) {
	claim := func(at float64) evidence.Row { // ten values, 9 degrees of freedom, error 1/3
		values := make([]float64, 10)
		for i := range values {
			values[i] = float64(1 - 2*(i%2))
		}
		r := evidence.New(fmt.Sprint(at), "", values)
		r.AtMost(at)
		r.Why("because")
		return r
	}
	// t of 9 degrees: 2.262 at .05, 2.685 at .025, 2.933 at .05/3; the error is 1/3.
	for _, c := range []struct {
		at   []float64
		want []string
	}{
		{[]float64{0.76}, []string{yes}},
		{[]float64{0.76, 0.76}, []string{open, open}},
		{[]float64{0.76, 0.9}, []string{yes, yes}},
		{[]float64{0.9, 0.9, 0.76}, []string{open, open, open}},
		{[]float64{0.9, 0.98, 0.76}, []string{yes, yes, yes}},
		{[]float64{0.74, 0.98, 0.9}, []string{open, yes, yes}},
		{[]float64{-0.98, 0.9, 0.76}, []string{no, yes, yes}},
	} {
		rows := []evidence.Row{evidence.New("nothing claimed", "", []float64{1, 2}), evidence.New("one run", "", []float64{1})}
		rows[1].AtMost(3)
		for _, at := range c.at {
			rows = append(rows, claim(at))
		}
		evidence.Correct(rows)
		evidence.Correct(rows) // once more changes nothing
		for i, want := range c.want {
			r := &rows[i+2]
			if verdict(r) != want || (r.Note == "because") != (want == no) {
				t.Errorf("%v: %s is %s with the note %q, not %s", c.at, r.Name, verdict(r), r.Note, want)
			}
		}
		if rows[0].Rule != "" || verdict(&rows[1]) != open {
			t.Errorf("%+v", rows[:2])
		}
	}
}

// TestWithhold: verdicts go, with their rules, and the rows say why.
func TestWithhold(t *testing.T) {
	rows := []evidence.Row{evidence.New("judged", "", []float64{1, 1.1}), evidence.New("not judged", "", []float64{1, 2})}
	rows[0].Near(1, 5, "why")
	rows[0].Note = "first"
	evidence.Withhold(rows, "no verdict: small")
	if r := rows[0]; r.Holds != nil || r.Rule != "" || r.Open() || r.Note != "first; no verdict: small" || *r.Paper != 1 {
		t.Errorf("%+v", r)
	}
	if rows[1].Note != "" {
		t.Errorf("%+v", rows[1])
	}
	evidence.Correct(rows)
	if rows[0].Holds != nil {
		t.Error("a verdict that was taken back is back")
	}
}
