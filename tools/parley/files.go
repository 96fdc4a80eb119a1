package main

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
)

// tracing is how recorded files are read.
type tracing struct {
	names    []string
	skipBad  bool
	everyJob positive
	maxTasks positive
	mapping  mapping
}

// addFiles gives a command the files of a trace as a flag.
func (t *tracing) addFiles(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&t.names, "trace", nil, "files of a recorded trace, up to the next flag: they replace the workload and, where they describe machines, the cluster")
}

// addReading gives a command the flags that say how files are read.
func (t *tracing) addReading(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&t.skipBad, "skip-bad", false, "skip rows that break the format")
	cmd.Flags().Var(&t.everyJob, "every-job", "keep one of n jobs of a trace (default 1)")
	cmd.Flags().Var(&t.mapping, "map", "which columns of a table of jobs hold what, as in 'submit=begin_time, processors=ncpus, runtime=elapsed:min'")
	cmd.Flags().Var(&t.maxTasks, "max-tasks", "refuse a trace with more tasks alive at once (default four million)")
}

func (t *tracing) options() trace.Options {
	return trace.Options{SkipBadRows: t.skipBad, EveryJob: uint64(t.everyJob), MaxTasks: int(t.maxTasks)}
}

// unread refuses a flag about the reading of files where there are none.
func (t *tracing) unread() error {
	flag := ""
	switch {
	case len(t.names) > 0:
	case t.skipBad:
		flag = "--skip-bad"
	case t.everyJob > 0:
		flag = "--every-job"
	case t.maxTasks > 0:
		flag = "--max-tasks"
	case t.mapping != "":
		flag = "--map"
	}
	if flag == "" {
		return nil
	}
	return wrongUse{fmt.Errorf("%s is about the reading of a trace, and none is given: add its files with --trace, or leave the flag out", flag)}
}

// given reports whether there are files.
func (t *tracing) given() bool { return t != nil && len(t.names) > 0 }

// formats returns the formats that the files may have: tables of jobs alone, if there is a
// mapping of their columns.
func (t *tracing) formats() ([]trace.Format, error) {
	return trace.Using(formats.All, string(t.mapping))
}

// mapping is a flag that says which columns of a table of jobs hold what.
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

// files returns the named files.
func (t *tracing) files() ([]trace.File, error) {
	files := make([]trace.File, len(t.names))
	for i, name := range t.names {
		switch name {
		case "":
			return nil, wrongUse{errors.New("--trace is empty: give a file, or leave the flag out")}
		case "-":
			return nil, wrongUse{fmt.Errorf("- is %s, and a trace is read more than once: write it to a file, which may stay gzip", standardInput)}
		}
		info, err := os.Stat(name)
		if err != nil {
			return nil, unreadable(name, err)
		}
		if info.IsDir() {
			return nil, fmt.Errorf("%s is a folder: name the files in it, as in %s", name, filepath.Join(name, "*"))
		}
		if info.Mode()&os.ModeNamedPipe != 0 {
			return nil, fmt.Errorf("%s is a pipe, and a trace is read more than once: write it to a file, which may stay gzip", name)
		}
		files[i] = trace.File{Name: name, Size: info.Size(), Open: func() (io.ReadCloser, error) { return os.Open(name) }}
	}
	return packed.Open(files, formats.All)
}

// playable is a scenario with the trace that it plays, if any.
type playable struct {
	document
	systems run.Registry
	files   []trace.File
	options trace.Options
	extent  feed.Extent // what the files hold, where they were read for it
}

// prepare joins a scenario with its trace: the scenario's list of files must
// fit, and without an end of its own a run ends with the trace.
func (t *tracing) prepare(c *Console, d document) (*playable, error) {
	s := d.scenario
	p := &playable{document: d, systems: c.Systems}
	p.options = t.options()
	p.options.SkipBadRows = t.skipBad || s.Workload.SkipBadRows
	if len(t.names) == 0 {
		if len(s.Workload.Trace) > 0 {
			return nil, fmt.Errorf("%s plays the trace %s: give its files with --trace", d.label, s.Workload.Trace[0].Name)
		}
		return p, t.unread()
	}
	s.Workload.SkipBadRows = p.options.SkipBadRows
	var err error
	if p.files, err = t.files(); err != nil {
		return nil, err
	}
	if t.mapping == "" {
		t.mapping = mapping(s.Workload.Map)
	}
	s.Workload.Map = string(t.mapping)
	known, err := t.formats()
	if err != nil {
		return nil, err
	}
	given, err := identify(p.files, known)
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

// identify names files by their content.
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
			return nil, unreadable(f.Name, err)
		}
		sum := sha256.New()
		_, err = io.Copy(sum, content)
		content.Close()
		if err != nil {
			return nil, unreadable(f.Name, err)
		}
		list[i] = scenario.TraceFile{Name: filepath.Base(f.Name), Format: format.Name + "/" + table, SHA256: hex.EncodeToString(sum.Sum(nil))}
	}
	return list, nil
}

// fits checks that every file that a scenario names by its content was given.
func fits(wanted, given []scenario.TraceFile) error {
	for _, w := range wanted {
		found := w.SHA256 == ""
		for _, g := range given {
			found = found || g.SHA256 == w.SHA256
		}
		if !found {
			return fmt.Errorf("the scenario plays a file %s with the SHA-256 %s, which none of the given files has", w.Name, w.SHA256)
		}
	}
	return nil
}

// measure reads the trace once where that is asked for: to find its end, the last record
// about a task, rounded up to a sample of the metrics; and to count rigid jobs, so that a
// report can say how many of them it is about.
func (p *playable) measure(c *Console) error {
	bar := newBar(c)
	defer bar.clear()
	o := p.options
	o.Progress = func(at trace.Progress) error {
		bar.show("looking for the end of the trace: %.0f of %.0f MB", float64(at.Total)/1e6, float64(at.Sum)/1e6)
		return nil
	}
	source, err := feed.Open(p.scenario, p.files, formats.All, o)
	if err != nil {
		return err
	}
	if !feed.HoldsWork(source) {
		return source.Close()
	}
	if !p.endless && workload.HeaderOf(source).Shape != workload.ShapeJobs {
		return source.Close()
	}
	if p.extent, err = feed.Measure(source); err != nil {
		return err
	}
	p.files = trace.Known(p.files, source.Report())
	p.extent.End = max((p.extent.End+run.SampleStep-1)/run.SampleStep*run.SampleStep, run.SampleStep)
	if p.endless {
		p.extent.Bound(p.scenario)
	}
	if first := scenario.Duration(p.extent.First); p.extent.Jobs > 0 && p.scenario.Until <= first {
		return fmt.Errorf("the run ends at %v, before the first job of the files at %v: choose a later end, or none to play all of them", p.scenario.Until, first)
	}
	return nil
}

// open makes a run of the scenario at time 0.
func (p *playable) open(options ...run.Option) (*run.Run, error) {
	if len(p.files) == 0 {
		return p.systems.Open(p.scenario, nil, options...)
	}
	source, err := feed.Open(p.scenario, p.files, formats.All, p.options)
	if err != nil {
		return nil, err
	}
	return p.systems.Open(p.scenario, source, options...)
}

// again measures the files anew where the run ends with them and what they bring differs from
// run to run: by the seed of a resample or by the load.
func (p *playable) again(c *Console) error {
	if w := p.scenario.Workload; !p.endless || len(p.files) == 0 || w.Jobs.IsZero() && (w.Rate == 0 || w.Rate == 1) {
		return nil
	}
	return p.measure(c)
}

// end returns where the run ends.
func (p *playable) end() unit.Time { return unit.Time(p.scenario.Until) }
