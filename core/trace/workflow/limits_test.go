package workflow_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"parley/core/trace"
	"parley/core/trace/formats"
	"parley/core/trace/workflow"
)

// noted counts the notes of a workflow that begin so.
func noted(w *workflow.Workflow, begin string) string {
	for _, n := range w.Notes {
		if strings.HasPrefix(n, begin) {
			return n[len(begin):]
		}
	}
	return ""
}

// refused reads a document that is to be refused with a sentence that holds text.
func refused(t *testing.T, doc, text string) {
	t.Helper()
	if _, err := workflow.Read("f", strings.NewReader(doc)); err == nil || !strings.Contains(err.Error(), text) {
		t.Errorf("%.120q: %v\nwant %q in it", doc, err, text)
	}
}

// accepted reads a document.
func accepted(t *testing.T, doc string) *workflow.Workflow {
	t.Helper()
	w, err := workflow.Read("f", strings.NewReader(doc))
	if err != nil {
		t.Fatalf("%.120q: %v", doc, err)
	}
	return w
}

// TestDetectSTG: one number, then at least three; what a number alone is, nobody knows.
func TestDetectSTG(t *testing.T) {
	for text, want := range map[string]bool{
		"5\n0 0 0\n":          true,
		"# a b\n\n5\n0 0 0\n": true,
		"5\n":                 false,
		"5\n1 2\n3 4\n":       false,
		"5\n1\n0 0 0\n":       false,
		"5 6\n0 0 0\n":        false,
		"5\n0 0 x\n":          false,
		"-5\n0 0 0\n":         false,
		"# a\n5\n":            false, // three words, two of them a remark
	} {
		h, err := trace.ReadHead(memory("f", text))
		if err != nil {
			t.Fatal(err)
		}
		if got := workflow.Format().Detect(h); (got.Table == "stg") != want {
			t.Errorf("%q: %+v", text, got)
		}
	}
	if workflow.Detect([]byte(" \n ")) || workflow.Format().Detect(&trace.Head{Bytes: []byte("  ")}) != (trace.Match{}) {
		t.Error("blanks are a workflow")
	}
}

// TestSTG: work may be larger than the other numbers of a line; what is wrong is said
// with the name of its column, also if no task but the two of no work is announced.
func TestSTG(t *testing.T) {
	if w := accepted(t, "1\n0 0 0\n1 3000000000 1 0\n2 0 1 1\n"); w.Graph.Vertex(1).Work != 3e9 {
		t.Error(w.Graph.Vertex(1).Work)
	}
	if w := accepted(t, "0\n0 0 0\n1 0 1 0\n"); w.Graph.Len() != 2 {
		t.Error(w.Graph.Len())
	}
	refused(t, "0\n0 0 0\n1 x 1 0\n", `line 3, column "work": "x"`)
	refused(t, "x\n0 0 0\n", "is no workflow")
	refused(t, "1\n0 0 0\n1 0 3000000000 0\n", `line 3, column "how many it needs": "3000000000"`)
	refused(t, "3000000000\n0 0 0\n", `line 1, column "number of tasks": "3000000000"`)
	refused(t, "2147483647\n0 0 0\n", "it announces 2147483647 tasks and two of no work, but holds 1")
	refused(t, "1\n0 0 0\n1 0 1 -1\n2 0 1 1\n", `line 3, column "needs": "-1"`)
	refused(t, "1\n0 0 0\n1 0 1 3\n2 0 1 1\n", `column "needs": "3" is no task: the last is 2`)
	refused(t, "0\n0 0 0\n1 0 1 0\n2 0 0\n", "is one task too many")
	refused(t, "1\n0 0 0\n1 0\n2 0 0\n", "does not list as many needed tasks as it says")
}

// TestDAXNumbers: counts, run times and sizes may be 0 and as large as a number is, and
// a job may stand in no other, be it the first.
func TestDAXNumbers(t *testing.T) {
	const limit, more = "1.7976931348623157e308", "1e309"
	job := func(attributes string) string { return `<adag><job id="a" ` + attributes + `/></adag>` }
	if w := accepted(t, job(`runtime="0"`)); len(w.Notes) != 0 {
		t.Errorf("a run time of 0 is none: %q", w.Notes)
	}
	if w := accepted(t, job("")); noted(w, "tasks without a run time, which take none: ") != "1" {
		t.Errorf("%q", w.Notes)
	}
	if w := accepted(t, job(`runtime="`+limit+`"`)); w.Graph.Work() < 1.7e308 {
		t.Error(w.Graph.Work())
	}
	for _, runtime := range []string{"-1e-9", more, "NaN", "x", ""} {
		refused(t, job(`runtime="`+runtime+`"`), fmt.Sprintf("line 1, column \"runtime\": %q", runtime))
	}
	uses := func(size string) string {
		return `<adag><job id="a" runtime="1"><uses file="f" link="output" size="` + size + `"/></job><job id="b" runtime="1"><uses file="f" link="input"/></job><child ref="b"><parent ref="a"/></child></adag>`
	}
	for _, size := range []string{"0", "8", limit} {
		if w := accepted(t, uses(size)); fmt.Sprint(w.Graph.In(1)[0].Bytes) != map[string]string{"0": "0", "8": "8", limit: "1.7976931348623157e+308"}[size] || noted(w, "files without a size, which have 0 bytes: ") != "1" {
			t.Errorf("%s: %v %q", size, w.Graph.In(1)[0].Bytes, w.Notes)
		}
	}
	if w := accepted(t, uses("-6585019")); w.Graph.In(1)[0].Bytes != 0 || noted(w, "files with a size below 0, which have 0 bytes: ") != "1" {
		t.Errorf("of a size below 0: %v %q", w.Graph.In(1)[0].Bytes, w.Notes)
	}
	for _, size := range []string{more, "x"} {
		refused(t, uses(size), fmt.Sprintf("column \"size\": %q", size))
	}
	for count, note := range map[string]string{"0": "1", "1": "", "2": "1"} {
		w := accepted(t, `<adag jobCount="`+count+`"><job id="a" runtime="1"/></adag>`)
		if got := noted(w, "stated counts of tasks that are not those of the file: "); got != note {
			t.Errorf("%s jobs announced: note %q", count, got)
		}
	}
	refused(t, `<adag jobCount="-1"><job id="a"/></adag>`, `column "jobCount": "-1"`)
	refused(t, `<adag><job id="a"><job id="b"/></job></adag>`, `"b" is a job within a job`)
	refused(t, `<adag><job id="a"/><job id="b"><job id="c"/></job></adag>`, `"c" is a job within a job`)
}

// TestSizes: a size of 0 is a size: another one is noted, and what the writer says counts.
func TestSizes(t *testing.T) {
	doc := func(out, in string) string {
		return `{"workflow":{"tasks":[{"name":"a","runtime":1,"files":[{"link":"output","name":"f","size":` + out + `}]},{"name":"b","parents":["a"],"runtime":1,"files":[{"link":"input","name":"f","size":` + in + `}]}]}}`
	}
	for _, c := range []struct {
		out, in string
		bytes   float64
		differ  string
		none    string
	}{
		{"0", "5", 0, "1", ""},
		{"5", "0", 5, "1", ""},
		{"5", "5", 5, "", ""},
		{"0", "0", 0, "", ""},
		{"null", "7", 7, "", "1"},
		{"7", "null", 7, "", "1"},
		{"null", "null", 0, "", "2"},
	} {
		w := accepted(t, doc(c.out, c.in))
		if differ, none := noted(w, "files of different sizes in different tasks, where the size that its writer says counts, else the largest: "), noted(w, "files without a size, which have 0 bytes: "); w.Graph.In(1)[0].Bytes != c.bytes || differ != c.differ || none != c.none {
			t.Errorf("%s written, %s read: %v bytes, %q", c.out, c.in, w.Graph.In(1)[0].Bytes, w.Notes)
		}
		if lists := noted(w, "tasks that list no files: "); lists != "" {
			t.Errorf("%s without files", lists)
		}
	}
	// A task that reads and writes one file each lists files; one without does not.
	both := `{"link":"input","name":"x","size":1},{"link":"output","name":"y","size":1}`
	w := accepted(t, `{"workflow":{"tasks":[{"name":"a","runtime":0,"files":[`+both+`]},{"name":"b","files":[]}]}}`)
	if noted(w, "tasks that list no files: ") != "1" || noted(w, "tasks without a run time, which take none: ") != "1" {
		t.Errorf("%q", w.Notes)
	}
}

// TestMeasured: version 1.5 keeps run times apart; 0 is one, and a file whose entry has
// no size is a file without a size.
func TestMeasured(t *testing.T) {
	w := accepted(t, `{"workflow":{"specification":{"tasks":[{"name":"a","id":"a","outputFiles":["f","g"]},{"name":"b","id":"b","inputFiles":["f","g"],"parents":["a"]},{"name":"c","id":"c"}],
"files":[{"id":"f","sizeInBytes":3},{"id":"g"}]},"execution":{"tasks":[{"id":"a","runtimeInSeconds":0},{"id":"b","runtimeInSeconds":1.7976931348623157e308},{"id":"c"}]}}}`)
	if got := []float64{w.Graph.Vertex(0).Work, w.Graph.Vertex(1).Work, w.Graph.In(1)[0].Bytes}; !slices.Equal(got, []float64{0, 1.7976931348623157e308, 3}) {
		t.Error(got)
	}
	if noted(w, "tasks without a run time, which take none: ") != "1" || noted(w, "files without a size, which have 0 bytes: ") != "2" {
		t.Errorf("%q", w.Notes)
	}
	for _, number := range []string{"-1", "1e309", `"7"`, "true"} {
		refused(t, `{"workflow":{"tasks":[{"name":"a","runtime":`+number+`}]}}`, `column "runtime"`)
	}
}

// TestKinds: the kind of a task is its name without the number at its end.
func TestKinds(t *testing.T) {
	for name, kind := range map[string]string{
		"cut_00": "cut", "cut-12": "cut", "cut9": "cut9", "cut_9": "cut", "cut_0": "cut", "cut": "cut", "cut_": "cut_", "cut-": "cut-",
		"123": "123", "_1": "", "cut__7": "cut_", "cut_7a": "cut_7a", "cut:1": "cut:1",
	} {
		w := accepted(t, `{"workflow":{"tasks":[{"name":"`+name+`","runtime":1}]}}`)
		if got := w.Graph.Vertex(0).Type; got != kind {
			t.Errorf("%s is of kind %q, want %q", name, got, kind)
		}
	}
}

// TestDepth: braces in texts, escaped signs among them, do not nest, and values side by
// side do not nest in each other; 64 deep is read, 65 is not.
func TestDepth(t *testing.T) {
	with := func(extra string) string {
		return `{"workflow":{"tasks":[{"name":"a","runtime":1}]},"x":` + extra + `}`
	}
	deep := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	for _, extra := range []string{
		deep(63), `"` + strings.Repeat("[", 99) + `"`, `"\"` + strings.Repeat("{", 99) + `"`, `"\\"`, `"\\",` + `"y":` + deep(63), "[" + strings.Repeat("[],", 99) + "{}]",
		"[" + strings.Repeat("{},", 99) + "[]]", `{"\"":"` + strings.Repeat("[", 99) + `\\"}`,
	} {
		accepted(t, with(extra))
	}
	const reason = "lists and objects lie more than 64 deep in each other"
	refused(t, with(deep(64)), reason)
	refused(t, with(`"\\","y":`+deep(64)), reason)
	refused(t, with(`"\"","y":`+deep(64)), reason)
	refused(t, with(strings.Repeat(`{"z":`, 64)+"1"+strings.Repeat("}", 64)), reason)
	refused(t, "{\"workflow\":\n\n"+strings.Repeat("[", 64), "f, line 3: "+reason)
}

// TestLines: a value is on the line that it stands on, be it the line's first sign.
func TestLines(t *testing.T) {
	refused(t, "{\"workflow\":{\"tasks\":[\n{\"name\":\"a\",\n\"runtime\":\n\"x\"}]}}", `line 4, column "runtime": "x"`)
	refused(t, "{\"workflow\":{\"tasks\":[\n{\"name\":\"a\",\n\"runtime\": \"x\"\n}]}}", `line 3, column "runtime": "x"`)
	refused(t, "{\"workflow\":{\"tasks\":[\n{\"name\":\"a\"},\n{\"name\":\"a\"}]}}", "line 3, column \"id\": \"a\" is the id of the task on line 2 already")
}

// TestValuesAreCut: what an error repeats of a file is short.
func TestValuesAreCut(t *testing.T) {
	for n, want := range map[int]string{40: strings.Repeat("ä", 40), 41: strings.Repeat("ä", 40) + "…"} {
		refused(t, `<adag><job id="a" runtime="`+strings.Repeat("ä", n)+`"/></adag>`, fmt.Sprintf("column \"runtime\": %q is", want))
	}
}

// TestManyTasks: as many tasks as are asked for are read, and what they hold is told.
func TestManyTasks(t *testing.T) {
	files := []trace.File{memory("a", twoTasks), memory("b", twoTasks)}
	source, err := trace.Open(files, formats.All, trace.Options{MaxTasks: 8})
	if err != nil || !source.HoldsTasks() || !source.Header().Machineless || source.Names().Len() != 0 || source.Close() != nil {
		t.Fatal(err)
	}
	report, err := trace.Summarise([]trace.File{memory("c", "3\n0 0 0\n1 5 1 0\n2 7 1 0\n3 1 1 0\n4 0 3 1 2 3\n")}, formats.All, trace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := report.Summary.(workflow.Summary).Graphs[0]
	if s.Tasks != 5 || s.Dependencies != 6 || s.Work != 13 || s.CriticalPath != 7 || s.LargestTask != 7 || s.Widest != 3 || s.Depth != 3 || s.NoWork != 2 || s.Starts != 1 || s.Ends != 1 || s.Types != 1 {
		t.Errorf("%+v", s)
	}
	report, err = trace.Summarise([]trace.File{memory("d", diamond)}, formats.All, trace.Options{})
	if s := report.Summary.(workflow.Summary).Graphs[0]; err != nil || s.Bytes != 7 || s.NoWork != 0 || s.Starts != 1 || s.Ends != 1 {
		t.Errorf("%+v %v", s, err)
	}
}
