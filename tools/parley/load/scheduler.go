package load

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"parley/core/escape"
	"parley/core/protocol"
	"parley/core/run"
	"parley/core/scenario"
	"parley/core/system"
	"parley/core/system/recorded"
	"parley/core/trace/acts"
	"parley/tools/parley/batsim"
	"parley/tools/parley/console"
	"parley/tools/parley/external"
)

// SchedulerFlags are about a scheduler of the user's own.
type SchedulerFlags struct {
	Command  string
	Patience time.Duration
}

func (f *SchedulerFlags) AddScheduler(flags *pflag.FlagSet) {
	flags.StringVar(&f.Command, "scheduler", "",
		"a process of your own that schedules, such as \"python3 policy.py\": it reads and writes JSON lines (docs/protocol.md); or batsim:tcp://127.0.0.1:28000, a scheduler of Batsim's protocol that listens there")
	f.AddPatience(flags)
}

func (f *SchedulerFlags) AddPatience(flags *pflag.FlagSet) {
	flags.DurationVar(&f.Patience, "scheduler-patience", time.Minute,
		"how long an answer of --scheduler may take, in real time")
}

// Check refuses flags that have no effect.
func (f *SchedulerFlags) Check(flags *pflag.FlagSet, system string) error {
	switch {
	case f.Command == "" && flags.Changed("scheduler-patience"):
		return console.NewUsageError(
			errors.New(
				"--scheduler-patience is about a scheduler of your own, and none is given: add --scheduler, or leave the flag out",
			),
		)
	case f.Command != "" && system != "":
		return console.NewUsageError(fmt.Errorf(
			"--scheduler takes the place of the system, and --system chooses %s: leave one of them out", system,
		))
	case f.Patience <= 0:
		return console.NewUsageError(fmt.Errorf("--scheduler-patience is %v: choose a time above 0", f.Patience))
	}
	return nil
}

// Into makes the scenario one of the user's scheduler. Settings of another system are left
// out, with a warning.
func (f *SchedulerFlags) Into(d *Document) {
	s := d.Scenario
	if f.Command == "" || s.System == recorded.ID {
		return
	}
	if len(s.Settings) > 0 {
		d.Warnings = append(d.Warnings, fmt.Sprintf("--scheduler: the scenario's settings of %s were left out",
			s.System))
	}
	s.System, s.Settings = recorded.ID, nil
}

// Name writes the command into the settings.
func (f *SchedulerFlags) Name(s *scenario.Scenario) error {
	settings := map[string]any{}
	if len(s.Settings) > 0 {
		if err := json.Unmarshal(s.Settings, &settings); err != nil {
			return fmt.Errorf("settings: %w", err)
		}
	}
	settings["command"] = f.Command
	text, err := json.Marshal(settings)
	s.Settings = text
	return err
}

// RecordedName is the file of --out that holds the acts of a scheduler of the user's own.
const RecordedName = "recorded.jsonl"

// outside is an external scheduler: a process, or one of Batsim's protocol.
type outside interface {
	protocol.Scheduler
	Close() error
}

// begin starts a scheduler or prepares to connect to it.
func (f *SchedulerFlags) begin(c *console.Console) (outside, error) {
	o := external.Options{Patience: f.Patience, Stop: c.Stop, Stderr: printing{c.Err}}
	if address, is := strings.CutPrefix(f.Command, "batsim:"); is {
		return batsim.New(address, o), nil
	}
	p, err := external.Start(f.Command, o)
	if err != nil {
		return nil, err // no outside that holds a nil Process
	}
	return p, nil
}

// ExternalRun is a scheduler of the user's own in a run.
type ExternalRun struct {
	process  outside
	recorder *protocol.Recorder // nil: nothing is recorded
	file     *os.File
	name     string
	sum      hash.Hash
}

// Start starts the scheduler of a run, which p then plays; nil if there is none. It records the
// scheduler's acts in the folder out; "" records none.
func (f *SchedulerFlags) Start(c *console.Console, p *Playable, out string) (*ExternalRun, error) {
	if f.Command == "" {
		return nil, nil
	}
	if err := f.Name(p.Scenario); err != nil {
		return nil, err
	}
	a := &ExternalRun{}
	var err error
	if out != "" {
		a.name = filepath.Join(out, RecordedName)
		if a.file, err = os.Create(a.name + ".part"); err != nil {
			return nil, fmt.Errorf("--out: %w", console.Unwritable(a.name, err))
		}
		a.sum = sha256.New()
	}
	a.process, err = f.begin(c)
	if err != nil {
		return nil, errors.Join(err, a.forget())
	}
	scheduler := protocol.Scheduler(a.process)
	if a.file != nil {
		a.recorder = protocol.NewRecorder(a.process, io.MultiWriter(a.file, a.sum))
		scheduler = a.recorder
	}
	p.Systems = append(slices.DeleteFunc(slices.Clone(p.Systems),
		func(e system.Entry) bool { return e.ID == recorded.ID }),
		recorded.Asking(func() protocol.Scheduler { return scheduler }))
	return a, nil
}

// forget removes the file of a run that was not played.
func (a *ExternalRun) forget() error {
	if a.file == nil {
		return nil
	}
	return errors.Join(a.file.Close(), os.Remove(a.file.Name()))
}

// End ends the scheduler and the recording of its acts; call it once. It returns an error of the
// process since its last answer.
func (a *ExternalRun) End() error {
	if a == nil {
		return nil
	}
	return a.process.Close()
}

// Keep makes the recording a file of the scenario, so that later runs replay it.
func (a *ExternalRun) Keep(s *scenario.Scenario) error {
	if a == nil || a.file == nil {
		return nil
	}
	err := errors.Join(a.recorder.Close(), a.file.Close())
	if err == nil {
		err = os.Rename(a.file.Name(), a.name)
	}
	if err != nil {
		return fmt.Errorf("--out: %w", console.Unwritable(a.name, err))
	}
	s.Workload.Trace = append(slices.Clip(s.Workload.Trace), scenario.TraceFile{
		Name:   RecordedName,
		Format: acts.Name + "/answers", SHA256: hex.EncodeToString(a.sum.Sum(nil)),
	})
	return nil
}

// SchedulerFailed reports whether a run ended because of its scheduler. Results until then are kept.
func SchedulerFailed(r *run.Run, err error) bool {
	return r != nil && errors.As(err, new(*external.Failure))
}

// printing writes foreign text to the terminal, without control characters.
type printing struct{ to io.Writer }

// Write implements io.Writer.
func (w printing) Write(p []byte) (int, error) {
	_, err := io.WriteString(w.to, escape.Terminal(string(p)))
	return len(p), err
}
