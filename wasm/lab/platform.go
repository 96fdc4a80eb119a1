//go:build js && wasm

package main

import (
	"strings"

	"parley/core/system/rounds/grid"
	"parley/core/system/rounds/plan"
	"parley/core/trace/simgrid"
	"parley/wasm/bridge"
)

// platform is what the page hears of a file of workers.
type platform struct {
	Type    string        `json:"type"`
	Name    string        `json:"name"`
	Load    float64       `json:"load,omitempty"` // 0: the file names none
	Workers []plan.Worker `json:"workers,omitempty"`
	Names   []string      `json:"names,omitempty"`  // of SimGrid's workers
	Hosts   []string      `json:"hosts,omitempty"`  // of a SimGrid platform: who could be master
	Master  string        `json:"master,omitempty"` // who is
	Notes   []string      `json:"notes,omitempty"`  // what of the file was passed over
	Why     string        `json:"why,omitempty"`    // one sentence where it cannot be used
}

// readPlatform reads a platform in either form; a master that is not named is
// the first host.
func readPlatform(name, text, master string, unit grid.Unit) {
	out := platform{Type: "platform", Name: name}
	if err := out.read(text, master, unit); err != nil {
		out.Why = err.Error()
	}
	bridge.PostValue(out)
}

func (o *platform) read(text, master string, unit grid.Unit) error {
	if !simgrid.Detect([]byte(text[:min(len(text), 4096)])) {
		p, load, err := plan.Decode(strings.NewReader(text))
		o.Load, o.Workers = load, p.Workers
		return err
	}
	file, err := simgrid.Read(o.Name, strings.NewReader(text))
	if err != nil {
		return err
	}
	for _, h := range file.Hosts {
		o.Hosts = append(o.Hosts, h.Name)
	}
	if master == "" && len(o.Hosts) > 0 {
		master = o.Hosts[0]
	}
	o.Master, o.Notes = master, file.Notes
	p, names, err := grid.Platform(file, master, unit)
	if err == nil && len(p.Workers) == 0 {
		err = plan.Platform{}.Validate(1)
	}
	o.Workers, o.Names = p.Workers, names
	return err
}
