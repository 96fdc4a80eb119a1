// Package run is parley run: it plays one scenario and reports.
package run

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"parley/core/escape"
	"parley/core/run"
	"parley/core/run/events"
	"parley/core/scenario"
	"parley/core/unit"
	"parley/tools/durable"
	"parley/tools/parley/compare"
	"parley/tools/parley/console"
	"parley/tools/parley/joblist"
	"parley/tools/parley/load"
)

// readArguments returns the scenario that is the only argument, or one around
// the files of a trace where these are the arguments.
func (f *runFlags) readArguments(c *console.Console, args []string) (load.Document, error) {
	if !f.IsTrace(args[0]) {
		if len(args) > 1 {
			return load.Document{},
				console.NewUsageError(fmt.Errorf("run takes one SCENARIO, and %q is more; see parley run --help", args[1]))
		}
		return load.ReadScenario(c, args[0], &f.Trace)
	}
	f.Names = append(f.Names, args...)
	return f.AroundFiles(c, f.System)
}

// runFlags are the flags of a run.
type runFlags struct {
	load.Trace
	load.Changes
	until console.Span
	seed  uint64
	out   string
	check string
	json  bool
	eventFlags
	load.SchedulerFlags
}

// Command returns parley run.
func Command(c *console.Console) *cobra.Command {
	var f runFlags
	var known strings.Builder
	for _, e := range c.Systems {
		fmt.Fprintf(&known, "\n  %-12s %s", e.ID, e.Name)
	}
	cmd := &cobra.Command{
		Use:   "run SCENARIO [--trace FILE…] | run FILE… [--system ID]",
		Short: "Play a scenario to its end and report",
		Long: `Plays a scenario to its end and reports time means, counts and the digest. The same scenario, seed and files give the same digest here and on the page.

A trace without an end in the scenario or --until ends one sample after its last record about a task. A link that names a time is played to that time, and the digest in it is checked.

Files of a trace can replace the scenario: their content decides which system plays them, unless --system does. With files, a gallery scenario contributes only its system and settings. --set changes any field of the scenario by its path, before it is checked.

The systems (parley systems ID lists the settings of one):` + known.String(),
		Example: `  parley run google-calm --until 10m
  parley run google-calm --until 10m --set cluster.nodes=300 --set settings.scan_reallocation=500
  parley run google-calm --until 10m --program policy.star --set settings.fill=0.8
  parley run KTH-SP2.swf --set settings.policy=easy
  parley run '#s=central-best-fit&n=300&x.policy=worst-fit' --until 1h --json
  echo '{"v":1,"system":"central","settings":{"policy":"replay"}}' | parley run - --trace task_events/*.csv machine_events/*.csv`,
		Args: console.Args(1, -1, "one SCENARIO"),
		RunE: func(cmd *cobra.Command, args []string) error {
			for name, value := range map[string]string{
				"check": "a digest", "out": "a folder", "program": "a file",
				"events": "a file", "events-only": "kinds of events", "events-also": "kinds of events",
				"system": "a system's ID", "scheduler": "a command",
			} {
				if flag := cmd.Flags().Lookup(name); flag.Changed && flag.Value.String() == "" {
					return console.NewUsageError(fmt.Errorf("--%s is empty: give %s, or leave the flag out", name, value))
				}
			}
			if err := f.SchedulerFlags.Check(cmd.Flags(), f.System); err != nil {
				return err
			}
			return f.run(c, args, cmd.Flags().Changed("seed"))
		},
	}
	f.AddFiles(cmd)
	f.AddReading(cmd)
	f.AddChanges(cmd)
	flags := cmd.Flags()
	flags.Var(&f.until, "until", "how much simulated time to play, such as 2h or 29d")
	flags.Uint64Var(&f.seed, "seed", 0, "a seed that replaces the scenario's")
	flags.StringVar(&f.out, "out", "",
		"a folder for report.json, samples.csv and scenario.json; for rigid jobs also jobs.csv, jobs.parquet and jobs.swf, a row a job")
	flags.StringVar(&f.check, "check", "",
		"fail unless the run ends with this digest, or begins with these 8 digits or more of it")
	flags.BoolVar(&f.json, "json", false, "print the report as JSON")
	f.addEvents(flags)
	f.AddScheduler(flags)
	return cmd
}

// run plays the scenario and writes its report. seeded means that --seed is given. An interrupted run, or one whose
// scheduler failed, is reported up to there and returns an error; so does a run whose digest is not --check's.
func (f *runFlags) run(c *console.Console, args []string, seeded bool) error {
	wanted := f.check
	if wanted != "" && !isDigest(wanted) {
		return console.NewUsageError(fmt.Errorf("--check is %q: a digest has 16 hex digits, of which the first 8 suffice",
			wanted))
	}
	d, err := f.readArguments(c, args)
	if err != nil {
		return err
	}
	if left := compare.ComparisonLeft(d.Address); left != "" {
		d.Warnings = append(d.Warnings, left)
	}
	f.Into(&d)
	if err := f.Apply(&d, c.Systems, f.Names); err != nil {
		return err
	}
	if seeded {
		d.Scenario.Seed = f.seed
	}
	if f.until > 0 {
		d.Scenario.Until, d.Endless = scenario.Duration(f.until), false
	}
	p, err := f.Prepare(c, d)
	if err != nil {
		return err
	}
	if err := p.Scenario.Validate(); err != nil {
		return err
	}
	if f.out != "" {
		if err := prepareOut(f.out); err != nil {
			return err
		}
	}
	until, whole := p.End(), true
	if at := unit.Time(d.Address.At); at > 0 && at < until && f.until == 0 {
		until, whole = at, false
		if wanted == "" && !seeded {
			wanted = d.Address.Digest
		}
	}
	c.Graceful.Store(true)
	log, options, err := f.openLog()
	if err != nil {
		return err
	}
	var jobs events.JobLog
	if f.out != "" {
		options = append(options, run.KeepJobs(&jobs))
	}
	if len(p.Scenario.Faults) > 0 && !f.json {
		options = append(options, run.KeepIncidents())
	}
	process, err := f.Start(c, p, f.out)
	if err != nil {
		return errors.Join(err, log.close())
	}
	r, took, err := load.Play(c, p, until, d.Label, options...)
	if whole {
		until = p.End() // a guess before
	}
	if ended := process.End(); err == nil {
		err = ended
	}
	if failed := log.close(); failed != nil && (err == nil || errors.Is(err, console.ErrInterrupted)) {
		err = failed
	}
	partial := errors.Is(err, console.ErrInterrupted) || load.SchedulerFailed(r, err)
	if err != nil && !partial {
		return err
	}
	if err := process.Keep(r.Scenario()); err != nil {
		return err
	}
	report := load.Report(p, r, took)
	if process != nil && f.out == "" {
		report.Warnings = append(report.Warnings,
			"what the scheduler did was not recorded: --out FOLDER keeps it in recorded.jsonl, which plays the run again without the scheduler")
	}
	if partial {
		err = fmt.Errorf("%w; the run ended at %v of %v, and the report is of what was played until then", err,
			scenario.Duration(r.Now()), scenario.Duration(until))
		report.Warnings = append(report.Warnings, err.Error())
	}
	if f.json {
		err = errors.Join(console.PrintJSON(c.Out, report), err)
	} else {
		printReport(c.Out, report, r.Names())
		printFaults(c.Out, r.Incidents())
		if err == nil {
			err = f.printLink(c, p, until, report.Digest)
		}
	}
	if f.out != "" {
		if failed := writeOut(f.out, r, report, &jobs); failed != nil {
			return failed
		}
	}
	if err == nil && !strings.HasPrefix(report.Digest, wanted) {
		err = fmt.Errorf("the run ends with the digest %s and not with %s: scenario, files or engine (%s here) differ",
			report.Digest, wanted, report.Engine)
	}
	return err
}

// printLink writes the link that plays files again: it names them by their hashes, so that other
// files are refused, and the digest that the run ended with.
func (f *runFlags) printLink(c *console.Console, p *load.Playable, until unit.Time, digest string) error {
	if len(p.Files) == 0 || f.Command != "" {
		return nil
	}
	g, err := load.Gallery()
	if err != nil {
		return err
	}
	a := scenario.LinkTo(p.Scenario, g)
	a.At, a.Digest = scenario.Duration(until), digest[:8]
	link := "#" + a.Encode()
	if len(link) > scenario.MaxLink {
		return nil
	}
	more := ""
	if f.EveryJob > 0 {
		more = fmt.Sprintf(" --every-job %d", f.EveryJob)
	}
	command := "parley run " + escape.Shell(link) + " --trace"
	for _, name := range f.Names {
		command += " " + escape.File(name)
	}
	_, err = fmt.Fprintf(c.Out, "\nplays again: %s%s\n", escape.Line(command), more)
	return err
}

// isDigest reports whether s may be a digest or its beginning: 8 to 16 hexadecimal digits in lower case.
func isDigest(s string) bool {
	return len(s) >= 8 && len(s) <= 16 && strings.Trim(s, "0123456789abcdef") == ""
}

// writeOut writes the results of a run into a folder, all or none. Without jobs, the tables of jobs of an
// earlier run are removed.
func writeOut(dir string, r *run.Run, report run.Report, jobs *events.JobLog) error {
	var document, samples strings.Builder
	if err := console.PrintJSON(&document, report); err != nil {
		return err
	}
	printSamples(&samples, r.Table())
	files, err := joblist.Files(r, report, jobs)
	if err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	if files == nil {
		files = map[string]string{}
		for _, name := range []string{joblist.CSV, joblist.Parquet, joblist.SWF} {
			_ = os.Remove(filepath.Join(dir, name)) // of an earlier run, if there is one
		}
	}
	files["report.json"], files["samples.csv"], files["scenario.json"] = document.String(), samples.String(),
		string(r.Scenario().Encode())
	return replace(dir, files)
}

// prepareOut makes the folder and tries to write in it, before a run that may take hours. An error means that the
// results could not be written.
func prepareOut(dir string) error {
	err := os.MkdirAll(dir, 0o755)
	if err == nil {
		trial := filepath.Join(dir, ".parley-trial")
		err = os.WriteFile(trial, nil, 0o644)
		_ = os.Remove(trial)
	}
	if err != nil {
		return fmt.Errorf("--out: %w", console.Unwritable(dir, err))
	}
	for _, name := range []string{
		"report.json", "samples.csv", "scenario.json", joblist.CSV, joblist.Parquet,
		joblist.SWF,
	} {
		if info, err := os.Stat(filepath.Join(dir, name)); err == nil && info.IsDir() {
			return fmt.Errorf("--out: %w", console.Unwritable(filepath.Join(dir, name), errors.New("it is a folder")))
		}
	}
	return nil
}

// replace writes files, by name, into a folder, all or none: those that were there stay until all of the new
// ones are complete, so that a full disk leaves no mixture of two runs.
func replace(dir string, files map[string]string) error {
	var failed *durable.Error
	if errors.As(durable.Disk().ReplaceAll(dir, slices.Sorted(maps.Keys(files)), files, ".part"), &failed) {
		return fmt.Errorf("--out: %w", console.Unwritable(filepath.Join(dir, failed.Name), failed.Err))
	}
	return nil
}
