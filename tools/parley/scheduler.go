package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/spf13/pflag"

	"parley/core/protocol"
	"parley/core/run"
	"parley/core/scenario"
	"parley/core/system/recorded"
	"parley/tools/parley/external"
)

// schedulerFlags are about a scheduler of the user's own.
type schedulerFlags struct {
	command  string
	patience time.Duration
}

func (f *schedulerFlags) addScheduler(flags *pflag.FlagSet) {
	flags.StringVar(&f.command, "scheduler", "", "a process of your own that schedules, such as \"python3 policy.py\": it reads and writes JSON lines (docs/protocol.md)")
	flags.DurationVar(&f.patience, "scheduler-patience", time.Minute, "how long an answer of --scheduler may take, in real time")
}

// check refuses flags that have no effect.
func (f *schedulerFlags) check(flags *pflag.FlagSet, system string) error {
	switch {
	case f.command == "" && flags.Changed("scheduler-patience"):
		return wrongUse{errors.New("--scheduler-patience is about a scheduler of your own, and none is given: add --scheduler, or leave the flag out")}
	case f.command != "" && system != "":
		return wrongUse{fmt.Errorf("--scheduler takes the place of the system, and --system chooses %s: leave one of them out", system)}
	case f.patience <= 0:
		return wrongUse{fmt.Errorf("--scheduler-patience is %v: choose a time above 0", f.patience)}
	}
	return nil
}

// into makes the scenario one of the user's scheduler. Settings of another system are left
// out, with a warning.
func (f *schedulerFlags) into(d *document) {
	s := d.scenario
	if f.command == "" || s.System == recorded.ID {
		return
	}
	if len(s.Settings) > 0 {
		d.warnings = append(d.warnings, fmt.Sprintf("--scheduler: the scenario's settings of %s were left out", s.System))
	}
	s.System, s.Settings = recorded.ID, nil
}

// name writes the command into the settings.
func (f *schedulerFlags) name(s *scenario.Scenario) error {
	settings := map[string]any{}
	if len(s.Settings) > 0 {
		if err := json.Unmarshal(s.Settings, &settings); err != nil {
			return fmt.Errorf("settings: %w", err)
		}
	}
	settings["command"] = f.command
	text, err := json.Marshal(settings)
	s.Settings = text
	return err
}

// asked is a scheduler of the user's own in a run.
type asked struct {
	process *external.Process
}

// start starts the scheduler of a run, which p then plays; nil if there is none.
func (f *schedulerFlags) start(c *Console, p *playable) (*asked, error) {
	if f.command == "" {
		return nil, nil
	}
	if err := f.name(p.scenario); err != nil {
		return nil, err
	}
	process, err := external.Start(f.command, external.Options{Patience: f.patience, Stop: c.Stop, Stderr: printing{c.Err}})
	if err != nil {
		return nil, err
	}
	a := &asked{process: process}
	p.systems = append(slices.Clone(p.systems), recorded.Asking(func() protocol.Scheduler { return a.process }))
	return a, nil
}

// end ends the scheduler, once. It returns what went wrong since the last answer.
func (a *asked) end() error {
	if a == nil {
		return nil
	}
	return a.process.Close()
}

// failed reports whether a run ended because of its scheduler: what was played until then
// is kept.
func failed(r *run.Run, err error) bool {
	return r != nil && errors.As(err, new(*external.Failure))
}

// printing writes text of others to the terminal, without what would control it.
type printing struct{ to io.Writer }

// Write implements io.Writer.
func (w printing) Write(p []byte) (int, error) {
	_, err := io.WriteString(w.to, printable(string(p)))
	return len(p), err
}
