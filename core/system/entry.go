package system

import (
	"encoding/json"
	"reflect"

	"parley/core/workload"
)

// Entry is a system as a registry lists it: its description and its constructors.
type Entry struct {
	Description
	New      Factory
	Workload Workload // its own; nil if it has none
	Files    Files    // changes recorded files; nil: they are played as they are
	Adapt    Adapt    // settings to the shape of files; nil: they are used as they are
	Program  Program  // describes it with the text of a scenario's program; nil: it reads none
	// Unchanging are types of its own whose values a run and its copies share, for
	// they are never changed (core/snapshot). Most systems have none.
	Unchanging []reflect.Type
}

// Factory makes a system from its settings, which may be empty.
type Factory func(Env, json.RawMessage) (System, error)

// Program describes a system with the text of a scenario's program, which may be empty:
// its settings are those of the program.
type Program func(text string) (Description, error)

// Workload makes the arrivals from a scenario's workload.system, which may be empty, and the run's
// seed. If the source is nil, the scenario's preset applies. A source provides the machines too,
// unless its header is Machineless: then they are the scenario's cluster.
type Workload func(raw json.RawMessage, seed uint64) (workload.Source, error)

// Files makes the arrivals from a scenario's workload.system, which may be empty, the run's seed
// and a recorded workload, which becomes a part of them: the jobs of one site among several, say.
type Files func(raw json.RawMessage, seed uint64, recorded workload.Source) (workload.Source, error)

// Adapt completes settings for files whose shape is known: it sets fields that the settings omit
// and whose default does not suit the files. If the settings were not chosen for these files, it
// also replaces values that do not suit the shape. It returns the settings to use and one sentence
// about the changes, or the settings unchanged and an empty sentence. Settings that cannot be read
// are left to the Factory.
type Adapt func(raw json.RawMessage, shape workload.Shape, chosen bool) (settings json.RawMessage, sentence string)
