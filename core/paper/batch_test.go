package paper_test

import (
	"encoding/json"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/core/feed"
	"parley/core/paper"
	"parley/core/scenario"
	"parley/core/study"
	"parley/core/testkit/studytest"
	"parley/core/trace"
	"parley/core/trace/formats"
	"parley/core/workload"
)

// TestKTH plays the public log where it is at hand: every published figure follows
// to its last digit.
func TestKTH(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: it plays 28,481 jobs five times")
	}
	root := os.Getenv("PARLEY_TRACES")
	if root == "" {
		root = "../../../shared/traces"
	}
	path := filepath.Join(root, "swf", "KTH-SP2-1996-2.1-cln.swf.gz")
	if _, err := os.Stat(path); err != nil {
		t.Skipf("no %s, see PARLEY_TRACES", path)
	}
	result := playKTH(t, trace.File{Name: path, Size: -1, Open: func() (io.ReadCloser, error) { return os.Open(path) }}, "")
	if len(result.Rows) != 20 {
		t.Errorf("%d rows, want 20", len(result.Rows))
	}
	for _, row := range result.Rows {
		if row.Holds == nil || !*row.Holds {
			t.Errorf("%s: published %v, here %v", row.Name, *row.Paper, row.Measured)
		}
	}
}

// TestOtherLog: another log is refused and not compared.
func TestOtherLog(t *testing.T) {
	log := "; MaxProcs: 4\n1 0 -1 10 1 -1 -1 1 10 -1 1 1 1 1 -1 -1 -1 -1\n"
	playKTH(t, trace.File{Name: "other.swf", Size: -1, Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(log)), nil }}, "the file is not KTH-SP2")
}

// TestKTHDigits: a figure holds that is the published one to its last digit.
func TestKTHDigits(t *testing.T) {
	for _, c := range []struct {
		slowdown, response, worst, longest float64
		want                               [4]bool
	}{
		{92.576540, 15696.798181, 14805.2, 309231, [4]bool{true, true, true, true}},
		{92.5765404, 15696.7981814, 14805.24, 309231.4, [4]bool{true, true, true, true}},
		{92.5765406, 15696.7981804, 14805.26, 309230.4, [4]bool{false, false, false, false}},
		{92.5765394, 15696.798182, 14805.1, 309232, [4]bool{false, false, false, false}},
		{92.576540, 15696.798181, 14805.2, 309231.5, [4]bool{true, true, true, true}}, // which may be rounded down
	} {
		told := map[string]float64{"mean bounded slowdown": c.slowdown, "mean response time": c.response, "largest bounded slowdown": c.worst, "largest response time": c.longest}
		rows := studytest.Judge(t, "batch/kth.json", 1, study.Functions{"batch/log": func(uint64, json.RawMessage) (map[string]float64, error) { return told, nil }})
		for i, want := range c.want {
			if r := rows[i]; *r.Holds != want || *r.Paper != []float64{92.576540, 15696.798181, 14805.2, 309231}[i] {
				t.Errorf("%+v", r)
			}
		}
	}
}

// TestLogPlayed: two jobs of a log on four processors, the second of which has to wait a
// day; days are told as they go by, and a log with other jobs is refused.
func TestLogPlayed(t *testing.T) {
	log := "; MaxProcs: 4\n1 0 -1 86400 4 -1 -1 4 86400 -1 1 1 1 1 -1 -1 -1 -1\n2 10 -1 100 2 -1 -1 2 100 -1 1 1 1 1 -1 -1 -1 -1\n"
	var told []string
	o := paper.Options{
		Trace: func(s *scenario.Scenario) (workload.Source, error) {
			f := trace.File{Name: "two.swf", Size: -1, Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(log)), nil }}
			return feed.Open(s, []trace.File{f}, formats.All, trace.Options{})
		},
		Progress: func(doing string) error { told = append(told, doing); return nil },
	}
	play := paper.FunctionsOf(o)["batch/log"]
	jobs, err := play(1, json.RawMessage(`{"name":"two","settings":{"policy":"easy"},"files":"two.swf","jobs":2}`))
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(jobs["mean response time"]-(86400+86490)/2.) > 1e-6 || jobs["largest response time"] != 86490 || len(told) < 2 || told[0] != "two, day 1" || told[1] != "two, day 2" {
		t.Errorf("%+v, told %q", jobs, told)
	}
	for arguments, want := range map[string]string{
		`{"settings":{"policy":"easy"},"files":"three.swf","jobs":3}`: "the file is not three.swf: that has 3 jobs which ran",
		`{"settings":{"polici":"easy"},"jobs":2}`:                     "polici",
		`{"job":2}`: `unknown field "job"`,
	} {
		if _, err := play(1, json.RawMessage(arguments)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", arguments, err)
		}
	}
}

func playKTH(t *testing.T, f trace.File, refusal string) paper.Result {
	e, err := paper.Find("batch/kth")
	if err != nil {
		t.Fatal(err)
	}
	result, err := e.Run(paper.Options{Trace: func(s *scenario.Scenario) (workload.Source, error) {
		return feed.Open(s, []trace.File{f}, formats.All, trace.Options{})
	}})
	if refusal == "" && err != nil || refusal != "" && (err == nil || !strings.Contains(err.Error(), refusal)) {
		t.Fatalf("it ends with %v, want %q", err, refusal)
	}
	return result
}
