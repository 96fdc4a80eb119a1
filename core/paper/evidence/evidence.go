// Package evidence is one figure of a paper beside ours: one form of row, one
// meaning of ±, and the rules by which a claim holds.
//
// Spread is the sample standard deviation over the seeds, everywhere. A claim is
// judged with what the spread says of the mean, its 95 % interval by Student's t,
// never with a tolerance chosen to pass; where the runs are too few or too far
// apart to tell, it stays open.
//
//	row := evidence.New("PA:DA", "", []float64{2.9, 3.4, 3.1})
//	row.Near(3, 0.5) // the paper's "about 3 : 1"
package evidence

import (
	"fmt"
	"math"
	"strconv"

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
}

// Interval holds the true mean with 95 % confidence.
type Interval = estimate.Interval

// New returns the row of a figure that was measured once a seed; at least once.
func New(name, unit string, values []float64) Row {
	e := estimate.Of(values)
	return Row{Name: name, Unit: unit, Measured: e.Mean, Spread: e.SD, Interval: e.Interval}
}

// Spread returns the mean of values and their sample standard deviation.
func Spread(values []float64) (mean, deviation float64) {
	e := estimate.Of(values)
	return e.Mean, e.SD
}

// Says notes what the paper gives without judging it.
func (r *Row) Says(paper float64) { r.Paper = &paper }

// Judge notes whether a claim holds by a rule of the caller's.
func (r *Row) Judge(holds bool, rule string) { r.Holds, r.Rule = &holds, rule }

// Near judges on both sides a number that the paper gives, rounded to within
// rounding. The claim holds where the interval of our mean reaches what the paper
// may mean. An interval that reaches farther to each side than a quarter of the
// paper's number would agree with nearly anything: the claim stays open then, as it
// does with one run, which has no interval.
func (r *Row) Near(paper, rounding float64) {
	r.Says(paper)
	r.Rule = fmt.Sprintf("on both sides: the 95 %% interval reaches %s ± %s", short(paper), short(rounding))
	half := r.half()
	switch far := math.Abs(r.Measured-paper) - rounding; {
	case r.Interval == nil:
		r.Rule += "; one run cannot tell"
	case far > half:
		r.Judge(false, r.Rule)
	case half > math.Abs(paper)/4:
		r.Rule += "; the runs are too far apart to tell"
	default:
		r.Judge(true, r.Rule)
	}
}

// AtMost judges a limit: the claim holds where the whole interval keeps it, does
// not where the whole interval breaks it, and is open between. One run is judged
// by its value.
func (r *Row) AtMost(limit float64) { r.limit("at most", limit, r.Measured-limit) }

// AtLeast is AtMost for a limit from below.
func (r *Row) AtLeast(limit float64) { r.limit("at least", limit, limit-r.Measured) }

// limit judges by how far the mean lies beyond a limit.
func (r *Row) limit(word string, limit, beyond float64) {
	r.Says(limit)
	r.Rule = word + " " + short(limit) + ", the whole 95 % interval"
	switch half := r.half(); {
	case r.Interval == nil:
		r.Judge(beyond <= 0, word+" "+short(limit)+", one run")
	case beyond+half <= 0:
		r.Judge(true, r.Rule)
	case beyond-half > 0:
		r.Judge(false, r.Rule)
	default:
		r.Rule += "; the limit lies inside it"
	}
}

// Open reports whether the paper claims something that the runs cannot tell.
func (r *Row) Open() bool { return r.Holds == nil && r.Rule != "" && r.Paper != nil }

// Within judges by a fixed distance from what the paper says: for figures whose
// spread is that of drawing other instances, not of runs.
func (r *Row) Within(paper, distance float64) {
	r.Says(paper)
	r.Judge(math.Abs(r.Measured-paper) <= distance, "within "+short(distance)+" of the paper's value")
}

// Sampled judges a number of the paper that is itself the mean over one random
// set, worth so many of the sets of which we drew one a seed: then the paper's
// value scatters as ours do, and the yardstick is the standard error of the
// difference. The claim holds where the two are no farther apart than 95 % of
// such pairs are, and rounding.
func (r *Row) Sampled(paper, rounding, sets float64, seeds int) {
	r.Says(paper)
	if seeds < 2 {
		r.Rule = "by the standard error of the difference; one run cannot tell"
		return
	}
	off, standard := math.Abs(r.Measured-paper), r.Spread*math.Sqrt(1/sets+1/float64(seeds))
	rule := fmt.Sprintf("within %s, the 95 %% of drawing another set as the paper did; it is %.1f standard errors off",
		short(float64(estimate.Student(seeds-1)*standard)+rounding), off/standard)
	r.Judge(off <= float64(estimate.Student(seeds-1)*standard)+rounding, rule)
}

func (r *Row) half() float64 {
	if r.Interval == nil {
		return 0
	}
	return (r.Interval.High - r.Interval.Low) / 2
}

func short(x float64) string { return strconv.FormatFloat(x, 'g', 4, 64) }

// Mean returns the mean of values, for figures that are derived from others.
func Mean(values []float64) float64 {
	mean, _ := Spread(values)
	return mean
}
