package study

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"parley/core/study/evidence"
)

// Rows about other rows, about other cells, or about single seeds.

// order sorts rows by their means.
type order struct{ largest bool }

// rank gives rows an order, except those that have one already.
func rank(first string, rows []row) error {
	if first == "" {
		return nil
	}
	if first != "largest" && first != "smallest" {
		return fmt.Errorf("first is %q: choose largest or smallest", shorten(first))
	}
	own := &order{first == "largest"}
	for i := range rows {
		if rows[i].order == nil {
			rows[i].order = own
		}
	}
	return nil
}

// arrange sorts each run of adjacent rows with the same order by their means. shown and rows are permuted alike,
// so that shown[i] stays the row of rows[i].
func arrange(shown []*row, rows []evidence.Row) {
	type both struct {
		of  *row
		out evidence.Row
	}
	for begins := 0; begins < len(rows); {
		own, ends := shown[begins].order, begins+1
		for ends < len(rows) && shown[ends].order == own {
			ends++
		}
		if own != nil {
			var part []both
			for i := begins; i < ends; i++ {
				part = append(part, both{shown[i], rows[i]})
			}
			slices.SortStableFunc(part, func(a, b both) int {
				if own.largest {
					a, b = b, a
				}
				return cmp.Compare(a.out.Measured, b.out.Measured)
			})
			for i, x := range part {
				shown[begins+i], rows[begins+i] = x.of, x.out
			}
		}
		begins = ends
	}
}

// seedsDoc is a note that tells with how many seeds something is so.
type seedsDoc struct {
	Figure string `json:"figure"` // is not 0 with such a seed
	Note   string `json:"note"`   // is said where there are any; {n} is their number, {seeds} that of all
}

// readSeedNotes checks a row's notes on seeds and fills in the names of their texts; {n} and {seeds} stay for
// seedNotes.
func (s *Study) readSeedNotes(r *row) error {
	r.Seeds = slices.Clone(r.Seeds)
	for i, d := range r.Seeds {
		if d.Figure == "" || d.Note == "" {
			return errors.New("seeds are notes, each with the figure that it counts")
		}
		names := maps.Clone(r.here)
		names["n"], names["seeds"] = []byte(`"{n}"`), []byte(`"{seeds}"`) // those are for later
		for _, text := range []*string{&d.Figure, &d.Note} {
			var err error
			if *text, err = s.fill(*text, names); err != nil {
				return err
			}
		}
		r.Seeds[i] = d
	}
	return nil
}

// seedNotes returns the note of a row with those on seeds.
func (j *judging) seedNotes(r *row) (string, error) {
	out := evidence.Row{Note: r.Note}
	for _, d := range r.Seeds {
		values, err := j.values(r.cells[0], d.Figure)
		if err != nil {
			return "", err
		}
		values, n := present(values), 0
		for _, x := range values {
			if x != 0 {
				n++
			}
		}
		if n > 0 {
			out.Add(strings.NewReplacer("{n}", strconv.Itoa(n), "{seeds}", strconv.Itoa(len(values))).Replace(d.Note))
		}
	}
	return out.Note, nil
}

// chooseDoc names one of several cells: that with the least mean of a figure. In the row's
// note {axis} is a value of that cell, {most axis} one of the cell with the largest mean.
type chooseDoc struct {
	Minimize string  `json:"minimize" was:"least"` // the figure
	Within   float64 `json:"within,omitempty"`     // means that are larger by at most this count as least too
	Then     string  `json:"then,omitempty"`       // among those the cell with the least mean of this figure is chosen
	Gain     bool    `json:"gain,omitempty"`       // the row is the surplus of the cell with the largest mean, seed by seed
}

// readChoice checks a row's Choose and sets its cells: those among which one is chosen.
func (s *Study) readChoice(r *row) (err error) {
	switch c := r.Choose; {
	case c.Minimize == "" || !(c.Within >= 0) || c.Within > 0 && c.Then == "":
		return errors.New("choose needs the figure that is to be least, and with within another one, then")
	case r.Less != "" || r.Than != nil || len(r.Seeds) > 0 || r.Given != nil:
		return errors.New("choose stands beside no less, than, rises, falls, given or seeds")
	}
	if r.cells, err = s.cellsAt(r.here); err == nil {
		_, err = s.fill(r.Note, s.chosenNames(r, r.cells[0], r.cells[0]))
	}
	return err
}

// chosenNames returns the names for the note of a row with Choose: those of the row, the value of each axis in
// the chosen cell, and, behind "most ", in the cell with the largest mean.
func (s *Study) chosenNames(r *row, chosen, largest int) place {
	names := maps.Clone(r.here)
	for i, a := range s.Axes {
		names[a.Path], names["most "+a.Path] = s.Cell(chosen).Values[i], s.Cell(largest).Values[i]
	}
	return names
}

// chosen returns the row of the cell that r.Choose chooses; with Gain, the difference of the figure between the cell
// with the largest mean and the chosen one. is is false if there is nothing to show.
func (j *judging) chosen(r *row) (out evidence.Row, is bool, err error) {
	means := func(figure string) (list []float64, err error) {
		for _, cell := range r.cells {
			values, err := j.values(cell, figure)
			if err != nil {
				return nil, err
			}
			if values = present(values); len(values) == 0 {
				return nil, fmt.Errorf("rows: %q: a cell has no figure %q to choose by", shorten(r.Name),
					shorten(figure))
			}
			list = append(list, evidence.Mean(values))
		}
		return list, nil
	}
	by, err := means(r.Choose.Minimize)
	if err != nil {
		return out, false, err
	}
	then := by
	if r.Choose.Then != "" {
		if then, err = means(r.Choose.Then); err != nil {
			return out, false, err
		}
	}
	lowest, best, largest := slices.Min(by), -1, 0
	for i := range by {
		if by[i] <= lowest+r.Choose.Within && (best < 0 || then[i] < then[best]) {
			best = i
		}
		if by[i] > by[largest] {
			largest = i
		}
	}
	a, err := j.values(r.cells[best], r.Figure)
	var b []float64
	if err == nil && r.Choose.Gain {
		b = a
		a, err = j.values(r.cells[largest], r.Figure)
	}
	if err != nil {
		return out, false, err
	}
	own := *r
	if own.Note, err = j.fill(r.Note, j.chosenNames(r, r.cells[best], r.cells[largest])); err != nil {
		return out, false, err
	}
	out, is = own.shown(a, b, nil, nil)
	return out, is, nil
}

// holdsDoc counts for how many values of an axis a row's claim holds. The row's note lists
// them, and those for which it is open.
type holdsDoc struct {
	Axis string `json:"axis"`
	// the name of the row for a value; a value for which there is none does not count
	Row string `json:"row"`
	// the name of another row: then the claim is that the whole interval of Row is above that of Above
	Above string `json:"above,omitempty"`
}

// readHolds checks a row's Holds: its axis, and that the names in its texts are known.
func (s *Study) readHolds(r *row) error {
	h := *r.Holds
	i := slices.IndexFunc(s.Axes, func(a Axis) bool { return a.Path == h.Axis })
	switch {
	case i < 0:
		return fmt.Errorf("holds.axis is %q, which is no axis", shorten(h.Axis))
	case h.Row == "":
		return errors.New("holds names no row")
	case r.Figure != "" || r.Claim != nil:
		return errors.New("holds stands beside no figure and no claim")
	}
	names := maps.Clone(r.here)
	names[h.Axis] = s.Axes[i].Values[0]
	for _, text := range []string{h.Row, h.Above} {
		if _, err := s.fill(text, names); err != nil {
			return err
		}
	}
	return nil
}

// countHolds sets out to a row that counts for how many values of its axis the claim of another row holds. It names
// these values in the note. rows are all judged rows; a value without a row is left out, but one must have one.
func (s *Study) countHolds(r *row, out *evidence.Row, rows []evidence.Row) error {
	named := map[string]*evidence.Row{}
	for i := range rows {
		named[rows[i].Name] = &rows[i]
	}
	axis := s.Axes[slices.IndexFunc(s.Axes, func(a Axis) bool { return a.Path == r.Holds.Axis })]
	var all, holds, open []string
	for _, v := range axis.Values {
		label := s.label(axis.Path, v)
		if slices.Contains(all, label) {
			continue // other axes vary beside
		}
		names := maps.Clone(r.here)
		names[axis.Path] = v
		name, err := s.fill(r.Holds.Row, names)
		if err != nil {
			return err
		}
		one, is := named[name]
		if !is {
			continue
		}
		judged := *one
		if r.Holds.Above != "" {
			if name, err = s.fill(r.Holds.Above, names); err != nil {
				return err
			}
			other, is := named[name]
			if !is {
				return fmt.Errorf("holds.above: there is no row %q", shorten(name))
			}
			judged = above(one, other)
		}
		all = append(all, label)
		switch {
		case judged.Holds != nil && *judged.Holds:
			holds = append(holds, label)
		case judged.Open():
			open = append(open, label)
		}
	}
	if len(all) == 0 {
		return fmt.Errorf("holds.row: there is no row %q for any value of %s", shorten(r.Holds.Row), shorten(axis.Path))
	}
	*out = evidence.New(r.Name, fmt.Sprintf("of %d", len(all)), []float64{float64(len(holds))})
	if r.Unit != "" {
		out.Unit += " " + r.Unit
	}
	switch len(holds) {
	case 0:
		out.Note = "holds for none"
	case len(all):
		out.Note = "holds for all"
	default:
		out.Note = "holds for " + strings.Join(holds, "; ")
	}
	if len(open) > 0 {
		out.Add("open for " + strings.Join(open, "; "))
	}
	out.Add(r.Note)
	return nil
}

// above judges whether one mean lies above another: their intervals do not touch. If they
// do, or there are none, it is open.
func above(a, b *evidence.Row) evidence.Row {
	out := evidence.Row{Paper: &b.Measured, Rule: "the 95 % intervals do not touch"}
	if a.Interval == nil || b.Interval == nil {
		return out
	}
	if higher := a.Interval.Low > b.Interval.High; higher || a.Interval.High < b.Interval.Low {
		out.Holds = &higher
	}
	return out
}
