package study

import (
	"fmt"
	"math"
	"slices"

	"parley/core/estimate"
	"parley/core/study/evidence"
)

// Judged reports whether the study has rows to show.
func (s *Study) Judged() bool { return len(s.rows) > 0 }

// Judge returns the rows of the study with the verdicts on their claims, by the results
// that exist. The claims are judged together.
func (s *Study) Judge(have *Results) ([]evidence.Row, error) {
	j := judging{Study: s, have: have, expander: newExpander(s, have.Engine), samples: make([]*sample, s.Cells())}
	var shown []*row
	var rows []evidence.Row
	for i := range s.rows {
		r := &s.rows[i]
		one, is, err := j.row(r)
		if err != nil {
			return nil, err
		}
		if is {
			shown, rows = append(shown, r), append(rows, one)
		} else if !r.Optional {
			return nil, fmt.Errorf("rows: %q: no run has the figure %q", shorten(r.Name), shorten(r.Figure))
		}
	}
	arrange(shown, rows)
	evidence.Correct(rows)
	for i, r := range shown {
		if r.Holds != nil {
			if err := s.countHolds(r, &rows[i], rows); err != nil {
				return nil, fmt.Errorf("rows: %q: %w", shorten(r.Name), err)
			}
		}
	}
	return rows, nil
}

// judging reads figures from results.
type judging struct {
	*Study
	have     *Results
	expander *expander
	samples  []*sample // by cell; nil: not read yet
}

// values returns a figure in a cell, by seed; NaN if it is missing.
func (j *judging) values(cell int, figure string) ([]float64, error) {
	if j.samples[cell] == nil {
		x, err := j.sample(cell, j.expander, j.have)
		if err != nil {
			return nil, err
		}
		j.samples[cell] = &x
	}
	return j.samples[cell].values(figure, j.Search != nil), nil
}

// row returns a row without the verdicts that depend on others; false if no run has its
// figure.
func (j *judging) row(r *row) (out evidence.Row, is bool, err error) {
	switch {
	case r.Holds != nil:
		return evidence.New(r.Name, r.Unit, []float64{0}), true, nil
	case r.Choose != nil:
		return j.chosen(r)
	}
	a, err := j.values(r.cells[0], r.Figure)
	if err != nil {
		return out, false, err
	}
	var b, given, of []float64
	switch {
	case r.Less != "":
		b, err = j.values(r.cells[0], r.Less)
	case r.base >= 0:
		b, err = j.values(r.base, r.Figure)
	}
	if err == nil && r.Given != nil {
		given, err = j.values(r.cells[0], r.Given.Figure)
	}
	if err == nil && r.Share != nil && r.Share.Of.figure != "" {
		if of, err = j.values(r.cells[0], r.Share.Of.figure); err == nil && len(present(of)) == 0 &&
			len(present(a)) > 0 {
			err = fmt.Errorf("rows: %q: no run has the figure %q, whose trials it is a share of", shorten(r.Name),
				shorten(r.Share.Of.figure))
		}
	}
	if err != nil {
		return out, false, err
	}
	own := *r
	if own.Note, err = j.seedNotes(r); err != nil {
		return out, false, err
	}
	out, is = own.shown(a, b, given, of)
	return out, is, nil
}

// shown is the row of a figure's values, less b's, if the claim supposes something of
// given and the figure may be a share of as many trials; false if there is none.
func (r *row) shown(a, b, given, of []float64) (out evidence.Row, is bool) {
	switch {
	case b == nil:
		if len(present(a)) == 0 {
			return out, false
		}
		out = evidence.New(r.Name, r.Unit, present(a))
		if r.Share != nil {
			if of == nil {
				of = slices.Repeat([]float64{r.Share.Of.value}, len(a))
			}
			var own []float64 // of the seeds that have the figure
			for i, x := range a {
				if !math.IsNaN(x) {
					own = append(own, of[i])
				}
			}
			out.Share(own, r.Share.Whole)
		}
	case r.Unpaired:
		if a, b = present(a), present(b); len(a) == 0 || len(b) == 0 {
			return out, false
		}
		out = evidence.NewUnpaired(r.Name, r.Unit, a, b)
	default:
		if a, b = pairs(a, b); len(a) == 0 {
			return out, false
		}
		if r.turned {
			a, b = b, a
		}
		out = evidence.New(r.Name, r.Unit, estimate.Differences(a, b))
	}
	out.Note, out.Method = r.Note, r.Method
	if r.claim == nil {
		out.Ruled(r.Rule)
	} else if r.Given.holds(&out, given) {
		r.claim(&out)
		out.Ruled(r.Rule)
		out.Why(r.Reason)
	}
	return out, true
}
