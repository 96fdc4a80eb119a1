package run

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"parley/core/scenario"
	"parley/core/system"
	"parley/core/system/central"
	"parley/core/system/negotiation"
	"parley/core/system/rounds"
	"parley/core/system/yield"
	"parley/core/trace"
	"parley/core/trace/google2011"
	"parley/core/unit"
	"parley/core/workload"
)

// Entry is one system of the registry.
type Entry struct {
	ID       string
	Name     string
	New      system.Factory
	Settings any                 // the defaults, for pages and help
	Choices  map[string][]string // of settings that are one of a few words
	Workload Workload            // of its own kind; nil: it has none
}

// Workload makes what arrives from a scenario's workload.system, which may be
// empty, and the run's seed. A nil source leaves it to the scenario's preset.
// A source without the method BringsMachines, or where that returns true,
// brings the machines too; otherwise they are the scenario's cluster.
type Workload func(raw json.RawMessage, seed uint64) (workload.Source, error)

// Systems lists what can be run. A further system is one line here.
var Systems = []Entry{
	{"negotiation", "Agent negotiation", negotiation.New, negotiation.Default(), negotiation.Choices, nil},
	{"central", "Central scheduler", central.New, central.Default(), central.Choices, nil},
	{"yield", "Virtual-cluster yield", yield.New, yield.Default(), yield.Choices, yield.Workload},
	{"rounds", "Divisible-load rounds", rounds.New, rounds.Default(), rounds.Choices, rounds.Workload},
}

// Formats lists the trace formats that can be played.
var Formats = []trace.Format{google2011.Format()}

// OpenTrace returns the workload that files hold, with usage synthesised as the
// scenario says where nobody measured it. Files that hold no tasks are an error
// of class trace.NoTasks.
func OpenTrace(s *scenario.Scenario, files []trace.File, o trace.Options) (trace.Source, error) {
	synthesis := workload.DefaultSynthesis()
	if s.Workload.Usage != nil {
		synthesis = *s.Workload.Usage
	}
	if err := synthesis.Validate(); err != nil {
		return nil, err
	}
	o.Usage = func(key workload.Key, class workload.PriorityClass, _ unit.Vec) workload.UsageModel {
		return synthesis.Model(key, class)
	}
	source, err := trace.Open(files, Formats, o)
	if err != nil {
		return nil, err
	}
	if !source.HoldsTasks() {
		names, hold := make([]string, len(files)), "hold"
		if len(files) == 1 {
			hold = "holds"
		}
		for i, f := range files {
			names[i] = f.Name
		}
		return nil, errors.Join(&trace.Error{
			Kind: trace.NoTasks, File: strings.Join(names, ", "), Why: hold + " no tasks, so there is nothing to run",
			Hint: "open some parts of task_events as well",
		}, source.Close())
	}
	return source, nil
}

func find(id string) (Entry, error) {
	names := make([]string, len(Systems))
	for i, e := range Systems {
		if e.ID == id {
			return e, nil
		}
		names[i] = e.ID
	}
	return Entry{}, fmt.Errorf("system is %q: choose one of %s", id, strings.Join(names, ", "))
}
