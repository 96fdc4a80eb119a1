package study

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"parley/core/study/evidence"
)

// rowDoc is a row of a study, or several: Each repeats it, with {names} in its
// texts replaced, and the fields of a row with Rows are defaults of those rows.
type rowDoc struct {
	Each each     `json:"each,omitzero"`
	Rows []rowDoc `json:"rows,omitempty"`

	At     place  `json:"at,omitempty"` // values of axes that name the cell; Each may name others
	Name   string `json:"name,omitempty"`
	Unit   string `json:"unit,omitempty"`
	Figure string `json:"figure,omitempty"`
	Note   string `json:"note,omitempty"` // always added
	Reason string `json:"why,omitempty"`  // added if the claim does not hold

	// The subtrahend of the figure, seed by seed.
	Less  string `json:"less,omitempty"`  // another figure of the same run
	Than  place  `json:"than,omitempty"`  // the same figure in the cell with these values instead
	Rises string `json:"rises,omitempty"` // the same figure at the axis' value before; {before} is that value
	Falls string `json:"falls,omitempty"` // likewise, with the opposite sign

	Unpaired bool      `json:"unpaired,omitempty"` // Than has other seeds or other workloads: by Welch
	Optional bool      `json:"optional,omitempty"` // if no run has the figure, there is no row
	Given    *givenDoc `json:"given,omitempty"`    // the condition of Claim
	Claim    *claimDoc `json:"claim,omitempty"`
	Rule     string    `json:"rule,omitempty"`               // precedes the rule in words
	Share    *shareDoc `json:"share,omitempty"`              // the figure is a share of trials
	Method   string    `json:"method,omitempty" was:"whose"` // method, for claims that are counted apart

	Seeds  []seedsDoc `json:"seeds,omitempty"`  // notes about the seeds with which something is so
	Choose *chooseDoc `json:"choose,omitempty"` // of several cells that At names, the one to show
	Holds  *holdsDoc  `json:"holds,omitempty"`  // counts other rows, and has no figure of its own
	// of Rows "largest" or "smallest" stand first, the others in their order
	First string `json:"first,omitempty"`
}

// givenDoc is the condition of a claim: that the mean of another figure of the same runs is
// at least a number.
type givenDoc struct {
	Figure    string  `json:"figure"`
	AtLeast   float64 `json:"at_least"`
	Note      string  `json:"note,omitempty"`      // is said in any case; {mean} is that of Figure
	Digits    int     `json:"digits,omitempty"`    // of {mean} behind the point
	Otherwise string  `json:"otherwise,omitempty"` // is said where no claim is made
}

// holds reports whether a claim is made about a row, by the values of g.Figure, and adds
// to the row's note.
func (g *givenDoc) holds(r *evidence.Row, values []float64) bool {
	if g == nil {
		return true
	}
	mean := evidence.Mean(present(values))
	if g.Note != "" {
		r.Add(strings.ReplaceAll(g.Note, "{mean}", strconv.FormatFloat(mean, 'f', g.Digits, 64)))
	}
	if mean >= g.AtLeast {
		return true
	}
	r.Add(g.Otherwise)
	return false
}

// claimDoc is the claim of a row: exactly one of Near, AtLeast, AtMost, Exactly and Quoted,
// and the fields that belong to it.
type claimDoc struct {
	Near      *number `json:"near,omitempty"`      // our mean, to within Tolerance; without one, a tenth of it
	Tolerance *number `json:"tolerance,omitempty"` // of Near and Exactly
	// Near is itself the mean over a random sample, Sets times as large as the one that we draw for a
	// seed. It needs Tolerance.
	Sets    float64 `json:"sets,omitempty"`
	AtLeast *number `json:"at_least,omitempty"`
	AtMost  *number `json:"at_most,omitempty"`
	Exactly *number `json:"exactly,omitempty"` // in each run, to within Tolerance
	// Instance names, in words, the case of Exactly if nothing in it is random: one run is then enough.
	Instance string  `json:"instance,omitempty"`
	Quoted   *number `json:"quoted,omitempty" was:"says"` // shown and not judged
	Reason   string  `json:"reason,omitempty"`            // of the tolerance, in a few words
}

// row is one row to be shown, with the cells whose figures it is of.
type row struct {
	rowDoc
	cells  []int // one; several if the row has Choose
	base   int   // the cell whose figure is subtracted; -1 if none
	turned bool  // the sign of the difference is reversed: the row is about a fall
	here   place // the values of names in texts
	claim  func(*evidence.Row)
	order  *order // the rows among which it is sorted by its mean; nil: it keeps the document's order
}

// readRows expands the rows once, so that errors in them are reported at once.
func (s *Study) readRows() (err error) {
	s.rows, err = s.expandRows(s.doc.Rows, rowDoc{}, place{}, nil)
	if err != nil {
		return fmt.Errorf("rows: %w", err)
	}
	return nil
}

// maxRows limits the rows of a study.
const maxRows = 100_000

// expandRows appends to out the rows that docs stand for: each once per value of Each, with the fields that
// it lacks from outer, and rows within rows in place of the outer one. at has the values of names so far.
func (s *Study) expandRows(docs []rowDoc, outer rowDoc, at place, out []row) ([]row, error) {
	for _, d := range docs {
		d.inherit(&outer)
		list := d.Each.list
		switch {
		case d.Each.IsZero():
			list = []place{{}}
		case list == nil:
			i := slices.IndexFunc(s.Axes, func(a Axis) bool { return a.Path == d.Each.axis })
			if i < 0 {
				return nil, fmt.Errorf("each is %q, which is no axis", shorten(d.Each.axis))
			}
			for _, v := range s.Axes[i].Values {
				list = append(list, place{d.Each.axis: v})
			}
		}
		for _, names := range list {
			here := maps.Clone(at)
			maps.Copy(here, names)
			maps.Copy(here, d.At)
			var err error
			if begins := len(out); d.Rows != nil {
				if out, err = s.expandRows(d.Rows, d, here, out); err == nil {
					err = rank(d.First, out[begins:])
				}
			} else if d.First != "" {
				err = errors.New("first stands beside rows, which it puts in order")
			} else {
				out, err = s.addRow(d, here, out)
			}
			if err != nil {
				return nil, err
			}
			if len(out) > maxRows {
				return nil, fmt.Errorf("there are more than %d", maxRows)
			}
		}
	}
	return out, nil
}

// inherit takes each field that d lacks from the row around it. Optional is inherited if either has it.
func (d *rowDoc) inherit(outer *rowDoc) {
	for _, text := range []struct{ own, outer *string }{
		{&d.Unit, &outer.Unit},
		{&d.Figure, &outer.Figure},
		{&d.Note, &outer.Note},
		{&d.Reason, &outer.Reason},
		{&d.Name, &outer.Name},
		{&d.Rule, &outer.Rule},
		{&d.Method, &outer.Method},
	} {
		if *text.own == "" {
			*text.own = *text.outer
		}
	}
	d.Optional = d.Optional || outer.Optional
	if d.Claim == nil {
		d.Claim = outer.Claim
	}
	if d.Given == nil {
		d.Given = outer.Given
	}
	if d.Seeds == nil {
		d.Seeds = outer.Seeds
	}
	if d.Choose == nil {
		d.Choose = outer.Choose
	}
}

// addRow appends the row of d at a place, with its texts filled in and its cells found. A row with Falls or
// Rises is about the difference to the axis' value before, so at the first value it appends nothing.
func (s *Study) addRow(d rowDoc, here place, out []row) ([]row, error) {
	r := row{rowDoc: d, base: -1}
	if axis := d.Falls + d.Rises; axis != "" {
		before, is := s.before(axis, here)
		if !is {
			return out, nil // the first value follows no other
		}
		r.Than, r.turned = place{axis: before}, d.Falls != ""
		here = maps.Clone(here)
		here["before"] = before
	}
	var err error
	texts := []*string{&r.Name, &r.Figure, &r.Less, &r.Reason, &r.Unit, &r.Rule, &r.Method}
	if r.here = here; r.Choose == nil {
		texts = append(texts, &r.Note)
	}
	for _, text := range texts {
		if *text, err = s.fill(*text, here); err != nil {
			return nil, err
		}
	}
	wrong := func(err error) error { return fmt.Errorf("%q: %w", shorten(r.Name), err) }
	if r.Name != "" && r.Holds != nil {
		if err := s.readHolds(&r); err != nil {
			return nil, wrong(err)
		}
		return append(out, r), nil
	}
	if r.Name == "" || r.Figure == "" {
		return nil, wrong(errors.New("a row needs a name and a figure"))
	}
	if r.Choose != nil {
		if err := s.readChoice(&r); err != nil {
			return nil, wrong(err)
		}
	} else {
		cell, err := s.cellAt(here)
		if err != nil {
			return nil, wrong(err)
		}
		r.cells = []int{cell}
	}
	if err := s.readSeedNotes(&r); err != nil {
		return nil, wrong(err)
	}
	if r.Than != nil {
		there := maps.Clone(here)
		maps.Copy(there, r.Than)
		if r.base, err = s.cellAt(there); err != nil {
			return nil, wrong(fmt.Errorf("than: %w", err))
		}
	}
	if r.claim, err = d.Claim.read(here); err == nil {
		err = s.readShare(&r)
	}
	if err != nil {
		return nil, wrong(err)
	}
	if d.Given != nil && (d.Claim == nil || d.Given.Figure == "") {
		return nil, wrong(errors.New("given names a figure, and stands beside a claim that it decides on"))
	}
	return append(out, r), nil
}

// before returns the value of an axis before the one that at gives it; false if that is the first or is none of
// the axis' values.
func (s *Study) before(axis string, at place) (json.RawMessage, bool) {
	for _, a := range s.Axes {
		if a.Path != axis {
			continue
		}
		i := slices.IndexFunc(a.Values, func(v json.RawMessage) bool { return canonical(v) == canonical(at[axis]) })
		return a.Values[max(i-1, 0)], i > 0
	}
	return nil, false
}

// cellAt returns the number of the one cell with the values that at gives to axes. No such cell and several
// are errors.
func (s *Study) cellAt(at place) (int, error) {
	found, err := s.cellsAt(at)
	if err == nil && len(found) > 1 {
		return 0, fmt.Errorf("its figure is in several cells: give a value to each axis of %s",
			shorten(strings.Join(s.Paths(), ", ")))
	} else if err != nil {
		return 0, err
	}
	return found[0], nil
}

// cellsAt returns the numbers of the cells with the values that at gives to axes; an axis that it does not name
// may have any. No such cell is an error. Names of at that are not axes are ignored.
func (s *Study) cellsAt(at place) (found []int, err error) {
	fits := make([][]bool, len(s.groups)) // by place in the group: whether its axes have the values
	for g, group := range s.groups {
		fits[g] = slices.Repeat([]bool{true}, group.size)
		for _, i := range group.axes {
			want, stated := at[s.Axes[i].Path]
			if !stated {
				continue
			}
			key := canonical(want)
			for k, v := range s.Axes[i].Values {
				fits[g][k] = fits[g][k] && (bytes.Equal(v, want) || canonical(v) == key)
			}
		}
	}
	for n := range s.Cells() {
		all := true
		for g, k := range s.place(n) {
			all = all && fits[g][k]
		}
		if all {
			found = append(found, n)
		}
	}
	if len(found) == 0 {
		return nil, errors.New("no cell has these values of the axes")
	}
	return found, nil
}

// label is the text of an axis' value, or of a name's, in rows.
func (s *Study) label(name string, value json.RawMessage) string {
	text := Value{Value: value}.Text()
	if label, has := s.doc.Labels[name][text]; has {
		return label
	}
	return text
}

// fill replaces each {name} of text by the label of its value at a place; {{ stands for a brace.
func (s *Study) fill(text string, at place) (string, error) {
	out := ""
	for {
		before, rest, begins := strings.Cut(text, "{")
		out += before
		if !begins {
			return out, nil
		}
		if strings.HasPrefix(rest, "{") { // "{{" is a brace
			out, text = out+"{", rest[1:]
			continue
		}
		name, after, _ := strings.Cut(rest, "}")
		value, has := at[name]
		if !has {
			return "", fmt.Errorf("%q names {%s}, which neither each nor at has", shorten(text), shorten(name))
		}
		out, text = out+s.label(name, value), after
	}
}

// read returns how a row is judged; nil if nothing is claimed.
func (c *claimDoc) read(here place) (func(*evidence.Row), error) {
	if c == nil {
		return nil, nil
	}
	own := *c
	kinds := 0
	numbers := []**number{&own.Near, &own.AtLeast, &own.AtMost, &own.Exactly, &own.Quoted, &own.Tolerance}
	for _, n := range numbers {
		if *n == nil {
			continue
		}
		x, err := (*n).at(here)
		if err != nil {
			return nil, err
		}
		*n = &number{value: x}
		if n != &own.Tolerance {
			kinds++
		}
	}
	if kinds != 1 {
		return nil, errors.New("a claim is one of near, at_least, at_most, exactly and quoted")
	}
	if own.Tolerance != nil && own.Tolerance.value < 0 {
		return nil, fmt.Errorf("tolerance is %v: choose at least 0", own.Tolerance.value)
	}
	if own.Tolerance != nil && own.Reason == "" {
		return nil, fmt.Errorf("tolerance is %v and has no reason: say where it is from", own.Tolerance.value)
	}
	if (own.Instance != "") && own.Exactly == nil {
		return nil, errors.New("instance names what exactly is about: give it beside exactly")
	}
	if own.Tolerance != nil && own.Near == nil && own.Exactly == nil {
		return nil, errors.New("tolerance is beside a claim that has none: give it beside near or exactly")
	}
	if own.Sets != 0 && (own.Sets < 0 || own.Near == nil || own.Tolerance == nil) {
		return nil, fmt.Errorf("sets is %v: give a number above 0, beside near and a tolerance", own.Sets)
	}
	return own.judge, nil
}

// judge judges a row by the one claim that is set. read has checked that there is one.
func (c *claimDoc) judge(r *evidence.Row) {
	switch {
	case c.Quoted != nil:
		r.Quote(c.Quoted.value)
	case c.AtLeast != nil:
		r.AtLeast(c.AtLeast.value)
	case c.AtMost != nil:
		r.AtMost(c.AtMost.value)
	case c.Exactly != nil:
		tolerance := 0.0
		if c.Tolerance != nil {
			tolerance = c.Tolerance.value
		}
		if c.Instance != "" {
			r.Instance(c.Exactly.value, tolerance, c.Instance, c.Reason)
		} else {
			r.Every(c.Exactly.value, tolerance, c.Reason)
		}
	case c.Tolerance == nil:
		r.Roughly(c.Near.value)
	case c.Sets > 0:
		r.Sampled(c.Near.value, c.Tolerance.value, c.Sets, c.Reason)
	default:
		r.Near(c.Near.value, c.Tolerance.value, c.Reason)
	}
}
