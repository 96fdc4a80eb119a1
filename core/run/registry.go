package run

import (
	"encoding/json"
	"fmt"
	"strings"

	"parley/core/system"
	"parley/core/system/central"
	"parley/core/system/negotiation"
	"parley/core/system/rounds"
	"parley/core/system/yield"
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
