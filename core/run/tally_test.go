package run_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/core/feed"
	"parley/core/run"
	"parley/core/scenario"
	"parley/core/testkit/runtest"
	"parley/core/trace"
	"parley/core/trace/formats"
)

// inMemory returns a file of these bytes.
func inMemory(name, content string) trace.File {
	return trace.File{Name: name, Size: int64(len(content)), Open: func() (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader(content)), nil
	}}
}

// playFiles plays files to the end of their last task and returns the report.
func playFiles(t *testing.T, doc string, files ...trace.File) run.Report {
	t.Helper()
	s, err := scenario.Parse([]byte(doc))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		s.Workload.Trace = append(s.Workload.Trace, scenario.TraceFile{Name: filepath.Base(f.Name)})
	}
	o := trace.Options{SkipBadRows: s.Workload.SkipBadRows}
	if s.Until == scenario.Duration(29*24*3600*1_000_000) {
		source, err := feed.Open(s, files, formats.All, o)
		if err != nil {
			t.Fatal(err)
		}
		extent, err := feed.Measure(source)
		if err != nil {
			t.Fatal(err)
		}
		s.Until = scenario.Duration(extent.End + run.SampleStep)
	}
	source, err := feed.Open(s, files, formats.All, o)
	if err != nil {
		t.Fatal(err)
	}
	r, err := run.Open(s, source)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Advance(r.Until()); err != nil {
		t.Fatal(err)
	}
	return r.Report()
}

// balanced fails unless rows are the submitted ones and those left out.
func balanced(t *testing.T, name string, r run.Report) string {
	t.Helper()
	if r.Trace == nil {
		t.Fatalf("%s: the report says nothing of the files' rows", name)
	}
	submitted := int64(0)
	switch {
	case r.Jobs != nil:
		submitted = int64(r.Jobs.Submitted)
	case r.Graphs != nil:
		submitted = int64(r.Graphs.Subtasks)
	}
	left := int64(0)
	for _, c := range r.Trace.LeftOut {
		left += c.Count
	}
	for _, c := range r.Trace.Repaired {
		if c.Rule == "copied" {
			submitted -= c.Count
		}
	}
	if r.Trace.Rows != submitted+left || r.Trace.Played != submitted {
		t.Errorf("%s: %d rows, %d played by the tally and %d by the run, left out %v", name, r.Trace.Rows, r.Trace.Played, submitted, r.Trace.LeftOut)
	}
	for _, s := range r.Trace.Sentences() {
		if !strings.Contains(strings.Join(r.Warnings, "\n"), s) {
			t.Errorf("%s: the warnings %q lack %q", name, r.Warnings, s)
		}
	}
	return fmt.Sprintf("%d rows = %d submitted + %d left out %v, decided %v", r.Trace.Rows, submitted, left, r.Trace.LeftOut, r.Trace.Repaired)
}

// row returns a job of a log.
func row(number, submit, run, allocated, requested, limit, status int) string {
	return fmt.Sprintf("%d %d -1 %d %d -1 -1 %d %d -1 %d 1 1 -1 -1 -1 -1 -1\n", number, submit, run, allocated, requested, limit, status)
}

// TestTally: every row of a log is submitted or left out for a reason, and what was
// decided about the submitted ones is counted. Each case is one that a reader counts.
func TestTally(t *testing.T) {
	good := row(1, 0, 60, 2, 2, 60, 1)
	for _, c := range []struct{ name, doc, log, rule string }{
		{"too large", "", good + row(2, 0, 60, 9, 9, 60, 1), "larger_than_machine"},
		{"never ran", "", good + row(2, 0, -1, 2, 2, 60, 5), "never_ran"},
		{"ran for no time", "", good + row(2, 0, 0, 2, 2, 60, 1), "never_ran"},
		{"no processors", "", good + row(2, 0, 60, -1, -1, 60, 1), "without_processors"},
		{"a part of a job", "", good + row(1, 0, 30, 2, 2, 60, 2), "partial_rows"},
		{"a bad row", `,"workload":{"skip_bad_rows":true}`, good + "what\n", "bad_rows"},
		{"processors unknown", "", good + row(2, 0, 60, 2, -1, 60, 1), "processors_allocated"},
		{"no limit", "", good + row(2, 0, 60, 2, 2, -1, 1), "estimate_from_run_time"},
		{"beyond the limit", "", good + row(2, 0, 60, 2, 2, 30, 1), "killed_at_limit"},
		{"out of order", "", row(3, 9, 60, 2, 2, 60, 1) + good, "out_of_order"},
		{"numbered twice", "", good + good, "numbered_twice"},
		{"half of the load", `,"workload":{"scale":0.5}`, good + row(2, 0, 60, 2, 2, 60, 1) + row(3, 0, 60, 2, 2, 60, 1) + row(4, 0, 60, 2, 2, 60, 1), "scaled"},
		{"twice the load", `,"workload":{"scale":2}`, good, "copied"},
		{"twice as fast", `,"workload":{"rate":2}`, good + row(2, 60, 60, 2, 2, 60, 1), "moved"},
		{"a run that ends before the log", `,"until":"1m"`, good + row(2, 3600, 60, 2, 2, 60, 1), "after_end"},
	} {
		r := playFiles(t, `{"v":1,"system":"central"`+c.doc+`}`, inMemory("a.swf", "; MaxProcs: 4\n"+c.log))
		balanced(t, c.name, r)
		found := false
		for _, count := range append(r.Trace.LeftOut, r.Trace.Repaired...) {
			found = found || count.Rule == c.rule && count.Count > 0
		}
		if !found {
			t.Errorf("%s: nothing is counted as %s: %+v", c.name, c.rule, r.Trace)
		}
	}
	if r := playFiles(t, `{"v":1,"system":"central"}`, inMemory("a.swf", "; MaxProcs: 4\n"+good)); len(r.Trace.Sentences()) > 0 {
		t.Errorf("of a log without a gap it is said: %q", r.Trace.Sentences())
	}
}

// TestTallyOfTheRead: where the run ends before its files, the sentence counts the jobs that were
// read, and does not say that the files have no more.
func TestTallyOfTheRead(t *testing.T) {
	log := "; MaxProcs: 4\n"
	for i := range 300 {
		log += row(i+1, 3600*i, 60, 2, 2, 60, 1)
	}
	r := playFiles(t, `{"v":1,"system":"central","until":"1m"}`, inMemory("a.swf", log))
	want := "1 of the 2 jobs that were read of the files are played; left out: after the end of the run, where the reading of the files ended: 1"
	if got := strings.Join(r.Trace.Sentences(), "|"); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestTallyOfTasksThatNeverArrive: a trace that does not say where its tasks ran has no task to play where tasks arrive
// when the trace's own scheduler placed them. The report says so.
func TestTallyOfTasksThatNeverArrive(t *testing.T) {
	nodes := inMemory("nodes.csv", "sn,cpu_milli,memory_mib,gpu,model\nnode-000,32000,131072,0,\n")
	pods := inMemory("pods.csv", "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time\n"+
		"pod-0000,6000,12288,0,0,,Burstable,Running,14,312,15\npod-0001,6000,12288,0,0,,Burstable,Running,20,312,21\n")
	for arrive, want := range map[string]string{
		"submitted": "",
		"scheduled": "decided where the files leave it open: tasks not placed by the trace's own scheduler (workload.arrive), of which no row is played: 2",
	} {
		r := playFiles(t, `{"v":1,"system":"central","until":"1h","workload":{"arrive":"`+arrive+`"}}`, nodes, pods)
		if got := strings.Join(r.Trace.Sentences(), "|"); got != want {
			t.Errorf("%s: %q, want %q", arrive, got, want)
		}
	}
}

// TestArriveWithoutRecordedTasks: workload.arrive changes nothing of a log of rigid jobs or a generated workload, and the
// report says so.
func TestArriveWithoutRecordedTasks(t *testing.T) {
	for arrive, want := range map[string]bool{"submitted": false, "scheduled": true} {
		doc := `{"v":1,"system":"central","until":"1m","cluster":{"nodes":10},"workload":{"arrive":"` + arrive + `"}}`
		reports := map[string]run.Report{
			"a log":    playFiles(t, doc, inMemory("a.swf", "; MaxProcs: 4\n"+row(1, 0, 60, 2, 2, 60, 1))),
			"no files": runtest.Open(t, doc).Report(),
		}
		for name, r := range reports {
			if said := strings.Contains(strings.Join(r.Warnings, "|"), "workload.arrive is about recorded tasks, and none are played: it has no effect"); said != want {
				t.Errorf("%s, %s: said %v, %q", name, arrive, said, r.Warnings)
			}
		}
	}
}

// TestTallyOfWorkflows: all tasks of a workflow are played, and what its file leaves
// open is told.
func TestTallyOfWorkflows(t *testing.T) {
	dax := `<adag jobCount="3"><job id="a" name="x" runtime="1"><uses file="f" link="output"/></job>` +
		`<job id="b" name="x"><uses file="f" link="input"/></job></adag>`
	r := playFiles(t, `{"v":1,"system":"static"}`, inMemory("a.xml", dax))
	balanced(t, "own", r)
	if len(r.Trace.Repaired) != 4 {
		t.Errorf("of a file without sizes, a run time, parents and the right count it is told: %+v", r.Trace.Repaired)
	}
}

// TestTallyOfRealFiles holds that every row of every public log and workflow beside the
// project is submitted or left out for a reason, and prints the counts.
func TestTallyOfRealFiles(t *testing.T) {
	root := os.Getenv("PARLEY_TRACES")
	if root == "" {
		root = "../../../shared/traces"
	}
	if _, err := os.Stat(root); err != nil {
		t.Skipf("public traces are not beside the project ($PARLEY_TRACES): %v", err)
	}
	var paths []string
	for _, pattern := range []string{"swf/*", "dax/*.xml", "wfcommons/*.json", "stg/*/*.stg"} {
		found, _ := filepath.Glob(filepath.Join(root, pattern))
		paths = append(paths, found...)
	}
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if testing.Short() && info.Size() > 200<<10 {
			continue
		}
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		system := "static"
		if strings.Contains(path, "swf") {
			system = "central"
		}
		f := trace.File{Name: filepath.Base(path), Size: info.Size(), Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(content)), nil }}
		if strings.Contains(path, "cycle") {
			continue // it is refused
		}
		t.Log(f.Name + ": " + balanced(t, f.Name, playFiles(t, `{"v":1,"system":"`+system+`"}`, f)))
	}
}
