package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
	"strings"

	"parley/assets"
	core "parley/core/play"
	"parley/core/run/full"
	"parley/core/scenario"
	"parley/core/trace"
	"parley/core/unit"
	"parley/tools/desktop/window"
)

// needsDisplay lists the systems whose windows depend on DISPLAY; Wayland runs X
// programs too.
var needsDisplay = runtime.GOOS != "windows" && runtime.GOOS != "darwin"

// options are the flags about the run.
type options struct {
	scenario, system string
	traces           []string
}

// played is a scenario that is ready to be opened, any number of times.
type played struct {
	name, system string // as people read them
	document     []byte
	files        []trace.File
	first        string // the system given on the command line
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
	for _, s := range full.Systems() {
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
		p.files = append(p.files, trace.File{
			Name: name, Size: info.Size(),
			Open: func() (io.ReadCloser, error) { return os.Open(name) },
		})
	}
	return p, nil
}

// open returns the opening of a run under a system; "" is the system of the command line. The
// scenario's settings belong to its own system and stay behind with it.
func (p *played) open(system string) (core.Opening, error) {
	s, err := scenario.Parse(p.document)
	if err != nil {
		return core.Opening{}, err
	}
	if system == "" {
		system = p.first
	}
	if system != "" && system != s.System {
		s.SetSystem(system)
	}
	var given struct{ Until *string }
	hasEnd := json.Unmarshal(p.document, &given) == nil && given.Until != nil
	return core.Opening{Scenario: s, Files: p.files, HasEnd: hasEnd}, nil
}

// read returns the scenario document of a name.
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
	return nil, fmt.Errorf("there is no scenario %q: neither a file of that name nor one of the gallery, which has %s",
		name, strings.Join(assets.Scenarios(), ", "))
}
