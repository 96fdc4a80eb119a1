package evidence_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
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
	minimum := func(limit float64) func(*evidence.Row) { return func(r *evidence.Row) { r.AtLeast(limit) } }
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
		{"always at the limit", []float64{0.5, 0.5}, most(0.5), open},
		{"three that do not differ", []float64{0.1, 0.1, 0.1}, most(0.5), open},
		{"three that only rounding parts", []float64{0.1, 0.1 + 1e-15, 0.1}, most(0.5), open},
		{"35 that do not differ", slices.Repeat([]float64{0.1}, 35), most(0.5), open},
		{"36 that do not differ", slices.Repeat([]float64{0.1}, 36), most(0.5), yes},
		{"120 at a limit, of which the sum falls short", slices.Repeat([]float64{100}, 120), minimum(100), yes},
		{"36 beyond", slices.Repeat([]float64{0.7}, 36), most(0.5), no},
		{"above a lower limit", []float64{3.1, 3.11}, minimum(3), yes},
		{"below a lower limit", []float64{2.1, 2.11}, minimum(3), no},
	} {
		r := evidence.New(c.name, "", c.values)
		c.judge(&r)
		if got := verdict(&r); got != c.want || r.Rule == "" || r.Paper == nil || r.Open() != (got == open) {
			t.Errorf("%s: %s by %q, not %s", c.name, got, r.Rule, c.want)
		}
	}
	if r := evidence.New("told", "", []float64{3, 4}); func() bool { r.Quote(3); return r.Open() || r.Rule != "" }() {
		t.Error("what is only said is judged")
	}
}

// TestInstances: one run shows what is claimed of the very instance that is played; a claim
// about every run is refuted by one that differs, but not by a single seed, and nothing shows it.
func TestInstances(t *testing.T) {
	for _, c := range []struct {
		values          []float64
		instance, every string
	}{
		{[]float64{3}, yes, open},
		{[]float64{3.04}, yes, open},
		{[]float64{3.06}, no, open},
		{[]float64{3, 3}, yes, open},
		{slices.Repeat([]float64{3}, 100), yes, open},
		{[]float64{3, 3.06}, no, no},
		{[]float64{2.9, 3.1}, no, no},
	} {
		r := evidence.New("a", "", c.values)
		if r.Instance(3, 0.05, "the example", "digits"); verdict(&r) != c.instance || r.Rule != "digits; of the example itself, where nothing is drawn" || *r.Paper != 3 || r.Interval.Low != r.Measured {
			t.Errorf("%v of the instance: %+v", c.values, r)
		}
		r = evidence.New("a", "", c.values)
		if r.Every(3, 0.05, "all"); verdict(&r) != c.every || r.Open() != (c.every == open) || !strings.HasPrefix(r.Rule, "all; a run that differs refutes it, and none shows it") {
			t.Errorf("%v of every run: %+v", c.values, r)
		}
		rows := []evidence.Row{r}
		if evidence.Correct(rows); verdict(&rows[0]) != c.every {
			t.Errorf("%v, corrected: %+v", c.values, rows[0])
		}
	}
}

// TestShares: a share is judged by its exact interval too, which has a width where every trial
// hits. The bounds are those of Clopper and Pearson: 3 of 3 are above 29.24 %, 72 of 72 above
// 95.0 %, and 0 of 72 below 5.0 %.
func TestShares(t *testing.T) {
	for _, c := range []struct {
		values  []float64
		trials  float64
		minimum float64
		want    string
	}{
		{[]float64{100, 100, 100}, 1, 29, yes},
		{[]float64{100, 100, 100}, 1, 30, open},
		{[]float64{100, 100, 100}, 24, 94.9, yes},
		{[]float64{100, 100, 100}, 24, 95.1, open},
		{[]float64{0, 0, 0}, 24, 4.9, open},
		{[]float64{0, 0, 0}, 24, 5.1, no},
		{[]float64{100}, 1e6, 90, open},
		{[]float64{96, 96, 96.001}, 50, 91.4, yes}, // 144 of 150
		{[]float64{96, 96, 96.001}, 50, 92.5, open},
		{[]float64{90, 99, 100}, 1e6, 90, open}, // the seeds scatter more than trials do
		{[]float64{100, 100, 100}, 0, 90, open}, // no seed had a trial
	} {
		r := evidence.New("a", "%", c.values)
		r.Share(slices.Repeat([]float64{c.trials}, len(c.values)), 100)
		if r.AtLeast(c.minimum); verdict(&r) != c.want {
			t.Errorf("%v of %v trials, at least %v: %+v, not %s", c.values, c.trials, c.minimum, r, c.want)
		}
		if r.Trials != int64(c.trials)*int64(len(c.values)) || r.Interval != nil && (r.Interval.Low < 0 || r.Interval.High > 100) {
			t.Errorf("%v of %v trials: %d, %+v", c.values, c.trials, r.Trials, r.Interval)
		}
	}
	// An upper limit is held by the other end of the interval: 0 of 72 are below 4.994 %.
	for _, c := range []struct {
		value, limit float64
		want         string
	}{{0, 5, yes}, {0, 4.9, open}, {100, 94.9, no}, {100, 95.1, open}} {
		r := evidence.New("a", "%", slices.Repeat([]float64{c.value}, 3))
		r.Share([]float64{24, 24, 24}, 100)
		if r.AtMost(c.limit); verdict(&r) != c.want {
			t.Errorf("%v at most %v: %+v, not %s", c.value, c.limit, r, c.want)
		}
	}
	// The interval is the wider one at each end, and no share is below 0 or above the whole.
	for _, c := range []struct {
		values    []float64
		trials    float64
		low, high float64
	}{
		{[]float64{40, 50, 60}, 1e6, 25.16, 74.84}, // Student's: 50 ± 4.3027 × 10/√3
		{[]float64{50, 50, 50.0001}, 10, 31.30, 68.70},
		{[]float64{90, 95, 100}, 1e6, 82.58, 100},
		{[]float64{0, 5, 10}, 1e6, 0, 17.42},
	} {
		r := evidence.New("a", "%", c.values)
		if r.Share(slices.Repeat([]float64{c.trials}, 3), 100); math.Abs(r.Interval.Low-c.low) > 0.005 || math.Abs(r.Interval.High-c.high) > 0.005 {
			t.Errorf("%v of %v trials: %v … %v, not %v … %v", c.values, c.trials, r.Interval.Low, r.Interval.High, c.low, c.high)
		}
	}
	// What is above its whole, or below nothing, is not a share; trials are whole.
	for _, values := range [][]float64{{50, 120}, {-20, 50}} {
		r := evidence.New("a", "%", values)
		if r.Share([]float64{10, 10}, 100); r.Trials != 0 {
			t.Errorf("%v: %+v", values, r)
		}
	}
	half := evidence.New("a", "%", []float64{100, 100})
	if half.Share([]float64{1.9, 2.9}, 100); half.Trials != 3 || math.Abs(half.Interval.Low-29.24) > 0.01 {
		t.Errorf("%+v", half)
	}
	// Seeds count by their trials, and what is known is the pooled mean alone.
	r := evidence.New("a", "of 1", []float64{1, 0.5})
	if r.Share([]float64{math.NaN(), 10}, 1); r.Trials != 10 {
		t.Errorf("%+v", r)
	}
	// Three that do not differ have no interval, unless their trials give one.
	if r := evidence.New("a", "%", []float64{100, 100, 100}); r.Interval != nil {
		t.Errorf("%+v", r.Interval)
	}
}

// TestVerdictSaysSeeds: what is open says with how many seeds.
func TestVerdictSaysSeeds(t *testing.T) {
	for want, values := range map[string][]float64{"open: 1 seed": {1}, "open: 2 seeds": {1, 3}, "holds": {1, 1.01}, "does not hold": {7, 7.01}} {
		r := evidence.New("a", "", values)
		if r.Near(1, 0.5, "why"); r.Verdict() != want {
			t.Errorf("%v: %s", values, r.Verdict())
		}
	}
	if r := evidence.New("a", "", []float64{1, 2}); r.Verdict() != "–" {
		t.Error(r.Verdict())
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
	r := evidence.NewUnpaired("d", "points", []float64{70, 70.2, 70.4}, []float64{70.1, 70.3, 70.2, 70.1})
	if r.Near(0, 1, "why"); verdict(&r) != yes {
		t.Errorf("the same: %+v", r)
	}
	r = evidence.NewUnpaired("d", "points", []float64{67, 67.1, 67.2}, []float64{70.1, 70.3, 70.2, 70.1})
	if r.Near(0, 1, "why"); verdict(&r) != no {
		t.Errorf("three points apart: %+v", r)
	}
	r = evidence.NewUnpaired("d", "points", []float64{70}, []float64{70.1, 70.3, 70.2, 70.1})
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
	evidence.Withhold(rows, "small")
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

// TestCount: what is decided and what is open are counted, of all and of each method apart; a
// rule without a number of the paper's is not a claim.
func TestCount(t *testing.T) {
	row := func(whose string, claim func(*evidence.Row), values ...float64) evidence.Row {
		r := evidence.New("a", "", values)
		if r.Method = whose; claim != nil {
			claim(&r)
		}
		return r
	}
	limit := func(r *evidence.Row) { r.AtMost(2) }
	all, apart := evidence.Count([]evidence.Row{
		row("theirs", limit, 1, 1.01), row("ours", limit, 1), row("theirs", limit, 3, 3.01), row("theirs", nil, 1, 2), row("", limit, 1, 1.01), row("ours", limit, 1, 9),
		row("ours", func(r *evidence.Row) { r.Ruled("as it is") }, 1),
	})
	if want := (evidence.Counts{Holds: 2, Fails: 1, Open: 2}); all != want || all.All() != 5 {
		t.Errorf("%+v", all)
	}
	if want := []evidence.Counts{{Method: "theirs", Holds: 1, Fails: 1}, {Method: "ours", Open: 2}}; !slices.Equal(apart, want) {
		t.Errorf("%+v", apart)
	}
}
