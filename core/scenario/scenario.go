// Package scenario is the document that makes a run: cluster, workload, system,
// seed, faults. The same document and seed give the same run to the last bit.
//
// The schema is versioned; documents of every published version stay readable
// (Parse upgrades them). A system's own settings stay raw JSON here: only that
// system reads them, strictly.
//
//	s, err := scenario.Parse([]byte(`{"v":1,"system":"negotiation","seed":7}`))
package scenario

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"parley/core/cluster"
	"parley/core/strict"
	"parley/core/unit"
	"parley/core/workload"
	"parley/core/workload/graphs"
)

// Version is the schema that Parse returns and Encode writes.
const Version = 1

// Scenario is one run's description. All fields but V and System may be left
// out and take the documented defaults.
type Scenario struct {
	V        int             `json:"v"`
	Name     string          `json:"name,omitempty"`
	About    string          `json:"about,omitempty"`
	System   string          `json:"system"`
	Seed     uint64          `json:"seed,omitempty"`
	Cluster  Cluster         `json:"cluster,omitzero"`
	Workload Workload        `json:"workload,omitzero"`
	Settings json.RawMessage `json:"settings,omitempty"`
	Program  string          `json:"program,omitempty"` // text of the scheduler, of a system that reads one
	Faults   []Fault         `json:"faults,omitempty"`
	Chaos    Chaos           `json:"chaos,omitzero"`
	Until    Duration        `json:"until,omitzero"`
	// above 0: Until is a guess, and a log of rigid jobs is played until its work has ended, this far at most
	MaxUntil Duration `json:"-"`
	Window   Window   `json:"window,omitzero"`
	Chart    string   `json:"chart,omitempty"` // a figure of all nodes to record, as package score compiles it
	Notes    []Note   `json:"notes,omitempty"`
	// fields that a class may change, such as "settings.fill"; empty: all
	May  []string        `json:"may_change,omitempty"`
	View json.RawMessage `json:"view,omitempty"` // the page's own, kept as it is
}

// Note is one step of a lesson: a text for the reader at a moment. Notes change no result.
type Note struct {
	At    Duration `json:"at"`
	Text  string   `json:"text"`
	Focus string   `json:"focus,omitempty"` // where the map moves: "node.12" or "rack.3"
	Show  string   `json:"show,omitempty"`  // the tab that is opened: "gantt"
	Pause bool     `json:"pause,omitempty"` // whether the run stops there
}

// Cluster describes the nodes.
type Cluster struct {
	Preset   string            `json:"preset,omitempty"` // "google2011", the default: the published machine mix
	Nodes    int               `json:"nodes,omitempty"`  // default 12,583
	Physical *cluster.Settings `json:"physical,omitempty"`
	Keep     float64           `json:"keep,omitempty"` // of the nodes, drawn at random: 0.98 removes 2 %; default 1
	Power    Power             `json:"power,omitzero"`
}

// Workload describes the workload.
type Workload struct {
	Preset string `json:"preset,omitempty"` // "google2011", the default, or "none"
	// of the generated cell: production tasks request as much of it as in the "paper", the default, or as in the
	// "trace"
	Production string `json:"production,omitempty"`
	// of the tasks: above 1 duplicates a random part, default 1
	Scale float64 `json:"scale,omitempty"`
	// of a log of rigid jobs: gaps between arrivals are divided by it; 0 and 1: as recorded
	Rate float64 `json:"rate,omitempty"`
	// of a log of rigid jobs: the rate that gives it this offered load; 0: as recorded
	Load        float64     `json:"load,omitempty"`
	Trace       []TraceFile `json:"trace,omitempty"`         // recorded files instead of a preset
	SkipBadRows bool        `json:"skip_bad_rows,omitempty"` // of the trace: pass over rows that break the format
	// of a table of jobs: which column holds what, as in "submit=begin_time, processors=ncpus"
	Map  string `json:"map,omitempty"`
	Jobs Jobs   `json:"jobs,omitzero"` // which jobs of a log are played
	// how usage follows from requests if no file recorded it
	Usage *workload.Usage `json:"usage,omitempty"`
	Day   *float64        `json:"day_swing,omitempty"`
	// of a trace: tasks arrive when they were "submitted", the default, or "scheduled"
	Arrive string `json:"arrive,omitempty"`
	// task graphs and the machines that compute them: see package workload/graphs
	Graphs json.RawMessage `json:"graphs,omitempty"`
	Raw    json.RawMessage `json:"system,omitempty"` // content for the system alone: a load, virtual machines
}

// TraceFile names a recorded file by its content.
type TraceFile struct {
	Name   string `json:"name"`
	Format string `json:"format,omitempty"`
	SHA256 string `json:"sha256,omitempty"`
}

// Fault is something that breaks or is mended at a moment.
type Fault struct {
	At     Duration `json:"at"`
	Kind   string   `json:"kind"`            // one of PhysicalFaults, or a system's own
	Target string   `json:"target"`          // "node.4711", "rack.14", "broker.0" or "mail"
	Value  float64  `json:"value,omitempty"` // its meaning depends on the kind
}

// Window is the part of a run that means and figures of jobs are about: from WarmUp after its
// beginning to CoolDown before its end. If files provide the work, it begins with the first
// arrival, else at time 0. It never changes the run.
type Window struct {
	WarmUp   Duration `json:"warm_up,omitzero"`
	CoolDown Duration `json:"cool_down,omitzero"`
}

// Chaos makes nodes and racks fail at random: exponential times between
// failures and until repair. Zero means never.
type Chaos struct {
	NodeMTBF Duration `json:"node_mtbf,omitzero"` // mean time between failures of one node
	RackMTBF Duration `json:"rack_mtbf,omitzero"` // likewise of one rack
	MTTR     Duration `json:"mttr,omitzero"`      // mean time to repair; default 30m
}

// Limits that keep a scenario from asking for more than a tab can hold.
const (
	MinNodes = 10
	// limit by memory: such a cell with its 11 million tasks takes 4 to 5 GB; a tab holds 250,000
	MaxNodes  = 1_000_000
	MinScale  = 0.001 // of the tasks: a generator looks at a thousand to find one, not at 10^300
	MaxScale  = 10
	minRate   = 0.01
	maxRate   = 100
	minLoad   = 0.01
	maxLoad   = 10
	maxWatts  = 1e6
	MaxFaults = 10_000
	MaxNotes  = 100
	MaxUntil  = 3650 * unit.Day
	maxBytes  = 1 << 20
	spared    = 4 << 10 // of them, for additions by a command or a run to a scenario that was read
	maxMap    = 2000
	maxText   = 64 // bytes of the system's name

	// bytes that Encode may write for a byte of a document: a sign is "\u0001", 1e20 has 21 digits, fields have
	// defaults
	maxGrowth = 16

	MaxProgram = 64 << 10 // bytes of a program's text
	maxChart   = 1010     // bytes: a formula with a function around it
)

// Parse reads a scenario document of any published version and fills in the
// defaults. Its errors are one sentence that names the field.
func Parse(doc []byte) (*Scenario, error) { return parse(doc, doc) }

// parse is Parse, where errors give lines of shown: nil if the document has none.
func parse(doc, shown []byte) (*Scenario, error) {
	doc = bytes.TrimPrefix(doc, []byte("\xef\xbb\xbf")) // some editors begin a text so
	if len(doc) > maxBytes {
		return nil, fmt.Errorf("the scenario has more than %d bytes, which are all that is read", maxBytes)
	}
	if len(bytes.TrimSpace(doc)) == 0 {
		return nil, errors.New("the scenario is empty")
	}
	if err := strict.Shallow(doc, shown); err != nil {
		return nil, fmt.Errorf("the scenario cannot be read: %w", err)
	}
	var head struct {
		V *int `json:"v"`
	}
	if err := json.Unmarshal(doc, &head); err != nil {
		return nil, fmt.Errorf("the scenario cannot be read: %w", strict.Sentence(shown, err))
	}
	switch {
	case head.V == nil:
		return nil, errors.New(`the scenario has no "v": write "v":1`)
	case *head.V != Version:
		return nil, fmt.Errorf("the scenario has v %d: this program reads version %d", *head.V, Version)
	}
	physical := cluster.Default()
	s := &Scenario{Cluster: Cluster{Physical: &physical}}
	read := strict.Decode
	if shown == nil {
		read = strict.Part
	}
	if err := read(doc, s); err != nil {
		return nil, fmt.Errorf("the scenario cannot be read: %w", err)
	}
	if err := refuseZeros(doc); err != nil {
		return nil, err
	}
	s.fill()
	if err := s.Validate(); err != nil {
		return nil, err
	}
	if len(doc) > maxBytes/maxGrowth { // others are read again for certain
		if n := len(s.Encode()); n > maxBytes-spared {
			return nil, fmt.Errorf("the scenario has %d bytes when it is written out: at most %d are read again",
				n, maxBytes-spared)
		}
	}
	return s, nil
}

// refuseZeros returns an error if a field is 0 that has another default and cannot be 0: in a
// Scenario a field that was left out is 0 too.
func refuseZeros(doc []byte) error {
	var stated struct {
		Cluster struct {
			Nodes *int     `json:"nodes"`
			Keep  *float64 `json:"keep"`
		} `json:"cluster"`
		Workload struct {
			Scale *float64 `json:"scale"`
		} `json:"workload"`
		Chaos struct {
			MTTR *Duration `json:"mttr"`
		} `json:"chaos"`
		Until *Duration `json:"until"`
	}
	if err := json.Unmarshal(doc, &stated); err != nil {
		return fmt.Errorf("the scenario cannot be read: %w", strict.Sentence(nil, err))
	}
	switch {
	case stated.Cluster.Nodes != nil && *stated.Cluster.Nodes == 0:
		return fmt.Errorf("cluster.nodes is 0: choose %d to %d, or leave it out for %d", MinNodes, MaxNodes,
			workload.DefaultGenerated().Nodes)
	case stated.Cluster.Keep != nil && *stated.Cluster.Keep == 0:
		return errors.New("cluster.keep is 0: choose a number above 0, up to 1, or leave it out for all nodes")
	case stated.Workload.Scale != nil && *stated.Workload.Scale == 0:
		return fmt.Errorf(
			"workload.scale is 0: choose %v to %v, leave it out for 1, or write workload.preset none for a cell without tasks", MinScale, MaxScale,
		)
	case stated.Chaos.MTTR != nil && *stated.Chaos.MTTR == 0:
		return errors.New("chaos.mttr is 0s: a repair takes some time; choose one above 0, or leave it out for 30m")
	case stated.Until != nil && *stated.Until == 0:
		return errors.New("until is 0s: choose a time above 0, up to 3650d, or leave it out for 29d")
	}
	return nil
}

// fill sets the defaults of fields that were left out.
func (s *Scenario) fill() {
	if s.Cluster.Preset == "" {
		s.Cluster.Preset = "google2011"
	}
	if s.Cluster.Nodes == 0 {
		s.Cluster.Nodes = workload.DefaultGenerated().Nodes
	}
	if s.Cluster.Keep == 0 {
		s.Cluster.Keep = 1
	}
	if p := s.Cluster.Physical; p != nil && *p == cluster.Default() {
		s.Cluster.Physical = nil
	}
	if u := s.Workload.Usage; u != nil && u.Moving != nil && u.IsPreset() {
		s.Workload.Usage = nil
	}
	if s.Workload.Preset == "" {
		s.Workload.Preset = "google2011"
	}
	if s.Workload.Production == workload.PaperProduction {
		s.Workload.Production = ""
	}
	if s.Workload.Scale == 0 {
		s.Workload.Scale = 1
	}
	if s.Chaos.MTTR == 0 && s.Chaos != (Chaos{}) {
		s.Chaos.MTTR = Duration(30 * unit.Minute)
	}
	if s.Until == 0 {
		s.Until = Duration(29 * unit.Day)
	}
}

// Validate returns an error that names the first invalid field. The defaults must be set (see Parse); the
// settings are the system's and are not checked.
func (s *Scenario) Validate() error {
	switch {
	case s.System == "":
		return errors.New(`the scenario names no "system"`)
	case len(s.System) > maxText:
		return fmt.Errorf("system is %q: the name of a system has at most %d bytes", shorten(s.System), maxText)
	case len(s.Program) > MaxProgram:
		return fmt.Errorf("program has %d bytes: at most %d are read", len(s.Program), MaxProgram)
	case len(s.Chart) > maxChart:
		return fmt.Errorf("chart has %d bytes: at most %d are read", len(s.Chart), maxChart)
	case s.Cluster.Preset != "google2011":
		return fmt.Errorf("cluster.preset is %q: the only preset is google2011", shorten(s.Cluster.Preset))
	case s.Cluster.Nodes < MinNodes || s.Cluster.Nodes > MaxNodes:
		return fmt.Errorf("cluster.nodes is %d: choose %d to %d", s.Cluster.Nodes, MinNodes, MaxNodes)
	case !(s.Cluster.Keep > 0 && s.Cluster.Keep <= 1):
		return fmt.Errorf("cluster.keep is %v: choose a number above 0, up to 1", s.Cluster.Keep)
	case s.Workload.Preset != "google2011" && s.Workload.Preset != "none":
		return fmt.Errorf("workload.preset is %q: choose google2011 or none", shorten(s.Workload.Preset))
	case s.Workload.Production != "" && s.Workload.Production != workload.TraceProduction &&
		s.Workload.Production != workload.PaperProduction:
		return fmt.Errorf("workload.production is %q: choose %s or %s", shorten(s.Workload.Production),
			workload.TraceProduction, workload.PaperProduction)
	case s.Workload.Production != "" && (s.Workload.Preset == "none" ||
		len(s.Workload.Trace)+len(s.Workload.Raw)+len(s.Workload.Graphs) > 0):
		return errors.New("workload.production is about the generated cell: leave it out where the workload is another")
	case s.Workload.Arrive != "" && s.Workload.Arrive != "submitted" && s.Workload.Arrive != "scheduled":
		return fmt.Errorf("workload.arrive is %q: choose submitted or scheduled", shorten(s.Workload.Arrive))
	case !(s.Workload.Scale >= MinScale && s.Workload.Scale <= MaxScale):
		return fmt.Errorf("workload.scale is %v: choose %v to %v", s.Workload.Scale, MinScale, MaxScale)
	case s.Workload.Rate != 0 && !(s.Workload.Rate >= minRate && s.Workload.Rate <= maxRate):
		return fmt.Errorf("workload.rate is %v: choose %v to %v", s.Workload.Rate, minRate, maxRate)
	case s.Workload.Load != 0 && !(s.Workload.Load >= minLoad && s.Workload.Load <= maxLoad):
		return fmt.Errorf("workload.load is %v: choose %v to %v", s.Workload.Load, minLoad, maxLoad)
	case s.Workload.Load != 0 && s.Workload.Rate != 0:
		return errors.New(
			"workload.load sets the rate of arrivals that workload.rate sets as well: leave one of them out",
		)
	case s.Workload.Load != 0 && s.Workload.Scale != 1:
		return errors.New("workload.scale changes the offered load that workload.load sets: leave one of them out")
	case len(s.Workload.Map) > maxMap:
		return fmt.Errorf("workload.map has %d bytes: a mapping of columns has at most %d", len(s.Workload.Map),
			maxMap)
	case s.Until < 0 || s.Until > Duration(MaxUntil):
		return fmt.Errorf("until is %v: choose up to 3650d", unit.Time(s.Until))
	case s.Window.WarmUp < 0 || s.Window.CoolDown < 0 || s.Window.WarmUp > Duration(MaxUntil) ||
		s.Window.CoolDown > Duration(MaxUntil):
		return fmt.Errorf("window is %v of warm-up and %v of cool-down: choose up to 3650d each", s.Window.WarmUp,
			s.Window.CoolDown)
	case s.checkNotes() != nil:
		return s.checkNotes()
	case s.checkMay() != nil:
		return s.checkMay()
	case len(s.Faults) > MaxFaults:
		return fmt.Errorf("faults has %d entries: at most %d", len(s.Faults), MaxFaults)
	}
	for i, f := range s.Faults {
		if _, _, err := f.Parse(); err != nil {
			return fmt.Errorf("faults[%d]: %w", i, err)
		}
	}
	if err := s.Workload.Jobs.validate(); err != nil {
		return err
	}
	if err := s.Workload.validateGraphs(); err != nil {
		return err
	}
	if s.Workload.Usage != nil {
		if err := s.Workload.Usage.Validate(); err != nil {
			return fmt.Errorf("workload.%w", err)
		}
	}
	if err := s.Chaos.validate(); err != nil {
		return err
	}
	return s.Cluster.validatePhysical()
}

func (w *Workload) validateGraphs() error {
	if len(w.Graphs) == 0 {
		return nil
	}
	if _, err := graphs.Parse(w.Graphs); err != nil {
		return fmt.Errorf("workload.graphs: %w", err)
	}
	if len(w.Raw) > 0 {
		return errors.New("workload has both graphs and system: leave one of them out")
	}
	return nil
}

func (c Chaos) validate() error {
	for _, mean := range []struct {
		name  string
		value Duration
	}{{"node_mtbf", c.NodeMTBF}, {"rack_mtbf", c.RackMTBF}} {
		if mean.value != 0 && mean.value < Duration(unit.Minute) {
			return fmt.Errorf("chaos.%s is %v: choose at least 1m", mean.name, mean.value)
		}
	}
	return nil
}

// validatePhysical returns an error if the power or the physical cluster is out of range. The dirty rate must be
// below the link speed, or a migration would never end.
func (c Cluster) validatePhysical() error {
	if _, err := c.Power.kinds(); err != nil {
		return err
	}
	p := c.Physical
	if p == nil {
		return nil
	}
	if p.Transfers != cluster.OnePort && p.Transfers != cluster.ContentionFree {
		return fmt.Errorf("cluster.physical.transfers is %q: choose %s or %s", shorten(p.Transfers), cluster.OnePort,
			cluster.ContentionFree)
	}
	for _, n := range []struct {
		name               string
		value, lowest, top int64
	}{
		{"rack_size", int64(p.RackSize), 1, MaxNodes},
		{"site_racks", int64(p.SiteRacks), 1, MaxNodes},
		{"link_speed", int64(p.LinkSpeed), int64(unit.KB), int64(1000 * unit.GB)},
		{"dirty_rate", int64(p.DirtyRate), 0, int64(p.LinkSpeed) - 1},
		{"rack_delay_us", int64(p.RackDelay), 0, int64(unit.Hour)},
	} {
		if n.value < n.lowest || n.value > n.top {
			return fmt.Errorf("cluster.physical.%s is %d: choose %d to %d", n.name, n.value, n.lowest, n.top)
		}
	}
	return nil
}

// SetSystem sets the system, with its default settings: settings and program belong to the
// system that they were written for.
func (s *Scenario) SetSystem(id string) { s.System, s.Settings, s.Program = id, nil, "" }

// Encode writes s as a document that Parse reads back: indented, or in one line where
// indentation would make it longer than what Parse reads.
func (s *Scenario) Encode() []byte {
	doc := append(encoded(s), '\n')
	deepest, _ := strict.Nesting(doc, strict.Depth)
	lines := 2*bytes.Count(doc, []byte("{")) + 2*bytes.Count(doc, []byte("[")) + bytes.Count(doc, []byte(","))
	if len(doc)+lines*2*(deepest+1) > maxBytes-spared {
		return doc
	}
	var indented bytes.Buffer
	if err := json.Indent(&indented, doc, "", "  "); err != nil {
		panic("scenario: " + err.Error())
	}
	return indented.Bytes()
}
