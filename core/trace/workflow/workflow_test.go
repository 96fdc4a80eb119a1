package workflow_test

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/cockroachdb/datadriven"

	"parley/core/testkit/scripttest"
	"parley/core/trace"
	"parley/core/trace/workflow"
)

// TestScripts reads the documents of testdata/*.txt: the output is the graph, a
// task a line with what it needs and how many bytes of it, then the notes; or the
// sentence that says what is wrong.
func TestScripts(t *testing.T) {
	scripttest.Run(t, func() scripttest.Commands {
		return func(t *testing.T, d *datadriven.TestData) string {
			if d.Cmd != "read" {
				d.Fatalf(t, "unknown command %q", d.Cmd)
			}
			w, err := workflow.Read("file", iotest.OneByteReader(strings.NewReader(d.Input)))
			if err != nil {
				return "! " + err.Error() + "\n"
			}
			return describe(w)
		}
	})
}

func describe(w *workflow.Workflow) string {
	var b strings.Builder
	fmt.Fprintln(&b, w.Format)
	for v := range w.Graph.Len() {
		x := w.Graph.Vertex(v)
		fmt.Fprintf(&b, "%s %s %v", x.Name, x.Type, x.Work)
		for _, a := range w.Graph.In(v) {
			fmt.Fprintf(&b, " <%s:%v", w.Graph.Vertex(int(a.From)).Name, a.Bytes)
		}
		b.WriteString("\n")
	}
	for _, note := range w.Notes {
		fmt.Fprintln(&b, "note:", note)
	}
	return b.String()
}

// TestNesting: values that nest without end are a sentence, not a crash.
func TestNesting(t *testing.T) {
	for subject, doc := range map[string]io.Reader{
		"JSON": strings.NewReader(`{"workflow":` + strings.Repeat("[", 1<<20)),
		"XML":  strings.NewReader("<adag>" + strings.Repeat("<a>", 1<<20)),
		"text": strings.NewReader("1\n0 0 0\n" + strings.Repeat("1 ", 1<<20)),
	} {
		_, err := workflow.Read("file", doc)
		var broken *trace.Error
		if !errors.As(err, &broken) || len(err.Error()) > 400 {
			t.Errorf("%s: %.500v", subject, err)
		}
	}
}

// endless is a gigabyte of one sign behind a beginning, and counts what is read of it.
type endless struct {
	head    string
	sign    byte
	read    int
	largest uint64 // bytes in use when it was read from
}

func (e *endless) Read(p []byte) (int, error) {
	if e.read >= 1<<30 {
		return 0, io.EOF
	}
	n := copy(p, e.head)
	e.head = e.head[n:]
	for i := n; i < len(p); i++ {
		p[i] = e.sign
	}
	if e.read>>24 != (e.read+len(p))>>24 {
		var memory runtime.MemStats
		runtime.ReadMemStats(&memory)
		e.largest = max(e.largest, memory.HeapAlloc)
	}
	e.read += len(p)
	return len(p), nil
}

// TestGigabyte: of a gigabyte of nested values no more is read than a workflow may have,
// 256 MiB, and less memory than it has is in use meanwhile; it ends in a sentence.
func TestGigabyte(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: a quarter of a gigabyte each")
	}
	for head, sign := range map[string]byte{`{"workflow":`: '[', `{"workflow":{"tasks":[`: ' ', "<adag>": ' ', "7\n0 0 0\n": ' '} {
		runtime.GC()
		one := endless{head: head, sign: sign}
		_, err := workflow.Read("file", &one)
		if err == nil || err.Error() != "file: it is longer than 256 MiB; take a part of the workflow" {
			t.Errorf("%q: %v", head, err)
		}
		if one.read > 300<<20 || one.largest > 640<<20 {
			t.Errorf("%q: %d MiB were read, and %d MiB in use", head, one.read>>20, one.largest>>20)
		}
	}
}

// FuzzRead: no document makes Read panic, and what is wrong is one short line.
func FuzzRead(f *testing.F) {
	fuzz(
		f,
		"2\n0 0 0\n1 5 1 0\n2 4 1 1\n3 0 1 2\n# end\n",
		`<adag jobCount="2"><job id="a" name="x" runtime="3"><uses file="f" link="output" size="7"/></job><job id="b" name="y"><uses name="f" link="input"/></job><child ref="b"><parent ref="a"/></child></adag>`,
		`{"workflow":{"specification":{"tasks":[{"name":"a_1","id":"a","outputFiles":["f"]},{"name":"b","id":"b","inputFiles":["f"],"parents":["a"]}],"files":[{"id":"f","sizeInBytes":3}]},"execution":{"tasks":[{"id":"a","runtimeInSeconds":2}]}}}`,
		`{"workflow":{"jobs":[{"name":"a","runtime":1,"files":[{"link":"output","name":"f","size":2}]},{"name":"b","parents":["a"],"runtime":4}]}}`,
	)
}

func FuzzPegasus(f *testing.F) {
	fuzz(
		f, "pegasus: \"5.0\"\nname: p\njobs:\n  - {type: job, name: a, id: A, runtime: 2.5, uses: [{lfn: f, type: output, size: 9}]}\n"+
			"  - type: job\n    name: b\n    id: B\n    metadata: {runtime: \"7\"}\n    uses:\n      - lfn: f\n        type: input\n"+
			"jobDependencies:\n  - {id: A, children: [B]}\n",
		"pegasus: 5.0.4\njobs:\n- id: A\n  name: a\n  profiles:\n    pegasus:\n      runtime: \"12\"\n  uses: &u\n  - lfn: f\n    type: output\n"+
			"- id: B\n  name: |\n    long\n  uses: *u\njobDependencies:\n- id: A\n  children:\n  - B\n",
	)
}

func FuzzDOT(f *testing.F) {
	fuzz(
		f, "// drawn\ndigraph G {\n  node [shape=box];\n  1 [size=\"66571084\", alpha=\"0.07\"]\n  subgraph c { 2 [runtime=2]; \"a b\" }\n"+
			"  1 -> {2 \"a b\"} -> 3 [size=\"8388\"]\n}\n",
		"digraph snakemake_dag {\n\tgraph[bgcolor=white];\n\t0[label = \"all\", color = \"0.1 0.6 0.85\", style=\"rounded\"];\n\t1[label = <b<i>x</i>>];\n\t1 -> 0\n}\n",
	)
}

func fuzz(f *testing.F, docs ...string) {
	for _, doc := range docs {
		f.Add([]byte(doc))
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		w, err := workflow.Read("file", strings.NewReader(string(doc)))
		if err != nil {
			if text := err.Error(); len(text) < 10 || len(text) > 600 || strings.ContainsAny(text, "\n\r") {
				t.Errorf("%q is no sentence", text)
			}
			return
		}
		if w.Graph.Len() == 0 || len(w.Graph.Order()) != w.Graph.Len() {
			t.Errorf("%d tasks, %d in order", w.Graph.Len(), len(w.Graph.Order()))
		}
	})
}
