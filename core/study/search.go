package study

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/bits"
	"slices"
)

// Search asks, in every cell and seed by seed, for the largest or the smallest value of
// a field with which a run still fits. It assumes that all values up to a limit fit and
// none beyond it: the limit is found by bisection.
type Search struct {
	Axis  string            `json:"axis"`
	From  *float64          `json:"from"`
	To    *float64          `json:"to"`
	Step  *float64          `json:"step"`
	Start *float64          `json:"start,omitempty" was:"near"` // where to begin, in steps that double; in the middle if left out
	Find  string            `json:"find"`                       // "largest" or "smallest"
	Fits  map[string]Bounds `json:"fits"`                       // by figure; all must be kept

	last  int // place of the last value
	begin int // place of Start; -1 if none
}

// Bounds are the limits that a figure must keep.
type Bounds struct {
	AtMost  *float64 `json:"at_most,omitempty"`
	AtLeast *float64 `json:"at_least,omitempty"`
}

func (q *Search) steps() (int, error) {
	if q.From == nil || q.To == nil || q.Step == nil {
		return 0, errors.New("from, to and step are needed, as in \"from\":0.5,\"to\":2,\"step\":0.01")
	}
	return steps{q.From, q.To, q.Step}.count()
}

// value returns the i-th value of the searched axis, the easiest first: the lowest if the largest value that
// fits is searched, else the highest.
func (q *Search) value(i int) json.RawMessage {
	if q.Find == "smallest" { // places grow with the difficulty
		i = q.last - i
	}
	return json.RawMessage(steps{q.From, q.To, q.Step}.at(i))
}

// probes returns how many runs a search among n values takes at most, twice a
// bisection where it begins near a value.
func probes(values int) int { return min(values, 2*bits.Len(uint(values))) }

// readSearch checks the document's search, if it has one, and sets s.Search, with the index of its last value
// and that of the value at which it begins (-1 without Start).
func (s *Study) readSearch() error {
	q := s.doc.Search
	if q == nil {
		return nil
	}
	own := *q
	count, err := own.steps()
	switch {
	case err != nil:
		return fmt.Errorf("search: %w", err)
	case own.Axis == "":
		return errors.New("search.axis is empty: name the field whose limit is searched")
	case slices.ContainsFunc(s.Axes, func(a Axis) bool { return a.Path == own.Axis }):
		return fmt.Errorf("search.axis is %q, which stands under axes as well: leave it out there", shorten(own.Axis))
	case own.Axis == "seed":
		return errors.New(`search.axis is "seed", which is no axis: write the seeds under seeds`)
	case own.Find != "largest" && own.Find != "smallest":
		return fmt.Errorf("search.find is %q: choose largest or smallest", shorten(own.Find))
	case len(own.Fits) == 0:
		return errors.New(`search.fits is empty: say what a run must keep, as in {"overloaded_pct":{"at_most":0.5}}`)
	}
	for name, b := range own.Fits {
		if b.AtMost == nil && b.AtLeast == nil {
			return fmt.Errorf("search.fits has no limit of %q: write at_most or at_least", shorten(name))
		}
	}
	own.last, own.begin = count-1, -1
	if own.Start != nil {
		if !(*own.Start >= *own.From && *own.Start <= *own.To) {
			return fmt.Errorf("search.start is %v: choose %v to %v", *own.Start, *own.From, *own.To)
		}
		own.begin = min(int((*own.Start-*own.From) / *own.Step + 0.5), own.last)
		if own.Find == "smallest" {
			own.begin = own.last - own.begin
		}
	}
	s.Search = &own
	return nil
}

// fits reports whether a run satisfies all bounds. missing names a figure that the run lacks, "" if it has all;
// with a missing figure, it does not fit.
func (q *Search) fits(o *Outcome) (fits bool, missing string) {
	fits = true
	for name, b := range q.Fits {
		x, has := o.Figure(name)
		if !has {
			missing = max(missing, name)
			continue
		}
		fits = fits && (b.AtMost == nil || x <= *b.AtMost) && (b.AtLeast == nil || x >= *b.AtLeast)
	}
	return fits && missing == "", missing
}
