package study

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"parley/core/scenario"
)

// Cell is one variant: a place in the grid of the axes.
type Cell struct {
	Number int
	Values []json.RawMessage // by axis
}

// Run is one scenario to be played once, or one call of a function.
type Run struct {
	ID       string             `json:"id"`
	Cell     int                `json:"cell"`
	Seed     uint64             `json:"seed"`
	Probe    int                `json:"probe"` // of a search: the place on the searched axis; else -1
	Scenario *scenario.Scenario `json:"scenario,omitempty"`
	Call     *Call              `json:"call,omitempty"`
}

// Cells returns the number of variants.
func (s *Study) Cells() int {
	n := 1
	for _, g := range s.groups {
		n *= g.size
	}
	return n
}

// Runs returns the number of runs of the sweep, or the largest possible number if
// intermediate results decide.
func (s *Study) Runs() int {
	n := s.Cells() * len(s.Seeds)
	if s.Search != nil {
		n *= probes(s.Search.last + 1)
	}
	return n
}

// Cell returns a variant by its number. The last group of axes varies fastest.
func (s *Study) Cell(number int) Cell {
	c := Cell{number, make([]json.RawMessage, len(s.Axes))}
	at := s.place(number)
	for g, group := range s.groups {
		for _, a := range group.axes {
			c.Values[a] = s.Axes[a].Values[at[g]]
		}
	}
	return c
}

// place returns which of its values each group takes in a cell.
func (s *Study) place(number int) []int {
	at := make([]int, len(s.groups))
	for g := len(s.groups) - 1; g >= 0; g-- {
		at[g] = number % s.groups[g].size
		number /= s.groups[g].size
	}
	return at
}

// number is the reverse of place.
func (s *Study) number(at []int) (n int) {
	for g := range s.groups {
		n = n*s.groups[g].size + at[g]
	}
	return n
}

// variant is the scenario or call that the runs of a cell share.
type variant struct {
	scenario *scenario.Scenario
	call     *Call
}

// variant returns the scenario or arguments at a place of the grid and, for a search, at a place of
// the searched axis; probe is -1 otherwise.
func (s *Study) variant(at []int, probe int) (v variant, err error) {
	if s.sides != nil {
		return variant{scenario: s.sides[at[0]]}, nil
	}
	var changes []change
	for a, axis := range s.Axes {
		for g, group := range s.groups {
			if slices.Contains(group.axes, a) {
				changes = append(changes, change{axis.Path, axis.Values[at[g]]})
			}
		}
	}
	if probe >= 0 {
		changes = append(changes, change{s.Search.Axis, s.Search.value(probe)})
	}
	if s.Base == nil {
		v.call, err = s.call(changes)
	} else {
		texts := make([]string, len(changes))
		for i, c := range changes {
			texts[i] = c.path + "=" + string(c.value)
		}
		if v.scenario, err = s.Base.Set(texts); err != nil {
			err = fmt.Errorf("%w (where %s)", err, shorten(strings.Join(texts, ", ")))
		}
	}
	return v, err
}

// change puts a value in place of another.
type change struct {
	path  string
	value json.RawMessage
}

// expander makes runs. It caches the variant of the latest cell, which its seeds share.
type expander struct {
	sweep  *Study
	engine string
	cell   int
	probe  int
	last   *variant
}

func newExpander(s *Study, engine string) *expander { return &expander{sweep: s, engine: engine} }

// run returns the run of a cell with a seed and, of a search, at a place of the searched
// axis; probe is -1 otherwise.
func (e *expander) run(cell int, seed uint64, probe int) (Run, error) {
	if e.last == nil || e.cell != cell || e.probe != probe {
		v, err := e.sweep.variant(e.sweep.place(cell), probe)
		if err != nil {
			return Run{}, err
		}
		e.cell, e.probe, e.last = cell, probe, &v
	}
	if call := e.last.call; call != nil {
		return Run{ID: call.identify(seed, e.engine), Cell: cell, Seed: seed, Probe: probe, Call: call}, nil
	}
	own := *e.last.scenario
	own.Seed = seed
	return Run{ID: Identify(&own, e.engine), Cell: cell, Seed: seed, Probe: probe, Scenario: &own}, nil
}

// Identify returns the name of a run by its content: 32 hex digits of a SHA-256. Names
// and descriptions for people, and the names of files, are left out.
func Identify(s *scenario.Scenario, engine string) string {
	own := *s
	own.Name, own.About, own.View = "", "", nil
	own.Workload.Trace = append([]scenario.TraceFile(nil), own.Workload.Trace...)
	for i := range own.Workload.Trace {
		own.Workload.Trace[i].Name = ""
	}
	text, err := json.Marshal(&own)
	if err != nil {
		panic("study: " + err.Error()) // only raw fields could fail, and Parse checked them
	}
	return nameOf(fmt.Appendf(nil, "parley sweep 1\nengine %s\n%s", engine, text))
}

func nameOf(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:16])
}

// Systems returns the systems that the runs name: at least one, or none for a function.
func (s *Study) Systems() []string {
	if s.Base == nil {
		return nil
	}
	list := []string{s.Base.System}
	for _, a := range s.Axes {
		if a.Path == "system" {
			list = nil
			for _, v := range a.Values {
				list = append(list, Value{Value: v}.Text())
			}
		}
	}
	return list
}

// Groups returns the axes in groups that take their values together. The last group
// varies fastest over the cells.
func (s *Study) Groups() [][]Axis {
	out := make([][]Axis, len(s.groups))
	for g, group := range s.groups {
		for _, a := range group.axes {
			out[g] = append(out[g], s.Axes[a])
		}
	}
	return out
}

// RunsOf returns the first runs of a cell, one a seed. For a search it returns those at
// the limit, if that is found.
func (s *Study) RunsOf(cell int, have *Results, most int) (runs []Run, err error) {
	e := newExpander(s, have.Engine)
	for _, seed := range s.Seeds[:min(most, len(s.Seeds))] {
		probe := -1
		if s.Search != nil {
			limit, _, missing, err := s.searched(cell, seed, e, have)
			if err != nil {
				return nil, err
			}
			if len(missing) > 0 {
				continue
			}
			probe = max(limit, 0)
		}
		r, err := e.run(cell, seed, probe)
		if err != nil {
			return nil, err
		}
		runs = append(runs, r)
	}
	return runs, nil
}

// CheckSettings returns an error if an axis names a setting that none of the sweep's
// systems has; knows reports whether a system has it.
func (s *Study) CheckSettings(knows func(system, setting string) bool) error {
	systems := s.Systems()
	for _, path := range s.Paths() {
		name, is := strings.CutPrefix(path, "settings.")
		name, _, _ = strings.Cut(name, ".")
		if is && !slices.ContainsFunc(systems, func(id string) bool { return knows(id, name) }) {
			return fmt.Errorf("axes: %s is no setting of %s; parley systems %s tells them", shorten(path),
				shorten(systems[0]), shorten(systems[0]))
		}
	}
	return nil
}

// CheckMetrics returns an error if no run of the sweep's systems can have a figure; knows
// returns one sentence about such a name, and an empty one about others.
func (s *Study) CheckMetrics(knows func(systems []string, name string) error) error {
	systems := s.Systems()
	check := func(field, name string) error {
		if err := knows(systems, name); err != nil {
			return fmt.Errorf("%s: %w", field, err)
		}
		return nil
	}
	for i, name := range s.Metrics {
		if err := check(fmt.Sprintf("metrics[%d]", i), name); err != nil {
			return err
		}
	}
	if s.Stop != nil {
		if err := check("stop.metric", s.Stop.Metric); err != nil {
			return err
		}
	}
	if s.Search != nil {
		for _, name := range slices.Sorted(maps.Keys(s.Search.Fits)) {
			if err := check("search.fits", name); err != nil {
				return err
			}
		}
	}
	return nil
}

// Paths returns the fields that the sweep varies.
func (s *Study) Paths() (list []string) {
	for _, a := range s.Axes {
		list = append(list, a.Path)
	}
	if s.Search != nil {
		list = append(list, s.Search.Axis)
	}
	return list
}
