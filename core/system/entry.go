package system

import (
	"encoding/json"

	"parley/core/workload"
)

// Entry is a system as a registry lists it: what it is and how it is made.
type Entry struct {
	Description
	New      Factory
	Workload Workload // its own; nil where it brings nothing
}

// Factory makes a system from its settings, which may be empty.
type Factory func(Env, json.RawMessage) (System, error)

// Workload makes what arrives from a scenario's workload.system, which may be
// empty, and the run's seed. A nil source leaves it to the scenario's preset.
// A source without the method BringsMachines, or where that returns true,
// brings the machines too; otherwise they are the scenario's cluster.
type Workload func(raw json.RawMessage, seed uint64) (workload.Source, error)
