// Package recorded lets a scheduler outside Parley decide: a process of the user, or the
// recorded acts of such a run, played again without the process.
//
// Once a moment the system sends the Scheduler the facts of that moment and the outcome of
// its previous acts, and carries out the acts of the answer. A Scheduler can be anything: the
// command line asks a process over JSON lines (tools/parley/external), and a protocol.Log
// repeats recorded answers. Both runs have the same digest.
//
// The messages are those of package protocol.
//
//	entry := recorded.Asking(func() protocol.Scheduler { return &bestFit{} })
//	r, err := append(run.Systems(), entry).Open(scenario, nil)
package recorded

import (
	"encoding/json"
	"errors"
	"reflect"

	"parley/core/metric"
	"parley/core/protocol"
	"parley/core/system"
	"parley/core/workload"
)

// ID is the system's name in scenarios.
const ID = "recorded"

// Settings of the system.
type Settings struct {
	Command string `json:"command"`
	Options string `json:"options"`
}

// described returns the descriptions of the settings with their present values.
func (s Settings) described() []system.Setting {
	return system.Describe(
		system.Setting{
			ID: "command", Name: "Command", Value: s.Command,
			About: "command of the scheduler whose acts are played, as it was called; it changes nothing",
		},
		system.Setting{
			ID: "options", Name: "Options", Value: s.Options,
			About: "any text for the scheduler, which receives it with its first line",
		},
	)
}

// Entry returns the system as registries list it: it plays the acts of a Log.
func Entry() system.Entry {
	e := Asking(nil)
	e.New = func(env system.Env, raw json.RawMessage) (system.System, error) {
		s, err := settings(raw)
		if err != nil {
			return nil, err
		}
		holder, holds := env.Source.(interface{ Acts() *protocol.Log })
		if !holds {
			return nil, errNoLog
		}
		return newAsking(env, s, holder.Acts().Replay()), nil
	}
	return e
}

// errNoLog is the answer to a scenario that plays recorded acts without their file.
var errNoLog = errors.New(
	"the system recorded plays the acts of a scheduler of one's own again: give the recorded.jsonl that parley run --scheduler wrote, as one of the files",
)

// Asking returns the system that asks a scheduler, of which start makes one a run.
func Asking(start func() protocol.Scheduler) system.Entry {
	return system.Entry{
		New: func(env system.Env, raw json.RawMessage) (system.System, error) {
			s, err := settings(raw)
			if err != nil {
				return nil, err
			}
			return newAsking(env, s, start()), nil
		},
		Unchanging: []reflect.Type{reflect.TypeFor[protocol.Log]()},
		Description: system.Description{
			ID: ID, Name: "A scheduler of your own",
			About:    "A process of your own decides; what it did is recorded and can be played again without it.",
			Replays:  true,
			Supports: []workload.Shape{workload.ShapeTasks, workload.ShapeJobs},
			Settings: Settings{}.described(), Agents: []system.Role{}, Views: []system.View{},
			Now:   []system.Sentence{system.TasksNow, system.JobsNow},
			Moves: true, Forces: true,
			Charts: metric.TaskCharts(),
		},
	}
}

func settings(raw json.RawMessage) (s Settings, err error) {
	err = system.Decode(raw, &s)
	return s, err
}

func newAsking(env system.Env, s Settings, scheduler protocol.Scheduler) *asking {
	return &asking{
		env: env, options: s.Options, seed: env.Rand("scheduler").Uint64(), scheduler: scheduler,
		tasks: newIDs(), jobs: newIDs(), moment: protocol.Moment{Facts: []protocol.Fact{}, Verdicts: []string{}},
	}
}
