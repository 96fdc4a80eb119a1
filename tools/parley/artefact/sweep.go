package artefact

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"parley/core/escape"
	"parley/core/run"
	"parley/core/scenario"
	"parley/core/strict"
	"parley/core/study"
	"parley/core/workload"
	"parley/tools/parley/console"
	"parley/tools/parley/load"
	"parley/tools/parley/sweep"
	"parley/tools/parley/sweeps"
)

// manifestSweep is a sweep of an artefact.
type manifestSweep struct {
	Name    string               `json:"name"` // its folder in the artefact
	Command string               `json:"command"`
	Runs    int                  `json:"runs"`  // that it needs
	Needs   []scenario.TraceFile `json:"needs"` // files that are played
	Digests []sweptRun           `json:"digests"`
	table   *study.Table
}

// sweptRun is a run of a sweep, with its digest.
type sweptRun struct {
	Run    string `json:"run"` // the values of the axes, and the seed
	ID     string `json:"id"`
	Digest string `json:"digest"`
}

// The files of a sweep's folder with its description and its results.
const (
	sweepName   = "sweep.json"
	resultsName = "results.jsonl"
)

// Cells returns the table for the page of an artefact.
func (m manifestSweep) Cells() [][]string { return sweeps.Report{Table: m.table}.Cells() }

// Heads returns the names of its columns.
func (m manifestSweep) Heads() []string {
	heads := append(slices.Clone(m.table.Axes), "n")
	for _, name := range m.table.Metrics {
		heads = append(heads, name, "difference")
	}
	return heads
}

// isSweep reports whether a name is that of a folder of parley sweep --out.
func isSweep(name string) bool {
	return load.IsFolder(name) && fileIn(name, sweepName)
}

// isSweepDocument reports whether a name is that of a file with a sweep in it.
func isSweepDocument(name string) bool {
	text, err := os.ReadFile(name)
	var of struct {
		Base, Function, Axes any
	}
	return err == nil && strict.Unmarshal(text, &of) == nil && (of.Base != nil || of.Function != nil || of.Axes != nil)
}

// playedFolders are folders of runs and sweeps, some of them temporary.
type playedFolders struct {
	names []string
	made  string // "" if none was
}

func (p playedFolders) forget() {
	if p.made != "" {
		_ = os.RemoveAll(p.made)
	}
}

// playedSweeps returns folders, with one in place of each document of a sweep, which is played.
func playedSweeps(c *console.Console, args, logs []string) (p playedFolders, err error) {
	for _, arg := range args {
		switch {
		case !isSweepDocument(arg):
		case filepath.Base(arg) == sweepName && fileIn(filepath.Dir(arg), resultsName):
			arg = filepath.Dir(arg)
		default:
			if p.made == "" {
				if p.made, err = os.MkdirTemp("", "parley-artefact-"); err != nil {
					return p, err
				}
			}
			if arg, err = playSweep(c, arg, logs, p.made); err != nil {
				p.forget()
				return p, err
			}
		}
		p.names = append(p.names, arg)
	}
	return p, nil
}

func fileIn(folder, name string) bool {
	_, err := os.Stat(filepath.Join(folder, name))
	return err == nil
}

// playSweep plays a sweep of a document into a folder, which has its name, in another one, and
// returns it.
func playSweep(c *console.Console, document string, logs []string, in string) (string, error) {
	f := sweep.SweepFlags{
		Out:  filepath.Join(in, strings.TrimSuffix(filepath.Base(document), filepath.Ext(document))),
		Jobs: runtime.NumCPU(),
	}
	f.Names = logs
	return f.Out, f.Sweep(c, document)
}

// readSweep reads the documents of a folder of a sweep, and its files. Results that shards
// wrote become lines of one file.
func readSweep(folder, name string) (*manifestSweep, map[string][]byte, error) {
	text, err := os.ReadFile(filepath.Join(folder, sweepName))
	if err != nil {
		return nil, nil, console.Unreadable(filepath.Join(folder, sweepName), err)
	}
	s, err := study.Parse(text, nil)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", filepath.Join(folder, sweepName), err)
	}
	have := study.NewResults(run.Engine)
	lines, err := sweeps.ReadFolder(folder, have)
	if err != nil {
		return nil, nil, err
	}
	table, err := s.Tabulate(have)
	switch {
	case err != nil:
		return nil, nil, fmt.Errorf("%s: %w", folder, err)
	case table.Done < table.Runs || table.Done == 0:
		return nil, nil,
			fmt.Errorf(
				"%s has results of %d of the %d runs of its sweep with this engine, %s: let parley sweep play the others into it first", folder, table.Done, table.Runs, run.Engine,
			)
	}
	m := &manifestSweep{
		Name: name, Runs: table.Runs, Needs: []scenario.TraceFile{}, Digests: []sweptRun{},
		table: table,
	}
	if s.Base != nil && s.Base.Workload.Trace != nil {
		m.Needs = s.Base.Workload.Trace
	}
	m.Command = "parley sweep " + escape.File(name+"/"+sweepName) + " --out again"
	for _, f := range m.Needs {
		m.Command += " --trace " + escape.File(f.Name)
	}
	for cell := range s.Cells() {
		runs, err := s.RunsOf(cell, have, len(s.Seeds))
		if err != nil {
			return nil, nil, err
		}
		for _, r := range runs {
			if o := have.Get(r.ID); o != nil {
				m.Digests = append(m.Digests, sweptRun{s.Describe(r), r.ID, o.Digest})
			}
		}
	}
	files := map[string][]byte{sweepName: text, resultsName: lines}
	for _, file := range []string{
		"table.json", "table.csv", "table.parquet", "multiples.svg", "heatmap.svg",
		"report.html",
	} {
		text, err := os.ReadFile(filepath.Join(folder, file))
		switch {
		case errors.Is(err, os.ErrNotExist) && file == "heatmap.svg":
		case err != nil:
			return nil, nil, console.Unreadable(filepath.Join(folder, file), err)
		default:
			files[file] = text
		}
	}
	return m, files, nil
}

// gradeSweep plays a sweep of an artefact again and describes the difference; "" if there is none.
func gradeSweep(c *console.Console, m manifestSweep, content map[string][]byte, sums map[string]string,
	limit console.Span,
) (string, error) {
	document, results := content[path.Join(m.Name, sweepName)], content[path.Join(m.Name, resultsName)]
	s, err := study.Parse(document, nil)
	if err != nil {
		return "", err
	}
	if err := lasting(s, limit); err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp("", "parley-grade-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	f := sweep.SweepFlags{Jobs: runtime.NumCPU()}
	for i, need := range s.Base.Workload.Trace {
		name, has := sums[need.SHA256]
		if !has || !escape.Plain(need.Name) {
			return "", fmt.Errorf("it plays %s with the SHA-256 %s, which is not here: give it with --trace",
				escape.Line(need.Name), need.SHA256)
		}
		// The runs are of files with these names.
		place := filepath.Join(dir, strconv.Itoa(i), need.Name)
		if err := os.MkdirAll(filepath.Dir(place), 0o700); err != nil {
			return "", err
		}
		text, err := os.ReadFile(name)
		if err == nil {
			err = os.WriteFile(place, text, 0o600)
		}
		if err != nil {
			return "", console.Unreadable(name, err)
		}
		f.Names = append(f.Names, place)
	}
	place := filepath.Join(dir, sweepName)
	if err := os.WriteFile(place, document, 0o600); err != nil {
		return "", err
	}
	if s, err = f.Read(c, place); err != nil {
		return "", err
	}
	again, kept := study.NewResults(run.Engine), study.NewResults(run.Engine)
	if err := f.Play(c, s, again, nil, study.Shard{Of: 1}); err != nil {
		return "", err
	}
	if _, err := kept.Read(resultsName, bytes.NewReader(results)); err != nil {
		return "", err
	}
	runs := again.Len()
	var conflict *study.Conflict
	switch _, err := again.Read(resultsName, bytes.NewReader(results)); {
	case errors.As(err, &conflict) && conflict.Figure != "":
		return fmt.Sprintf("%s of the run with %s differs", conflict.Figure, conflict.Where()), nil
	case errors.As(err, &conflict):
		return fmt.Sprintf("the digest of the run with %s is %s and not %s (engine %s here)", conflict.Where(),
			conflict.Digests[0], conflict.Digests[1], run.Engine), nil
	case err != nil:
		return "", err
	case kept.Len() != runs || again.Len() != runs:
		return fmt.Sprintf(
			"it has results of %d runs of this engine, %s, and the sweep plays %d, %d of which are among them",
			kept.Len(), run.Engine, runs, kept.Len()+runs-again.Len(),
		), nil
	}
	t, err := s.Tabulate(again)
	if err != nil {
		return "", err
	}
	if line := firstDifference(content[path.Join(m.Name, "table.csv")], t.CSV()); line > 0 {
		return fmt.Sprintf("table.csv differs from line %d on", line), nil
	}
	return "", nil
}

// lasting returns an error if all runs of a sweep together ask for more simulated time than is
// graded.
func lasting(s *study.Study, limit console.Span) error {
	if s.Base == nil {
		return fmt.Errorf("it calls the function %s: play it with parley sweep", escape.Line(s.Function))
	}
	usual, sum := workload.DefaultGenerated().Nodes, 0.0
	for cell := range s.Cells() {
		r, err := s.Run(cell, s.Seeds[0], run.Engine)
		if err != nil {
			return err
		}
		if len(r.Scenario.Workload.Trace) == 0 {
			sum += float64(r.Scenario.Until) * float64(max(r.Scenario.Cluster.Nodes, usual)) * float64(len(s.Seeds))
		}
	}
	if sum > float64(limit)*float64(usual) {
		return fmt.Errorf(
			"its %d runs ask for more simulated time than the %v of %d nodes that are played: give --most-time to play it", s.Runs(), scenario.Duration(limit), usual,
		)
	}
	return nil
}
