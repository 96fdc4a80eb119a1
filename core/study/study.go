// Package study plays studies. A study varies some fields of one scenario, or some arguments
// of one named function, plays each variant with several seeds, and collects the results in
// one table. The package expands a document into runs, reports which runs are missing, merges
// results of several machines, and computes differences and intervals. Packages above the core
// play the runs. A study can also make claims: rows that are judged (Judge).
//
// A run is identified by its content: the scenario with its seed, the digests of its files and
// the version of the engine. A study can therefore stop and resume, be shared among machines,
// and plays nothing twice. Two results of one run with different digests are an error.
//
//	s, err := study.Parse([]byte(`{"v":1,"base":"google-cell",
//		"axes":{"settings.policy":["best-fit","worst-fit"],"workload.scale":{"from":0.8,"to":1.2,"step":0.1}},
//		"seeds":{"from":1,"to":10},"metrics":["overloaded_pct"]}`), assets.Scenario)
package study

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"parley/core/scenario"
	"parley/core/strict"
	"parley/core/words"
)

// Version is the schema that Parse reads.
const Version = 1

// Limits of a sweep. Results in memory are some hundred bytes each.
const (
	MaxRuns  = 1_000_000
	MaxBytes = 4 << 20 // of a document
	maxAxes  = 16
	maxText  = 200 // bytes of a field's path or a figure's name
)

// Study is a valid document of a study.
type Study struct {
	Name      string
	About     string             // its claim or question, in a sentence
	Source    string             // where the claim is from
	Seconds   int                // about how long all runs take one after the other
	Base      *scenario.Scenario // nil if runs are calls of Function
	Function  string
	Arguments json.RawMessage // of Function, before the axes; an object
	Axes      []Axis
	Seeds     []uint64
	Metrics   []string // figures of the table; none: all
	Compare   *Compare
	Search    *Search
	Stop      *Stop

	Endless bool // neither base nor an axis says when a run ends: a trace may

	sides  []*scenario.Scenario // of Beside, in place of the axes' changes
	rows   []row                // the rows of its table, with their claims
	groups []group              // the factors of the grid: linked axes form one
	doc    document
}

// Axis is a field of the scenario and its values.
type Axis struct {
	Path   string
	Values []json.RawMessage
}

// Compare asks for differences to one value of an axis, seed by seed.
type Compare struct {
	Axis string          `json:"axis"`
	With json.RawMessage `json:"with,omitempty"` // the first one if left out
}

// Stop plays seeds in their order until the interval of a figure's mean is narrow enough
// or no seed is left. With Difference it is the interval of the difference to the cell of
// Compare that is to be narrow enough or clear of zero. It is looked at as estimate.Looks
// says and wide enough to hold at all looks together: stopping leaves it its 95 %.
type Stop struct {
	Metric     string `json:"metric"`
	Difference bool   `json:"difference,omitempty"`
	// of the 95 % interval; a difference may go without: clear of zero alone
	Half float64 `json:"half_width,omitempty"`
	// seeds that are played in any case; 3 if left out, of a difference 5
	MinSeeds int `json:"min_seeds,omitempty" was:"least"`
}

// document is a sweep as it is written.
type document struct {
	V       int             `json:"v"`
	Name    string          `json:"name,omitempty"`
	About   string          `json:"about,omitempty"`
	Source  string          `json:"source,omitempty"`
	Seconds int             `json:"seconds,omitempty"`
	Base    json.RawMessage `json:"base,omitempty"`

	Function  string                     `json:"function,omitempty"`
	Arguments map[string]json.RawMessage `json:"arguments,omitempty"`

	Axes    axes       `json:"axes,omitempty"`
	Zip     [][]string `json:"zip,omitempty"`
	Seeds   *seeds     `json:"seeds,omitempty"`
	Metrics []string   `json:"metrics,omitempty"`
	Compare *Compare   `json:"compare,omitempty"`
	Search  *Search    `json:"search,omitempty"`
	Stop    *Stop      `json:"stop,omitempty"`
	// base.until is a guess: runs of a log go on until their work has ended
	Endless bool `json:"endless,omitempty"`

	Labels map[string]map[string]string `json:"labels,omitempty"`
	Rows   []rowDoc                     `json:"rows,omitempty"`
}

// group are the axes that take their values together.
type group struct {
	axes []int
	size int
}

// Parse reads a sweep; named returns the document of a scenario that base names, if
// there is one; nil: scenarios have no names. Its errors are one sentence that names the field. Nothing is expanded
// before the number of runs is known to be bearable.
func Parse(doc []byte, named func(string) ([]byte, bool)) (*Study, error) {
	if len(doc) > MaxBytes {
		return nil, fmt.Errorf("the sweep has %d bytes: at most %d are read", len(doc), MaxBytes)
	}
	s := &Study{}
	if err := strict.Decode(doc, &s.doc); err != nil {
		return nil, fmt.Errorf("the sweep cannot be read: %w", err)
	}
	switch {
	case s.doc.V == 0:
		return nil, errors.New(`the sweep has no "v": write "v":1`)
	case s.doc.V != Version:
		return nil, fmt.Errorf("the sweep has v %d: this program reads version %d", s.doc.V, Version)
	}
	s.Name, s.About, s.Source, s.Seconds = s.doc.Name, s.doc.About, s.doc.Source, s.doc.Seconds
	if err := s.readBase(named); err != nil {
		return nil, err
	}
	for _, step := range []func() error{
		s.readSize, s.readAxes, s.readMetrics, s.readQuestions, s.tryValues,
		s.readRows,
	} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// readBase reads the base of the sweep: a function with arguments, or a scenario, which may be the name of one that
// named knows. Endless is set if neither the scenario nor an axis says when a run ends.
func (s *Study) readBase(named func(string) ([]byte, bool)) (err error) {
	text := []byte(s.doc.Base)
	switch {
	case s.doc.Function != "" && len(text) > 0:
		return errors.New(`the sweep has both "base" and "function": leave one of them out`)
	case s.doc.Function != "":
		s.Function = s.doc.Function
		s.Arguments, err = json.Marshal(s.doc.Arguments)
		return err
	case s.doc.Arguments != nil:
		return errors.New(`the sweep has "arguments" and no "function": name the function, or leave them out`)
	case len(text) == 0:
		return errors.New(`the sweep has no "base": write a scenario, or the name of one in quotes`)
	}
	var name string
	if json.Unmarshal(text, &name) == nil {
		found := false
		if named == nil {
			return fmt.Errorf("base is %q, and no scenarios have names here: give the sweep to parley sweep",
				shorten(name))
		}
		if text, found = named(name); !found {
			return fmt.Errorf("base is %q, which is no scenario that is known here", shorten(name))
		}
	}
	if s.Base, err = scenario.Parse(text); err != nil {
		return fmt.Errorf("base: %w", err)
	}
	var stated struct {
		Until json.RawMessage `json:"until"`
	}
	ends := slices.ContainsFunc(s.doc.Axes, func(a axis) bool { return a.path == "until" })
	s.Endless = json.Unmarshal(text, &stated) == nil && (stated.Until == nil || s.doc.Endless) && !ends
	return nil
}

// readSize links the axes, reads the seeds, and refuses more runs than can be played.
func (s *Study) readSize() error {
	if len(s.doc.Axes) > maxAxes {
		return fmt.Errorf("axes has %d fields: at most %d", len(s.doc.Axes), maxAxes)
	}
	if err := s.link(); err != nil {
		return err
	}
	count, err := s.doc.Seeds.count()
	if err != nil {
		return fmt.Errorf("seeds: %w", err)
	}
	runs, words := uint64(count), []string{}
	for _, g := range s.groups {
		runs = product(runs, uint64(g.size))
		names := make([]string, len(g.axes))
		for i, a := range g.axes {
			names[i] = s.doc.Axes[a].path
		}
		words = append(words, fmt.Sprintf("%d of %s", g.size, strings.Join(names, " with ")))
	}
	if s.doc.Search != nil {
		steps, err := s.doc.Search.steps()
		if err != nil {
			return fmt.Errorf("search: %w", err)
		}
		runs = product(runs, uint64(probes(steps)))
		words = append(words, fmt.Sprintf("up to %d of %s", probes(steps), s.doc.Search.Axis))
	}
	if words = append(words, fmt.Sprintf("%d seeds", count)); runs > MaxRuns {
		return fmt.Errorf("the sweep has %s runs (%s): at most %d; take fewer values or seeds, or make several sweeps",
			many(runs), strings.Join(words, " × "), MaxRuns)
	}
	own := uint64(1)
	if s.Base != nil {
		own = s.Base.Seed
	}
	s.Seeds = s.doc.Seeds.list(own)
	sorted := slices.Sorted(slices.Values(s.Seeds))
	for i := range sorted[1:] {
		if sorted[i] == sorted[i+1] {
			return fmt.Errorf("seeds has %d twice: a seed is played once", sorted[i])
		}
	}
	return nil
}

// product multiplies, and stays at a number that is too large once it got there.
func product(a, b uint64) uint64 {
	const tooMany = 1 << 62
	if b != 0 && a > tooMany/b {
		return tooMany
	}
	return a * b
}

func many(n uint64) string {
	if n >= 1<<62 {
		return "more than 10^18"
	}
	return fmt.Sprint(n)
}

// link forms the groups of axes that take their values together.
func (s *Study) link() error {
	of := map[string]int{} // the link of an axis
	for i, names := range s.doc.Zip {
		for _, name := range names {
			if !slices.ContainsFunc(s.doc.Axes, func(a axis) bool { return a.path == name }) {
				return fmt.Errorf("zip[%d] names %q, which is no axis: write it under axes", i, shorten(name))
			}
			if _, twice := of[name]; twice {
				return fmt.Errorf("zip[%d] links %q, which is linked already", i, shorten(name))
			}
			of[name] = i
		}
	}
	at := map[int]int{} // the group of a link
	for i, a := range s.doc.Axes {
		size, err := a.count()
		if err != nil {
			return fmt.Errorf("axes: %q: %w", shorten(a.path), err)
		}
		link, linked := of[a.path]
		if g, begun := at[link]; linked && begun {
			first := s.doc.Axes[s.groups[g].axes[0]].path
			if s.groups[g].size != size {
				return fmt.Errorf("zip[%d] links %q, which has %d values, with %q, which has %d: give them as many",
					link, shorten(first), s.groups[g].size, shorten(a.path), size)
			}
			s.groups[g].axes = append(s.groups[g].axes, i)
			continue
		}
		if linked {
			at[link] = len(s.groups)
		}
		s.groups = append(s.groups, group{[]int{i}, size})
	}
	return nil
}

// readAxes reads the axes, in the order of the document. An axis must not overwrite a field that an earlier one sets.
func (s *Study) readAxes() error {
	for i, a := range s.doc.Axes {
		for _, b := range s.doc.Axes[:i] {
			if a.path == b.path || strings.HasPrefix(b.path, a.path+".") {
				return fmt.Errorf(
					"axes: %q would set again what %q has set: leave one of them out, or write the longer one behind",
					shorten(a.path), shorten(b.path),
				)
			}
		}
		if a.path == "seed" {
			return errors.New(`axes: "seed" is no axis: write the seeds under seeds`)
		}
		s.Axes = append(s.Axes, Axis{a.path, a.list()})
	}
	for _, g := range s.groups {
		if err := s.distinct(g); err != nil {
			return err
		}
	}
	return nil
}

// distinct refuses values that stand in an axis twice: they would be one run.
func (s *Study) distinct(g group) error {
	seen := map[string]bool{}
	for k := range g.size {
		var key, shown strings.Builder
		for _, a := range g.axes {
			key.WriteString(canonical(s.Axes[a].Values[k]) + "\n")
			fmt.Fprintf(&shown, " %s", shorten(string(s.Axes[a].Values[k])))
		}
		if seen[key.String()] {
			return fmt.Errorf("axes: %q has%s twice", shorten(s.Axes[g.axes[0]].Path), shown.String())
		}
		seen[key.String()] = true
	}
	return nil
}

// canonical is a text that two equal values share.
func canonical(value json.RawMessage) string {
	var v any
	_ = json.Unmarshal(value, &v) // a list of values was read before
	text, _ := json.Marshal(v)
	return string(text)
}

func (s *Study) readMetrics() error {
	for i, m := range s.doc.Metrics {
		if m == "" || len(m) > maxText {
			return fmt.Errorf(
				"metrics[%d] is %q: write the name of a figure as parley run --json tells it, such as overloaded_pct",
				i, shorten(m),
			)
		}
		if slices.Contains(s.doc.Metrics[:i], m) {
			return fmt.Errorf("metrics has %q twice", shorten(m))
		}
	}
	s.Metrics = s.doc.Metrics
	return nil
}

// readQuestions reads compare, whose default is the first value of its axis, then stop and search.
func (s *Study) readQuestions() error {
	if c := s.doc.Compare; c != nil {
		i := slices.IndexFunc(s.Axes, func(a Axis) bool { return a.Path == c.Axis })
		if i < 0 {
			return fmt.Errorf("compare.axis is %q, which is no axis", shorten(c.Axis))
		}
		s.Compare = &Compare{c.Axis, c.With}
		if c.With == nil {
			s.Compare.With = s.Axes[i].Values[0]
		} else if !slices.ContainsFunc(s.Axes[i].Values,
			func(v json.RawMessage) bool { return canonical(v) == canonical(c.With) }) {
			return fmt.Errorf("compare.with is %s, which %s does not take", shorten(string(c.With)), c.Axis)
		}
	}
	if err := s.readStop(); err != nil {
		return err
	}
	return s.readSearch()
}

// readStop reads the rule by which a cell needs no more seeds. A difference needs five seeds by default and other
// figures three, which is also the least.
func (s *Study) readStop() error {
	q := s.doc.Stop
	if q == nil {
		return nil
	}
	own := *q
	const fewest = 3
	usual := fewest
	if own.Difference {
		usual = 5
	}
	if own.MinSeeds == 0 {
		own.MinSeeds = usual
	}
	switch {
	case s.doc.Search != nil:
		return errors.New("the sweep has both search and stop: leave one of them out")
	case own.Metric == "":
		return errors.New("stop.metric is empty: name the figure whose interval is to be narrow")
	case own.Difference && s.Compare == nil:
		return errors.New(
			`stop.difference asks for compare: write "compare":{"axis":"settings.policy"}, or what is compared`,
		)
	case own.Difference && s.groups[s.compared()].size < 2:
		return fmt.Errorf("stop.difference: %s has one value, so nothing is compared", s.Compare.Axis)
	case !(own.Half > 0) && !(own.Difference && own.Half == 0):
		return fmt.Errorf("stop.half_width is %v: choose a number above 0", own.Half)
	case own.MinSeeds < fewest:
		return fmt.Errorf("stop.min_seeds is %d: an interval that is looked at more than once needs at least %d seeds",
			own.MinSeeds, fewest)
	}
	s.Stop = &own
	return nil
}

// maxTried limits how many values of an axis are tried before anything is played.
const maxTried = 1000

// tryValues puts every value into the base once, of long axes the first ones and the
// last: one that cannot be is refused before anything is played, as far as a scenario can
// tell without its system.
func (s *Study) tryValues() error {
	for g := range s.groups {
		for k := range s.groups[g].size {
			if k >= maxTried && k != s.groups[g].size-1 {
				continue
			}
			at := make([]int, len(s.groups))
			at[g] = k
			if _, err := s.variant(at, -1); err != nil {
				return fmt.Errorf("axes: %w", err)
			}
		}
	}
	if s.Search != nil {
		for _, i := range []int{0, s.Search.last} {
			if _, err := s.variant(make([]int, len(s.groups)), i); err != nil {
				return fmt.Errorf("search: %w", err)
			}
		}
	}
	return nil
}

// Encode returns s as a document that includes its base.
func (s *Study) Encode() []byte {
	doc := s.doc
	if s.Base != nil {
		doc.Base, doc.Endless = bytes.TrimSpace(s.Base.Encode()), s.Endless
	}
	out, err := json.MarshalIndent(doc, "", "  ")
	if err != nil {
		panic("study: " + err.Error()) // only raw fields could fail, and Parse checked them
	}
	return append(out, '\n')
}

// shorten shortens a text of a document that a message repeats.
func shorten(text string) string { return words.Cut(text, 80) }

// compact is JSON in one line, cut as shorten does.
func compact(text []byte) string {
	var b bytes.Buffer
	if json.Compact(&b, text) != nil {
		return shorten(string(text))
	}
	return shorten(b.String())
}
