package study

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"parley/core/estimate"
)

// Table is the result of a sweep: a row a cell. It depends on the sweep and on digests
// of runs alone, not on who played them, when or in which order.
type Table struct {
	Name    string   `json:"name,omitempty"`
	Engine  string   `json:"engine"`
	Runs    int      `json:"runs"` // that are needed, as far as is known
	Done    int      `json:"done"`
	Axes    []string `json:"axes"`
	Metrics []string `json:"metrics"`
	Rows    []Row    `json:"rows"`
	Notes   []string `json:"notes"`
}

// Row summarises a cell's runs.
type Row struct {
	At          []Value
	N           int
	Figures     []Figure
	Differences []Figure // to the cell of Compare, seed by seed
	Unmoved     bool     // its runs are the same with all seeds: its figures have no interval
	None, All   int      // of a search: seeds with which nothing fits, or everything
}

// Value is an axis' value in a cell.
type Value struct {
	Path  string
	Value json.RawMessage
}

// Figure summarises one figure of a cell.
type Figure struct {
	Name string
	estimate.Estimate
}

// Text returns an axis' value for people: a text without its quotes.
func (v Value) Text() string {
	var text string
	if json.Unmarshal(v.Value, &text) == nil {
		return text
	}
	var b bytes.Buffer
	if json.Compact(&b, v.Value) != nil {
		return string(v.Value)
	}
	return b.String()
}

// sample are the outcomes of a cell by seed; nil if one is missing.
type sample struct {
	outcomes []*Outcome
	limits   []float64 // of a search, by seed; NaN if it is not finished
	none     int
	all      int
	missing  int
}

// Tabulate computes the table from the results that exist.
func (s *Study) Tabulate(have *Results) (*Table, error) {
	t := &Table{
		Name: s.Name, Engine: have.Engine, Axes: []string{}, Metrics: []string{}, Rows: []Row{},
		Notes: []string{},
	}
	for _, a := range s.Axes {
		t.Axes = append(t.Axes, a.Path)
	}
	e := newExpander(s, have.Engine)
	samples := make([]sample, s.Cells())
	known, cut := map[string]bool{}, 0
	for cell := range samples {
		x, err := s.sample(cell, e, have)
		if err != nil {
			return nil, err
		}
		samples[cell] = x
		for _, o := range x.outcomes {
			if o != nil {
				if t.Done++; o.leavesJobs() {
					cut++
				}
				for _, name := range o.names.list {
					known[name] = true
				}
			}
		}
		t.Runs += x.missing
	}
	t.Runs += t.Done
	t.Metrics = s.shownMetrics(known)
	for cell := range samples {
		t.Rows = append(t.Rows, s.row(cell, samples, t.Metrics))
	}
	if n := t.unmoved(); n == len(t.Rows) && n > 0 {
		t.Notes = append(t.Notes, SeedsChangeNothing)
	} else if n > 0 {
		t.Notes = append(t.Notes, fmt.Sprintf("seeds change nothing in %d of %d rows, which therefore have no interval",
			n, len(t.Rows)))
	}
	if cut > 0 {
		t.Notes = append(t.Notes,
			fmt.Sprintf(
				"%d of %d runs ended before all of their jobs had: those are in no mean, so that the rows may be about different jobs; a later end (until) lets jobs end that can start", cut, t.Done,
			))
	}
	for _, m := range s.Metrics {
		if t.Done > 0 && !known[m] {
			t.Notes = append(t.Notes, fmt.Sprintf("no run has the figure %q; there are %s", shorten(m),
				shorten2(slices.Sorted(maps.Keys(known)))))
		}
	}
	return t, nil
}

// SeedsChangeNothing is the note that a study's seeds repeat one run, with the causes of variation.
const SeedsChangeNothing = "Seeds change nothing here: each gave the same run, so there is no interval. What does vary: resamples of the log (workload.jobs.resample), the load (workload.rate, workload.scale) and parts of the files (workload.jobs, window)."

// unmoved counts the rows whose runs are the same with all seeds.
func (t *Table) unmoved() (n int) {
	for _, r := range t.Rows {
		if r.Unmoved {
			n++
		}
	}
	return n
}

// unmoved reports whether a cell has several runs, all with the same digest: nothing in them is random, so an
// interval would have no meaning.
func (x *sample) unmoved() bool {
	digest, n := "", 0
	for _, o := range x.outcomes {
		switch {
		case o == nil:
		case n > 0 && o.Digest != digest:
			return false
		default:
			digest = o.Digest
			n++
		}
	}
	return n > 1
}

// without returns e, without its interval if the runs only repeat one another.
func (x *sample) without(e estimate.Estimate, repeated bool) estimate.Estimate {
	if repeated {
		e.Interval = nil
	}
	return e
}

// shorten2 joins a list of names for a message; of a list longer than 1200 bytes, the first 20.
func shorten2(list []string) string {
	if text := strings.Join(list, ", "); len(text) <= 1200 {
		return text
	}
	return strings.Join(list[:20], ", ") + ", …"
}

func (s *Study) noFigure(field, name string, o *Outcome) error {
	return fmt.Errorf("%s names %q, which a run does not have; it has %s", field, shorten(name), shorten2(o.names.list))
}

// found is the name of a search's answer.
func (q *Search) found() string { return q.Find + " " + q.Axis }

// shownMetrics returns the figures of the table: the answer of a search, else the metrics of the document, else
// all that the runs have, sorted.
func (s *Study) shownMetrics(known map[string]bool) []string {
	switch {
	case s.Search != nil:
		return []string{s.Search.found()}
	case s.Metrics != nil:
		return s.Metrics
	}
	return append([]string{}, slices.Sorted(maps.Keys(known))...)
}

// sample returns the outcomes of a cell by seed: nil for a run that has not been played, and missing counts
// those still needed. With a rule for stopping, it takes only the seeds that the rule has reached.
func (s *Study) sample(cell int, e *expander, have *Results) (x sample, err error) {
	seeds := s.Seeds
	if s.Stop != nil && s.Stop.Difference {
		n, err := s.seedsOf(cell, e, have)
		if err != nil {
			return x, err
		}
		seeds = seeds[:n]
	} else if s.Stop != nil {
		n, missing, err := s.narrowed(cell, e, have)
		if err != nil {
			return x, err
		}
		x.missing = len(missing)
		if len(missing) == 0 {
			seeds = seeds[:n]
		} else {
			seeds = seeds[:min(len(seeds), max(s.Stop.MinSeeds, n))]
		}
	}
	for _, seed := range seeds {
		if s.Search != nil {
			if err := s.sampleLimit(&x, cell, seed, e, have); err != nil {
				return x, err
			}
			continue
		}
		r, err := e.run(cell, seed, -1)
		if err != nil {
			return x, err
		}
		o := have.Get(r.ID)
		x.outcomes = append(x.outcomes, o)
		if o == nil && (s.Stop == nil || s.Stop.Difference) {
			x.missing++
		}
	}
	return x, nil
}

// sampleLimit adds the search with one seed to x: the limit that it found, and the runs that it played. The
// limit is NaN if runs are missing. If no value fits, it counts as none and the limit is the easiest value.
func (s *Study) sampleLimit(x *sample, cell int, seed uint64, e *expander, have *Results) error {
	limit, played, missing, err := s.searched(cell, seed, e, have)
	if err != nil {
		return err
	}
	x.outcomes = append(x.outcomes, played...)
	if len(missing) > 0 {
		x.missing += len(missing)
		x.limits = append(x.limits, math.NaN())
		return nil
	}
	switch limit {
	case -1:
		x.none++
	case s.Search.last:
		x.all++
	}
	var value float64
	if err := json.Unmarshal(s.Search.value(max(limit, 0)), &value); err != nil {
		return err
	}
	x.limits = append(x.limits, value)
	return nil
}

// row returns the table's row of a cell: an estimate of each metric, and of its difference to the cell with
// which Compare compares it, over the seeds that both have.
func (s *Study) row(cell int, samples []sample, metrics []string) Row {
	x := &samples[cell]
	r := Row{None: x.none, All: x.all}
	for i, v := range s.Cell(cell).Values {
		r.At = append(r.At, Value{s.Axes[i].Path, v})
	}
	base := s.base(cell)
	r.Unmoved = s.Search == nil && x.unmoved()
	for _, m := range metrics {
		values := x.values(m, s.Search != nil)
		if own := present(values); len(own) > 0 {
			r.Figures = append(r.Figures, Figure{m, x.without(s.figure(own), r.Unmoved)})
			r.N = max(r.N, len(own))
		}
		if base < 0 || base == cell {
			continue
		}
		if a, b := pairs(values, samples[base].values(m, s.Search != nil)); len(a) > 0 {
			r.Differences = append(r.Differences,
				Figure{m, x.without(s.difference(estimate.Differences(a, b)), r.Unmoved && samples[base].unmoved())})
		}
	}
	return r
}

// figure estimates the mean of values. If the number of seeds depends on a rule for stopping, the interval
// is wider, so that it still covers with 95 %.
func (s *Study) figure(values []float64) estimate.Estimate {
	if s.Stop != nil && !s.Stop.Difference {
		return estimate.OfLooks(values, len(s.looks()))
	}
	return estimate.Of(values)
}

// difference estimates the mean of paired differences, as figure does; the interval is wider only if the rule
// for stopping looks at differences.
func (s *Study) difference(values []float64) estimate.Estimate {
	if s.Stop != nil && s.Stop.Difference {
		return estimate.OfLooks(values, len(s.looks()))
	}
	return estimate.Of(values)
}

// base returns the cell with which Compare compares a cell: the one with the reference value and all else
// equal, possibly the cell itself; -1 without Compare.
func (s *Study) base(cell int) int {
	if s.Compare == nil {
		return -1
	}
	at := s.place(cell)
	at[s.compared()] = s.against()
	return s.number(at)
}

// compared returns the group of axes of Compare, and against the place of the value with
// which the others are compared.
func (s *Study) compared() int {
	return slices.IndexFunc(s.groups, func(g group) bool {
		return slices.ContainsFunc(g.axes, func(a int) bool { return s.Axes[a].Path == s.Compare.Axis })
	})
}

// against returns the index of Compare's reference value on its axis. Parse has checked that it is one.
func (s *Study) against() int {
	for _, a := range s.Axes {
		if a.Path == s.Compare.Axis {
			return slices.IndexFunc(a.Values,
				func(v json.RawMessage) bool { return canonical(v) == canonical(s.Compare.With) })
		}
	}
	return -1 // Parse took care of that
}

// values returns a figure, or the limits of a search, by seed; NaN if a run or its figure is missing.
func (x *sample) values(metric string, limits bool) []float64 {
	if limits {
		return x.limits
	}
	out := make([]float64, len(x.outcomes))
	for i, o := range x.outcomes {
		out[i] = math.NaN()
		if o != nil {
			if v, has := o.Figure(metric); has {
				out[i] = v
			}
		}
	}
	return out
}

func present(values []float64) []float64 {
	return slices.DeleteFunc(slices.Clone(values), math.IsNaN)
}

// pairs returns the values of a and b with the seeds for which both have one, in order.
func pairs(a, b []float64) (x, y []float64) {
	for i := range min(len(a), len(b)) {
		if !math.IsNaN(a[i]) && !math.IsNaN(b[i]) {
			x, y = append(x, a[i]), append(y, b[i])
		}
	}
	return x, y
}

// MarshalJSON writes a row as {"settings.policy":"best-fit","n":4,"overloaded_pct":{"n","mean","sd","low","high"}}.
func (r Row) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	put := func(name string, value any) error {
		key, err := json.Marshal(name)
		if err != nil {
			return err
		}
		text, err := json.Marshal(value)
		if b.Len() > 1 {
			b.WriteByte(',')
		}
		b.Write(key)
		b.WriteByte(':')
		b.Write(text)
		return err
	}
	for _, v := range r.At {
		if err := put(v.Path, v.Value); err != nil {
			return nil, err
		}
	}
	if err := put("n", r.N); err != nil {
		return nil, err
	}
	for _, f := range r.Figures {
		if err := put(f.Name, f.Estimate); err != nil {
			return nil, err
		}
	}
	if r.None > 0 {
		if err := put("none_fits", r.None); err != nil {
			return nil, err
		}
	}
	if r.All > 0 {
		if err := put("all_fit", r.All); err != nil {
			return nil, err
		}
	}
	if len(r.Differences) > 0 {
		differences := map[string]estimate.Estimate{}
		for _, f := range r.Differences {
			differences[f.Name] = f.Estimate
		}
		if err := put("differences", differences); err != nil {
			return nil, err
		}
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// Find returns a figure of a list by its name.
func Find(list []Figure, name string) (Figure, bool) {
	i := slices.IndexFunc(list, func(f Figure) bool { return f.Name == name })
	if i < 0 {
		return Figure{}, false
	}
	return list[i], true
}
