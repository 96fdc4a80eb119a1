// Package evidence compares a paper's figures with measured ones: it defines one form of row,
// one meaning of ±, and the rules by which a claim holds.
//
// The spread is always the sample standard deviation over the seeds. A claim is a range of
// values: the paper's number with a tolerance, or a limit. It holds if the whole interval of
// the measured mean is in that range, it does not hold if the whole interval is outside, and
// otherwise it is open. A tolerance follows from the paper's words or its other numbers and
// is fixed, with its reason, before anything is played.
//
// The interval is Student's. Three cases have a rule of their own, because Student's interval
// is too narrow there:
//   - One seed decides nothing, unless the claim is about that very instance (Instance).
//   - The figure is a share of trials (Share): its interval also contains the exact one of
//     Clopper and Pearson.
//   - The seeds do not differ, and the figure is not a share of known trials: each seed is a trial,
//     and a claim is decided if the exact interval shows that nine in ten seeds agree.
//
// A claim about every run (Every) does not hold if one run differs, and stays open otherwise.
//
// A table has many claims, and one in twenty intervals of 95 % misses its mean. The claims of
// one result are therefore judged together by Holm's rule (Correct): of n claims the clearest
// with 1 − 0.05/n, the next with 1 − 0.05/(n−1), until one is not clear.
//
//	row := evidence.New("PA:DA", "", []float64{2.9, 3.4, 3.1})
//	row.Near(3, 0.5, "the paper's whole numbers, 3 : 1")
//	evidence.Correct(rows)
package evidence

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"parley/core/estimate"
)

// Row is one figure of a paper beside ours.
type Row struct {
	Name     string    `json:"name"`
	Paper    *float64  `json:"paper"` // nil: lost, or the paper gives no number
	Measured float64   `json:"measured"`
	Spread   float64   `json:"spread"`   // standard deviation over the seeds; 0 of one run
	Interval *Interval `json:"interval"` // nil of one run, and of a few that do not differ
	Seeds    int       `json:"seeds"`    // runs behind the mean
	Unit     string    `json:"unit"`
	Rule     string    `json:"rule"`  // the rule that decides Holds, in words; empty if there is no claim
	Holds    *bool     `json:"holds"` // nil: nothing to judge, or (with a rule) the runs cannot tell
	Note     string    `json:"note"`
	// that Measured is a share of, over all seeds; 0: it is none, or they are not known
	Trials int64  `json:"trials,omitempty"`
	Method string `json:"method,omitempty"` // method of the row, for claims that are counted apart

	claim    *claim
	values   []float64 // by seed; nil of a difference between two samples
	tally    estimate.Tally
	whole    float64 // Measured if every trial hits
	reason   string  // the note if the claim does not hold
	noted    bool    // it is noted
	standard float64 // error of the mean; 0: nothing spreads, or there is one run
	freedom  int     // its degrees of freedom; 0: there is no interval
}

// claim is a range in which the paper's value may lie.
type claim struct {
	low, high float64 // -Inf or +Inf: there is no such limit
	rule      string
}

// risk is that of one verdict of a table to be wrong.
const risk = 0.05

// Interval holds the true mean with 95 % confidence, of each row by itself.
type Interval = estimate.Interval

// New returns the row of a figure that was measured once a seed; at least once.
func New(name, unit string, values []float64) Row {
	e := estimate.Of(values)
	r := Row{Name: name, Unit: unit, Measured: e.Mean, values: values}
	r.summed(e, e.N-1, e.SD/math.Sqrt(float64(e.N)))
	return r
}

// NewUnpaired returns the row of the difference mean(a) − mean(b) of two samples that were not played on the same
// workloads. Each has at least one value.
func NewUnpaired(name, unit string, a, b []float64) Row {
	e, freedom := estimate.Apart(a, b)
	r := Row{Name: name, Unit: unit, Measured: e.Mean}
	standard := 0.0
	if e.Interval != nil {
		standard = e.Half() / estimate.Student(freedom)
	}
	r.summed(e, freedom, standard)
	return r
}

// Rejudge returns a recorded row without its verdict, to be judged anew under a name: with its mean, spread, interval
// and seeds. A row that compares two samples is treated as one of r.Seeds differences.
func Rejudge(r *Row, name, unit string) Row {
	out := Row{Name: name, Unit: unit, Measured: r.Measured}
	e := estimate.Estimate{N: r.Seeds, Mean: r.Measured, SD: r.Spread, Interval: r.Interval}
	if r.Seeds < 2 {
		e.Interval = nil
	}
	out.summed(e, r.Seeds-1, r.Spread/math.Sqrt(float64(r.Seeds)))
	return out
}

// summed sets the figures of an estimate with its degrees of freedom and the standard error of the mean. A spread that
// only rounding explains counts as 0, and few equal values have no interval.
func (r *Row) summed(e estimate.Estimate, freedom int, standard float64) {
	r.Spread, r.Interval, r.Seeds, r.freedom = e.SD, e.Interval, e.N, freedom
	if r.standard = standard; e.Same() {
		r.standard = 0
		if estimate.Agreement(r.Seeds) > risk {
			r.Interval = nil
		}
	}
}

// Share declares the figure to be a share of trials, given by seed; whole is the figure where
// every trial hits: 100 of percents. The interval then contains the exact one.
func (r *Row) Share(trials []float64, whole float64) {
	r.tallied(trials, whole)
	r.widen()
}

// Counted is Share for a figure of which only the mean is known, and the trials of all seeds
// together. Without trials, or if the mean is not a share, nothing changes.
func (r *Row) Counted(trials int64, whole float64) {
	if trials > 0 && r.Measured >= 0 && r.Measured <= whole*(1+1e-9) {
		r.whole, r.Trials = whole, trials
		r.tally = estimate.Tally{Hits: int64(math.Round(r.Measured / whole * float64(trials))), Trials: trials}
		r.widen()
	}
}

// tallied counts hits and trials over the seeds: hits are the share of the value times its trials. If a value is
// not a share, or has more hits than trials, nothing is counted.
func (r *Row) tallied(trials []float64, whole float64) {
	var t estimate.Tally
	for i, n := range trials {
		hits := math.Round(r.values[i] / whole * math.Floor(n))
		if hits < 0 || hits > n {
			return
		}
		if n >= 1 && n < 1e15 { // NaN is not a number of trials
			t.Hits, t.Trials = t.Hits+int64(hits), t.Trials+int64(n)
		}
	}
	r.whole, r.tally, r.Trials = whole, t, t.Trials
}

// widen makes the interval contain the exact one of the share, and limits it to 0 to r.whole. Without trials, or with
// one seed, nothing changes.
func (r *Row) widen() {
	if r.tally.Trials == 0 || r.Seeds < 2 {
		return
	}
	exact := r.tally.Share(risk)
	own := Interval{Low: exact.Low * r.whole, High: exact.High * r.whole}
	if r.standard > 0 {
		own.Low, own.High = max(0, min(own.Low, r.Interval.Low)), min(r.whole, max(own.High, r.Interval.High))
	}
	r.Interval = &own
}

// Spread returns the mean of values and their sample standard deviation.
func Spread(values []float64) (mean, deviation float64) {
	e := estimate.Of(values)
	return e.Mean, e.SD
}

// Quote notes the paper's value without judging it.
func (r *Row) Quote(paper float64) { r.Paper = &paper }

// Instance claims that the very instance that was played has a value, to within a tolerance. Nothing random affects
// it, so one run is enough. The third argument names the instance in the rule; reason explains the tolerance.
func (r *Row) Instance(value, tolerance float64, subject, reason string) {
	r.Quote(value)
	holds := !r.differs(value, tolerance)
	r.Holds, r.Rule = &holds, join(reason, "of "+subject+" itself, where nothing is drawn")
	r.Interval = &Interval{Low: r.Measured, High: r.Measured}
}

// Every claims that each run gives a value, to within a tolerance. A run that differs refutes
// it, and no number of runs shows it.
func (r *Row) Every(value, tolerance float64, reason string) {
	r.Quote(value)
	if r.Rule = join(reason, "a run that differs refutes it, and none shows it"); r.Seeds < 2 {
		r.Rule += oneSeed
	} else if holds := false; r.differs(value, tolerance) {
		r.Holds = &holds
	}
}

// differs reports whether the mean or a run differs from value by more than a tolerance; if that is 0, any
// spread counts.
func (r *Row) differs(value, tolerance float64) bool {
	return math.Abs(r.Measured-value) > tolerance || tolerance == 0 && r.standard > 0 ||
		slices.ContainsFunc(r.values, func(x float64) bool { return math.Abs(x-value) > tolerance })
}

// Near claims that our mean is a number of the paper, to within a tolerance: reason says,
// in a few words, where that is from.
func (r *Row) Near(paper, tolerance float64, reason string) {
	r.Quote(paper)
	r.judge(claim{
		paper - tolerance, paper + tolerance,
		fmt.Sprintf("the whole interval within %s ± %s (%s)", short(paper), short(tolerance), reason),
	})
}

// Roughly is Near for a number whose precision the paper does not give: the tolerance is a tenth of
// it.
func (r *Row) Roughly(paper float64) { r.Near(paper, math.Abs(paper)/10, "a tenth of it") }

// AtMost claims that our mean keeps a limit.
func (r *Row) AtMost(limit float64) {
	r.Quote(limit)
	r.judge(claim{math.Inf(-1), limit, "the whole interval at most " + short(limit)})
}

// AtLeast claims that our mean keeps a limit from below.
func (r *Row) AtLeast(limit float64) {
	r.Quote(limit)
	r.judge(claim{limit, math.Inf(1), "the whole interval at least " + short(limit)})
}

// Sampled is Near for a value of the paper that is itself the mean over a random sample.
// That sample is sets times as large as the one that we draw for each seed. The paper's
// value scatters as ours do, so the interval is that of the difference of the two.
func (r *Row) Sampled(paper, tolerance, sets float64, reason string) {
	if r.freedom > 0 && r.standard > 0 {
		r.standard = r.Spread * math.Sqrt(1/sets+1/float64(r.freedom+1))
		half := float64(estimate.Student(r.freedom) * r.standard)
		r.Interval = &Interval{Low: r.Measured - half, High: r.Measured + half}
	}
	r.Near(paper, tolerance, reason+"; the interval counts that the paper's value is the mean of one set too")
}

// Ruled adds to the rule in words.
func (r *Row) Ruled(words string) {
	if r.claim != nil {
		r.claim.rule = join(words, r.claim.rule)
	}
	r.Rule = join(words, r.Rule)
}

// Add adds to the note.
func (r *Row) Add(note string) { r.Note = join(r.Note, note) }

// Why sets the note for a claim that does not hold.
func (r *Row) Why(reason string) {
	r.reason = reason
	r.noteFailure()
}

// noteFailure appends the reason to the note if the claim does not hold, or removes it if the claim holds after all.
func (r *Row) noteFailure() {
	fails := r.Holds != nil && !*r.Holds && r.reason != ""
	switch {
	case fails && !r.noted:
		r.Note = join(r.Note, r.reason)
	case !fails && r.noted:
		r.Note = strings.TrimSuffix(strings.TrimSuffix(r.Note, r.reason), "; ")
	}
	r.noted = fails
}

// judge notes a claim, and judges it as if it were the only one of its table.
func (r *Row) judge(c claim) {
	r.claim = &c
	r.settle(risk, "")
}

// unlikely returns the least risk p at which the claim is decided, and its verdict: the interval of the mean at
// that risk lies wholly within the claim's range (holds) or wholly outside. For a share, the exact interval must
// do so too.
func (r *Row) unlikely() (p float64, holds bool) {
	c := r.claim
	holds = r.Measured >= c.low && r.Measured <= c.high
	if r.standard > 0 {
		far := min(math.Abs(r.Measured-c.low), math.Abs(r.Measured-c.high)) // from the nearer end
		p = estimate.Either(far/r.standard, r.freedom)
	}
	switch low, high := c.low/r.whole, c.high/r.whole; {
	case r.tally.Trials == 0 && r.standard == 0:
		p = estimate.Agreement(r.Seeds)
	case r.tally.Trials == 0:
	case !holds && r.Measured < c.low:
		p = max(p, 2*r.tally.AtMost(low))
	case !holds:
		p = max(p, 2*r.tally.AtLeast(high))
	default:
		if low > 0 {
			p = max(p, 2*r.tally.AtLeast(low))
		}
		if high < 1 {
			p = max(p, 2*r.tally.AtMost(high))
		}
	}
	return p, holds
}

const oneSeed = "; one seed decides nothing"

// settle judges the claim at a risk of error; stated is appended to the printed rule.
func (r *Row) settle(risk float64, stated string) {
	r.Holds, r.Rule = nil, r.claim.rule+stated
	if r.freedom == 0 {
		r.Rule += oneSeed
		r.noteFailure()
		return
	}
	if p, holds := r.unlikely(); p <= risk {
		r.Holds = &holds
	}
	switch {
	case r.tally.Trials > 0:
		r.Rule += "; the interval is at least as wide as the exact one of a share"
	case r.standard == 0 && r.Holds == nil:
		r.Rule += fmt.Sprintf("; the seeds do not differ, and %d are too few to show that nine in ten agree", r.Seeds)
	}
	r.noteFailure()
}

// Correct judges the claims of one table together, by Holm's rule: all of its verdicts are
// right with 95 %.
func Correct(rows []Row) {
	type one struct {
		row *Row
		p   float64
	}
	var all []one
	for i := range rows {
		if r := &rows[i]; r.claim != nil && r.freedom > 0 {
			p, _ := r.unlikely()
			all = append(all, one{r, p})
		}
	}
	slices.SortStableFunc(all, func(a, b one) int { return cmp.Compare(a.p, b.p) })
	stated := ""
	if len(all) > 1 {
		stated = fmt.Sprintf("; %d claims are judged together, by Holm's rule", len(all))
	}
	clear := true
	for i, x := range all {
		now := risk / float64(len(all)-i)
		if clear = clear && x.p <= now; !clear {
			now = -1 // at this claim and all that are less sure, the rule ends: they stay open
		}
		x.row.settle(now, stated)
	}
}

// Withheld begins the note of a row whose verdict was taken back.
const Withheld = "no verdict: "

// Withhold removes the verdicts of a table, because the runs differ from the paper's; reason is the
// reason.
func Withhold(rows []Row, reason string) {
	for i := range rows {
		if r := &rows[i]; r.Rule != "" {
			r.Holds, r.Rule, r.claim = nil, "", nil
			r.noteFailure()
			r.Note = join(r.Note, Withheld+reason)
		}
	}
}

func join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "; " + b
}

// Open reports whether the paper claims something that the runs cannot tell.
func (r *Row) Open() bool { return r.Holds == nil && r.Rule != "" && r.Paper != nil }

// Verdict returns the verdict in words; with the number of seeds if the claim is open, and – if
// nothing is judged.
func (r *Row) Verdict() string {
	switch {
	case r.Holds != nil && *r.Holds:
		return "holds"
	case r.Holds != nil:
		return "does not hold"
	case !r.Open():
		return "–"
	case r.Seeds == 1:
		return "open: 1 seed"
	}
	return fmt.Sprintf("open: %d seeds", r.Seeds)
}

func short(x float64) string { return strconv.FormatFloat(x, 'g', 4, 64) }

// Mean returns the mean of values, for figures that are derived from others.
func Mean(values []float64) float64 {
	mean, _ := Spread(values)
	return mean
}
