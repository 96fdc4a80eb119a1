package run_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/cockroachdb/datadriven"

	"parley/core/run"
	"parley/core/scenario"
	"parley/core/unit"
)

// TestDigests holds runs to testdata/digests.txt. The file is the same for
// every platform: the checks run this test natively, with GOAMD64=v3 and as
// WebAssembly under Node. A digest changes when what happens in a run changes;
// -rewrite takes it over, and the commit says why.
func TestDigests(t *testing.T) {
	datadriven.RunTest(t, "testdata/digests.txt", func(t *testing.T, d *datadriven.TestData) string {
		if d.Cmd != "run" {
			d.Fatalf(t, "unknown command %q", d.Cmd)
		}
		r := open(t, d.Input)
		advance(t, r, unit.Forever)
		if err := r.Audit(); err != nil {
			t.Error(err)
		}
		v := r.View().Totals()
		return fmt.Sprintf("%v after %v: %d tasks, %d placed, %d wait, %d ended, %d displaced, %d migrations (%d forced, %d broken), %.0f MB\n",
			r.Digest(), r.Now(), v.Submitted, v.Placements, v.Waiting, v.Submitted-int64(v.Alive()), v.Displaced, v.Migrations, v.Forced, v.Aborted, float64(v.Moved)/float64(unit.MB))
	})
}

// TestGraphDigests does the same for task graphs.
func TestGraphDigests(t *testing.T) {
	datadriven.RunTest(t, "testdata/graph_digests.txt", func(t *testing.T, d *datadriven.TestData) string {
		if d.Cmd != "run" {
			d.Fatalf(t, "unknown command %q", d.Cmd)
		}
		r := open(t, d.Input)
		advance(t, r, unit.Forever)
		if err := r.Audit(); err != nil {
			t.Error(err)
		}
		g := r.Report().Graphs
		return fmt.Sprintf("%v after %v: %d graphs, %d done, %d aborted, %d of %d deadlines met, %d subtasks, %d lost, %d transfers, %.0f MB, length ratio %.6f, busy %.3f %%\n",
			r.Digest(), r.Now(), g.Arrived, g.Done, g.Aborted, g.Met, g.Deadlines, g.Subtasks, g.Lost, g.Transfers, g.Transferred, g.LengthRatio.Mean, g.BusyPct)
	})
}

// TestGallery opens every scenario that the page offers and plays its first ten
// minutes, or with -short the first.
func TestGallery(t *testing.T) {
	files, err := filepath.Glob("../../assets/scenarios/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scenario: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			document, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			s := parse(t, string(document))
			if s.Name == "" || s.About == "" {
				t.Error("it has no name or says nothing about itself")
			}
			if len(s.Workload.Trace) > 0 {
				t.Log("it plays a trace, whose files its user brings")
				return
			}
			if back := parse(t, string(s.Encode())); string(back.Encode()) != string(s.Encode()) {
				t.Error("it is written otherwise than it is read")
			}
			if s.Cluster.Nodes > 3000 {
				t.Log("it takes seconds; TestFirstScenario, TestCalmScenario and the cards of the gallery play such")
				return
			}
			r, err := run.Open(s, nil, run.KeepNotes(100))
			if err != nil {
				t.Fatal(err)
			}
			end := 10 * unit.Minute
			if testing.Short() {
				end = unit.Minute
			}
			advance(t, r, end)
			if err := r.Audit(); err != nil {
				t.Error(err)
			}
		})
	}
}

// A scenario becomes a run; the run advances in slices and tells its digest.
func Example() {
	s, err := scenario.Parse([]byte(`{"v":1,"system":"central","seed":7,"cluster":{"nodes":10},"workload":{"preset":"none"},"until":"1h"}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := run.Open(s, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for at := unit.Time(0); !r.Done(); at += 20 * unit.Minute {
		if err := r.Advance(at); err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(r.Now(), r.View().Totals().NodesUp, "nodes")
	}
	fmt.Println(r.Digest(), r.Report().SimulatedS)
	// Output:
	// 0s 0 nodes
	// 20m0s 10 nodes
	// 40m0s 10 nodes
	// 1h0m0s 10 nodes
	// 1e28579618ac4eb8 3600
}
