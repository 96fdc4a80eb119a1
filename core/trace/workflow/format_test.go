package workflow_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/core/trace"
	"parley/core/trace/formats"
	"parley/core/trace/workflow"
	"parley/core/workload"
)

func memory(name, text string) trace.File {
	return trace.File{Name: name, Size: int64(len(text)), Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }}
}

const (
	twoTasks = "2\n0 0 0\n1 5 1 0\n2 4 1 1\n3 0 1 2\n"
	diamond  = `<adag><job id="a" runtime="3"><uses file="f" link="output" size="7"/></job><job id="b" runtime="2"><uses file="f" link="input"/></job><child ref="b"><parent ref="a"/></child></adag>`
)

// Files of several workflow formats are one workload: a graph each, at time 0.
func TestFilesAreGraphs(t *testing.T) {
	files := []trace.File{memory("two.stg", twoTasks), memory("d.xml", diamond)}
	source, err := trace.Open(files, formats.All, trace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var r workload.Record
	var tasks, arcs []int
	for err = source.Next(&r); err == nil; err = source.Next(&r) {
		if r.Kind != workload.GraphArrives || r.At != 0 || r.Key.Job != uint64(len(tasks)) {
			t.Errorf("a record of kind %d at %v for %v", r.Kind, r.At, r.Key)
		}
		tasks, arcs = append(tasks, r.Graph.Len()), append(arcs, r.Graph.Arcs())
	}
	if !errors.Is(err, io.EOF) || len(tasks) != 2 || tasks[0] != 4 || arcs[0] != 3 || tasks[1] != 2 || r.Graph.Arc(0).Bytes != 7 {
		t.Errorf("graphs of %v tasks and %v arcs, then %v", tasks, arcs, err)
	}
	report, err := trace.Summarise(files, formats.All, trace.Options{})
	if err != nil || len(report.Files) != 2 || report.Files[0].Format != "workflow/stg" || report.Files[1].Format != "workflow/dax" || report.Files[0].Rows != 4 {
		t.Errorf("%+v, %v", report.Files, err)
	}
	s := report.Summary.(workflow.Summary).Graphs[0]
	if s.Tasks != 4 || s.Work != 9 || s.CriticalPath != 9 || s.Depth != 4 || s.Widest != 1 || s.NoWork != 2 || s.Starts != 1 || s.Ends != 1 {
		t.Errorf("%+v", s)
	}
}

func TestFilesThatAreNone(t *testing.T) {
	for text, want := range map[string]string{
		"5\n":                                   "Parley reads",
		"2\n0 0 0\n1 5 1 9\n2 4 1 1\n3 0 1 2\n": "needs",
		`{"workflow":{"tasks":[{"name":"a","parents":["a"],"runtime":1}]}}`:        "depends on itself",
		`{"v":1,"system":"x","workload":{"graphs":{"list":[{"tasks":[]}]}}}` + " ": "Parley reads",
	} {
		_, err := trace.Open([]trace.File{memory("f", text)}, formats.All, trace.Options{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: %v\nwant %q in it", text, err, want)
		}
	}
	_, err := trace.Open([]trace.File{memory("a", twoTasks), memory("b", twoTasks)}, formats.All, trace.Options{MaxTasks: 7})
	var large *trace.Error
	if !errors.As(err, &large) || large.Kind != trace.TooLarge || large.File != "b" {
		t.Errorf("eight tasks of at most seven: %v", err)
	}
}

// Real files are found by their content, gzip or not, and bring what reading them
// alone brings.
func TestRealFilesAreGraphs(t *testing.T) {
	root := filepath.Dir(traces(t, "dax"))
	var paths []string
	for _, pattern := range []string{"dax/*.xml", "wfcommons/*.json", "stg/*/*.stg"} {
		found, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, found...)
	}
	for _, path := range paths {
		f := trace.File{Name: path, Open: func() (io.ReadCloser, error) { return os.Open(path) }}
		content, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		alone, err := workflow.Read(path, content)
		content.Close()
		source, failed := trace.Open([]trace.File{f}, formats.All, trace.Options{})
		if err != nil {
			if failed == nil {
				t.Errorf("%s alone is refused: %v", path, err)
			}
			continue
		}
		var r workload.Record
		if failed != nil || source.Next(&r) != nil || r.Graph.Len() != alone.Graph.Len() || r.Graph.Arcs() != alone.Graph.Arcs() {
			t.Errorf("%s: %v", path, failed)
		}
	}
}
