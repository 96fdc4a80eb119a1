package workflow_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"parley/core/graph"
	"parley/core/system/static/plan"
	"parley/core/trace"
	"parley/core/trace/workflow"
)

// traces is where real public files may lie, beside the project.
func traces(t *testing.T, folder string) string {
	t.Helper()
	root := os.Getenv("PARLEY_TRACES")
	if root == "" {
		root = "../../../../shared/traces"
	}
	dir := filepath.Join(root, folder)
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("the real files of %s are not here ($PARLEY_TRACES): %v", folder, err)
	}
	return dir
}

func read(path string) (*workflow.Workflow, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return workflow.Read(filepath.Base(path), f)
}

// TestRealFiles reads every published file and compares what it holds with counts
// that were taken with another program (grep of ids and refs).
func TestRealFiles(t *testing.T) {
	for _, c := range []struct {
		path        string
		tasks, arcs int
	}{
		{"dax/HEFT_paper.xml", 10, 15},
		{"dax/Montage_25.xml", 25, 45},
		{"dax/Montage_1000.xml", 1000, 2485},
		{"dax/CyberShake_30.xml", 30, 52},
		{"dax/Epigenomics_24.xml", 24, 27},
		{"dax/Inspiral_50.xml", 50, 60},
		{"dax/Sipht_30.xml", 29, 33},
		{"wfcommons/helloworld-forkjoin-10-chameleon.json", 10, 16},
		{"wfcommons/1000genome-chameleon-2ch-100k-001.json", 52, 76},
		{"wfcommons/montage-chameleon-2mass-01d-001.json", 103, 231},
		{"wfcommons/trace_wfformat_legacy.json", 26, 44},
		{"stg/50/rand0000.stg", 52, 96 + 23},
	} {
		w, err := read(filepath.Join(traces(t, filepath.Dir(c.path)), filepath.Base(c.path)))
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		if w.Graph.Len() != c.tasks || w.Graph.Arcs() != c.arcs {
			t.Errorf("%s: %d tasks and %d dependencies, want %d and %d; %q", c.path, w.Graph.Len(), w.Graph.Arcs(), c.tasks, c.arcs, w.Notes)
		}
	}
	for _, folder := range []string{"dax", "wfcommons", "stg/50", "stg/100", "stg/300"} {
		files, _ := filepath.Glob(filepath.Join(traces(t, folder), "*"))
		for _, path := range files {
			w, err := read(path)
			var broken *trace.Error
			switch {
			case strings.Contains(path, "with_cycle"):
				if !errors.As(err, &broken) || strings.HasSuffix(path, ".xml") && !strings.Contains(err.Error(), `"1" → "3" → "1"`) {
					t.Errorf("%s: %v", path, err)
				}
			case err != nil:
				t.Error(err)
			default:
				checkPlans(t, path, w.Graph)
			}
		}
	}
}

// checkPlans schedules a graph by every algorithm.
func checkPlans(t *testing.T, path string, g *graph.Graph) {
	t.Helper()
	p, err := plan.Uniform(g, 4, 1e8, 0.001)
	if err != nil {
		t.Fatal(err)
	}
	for _, algorithm := range plan.Algorithms() {
		s, err := p.Plan(algorithm)
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Check(s); err != nil {
			t.Errorf("%s, %s: %v", path, algorithm, err)
		}
	}
}

// TestStandardTaskGraphs holds the algorithms to the best known lengths: none is
// below one, and the critical path is the one that the file states.
func TestStandardTaskGraphs(t *testing.T) {
	minimum, best := map[string]float64{}, map[string]float64{} // by graph and processors; they differ if the best is not proved
	files, _ := filepath.Glob(filepath.Join(traces(t, "stg/optimal"), "*.csv"))
	for _, path := range files {
		doc, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(doc)) {
			name, rest, _ := strings.Cut(strings.TrimSpace(line), ",")
			m, rest, _ := strings.Cut(rest, ",")
			low, high, unproved := strings.Cut(rest, ",")
			if !unproved {
				high = low
			}
			key := name + " " + m
			if minimum[key], err = strconv.ParseFloat(low, 64); err != nil {
				t.Fatal(err)
			}
			if best[key], err = strconv.ParseFloat(high, 64); err != nil {
				t.Fatal(err)
			}
		}
	}
	compared, sums := 0, map[string]float64{}
	graphs, _ := filepath.Glob(filepath.Join(traces(t, "stg"), "*", "*.stg"))
	for _, path := range graphs {
		w, err := read(path)
		if err != nil {
			t.Fatal(err)
		}
		_, critical := w.Graph.Critical(func(v int) float64 { return w.Graph.Vertex(v).Work }, func(graph.Arc) float64 { return 0 })
		if stated := criticalOf(t, path); critical != stated {
			t.Errorf("%s: the critical path has %v, the file says %v", path, critical, stated)
		}
		for _, m := range []int{2, 4, 8, 16} {
			key := fmt.Sprintf("%s/%s %d", filepath.Base(filepath.Dir(path)), filepath.Base(path), m)
			optimum, known := best[key]
			if !known {
				continue
			}
			p, err := plan.Uniform(w.Graph, m, 0, 0)
			if err != nil {
				t.Fatal(err)
			}
			if p.Bound() > optimum {
				t.Errorf("%s on %d: the bound is %v, above the best known %v", path, m, p.Bound(), optimum)
			}
			compared++
			for _, algorithm := range plan.Algorithms() {
				s, err := p.Plan(algorithm)
				if err != nil {
					t.Fatal(err)
				}
				if s.Makespan < minimum[key] {
					t.Errorf("%s on %d: %s has %v, below what is proved, %v", path, m, algorithm, s.Makespan, minimum[key])
				}
				sums[algorithm] += s.Makespan / optimum
			}
		}
	}
	if compared < 50 {
		t.Errorf("only %d lengths were compared", compared)
	}
	for _, algorithm := range plan.Algorithms() {
		t.Logf("%s: mean of length / best known %.4f over %d", algorithm, sums[algorithm]/float64(compared), compared)
	}
}

// criticalOf reads the length of the critical path that the file's end states.
func criticalOf(t *testing.T, path string) float64 {
	t.Helper()
	doc, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(bytes.NewReader(doc)); lines.Scan(); {
		if name, value, found := strings.Cut(lines.Text(), ":"); found && strings.HasPrefix(name, "# CP Length") {
			x, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
			if err != nil {
				t.Fatal(err)
			}
			return x
		}
	}
	t.Fatalf("%s states no critical path", path)
	return 0
}
