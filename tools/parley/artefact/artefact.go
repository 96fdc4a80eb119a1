// Package artefact is parley artefact and parley grade: it packs runs with their digests, and
// plays packed runs and hand-ins again.
package artefact

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"html/template"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"parley/core/escape"
	"parley/core/run"
	"parley/core/scenario"
	"parley/core/strict"
	"parley/core/system"
	"parley/tools/durable"
	"parley/tools/parley/console"
	"parley/tools/parley/joblist"
	"parley/tools/parley/load"
)

// The files of an artefact beside those of its runs.
const (
	manifestName = "manifest.json"
	pageName     = "index.html"
)

// manifest lists the content of an artefact and how to repeat each run.
type manifest struct {
	V      int             `json:"v"`
	Engine string          `json:"engine"`
	Runs   []manifestRun   `json:"runs"`
	Sweeps []manifestSweep `json:"sweeps,omitempty"`
	Files  []hashed        `json:"files"` // of the artefact, but this one
}

// manifestRun is a run of an artefact.
type manifestRun struct {
	Name       string               `json:"name"` // its folder in the artefact
	Command    string               `json:"command"`
	Digest     string               `json:"digest"`
	SimulatedS float64              `json:"simulated_s"`
	Needs      []scenario.TraceFile `json:"needs"` // files that are played
	Figures    map[string]float64   `json:"figures"`
}

// hashed is a file by its content.
type hashed struct {
	Name   string `json:"name"`
	SHA256 string `json:"sha256"`
}

// Command returns parley artefact.
func Command(c *console.Console) *cobra.Command {
	out, with := "", []string(nil)
	cmd := &cobra.Command{
		Use:     "artefact RUN|SWEEP… --out FILE.zip",
		Short:   "Pack stored runs and sweeps into one file that others can repeat",
		Long:    `Packs folders that parley run --out and parley sweep --out wrote: scenarios or the sweep, commands, digests, results and tables, the SHA-256 of each file and a page that opens from disk. A sweep's document, SWEEP.json, is played first. Logs are named by their SHA-256; --with packs them too. parley grade plays the runs and sweeps again.`,
		Example: `  parley run KTH-SP2.swf --set settings.policy=easy --out easy && parley artefact easy --with KTH-SP2.swf --out paper.zip && parley grade paper.zip`,
		Args: console.Args(1, -1,
			"one folder of parley run --out or parley sweep --out, or one SWEEP.json, or more"),
		RunE: func(_ *cobra.Command, args []string) error {
			if out == "" {
				return console.NewUsageError(errors.New("artefact needs --out FILE.zip"))
			}
			folders, err := playedSweeps(c, args, with)
			if err != nil {
				return err
			}
			defer folders.forget()
			m, err := writeArtefact(out, folders.names, with)
			if err != nil {
				return err
			}
			parts := []string{}
			if n := len(m.Runs); n > 0 {
				parts = append(parts, system.Count(float64(n), "run"))
			}
			for _, s := range m.Sweeps {
				parts = append(parts, "a sweep of "+system.Count(float64(s.Runs), "run"))
			}
			_, err = fmt.Fprintf(c.Out, "%s: %s, %d files\n", out, strings.Join(parts, ", "), len(m.Files)+1)
			return err
		},
	}
	cmd.Flags().StringVar(&out, "out", "", "the file that is written")
	cmd.Flags().StringArrayVar(&with, "with", nil, "a log that the runs play, to be packed too")
	return cmd
}

// writeArtefact packs folders of runs and of sweeps, and logs.
func writeArtefact(out string, folders, logs []string) (*manifest, error) {
	m := &manifest{V: 1, Engine: run.Engine, Runs: []manifestRun{}, Files: []hashed{}}
	names := map[string]bool{}
	content := map[string][]byte{}
	var order []string
	add := func(name string, text []byte) {
		sum := sha256.Sum256(text)
		m.Files = append(m.Files, hashed{name, hex.EncodeToString(sum[:])})
		content[name] = text
		order = append(order, name)
	}
	for _, folder := range folders {
		place, err := filepath.Abs(folder)
		if err != nil {
			return nil, console.Unreadable(folder, err)
		}
		name := filepath.Base(place)
		if !escape.Plain(name) || name == "files" || name == manifestName || name == pageName {
			return nil, unplain(folder)
		}
		if names[name] {
			return nil, fmt.Errorf("%s: two folders have the name %s: rename one of them", folder, name)
		}
		names[name] = true
		if isSweep(folder) {
			s, files, err := readSweep(folder, name)
			if err != nil {
				return nil, err
			}
			m.Sweeps = append(m.Sweeps, *s)
			for _, file := range slices.Sorted(maps.Keys(files)) {
				add(path.Join(name, file), files[file])
			}
			continue
		}
		r, err := readRun(folder, name)
		if err != nil {
			return nil, err
		}
		m.Runs = append(m.Runs, *r)
		for _, file := range []string{"scenario.json", "report.json", "samples.csv", joblist.CSV, load.RecordedName} {
			text, err := os.ReadFile(filepath.Join(folder, file))
			if errors.Is(err, os.ErrNotExist) && (file == joblist.CSV || file == load.RecordedName) {
				continue // the run had no jobs, or no scheduler of the user's own
			}
			if err != nil {
				return nil, console.Unreadable(filepath.Join(folder, file), err)
			}
			add(path.Join(name, file), text)
		}
	}
	for _, log := range logs {
		if name := filepath.Base(log); !escape.Plain(name) {
			return nil, unplain(log)
		} else if content["files/"+name] != nil {
			return nil, fmt.Errorf("%s: two logs have the name %s: rename one of them", log, name)
		}
		text, err := os.ReadFile(log)
		if err != nil {
			return nil, console.Unreadable(log, err)
		}
		add(path.Join("files", filepath.Base(log)), text)
	}
	var page, document bytes.Buffer
	if err := artefactPage.Execute(&page, m); err != nil {
		return nil, err
	}
	add(pageName, page.Bytes())
	if err := console.PrintJSON(&document, m); err != nil {
		return nil, err
	}
	content[manifestName] = document.Bytes()
	return m, zipped(out, append([]string{manifestName}, order...), content)
}

// unplain returns an error for a name that is not allowed in an archive.
func unplain(name string) error {
	return fmt.Errorf(
		"%s can have no name in an artefact, which others unpack on their systems: rename it, with letters, digits, spaces, dots, - and _", escape.Line(name),
	)
}

// zipped writes a zip file whose bytes depend on its content alone.
func zipped(out string, order []string, content map[string][]byte) error {
	var packed bytes.Buffer
	z := zip.NewWriter(&packed)
	var err error
	for _, name := range order {
		var w io.Writer
		if w, err = z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate}); err == nil {
			_, err = w.Write(content[name])
		}
		if err != nil {
			break
		}
	}
	if err = errors.Join(err, z.Close()); err == nil {
		err = durable.Disk().Replace(out, out+".part", packed.Bytes(), 0o644)
	}
	if err != nil {
		return fmt.Errorf("--out: %w", console.Unwritable(out, err))
	}
	return nil
}

// readRun reads the report in a folder of a run.
func readRun(folder, name string) (*manifestRun, error) {
	text, err := os.ReadFile(filepath.Join(folder, "report.json"))
	if err != nil {
		return nil,
			fmt.Errorf("%s is no folder of a run: %w; give one that parley run --out or parley sweep --out wrote",
				folder, console.Unreadable("report.json", err))
	}
	var report struct {
		Digest     string             `json:"digest"`
		SimulatedS float64            `json:"simulated_s"`
		Scenario   *scenario.Scenario `json:"scenario"`
	}
	if err := strict.Unmarshal(text, &report); err != nil || report.Digest == "" || report.Scenario == nil {
		return nil, fmt.Errorf("%s: report.json is no report of a run: give a folder that parley run --out wrote",
			folder)
	}
	r := &manifestRun{
		Name: name, Digest: report.Digest, SimulatedS: report.SimulatedS,
		Needs: report.Scenario.Workload.Trace, Figures: map[string]float64{},
	}
	if r.Needs == nil {
		r.Needs = []scenario.TraceFile{}
	}
	r.Command = "parley run " + escape.File(name+"/scenario.json")
	for _, f := range r.Needs {
		r.Command += " --trace " + escape.File(f.Name)
	}
	r.Command += fmt.Sprintf(" --until %v --check %s", scenario.Duration(report.SimulatedS*1e6), report.Digest)
	figures, err := figuresOf(text)
	if err != nil {
		return nil, fmt.Errorf("%s: report.json: %w", folder, err)
	}
	r.Figures = figures
	return r, nil
}

// artefactPage is the page of an artefact, which opens from disk and needs no other file.
var artefactPage = template.Must(template.New("artefact").Parse(`<!DOCTYPE html>
<html lang="en"><meta charset="utf-8"><title>Artefact</title>
<style>body{font:15px/1.5 sans-serif;max-width:60em;margin:2em auto;padding:0 1em}table{border-collapse:collapse}td,th{border-bottom:1px solid #ccc;padding:.2em .8em .2em 0;text-align:left}code{overflow-wrap:anywhere}</style>
<h1>Artefact</h1>
<p>Made with Parley {{.Engine}}. <code>parley grade</code> with this zip file plays all of it again and compares digests, jobs and tables.</p>
{{range .Runs}}<h2>{{.Name}}</h2>
<p>Digest <code>{{.Digest}}</code> after {{.SimulatedS}} s of simulated time. Repeat it: <code>{{.Command}}</code></p>
{{if .Needs}}<table><tr><th>file that it plays<th>SHA-256</tr>{{range .Needs}}<tr><td>{{.Name}}<td><code>{{.SHA256}}</code></tr>{{end}}</table>{{end}}
<table><tr><th>figure<th>value</tr>{{range $name, $value := .Figures}}<tr><td>{{$name}}<td>{{$value}}</tr>{{end}}</table>
{{end}}{{range .Sweeps}}<h2>{{.Name}}</h2>
<p>A sweep of {{.Runs}} runs. Repeat it: <code>{{.Command}}</code> Its report is <a href="{{.Name}}/report.html">{{.Name}}/report.html</a> where the artefact is unpacked.</p>
{{if .Needs}}<table><tr><th>file that it plays<th>SHA-256</tr>{{range .Needs}}<tr><td>{{.Name}}<td><code>{{.SHA256}}</code></tr>{{end}}</table>{{end}}
<table><tr>{{range .Heads}}<th>{{.}}{{end}}</tr>{{range .Cells}}<tr>{{range .}}<td>{{.}}{{end}}</tr>{{end}}</table>
<table><tr><th>run<th>digest</tr>{{range .Digests}}<tr><td>{{.Run}}<td><code>{{.Digest}}</code></tr>{{end}}</table>
{{end}}<h2>Files</h2>
<table><tr><th>file<th>SHA-256</tr>{{range .Files}}<tr><td>{{.Name}}<td><code>{{.SHA256}}</code></tr>{{end}}</table>
</html>
`))
