package main

import (
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"parley/tools/bench/measure"
)

// The measurements of the plan that SimGrid repeats. SimGrid is a general engine: it runs an actor
// for the master and each worker and solves for shared rates. The simulator of plans is a recurrence
// over the chunks of one plan and models nothing else, so the live system is measured too: events,
// books and digest.
const (
	simgridPlan = "simulated plan, 50 workers"
	livePlan    = "live plan, 50 workers"
)

// simgrid plays one plan in turn in SimGrid and in both ways here, and reports SimGrid's speed and
// the ratios to it. It fails if SimGrid is not installed, and if the results differ.
func (m *measurer) simgrid() ([]benchRow, error) {
	oracle, remove, err := buildOracle()
	if err != nil {
		return nil, err
	}
	defer remove()
	p, r, err := measure.PlayedPlan()
	if err != nil {
		return nil, err
	}
	var input strings.Builder
	fmt.Fprintln(&input, len(r.Order), r.Rounds)
	for _, i := range r.Order {
		w := p.Workers[i]
		fmt.Fprintln(&input, w.Speed, w.Bandwidth, w.CompLatency, w.CommLatency)
	}
	chunks := 0
	for _, row := range r.Chunks {
		for _, x := range row {
			fmt.Fprintln(&input, x)
			chunks++
		}
	}
	theirs, recurrence, live := make([]sample, m.runs), make([]sample, m.runs), make([]sample, m.runs)
	for i := range m.runs {
		cmd := exec.Command(oracle, "--log=xbt_cfg.threshold:warning")
		cmd.Stdin = strings.NewReader(input.String())
		text, err := output(cmd)
		if err != nil {
			return nil, fmt.Errorf("SimGrid failed: %w", err)
		}
		var makespan, wall float64
		if _, err := fmt.Sscan(text, &makespan, &wall); err != nil || wall <= 0 {
			return nil, fmt.Errorf("SimGrid answers %q", text)
		}
		if math.Abs(makespan/r.Makespan-1) > 1e-3 {
			return nil, fmt.Errorf("SimGrid takes %v s for the plan, we %v s", makespan, r.Makespan)
		}
		theirs[i].Value = float64(chunks) / wall
		for _, ours := range []struct {
			name  string
			ratio *sample
		}{{livePlan, &live[i]}, {simgridPlan, &recurrence[i]}} {
			speed, err := m.here(ours.name)
			if err != nil {
				return nil, err
			}
			ours.ratio.Value = speed.Value / theirs[i].Value
		}
	}
	return []benchRow{
		summed(simgridPlan, "SimGrid", "chunks/s", theirs),
		summed("live plan against SimGrid", nativeHost, "times as fast", live),
		summed("simulated plan against SimGrid", nativeHost, "times as fast", recurrence),
	}, nil
}

// buildOracle builds the S4U program that the tests of the planner compare
// with.
func buildOracle() (program string, remove func(), err error) {
	probe := exec.Command("g++", "-std=c++17", "-fsyntax-only", "-x", "c++", "-")
	probe.Stdin = strings.NewReader("#if !__has_include(<simgrid/s4u.hpp>)\n#error no SimGrid\n#endif\n")
	if probe.Run() != nil {
		return "", nil, errors.New("SimGrid is not installed (g++ and libsimgrid-dev)")
	}
	folder, err := output(exec.Command("go", "list", "-f", "{{.Dir}}", "parley/core/system/rounds/plan"))
	if err != nil {
		return "", nil, fmt.Errorf("its program is built from the checkout's folder: %w", err)
	}
	dir, err := os.MkdirTemp("", "parley-simgrid-")
	if err != nil {
		return "", nil, err
	}
	remove = func() { _ = os.RemoveAll(dir) } // a failure leaves a folder among the temporary files
	program = filepath.Join(dir, "oracle")
	source := filepath.Join(folder, "testdata", "simgrid", "oracle.cpp")
	if _, err := output(exec.Command("g++", "-O1", "-std=c++17", "-o", program, source, "-lsimgrid")); err != nil {
		remove()
		return "", nil, fmt.Errorf("its program cannot be built: %w", err)
	}
	return program, remove, nil
}
