// Package papers records the results of the papers' experiments, so that the page can show them
// without a run. A recording is the output of parley paper, with the command line that repeats it to
// the last bit.
//
//	err := papers.Record(".", []string{"rounds/table2"}, "", os.Stderr)
package papers

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"parley/core/paper"
	"parley/core/strict"
)

// File is the path of the recordings in a checkout, with slashes.
const File = "assets/papers.json"

// Size is how large an experiment is recorded; 0 is the experiment's own number.
type Size struct {
	Seeds, Nodes int
	Files        []string // arguments that name public files, in a folder of them; none if it plays none
}

// Recording is an experiment as it came out.
type Recording struct {
	ID      string       `json:"id"`
	Title   string       `json:"title"`
	Source  string       `json:"source"`
	Claim   string       `json:"claim"`
	Seconds int          `json:"seconds"`         // about, natively, at the experiment's own size
	Small   bool         `json:"small,omitempty"` // recorded with fewer seeds or nodes than its own
	Command string       `json:"command"`         // prints the result
	Result  paper.Result `json:"result"`
}

// sizes returns those of the experiments that play files, or take many minutes at
// their own.
func sizes() map[string]Size {
	return map[string]Size{
		"negotiation/throughput":  {Seeds: 3, Nodes: 200},
		"negotiation/compaction":  {Seeds: 3, Nodes: 200},
		"negotiation/scores":      {Seeds: 3, Nodes: 1250},
		"negotiation/scale":       {Nodes: 500},
		"negotiation/sensitivity": {Seeds: 2, Nodes: 200},
		"board/scale":             {Seeds: 1},
		"board/baselines": {Files: []string{
			"--trace", "dax/Montage_25.xml", "dax/CyberShake_30.xml",
			"dax/Epigenomics_24.xml", "dax/Inspiral_50.xml", "dax/Sipht_30.xml",
		}},
		"board/optimal": {Files: []string{
			"--trace", "stg/50/*.stg", "stg/100/*.stg", "--best",
			"stg/optimal/*.csv",
		}},
		"batch/kth": {Files: []string{"--trace", "swf/KTH-SP2-1996-2.1-cln.swf.gz"}},
		"gpu/muri":  {Files: []string{"--trace", "field/gpu/muri/trace*.csv"}},
		"gpu/pollux": {Files: []string{
			"--trace", "field/gpu/pollux/workload-*.csv",
			"field/gpu/pollux/workloads-2.0/*.csv", "field/gpu/pollux/interpolated-step-times.csv",
			"field/gpu/pollux/traces/*/*.csv", "field/gpu/pollux/published-*.json",
		}},
		"fgd/openb": {Files: []string{
			"--trace", "field/openb2023/openb_node_list_gpu_node.csv",
			"field/openb2023/openb_pod_list_default.csv.gz",
		}},
		"gpu/tiresias": {Files: []string{"--trace", "field/gpu/tiresias/60_job.csv"}},
	}
}

// SizeOf returns how large an experiment is recorded.
func SizeOf(id string) Size { return sizes()[id] }

// Arguments are those of parley that play an experiment at a size, as typed.
func (s Size) Arguments(id string) []string {
	args := []string{"paper", id}
	if s.Seeds > 0 {
		args = append(args, "--seeds", strconv.Itoa(s.Seeds))
	}
	if s.Nodes > 0 {
		args = append(args, "--nodes", strconv.Itoa(s.Nodes))
	}
	return append(args, s.Files...)
}

// Record plays experiments of the checkout at root, those named or all, one after the other, and
// replaces their results in File. Experiments that play files are recorded only if traces is given,
// a folder with dax, stg and swf in it; progress receives a line for each.
func Record(root string, only []string, traces string, progress io.Writer) error {
	known, err := Read(root)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, id := range only {
		if _, err := paper.Find(id); err != nil {
			return err
		}
	}
	bin, err := os.MkdirTemp("", "parley")
	if err != nil {
		return err
	}
	defer os.RemoveAll(bin)
	parley := filepath.Join(bin, "parley")
	build := exec.Command("go", "build", "-o", parley, "./tools/parley")
	build.Dir, build.Stderr = root, os.Stderr
	if err := build.Run(); err != nil {
		return fmt.Errorf("building parley: %w", err)
	}
	for _, e := range paper.Experiments() {
		size := SizeOf(e.ID)
		if len(only) > 0 && !slices.Contains(only, e.ID) || len(size.Files) > 0 && traces == "" {
			continue
		}
		r, err := play(parley, traces, e, size)
		if err != nil {
			return fmt.Errorf("%s: %w", e.ID, err)
		}
		known = slices.DeleteFunc(known, func(r Recording) bool { return r.ID == e.ID })
		known = append(known, r)
		if err := write(root, known); err != nil {
			return err
		}
		if known, err = Read(root); err != nil {
			return err
		}
		if err := writeTable(root, known); err != nil {
			return err
		}
		fmt.Fprintln(progress, r.Command)
	}
	return nil
}

// Judge judges the recordings of the checkout at root again, by the current claims and rule, and
// plays nothing. Rows that a recording lacks are listed in progress.
func Judge(root string, progress io.Writer) error {
	all, err := Read(root)
	if err != nil {
		return err
	}
	for i := range all {
		missing, err := all[i].Again()
		if err != nil {
			return err
		}
		for _, name := range missing {
			fmt.Fprintf(progress, "%s was not recorded with %q: play it again\n", all[i].ID, name)
		}
	}
	if err := write(root, all); err != nil {
		return err
	}
	return writeTable(root, all)
}

// Again judges a recording again and returns the names of the rows that it lacks.
func (r *Recording) Again() (missing []string, err error) {
	e, err := paper.Find(r.ID)
	if err == nil {
		size := SizeOf(r.ID)
		r.Result, missing, err = e.Again(r.Result, paper.Options{Nodes: size.Nodes})
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r.ID, err)
	}
	r.Result.Source = e.Source
	return missing, nil
}

// play runs the command line of a recording.
func play(parley, traces string, e paper.Experiment, size Size) (Recording, error) {
	typed := size.Arguments(e.ID)
	r := Recording{
		ID: e.ID, Small: size.Seeds > 0 || size.Nodes > 0,
		Command: strings.Join(append([]string{"parley"}, typed...), " "),
	}
	var args []string
	for _, arg := range typed {
		if !strings.Contains(arg, "*") {
			args = append(args, arg)
			continue
		}
		files, err := filepath.Glob(filepath.Join(traces, arg))
		if err != nil || len(files) == 0 {
			return r, fmt.Errorf("%s: no file has such a name in %s", arg, traces)
		}
		for _, file := range files {
			name, err := filepath.Rel(traces, file)
			if err != nil {
				return r, err
			}
			args = append(args, name)
		}
	}
	command := exec.Command(parley, append(args, "--json")...)
	command.Dir, command.Stderr = traces, os.Stderr
	out, err := command.Output()
	if err != nil {
		return r, fmt.Errorf("%s: %w", r.Command, err)
	}
	return r, json.Unmarshal(out, &r.Result)
}

// write puts the recordings in the order of the experiments, one a line.
func write(root string, all []Recording) error {
	var text bytes.Buffer
	text.WriteString("[\n")
	first := true
	for _, e := range paper.Experiments() {
		i := slices.IndexFunc(all, func(r Recording) bool { return r.ID == e.ID })
		if i < 0 {
			continue
		}
		r := all[i]
		r.Title, r.Source, r.Claim, r.Seconds = e.Title, e.Source, e.Claim, e.Seconds // words may have changed since
		line, err := json.Marshal(r)
		if err != nil {
			return err
		}
		if !first {
			text.WriteString(",\n")
		}
		first = false
		text.Write(line)
	}
	text.WriteString("\n]\n")
	return os.WriteFile(filepath.Join(root, filepath.FromSlash(File)), text.Bytes(), 0o644)
}

// Read returns the recordings of the checkout at root, in the order of the experiments.
func Read(root string) ([]Recording, error) {
	path := filepath.Join(root, filepath.FromSlash(File))
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var all []Recording
	if err := strict.Decode(text, &all); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return all, nil
}
