package paper_test

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/core/paper"
	"parley/core/run"
	"parley/core/scenario"
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

func playKTH(t *testing.T, f trace.File, refusal string) paper.Result {
	e, err := paper.Find("batch/kth")
	if err != nil {
		t.Fatal(err)
	}
	result, err := e.Run(paper.Options{Trace: func(s *scenario.Scenario) (workload.Source, error) {
		return run.OpenTrace(s, []trace.File{f}, formats.All, trace.Options{})
	}})
	if refusal == "" && err != nil || refusal != "" && (err == nil || !strings.Contains(err.Error(), refusal)) {
		t.Fatalf("it ends with %v, want %q", err, refusal)
	}
	return result
}
