//go:build !js

package plan_test

import (
	"bytes"
	"flag"
	"fmt"
	"math"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"parley/core/system/rounds/plan"
)

// How far makespans may lie apart: as a share, of which 84 plans reach 5.7e-10; and, with
// -everything, in seconds, for SimGrid's clock is exact to nanoseconds an event: makespans
// of a few seconds lie up to 2e-8 s apart.
const (
	agreement = 1e-9
	clock     = 3e-8
)

var everything = flag.Bool("everything", false, "compare with SimGrid on many more platforms")

// simgrid builds testdata/simgrid/oracle.cpp, or skips if SimGrid is not
// installed.
func simgrid(t testing.TB) (binary string) {
	t.Helper()
	if testing.Short() {
		t.Skip("-short: builds and runs another simulator")
	}
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

// playInSimGrid returns the makespan and the wall seconds of the simulation.
func playInSimGrid(t testing.TB, binary string, p plan.Platform, r plan.Result) (makespan, wall float64) {
	t.Helper()
	var input, problems bytes.Buffer
	fmt.Fprintln(&input, len(r.Order), r.Rounds)
	for _, i := range r.Order {
		w := p.Workers[i]
		fmt.Fprintln(&input, w.Speed, w.Bandwidth, w.CompLatency, w.CommLatency)
	}
	for _, row := range r.Chunks {
		for _, x := range row {
			fmt.Fprintln(&input, x)
		}
	}
	run := exec.Command(binary, "--log=xbt_cfg.threshold:warning")
	run.Stdin, run.Stderr = &input, &problems
	out, err := run.Output()
	if err != nil {
		t.Fatalf("SimGrid: %v\n%s", err, problems.String())
	}
	if _, err := fmt.Sscan(string(out), &makespan, &wall); err != nil {
		t.Fatalf("SimGrid answers %q: %v", out, err)
	}
	return makespan, wall
}

// TestSimGridAgrees plays the same plans in SimGrid: every algorithm on the
// platforms of table 1 with large, small and no latencies, and on platforms of any shape.
func TestSimGridAgrees(t *testing.T) {
	binary := simgrid(t)
	options := plan.Options{MaxRounds: 100}
	plans, worst := 0, 0.0
	check := func(p plan.Platform, load float64) {
		for _, algorithm := range plan.Algorithms() {
			r, err := plan.Plan(p, load, algorithm, options)
			if err != nil {
				t.Fatal(err)
			}
			makespan, _ := playInSimGrid(t, binary, p, r)
			apart := math.Abs(makespan - r.Makespan)
			deviation := apart / r.Makespan
			plans, worst = plans+1, max(worst, deviation)
			if !(deviation <= agreement || *everything && apart <= clock) {
				t.Errorf("%s, %d workers, %d rounds: SimGrid takes %v s, we %v s: %.2g apart", algorithm, len(r.Order), r.Rounds, makespan, r.Makespan, deviation)
			}
		}
	}
	sizes, latencies, seeds := []int{10, 50}, []float64{1, 0.03, 0}, uint64(6)
	if *everything {
		sizes, latencies, seeds = []int{10, 30, 50}, []float64{1, 0.3, 0.1, 0.03, 0.01, 0.001, 0}, 40
	}
	for _, n := range sizes {
		for _, latency := range latencies {
			check(table1(uint64(n), n, latency), 1e6)
		}
	}
	for seed := range seeds {
		p, load := wild(seed)
		check(p, load)
	}
	t.Logf("%d plans, largest deviation %.2g", plans, worst)
}

// BenchmarkAgainstSimGrid plays one plan of about 3,000 chunks in both
// simulators and reports the chunks a second of each and their ratio.
func BenchmarkAgainstSimGrid(b *testing.B) {
	binary := simgrid(b)
	p := table1(1, 50, 0.01)
	r, err := plan.Plan(p, 1e6, "umr", plan.Options{})
	if err != nil {
		b.Fatal(err)
	}
	var s plan.Simulator
	if err := s.Set(p, r.Order); err != nil {
		b.Fatal(err)
	}
	chunks := float64(r.Rounds * len(r.Order))
	theirs := math.Inf(1)
	for range 5 {
		_, wall := playInSimGrid(b, binary, p, r)
		theirs = min(theirs, wall)
	}
	for b.Loop() {
		s.Run(r.Chunks)
	}
	ours := b.Elapsed().Seconds() / float64(b.N)
	b.ReportMetric(chunks/ours, "chunks/s")
	b.ReportMetric(chunks/theirs, "simgrid-chunks/s")
	b.ReportMetric(theirs/ours, "x")
}
