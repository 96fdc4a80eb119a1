// Package evidence compares a paper's figures with measured ones: it defines one form of row,
// one meaning of ±, and the rules by which a claim holds.
//
// The spread is always the sample standard deviation over the seeds. A claim is a range of
// values: the paper's number with a tolerance, or a limit. It holds if the whole interval of
// the measured mean is in that range, it does not hold if the whole interval is outside, and
// otherwise it is open. One run has no interval, so its claims are open: fewer runs never
// support a claim better. A tolerance follows from the paper's words or its other numbers and
// is fixed, with its reason, before anything is played.
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
	Interval *Interval `json:"interval"` // nil of one run
	Unit     string    `json:"unit"`
	Rule     string    `json:"rule"`  // what decides Holds, in words; empty where nothing is judged
	Holds    *bool     `json:"holds"` // nil: nothing to judge, or (with a rule) the runs cannot tell
	Note     string    `json:"note"`

	claim    *claim
	why      string  // what to note where the claim does not hold
	told     bool    // it is noted
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
	return Row{
		Name: name, Unit: unit, Measured: e.Mean, Spread: e.SD, Interval: e.Interval,
		standard: e.SD / math.Sqrt(float64(e.N)), freedom: e.N - 1,
	}
}

// Apart returns the row of how far the mean of a lies above that of b, which were not
// played on the same workloads.
func Apart(name, unit string, a, b []float64) Row {
	e, freedom := estimate.Apart(a, b)
	r := Row{Name: name, Unit: unit, Measured: e.Mean, Spread: e.SD, Interval: e.Interval, freedom: freedom}
	if e.Interval != nil {
		r.standard = e.Half() / estimate.Student(freedom)
	}
	return r
}

// Spread returns the mean of values and their sample standard deviation.
func Spread(values []float64) (mean, deviation float64) {
	e := estimate.Of(values)
	return e.Mean, e.SD
}

// Says notes what the paper gives without judging it.
func (r *Row) Says(paper float64) { r.Paper = &paper }

// Judge judges a figure that nothing random goes into: it is what it is, and one run
// says all.
func (r *Row) Judge(holds bool, rule string) {
	r.Holds, r.Rule = &holds, rule
	if r.Interval == nil {
		r.Interval = &Interval{Low: r.Measured, High: r.Measured}
	}
}

// Near claims that our mean is a number of the paper, to within a tolerance: reason says,
// in a few words, where that is from.
func (r *Row) Near(paper, tolerance float64, reason string) {
	r.Says(paper)
	r.judge(claim{paper - tolerance, paper + tolerance, fmt.Sprintf("the whole interval within %s ± %s (%s)", short(paper), short(tolerance), reason)})
}

// Roughly is Near for a number that the paper gives and of whose exactness it says
// nothing: a tenth of it, so that what differs by less is called the same.
func (r *Row) Roughly(paper float64) { r.Near(paper, math.Abs(paper)/10, "a tenth of it") }

// AtMost claims that our mean keeps a limit.
func (r *Row) AtMost(limit float64) {
	r.Says(limit)
	r.judge(claim{math.Inf(-1), limit, "the whole interval at most " + short(limit)})
}

// AtLeast claims that our mean keeps a limit from below.
func (r *Row) AtLeast(limit float64) {
	r.Says(limit)
	r.judge(claim{limit, math.Inf(1), "the whole interval at least " + short(limit)})
}

// Sampled is Near for a value of the paper that is itself the mean over a random sample.
// That sample is sets times as large as the one that we draw for each seed. The paper's
// value scatters as ours do, so the interval is that of the difference of the two.
func (r *Row) Sampled(paper, tolerance, sets float64, reason string) {
	if r.freedom > 0 {
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
func (r *Row) Why(why string) {
	r.why = why
	r.tellWhy()
}

// tellWhy notes why the claim does not hold, or takes that note back.
func (r *Row) tellWhy() {
	fails := r.Holds != nil && !*r.Holds && r.why != ""
	switch {
	case fails && !r.told:
		r.Note = join(r.Note, r.why)
	case !fails && r.told:
		r.Note = strings.TrimSuffix(strings.TrimSuffix(r.Note, r.why), "; ")
	}
	r.told = fails
}

// judge notes a claim, and judges it as if it were the only one of its table.
func (r *Row) judge(c claim) {
	r.claim = &c
	r.settle(risk, "")
}

// unlikely returns the least risk with which the interval of the mean lies wholly within
// the claim's range, or wholly outside, and which of the two it is.
func (r *Row) unlikely() (p float64, holds bool) {
	c := r.claim
	holds = r.Measured >= c.low && r.Measured <= c.high
	far := min(math.Abs(r.Measured-c.low), math.Abs(r.Measured-c.high)) // from the nearer end
	if r.standard == 0 {
		return 0, holds
	}
	return estimate.Either(far/r.standard, r.freedom), holds
}

// settle judges the claim at a risk of error; said is appended to the printed rule.
func (r *Row) settle(risk float64, said string) {
	r.Holds, r.Rule = nil, r.claim.rule+said
	if r.freedom == 0 {
		r.Rule += "; one run has no interval"
		r.tellWhy()
		return
	}
	if p, holds := r.unlikely(); p <= risk {
		r.Holds = &holds
	}
	r.tellWhy()
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
	said := ""
	if len(all) > 1 {
		said = fmt.Sprintf("; %d claims are judged together, by Holm's rule", len(all))
	}
	clear := true
	for i, x := range all {
		now := risk / float64(len(all)-i)
		if clear = clear && x.p <= now; !clear {
			now = -1
		}
		x.row.settle(now, said)
	}
}

// Withhold takes the verdicts of a table back, because what was played is not what the
// paper speaks of; why says so.
func Withhold(rows []Row, why string) {
	for i := range rows {
		if r := &rows[i]; r.Rule != "" {
			r.Holds, r.Rule, r.claim = nil, "", nil
			r.tellWhy()
			r.Note = join(r.Note, why)
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

func short(x float64) string { return strconv.FormatFloat(x, 'g', 4, 64) }

// Mean returns the mean of values, for figures that are derived from others.
func Mean(values []float64) float64 {
	mean, _ := Spread(values)
	return mean
}
