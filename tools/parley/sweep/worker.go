package sweep

import (
	"encoding/json"
	"os"
	"os/signal"

	"github.com/spf13/cobra"

	"parley/core/paper"
	"parley/core/run"
	"parley/core/scenario"
	"parley/core/study"
	"parley/core/trace"
	"parley/core/unit"
	"parley/tools/parley/console"
	"parley/tools/parley/load"
	"parley/tools/parley/memory"
	"parley/tools/parley/sweeps"
)

// WorkerCommand is the command of the processes that play a sweep's runs: they read runs on standard
// input and write answers to standard output.
func WorkerCommand(c *console.Console) *cobra.Command {
	var f load.Trace
	var endless console.Span
	cmd := &cobra.Command{
		Use: "sweep-worker", Hidden: true, Short: "Play runs for parley sweep",
		Args: console.Args(0, 0, "no arguments"),
		RunE: func(*cobra.Command, []string) error {
			c.Graceful.Store(true)
			signal.Ignore(os.Interrupt) // the terminal sends it to us too; the sweep decides
			files, err := f.Files()
			if err != nil {
				return err
			}
			play := func(r study.Run) sweeps.Answer {
				result, err := playForSweep(c, r, files, f.Options(), unit.Time(endless))
				if err != nil {
					return sweeps.Answer{Failed: err.Error()}
				}
				return sweeps.Answer{Result: result}
			}
			return sweeps.Serve(c.In, c.Out, play, func() { os.Exit(0) })
		},
	}
	f.AddFiles(cmd)
	f.AddReading(cmd)
	cmd.Flags().Var(&endless, "endless", "let runs of jobs go on until their work has ended, this far at most")
	return cmd
}

// playForSweep plays a run to its end.
func playForSweep(c *console.Console, r study.Run, files []trace.File, options trace.Options,
	limit unit.Time,
) (study.Result, error) {
	memory.ForgetPeak()
	if r.Call != nil {
		began := c.Now()
		result, err := paper.Functions().Play(r, run.Engine)
		result.WallS, result.MemoryMB = c.Now().Sub(began).Seconds(), memory.PeakMB()
		return result, err
	}
	options.SkipBadRows = options.SkipBadRows || r.Scenario.Workload.SkipBadRows
	p := &load.Playable{
		Document: load.Document{Scenario: r.Scenario}, Systems: c.Systems, Files: files,
		Options: options,
	}
	if p.Endless = limit > 0; p.Endless {
		p.Scenario.MaxUntil = scenario.Duration(limit)
	}
	if err := p.Again(c); err != nil {
		return study.Result{}, err
	}
	began := c.Now()
	played, err := p.Open()
	if err != nil {
		return study.Result{}, err
	}
	if err := played.Advance(unit.Forever); err != nil {
		return study.Result{}, err
	}
	report := load.Report(p, played, c.Now().Sub(began))
	text, err := json.Marshal(report)
	if err != nil {
		return study.Result{}, err
	}
	result, err := study.NewResult(r, text, memory.PeakMB())
	if host, failed := os.Hostname(); failed == nil {
		result.Machine = host
	}
	return result, err
}
