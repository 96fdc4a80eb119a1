package plan_test

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/core/system/static/plan"
	"parley/core/trace/workflow"
)

// simgrid builds testdata/simgrid/oracle.cpp, or skips if SimGrid is not
// installed.
func simgrid(t testing.TB) (binary string) {
	t.Helper()
	probe := exec.Command("g++", "-std=c++17", "-fsyntax-only", "-x", "c++", "-")
	probe.Stdin = strings.NewReader("#if !__has_include(<simgrid/s4u.hpp>)\n#error no SimGrid\n#endif\n")
	if err := probe.Run(); err != nil {
		t.Skipf("SimGrid is not installed (g++ and libsimgrid-dev), its comparison is left out: %v", err)
	}
	binary = filepath.Join(t.TempDir(), "oracle")
	build := exec.Command("g++", "-O1", "-std=c++17", "-o", binary, filepath.Join("testdata", "simgrid", "oracle.cpp"), "-lsimgrid")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("building the SimGrid oracle: %v\n%s", err, out)
	}
	return binary
}

// finishes plays a schedule in SimGrid and returns when each task is done there.
func finishes(t *testing.T, binary string, p *plan.Problem, s *plan.Schedule) []float64 {
	t.Helper()
	order := make([]int, p.Graph.Len())
	for v := range order {
		order[v] = v
	}
	place := make([]int, p.Graph.Len())
	for i, v := range p.Graph.Order() {
		place[v] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		x, y := s.Slots[a], s.Slots[b]
		return cmp.Or(cmp.Compare(x.Start, y.Start), cmp.Compare(x.Finish, y.Finish), cmp.Compare(place[a], place[b]))
	})
	var input, problems bytes.Buffer
	fmt.Fprintln(&input, len(p.Processors), p.Graph.Len(), p.Graph.Arcs())
	for _, x := range p.Processors {
		fmt.Fprintln(&input, x.Speed, x.Bandwidth)
	}
	for _, v := range order {
		fmt.Fprintln(&input, v, p.Graph.Vertex(v).Work, s.Slots[v].Processor)
	}
	for v := range p.Graph.Len() {
		for _, a := range p.Graph.Out(v) {
			fmt.Fprintln(&input, a.From, a.To, a.Bytes)
		}
	}
	run := exec.Command(binary, "--log=xbt_cfg.threshold:warning")
	run.Stdin, run.Stderr = &input, &problems
	out, err := run.Output()
	if err != nil {
		t.Fatalf("SimGrid: %v\n%s", err, problems.String())
	}
	done := make([]float64, p.Graph.Len())
	reader := bytes.NewReader(out)
	for v := range done {
		if _, err := fmt.Fscan(reader, &done[v]); err != nil {
			t.Fatalf("SimGrid answers %q: %v", out, err)
		}
	}
	return done
}

// TestSimGridAgrees plays schedules of real workflows in SimGrid's S4U, with the same
// transfers: every subtask is done when the plan says, within 0.1 %.
func TestSimGridAgrees(t *testing.T) {
	files, _ := filepath.Glob("../../../../../shared/traces/wfcommons/*.json")
	if len(files) == 0 {
		t.Skip("the workflows of WfCommons are not beside the project: ../shared/traces/wfcommons")
	}
	binary := simgrid(t)
	tasks, worst := 0, 0.0
	for _, name := range files {
		text, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		w, err := workflow.Read(name, text)
		text.Close()
		if err != nil {
			t.Fatal(err)
		}
		processors := make([]plan.Processor, 12)
		for i := range processors {
			processors[i] = plan.Processor{Speed: 0.5 + 0.25*float64(i%6), Bandwidth: 1e7 * float64(1+i%4)}
		}
		p, err := plan.New(w.Graph, processors, 0, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, algorithm := range []string{"heft", "peft", "min-min"} {
			s, err := p.Plan(algorithm)
			if err != nil {
				t.Fatal(err)
			}
			for v, at := range finishes(t, binary, p, s) {
				deviation := math.Abs(at-s.Slots[v].Finish) / s.Makespan
				tasks, worst = tasks+1, max(worst, deviation)
				if !(deviation <= 0.001) {
					t.Fatalf("%s by %s: %s is done at %v by the plan, at %v in SimGrid", filepath.Base(name), algorithm, w.Graph.Vertex(v).Name, s.Slots[v].Finish, at)
				}
			}
		}
	}
	t.Logf("%d subtasks, largest deviation %.2g of the makespan", tasks, worst)
}
