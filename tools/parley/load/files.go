package load

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"parley/core/feed"
	"parley/core/run"
	"parley/core/scenario"
	"parley/core/trace"
	"parley/core/trace/formats"
	"parley/core/trace/packed"
	"parley/core/unit"
	"parley/core/workload"
	"parley/tools/parley/console"
)

// Trace is how recorded files are read.
type Trace struct {
	Names    []string
	SkipBad  bool
	EveryJob console.Positive
	MaxTasks console.Positive
	mapping  mapping
}

// AddFiles adds the flag for the files of a trace.
func (t *Trace) AddFiles(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&t.Names, "trace", nil,
		"files of a recorded trace, up to the next flag: they replace the workload and, where they describe machines, the cluster")
}

// AddReading adds the flags for reading files.
func (t *Trace) AddReading(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&t.SkipBad, "skip-bad", false, "skip rows that break the format")
	cmd.Flags().Var(&t.EveryJob, "every-job", "keep one of n jobs of a trace (default 1)")
	cmd.Flags().Var(&t.mapping, "map",
		"which columns of a table of jobs hold what, as in 'submit=begin_time, processors=ncpus, runtime=elapsed:min'")
	cmd.Flags().Var(&t.MaxTasks, "max-tasks", "refuse a trace with more tasks alive at once (default four million)")
}

func (t *Trace) Options() trace.Options {
	return trace.Options{SkipBadRows: t.SkipBad, EveryJob: uint64(t.EveryJob), MaxTasks: int(t.MaxTasks)}
}

// Unread refuses a flag about the reading of files if there are none.
func (t *Trace) Unread() error {
	flag := ""
	switch {
	case len(t.Names) > 0:
	case t.SkipBad:
		flag = "--skip-bad"
	case t.EveryJob > 0:
		flag = "--every-job"
	case t.MaxTasks > 0:
		flag = "--max-tasks"
	case t.mapping != "":
		flag = "--map"
	}
	if flag == "" {
		return nil
	}
	return console.NewUsageError(
		fmt.Errorf(
			"%s is about the reading of a trace, and none is given: add its files with --trace, or leave the flag out",
			flag,
		),
	)
}

// Given reports whether there are files.
func (t *Trace) Given() bool { return t != nil && len(t.Names) > 0 }

// Formats returns the formats that the files may have: tables of jobs alone, if there is a
// mapping of their columns.
func (t *Trace) Formats() ([]trace.Format, error) {
	return trace.Using(formats.All, string(t.mapping))
}

// mapping is a flag that assigns columns of a table to fields of jobs.
type mapping string

// String implements pflag.Value.
func (m *mapping) String() string { return string(*m) }

// Set implements pflag.Value.
func (m *mapping) Set(text string) error {
	if text == "" {
		return errors.New("write field=column, as in submit=begin_time")
	}
	_, err := trace.Using(formats.All, text)
	*m = mapping(text)
	return err
}

// Type implements pflag.Value.
func (m *mapping) Type() string { return "string" }

// Files returns the named files, which must be regular, because a trace is read more than once. Packed tables
// are opened as the tables in them.
func (t *Trace) Files() ([]trace.File, error) {
	files := make([]trace.File, len(t.Names))
	for i, name := range t.Names {
		switch name {
		case "":
			return nil, console.NewUsageError(errors.New("--trace is empty: give a file, or leave the flag out"))
		case "-":
			return nil,
				console.NewUsageError(
					fmt.Errorf("- is %s, and a trace is read more than once: write it to a file, which may stay gzip",
						console.StandardInput),
				)
		}
		info, err := os.Stat(name)
		if err != nil {
			return nil, console.Unreadable(name, err)
		}
		if info.IsDir() {
			return nil, fmt.Errorf("%s is a folder: name the files in it, as in %s", name, filepath.Join(name, "*"))
		}
		if info.Mode()&os.ModeNamedPipe != 0 {
			return nil,
				fmt.Errorf("%s is a pipe, and a trace is read more than once: write it to a file, which may stay gzip",
					name)
		}
		files[i] = trace.File{
			Name: name, Size: info.Size(),
			Open: func() (io.ReadCloser, error) { return os.Open(name) },
		}
	}
	return packed.Open(files, formats.All)
}

// Playable is a scenario with its trace, if it has one.
type Playable struct {
	Document
	Systems run.Registry
	Files   []trace.File
	Options trace.Options
	Extent  feed.Extent // of the files, if they were read to measure it
}

// Prepare joins a scenario with its trace: d.Scenario gets the list of files, after a check against the one that
// it has. Without an end of its own, the run ends with the trace. Files that a scenario needs and the flags lack
// are an error.
func (t *Trace) Prepare(c *console.Console, d Document) (*Playable, error) {
	s := d.Scenario
	p := &Playable{Document: d, Systems: c.Systems}
	p.Options = t.Options()
	p.Options.SkipBadRows = t.SkipBad || s.Workload.SkipBadRows
	if len(t.Names) == 0 {
		if len(s.Workload.Trace) > 0 {
			return nil, fmt.Errorf("%s plays the trace %s: give its files with --trace", d.Label,
				s.Workload.Trace[0].Name)
		}
		return p, t.Unread()
	}
	s.Workload.SkipBadRows = p.Options.SkipBadRows
	var err error
	if p.Files, err = t.Files(); err != nil {
		return nil, err
	}
	if t.mapping == "" {
		t.mapping = mapping(s.Workload.Map)
	}
	s.Workload.Map = string(t.mapping)
	known, err := t.Formats()
	if err != nil {
		return nil, err
	}
	given, err := identify(p.Files, known)
	if err != nil {
		return nil, err
	}
	if err := fits(s.Workload.Trace, given); err != nil {
		return nil, err
	}
	s.Workload.Trace = given
	if s.Name == "" {
		s.Name = given[0].Name
		if more := len(given) - 1; more > 0 {
			s.Name += fmt.Sprintf(" and %d more", more)
		}
	}
	if err := p.measure(c); err != nil {
		return nil, err
	}
	return p, nil
}

// identify returns the name, format and SHA-256 of each file, whose format is found by its content.
func identify(files []trace.File, known []trace.Format) ([]scenario.TraceFile, error) {
	list := make([]scenario.TraceFile, len(files))
	for i, f := range files {
		head, err := trace.ReadHead(f)
		if err != nil {
			return nil, err
		}
		format, table, err := trace.Identify(head, known)
		if err != nil {
			return nil, err
		}
		content, err := f.Open()
		if err != nil {
			return nil, console.Unreadable(f.Name, err)
		}
		sum := sha256.New()
		_, err = io.Copy(sum, content)
		content.Close()
		if err != nil {
			return nil, console.Unreadable(f.Name, err)
		}
		list[i] = scenario.TraceFile{
			Name: filepath.Base(f.Name), Format: format.Name + "/" + table,
			SHA256: hex.EncodeToString(sum.Sum(nil)),
		}
	}
	return list, nil
}

// fits returns an error if a file that a scenario names by its SHA-256 is not among those given.
func fits(wanted, given []scenario.TraceFile) error {
	for _, w := range wanted {
		found := w.SHA256 == ""
		for _, g := range given {
			found = found || g.SHA256 == w.SHA256
		}
		if !found {
			return fmt.Errorf("the scenario plays a file %s with the SHA-256 %s, which none of the given files has",
				w.Name, w.SHA256)
		}
	}
	return nil
}

// measure reads the trace once if it must: to find its end, which is the last record about a task, rounded up to a
// sample of the metrics, and to count rigid jobs for the report. It sets p.Extent and, if p is Endless, the
// scenario's end.
func (p *Playable) measure(c *console.Console) error {
	bar := console.NewBar(c)
	defer bar.Clear()
	o := p.Options
	o.Progress = func(at trace.Progress) error {
		bar.Show("looking for the end of the trace: %.0f of %.0f MB", float64(at.Total)/1e6, float64(at.Sum)/1e6)
		return nil
	}
	source, err := feed.Open(p.Scenario, p.Files, formats.All, o)
	if err != nil {
		return err
	}
	if !feed.HoldsWork(source) {
		return source.Close()
	}
	if !p.Endless && workload.HeaderOf(source).Shape != workload.ShapeJobs {
		return source.Close()
	}
	if p.Extent, err = feed.Measure(source); err != nil {
		return err
	}
	p.Files = trace.Known(p.Files, source.Report())
	p.Extent.End = max((p.Extent.End+run.SampleStep-1)/run.SampleStep*run.SampleStep, run.SampleStep)
	if p.Endless {
		p.Extent.Bound(p.Scenario)
	}
	if first := scenario.Duration(p.Extent.First); p.Extent.Jobs > 0 && p.Scenario.Until <= first {
		return fmt.Errorf(
			"the run ends at %v, before the first job of the files at %v: choose a later end, or none to play all of them", p.Scenario.Until, first,
		)
	}
	return nil
}

// Open makes a run of the scenario at time 0.
func (p *Playable) Open(options ...run.Option) (*run.Run, error) {
	if len(p.Files) == 0 {
		return p.Systems.Open(p.Scenario, nil, options...)
	}
	source, err := feed.Open(p.Scenario, p.Files, formats.All, p.Options)
	if err != nil {
		return nil, err
	}
	return p.Systems.Open(p.Scenario, source, options...)
}

// Again measures the files again if the run ends with them and their content differs from run to
// run: by the seed of a resample, or by the load.
func (p *Playable) Again(c *console.Console) error {
	if w := p.Scenario.Workload; !p.Endless || len(p.Files) == 0 || w.Jobs.IsZero() && (w.Rate == 0 || w.Rate == 1) {
		return nil
	}
	return p.measure(c)
}

// End returns where the run ends.
func (p *Playable) End() unit.Time { return unit.Time(p.Scenario.Until) }
