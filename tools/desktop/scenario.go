package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
	"strings"

	"parley/assets"
	"parley/core/run"
	"parley/core/scenario"
	"parley/core/trace"
	"parley/core/trace/formats"
	"parley/core/unit"
	"parley/core/workload"
	"parley/tools/desktop/play"
	"parley/tools/desktop/window"
)

// needsDisplay tells the systems whose windows hang on DISPLAY; Wayland runs X
// programs too.
var needsDisplay = runtime.GOOS != "windows" && runtime.GOOS != "darwin"

// options are what the command line says of the run.
type options struct {
	scenario, system string
	traces           []string
}

// played is a scenario that is ready to be opened, any number of times.
type played struct {
	name, system string // as people read them
	document     []byte
	files        []trace.File
	first        string // the system asked for on the command line
}

// moment reads a simulated time.
func moment(text string) (unit.Time, error) {
	d, err := scenario.ParseDuration(text)
	if err != nil {
		return 0, fmt.Errorf("--at: %w", err)
	}
	return unit.Time(d), nil
}

func systems() []window.System {
	var list []window.System
	for _, s := range run.Systems() {
		list = append(list, window.System{ID: s.ID, Name: s.Name})
	}
	return list
}

// load reads the scenario and looks for its files.
func load(o options) (*played, error) {
	document, err := read(o.scenario)
	if err != nil {
		return nil, err
	}
	s, err := scenario.Parse(document)
	if err != nil {
		return nil, err
	}
	p := &played{name: s.Name, system: s.System, document: document, first: o.system}
	if p.name == "" {
		p.name = o.scenario
	}
	if o.system != "" {
		p.system = o.system
	}
	for _, known := range systems() {
		if known.ID == p.system {
			p.system = known.Name
		}
	}
	for _, name := range o.traces {
		info, err := os.Stat(name)
		if err != nil {
			return nil, err
		}
		p.files = append(p.files, trace.File{Name: name, Size: info.Size(), Open: func() (io.ReadCloser, error) { return os.Open(name) }})
	}
	return p, nil
}

// open makes a run of the scenario; system "" is the one asked for first. The
// scenario's settings belong to its own system and stay behind with it.
func (p *played) open(system string) (play.Simulation, error) {
	s, err := scenario.Parse(p.document)
	if err != nil {
		return nil, err
	}
	if system == "" {
		system = p.first
	}
	if system != "" && system != s.System {
		s.System, s.Settings = system, nil
	}
	var source workload.Source
	if len(p.files) > 0 {
		if source, err = run.OpenTrace(s, p.files, formats.All, trace.Options{SkipBadRows: s.Workload.SkipBadRows}); err != nil {
			return nil, err
		}
	}
	r, err := run.Open(s, source)
	if err != nil {
		return nil, err
	}
	return simulation{r}, nil
}

// simulation is a run as the player takes it.
type simulation struct{ *run.Run }

// Inject makes a fault happen now.
func (s simulation) Inject(kind, target string) error {
	return s.Run.Inject(scenario.Fault{Kind: kind, Target: target})
}

// read returns the scenario document that a name stands for.
func read(name string) ([]byte, error) {
	switch {
	case name == "":
		name = "google-cell"
	case name == "-":
		return io.ReadAll(os.Stdin)
	}
	document, err := os.ReadFile(name)
	if !errors.Is(err, fs.ErrNotExist) {
		return document, err
	}
	if document, ok := assets.Scenario(name); ok {
		return document, nil
	}
	return nil, fmt.Errorf("there is no scenario %q: neither a file of that name nor one of the gallery, which has %s", name, strings.Join(assets.Scenarios(), ", "))
}
