package main

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
	"parley/tools/parley/measure"
	"parley/tools/parley/sweeps"
)

// sweepWorkerCommand is the process that plays runs of a sweep for the one that people
// start: runs come on standard input, answers go to standard output.
func sweepWorkerCommand(c *Console) *cobra.Command {
	var f tracing
	var endless span
	cmd := &cobra.Command{
		Use: "sweep-worker", Hidden: true, Short: "Play runs for parley sweep", Args: takes(0, 0, "no arguments"),
		RunE: func(*cobra.Command, []string) error {
			c.keeps.Store(true)
			signal.Ignore(os.Interrupt) // the terminal sends it to us too; the sweep decides
			files, err := f.files()
			if err != nil {
				return err
			}
			play := func(r study.Run) sweeps.Answer {
				result, err := playForSweep(c, r, files, f.options(), unit.Time(endless))
				if err != nil {
					return sweeps.Answer{Failed: err.Error()}
				}
				return sweeps.Answer{Result: result}
			}
			return sweeps.Serve(c.In, c.Out, play, func() { os.Exit(0) })
		},
	}
	f.addFiles(cmd)
	f.addReading(cmd)
	cmd.Flags().Var(&endless, "endless", "let runs of jobs go on until their work has ended, this far at most")
	return cmd
}

// playForSweep plays a run to its end.
func playForSweep(c *Console, r study.Run, files []trace.File, options trace.Options, most unit.Time) (study.Result, error) {
	measure.ForgetPeak()
	if r.Call != nil {
		began := c.Now()
		result, err := paper.Functions().Play(r, run.Engine)
		result.WallS, result.MemoryMB = c.Now().Sub(began).Seconds(), measure.PeakMB()
		return result, err
	}
	options.SkipBadRows = options.SkipBadRows || r.Scenario.Workload.SkipBadRows
	p := &playable{document: document{scenario: r.Scenario}, systems: c.Systems, files: files, options: options}
	if p.endless = most > 0; p.endless {
		p.scenario.Most = scenario.Duration(most)
	}
	if err := p.again(c); err != nil {
		return study.Result{}, err
	}
	began := c.Now()
	played, err := p.open()
	if err != nil {
		return study.Result{}, err
	}
	if err := played.Advance(unit.Forever); err != nil {
		return study.Result{}, err
	}
	report := reported(p, played, c.Now().Sub(began))
	text, err := json.Marshal(report)
	if err != nil {
		return study.Result{}, err
	}
	result, err := study.NewResult(r, text, measure.PeakMB())
	if host, failed := os.Hostname(); failed == nil {
		result.Machine = host
	}
	return result, err
}
