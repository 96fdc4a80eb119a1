//go:build !js

package simgrid_test

import (
	"bufio"
	"bytes"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"parley/core/trace/simgrid"
)

// TestSimGridAgrees compares what we make of a platform with SimGrid itself,
// where it is installed: every host's speed and cores and its bandwidth and
// latency from several masters.
func TestSimGridAgrees(t *testing.T) {
	binary := oracle(t)
	paths := glob(t, "testdata", "good", "*.xml")
	if real := os.Getenv("PARLEY_TRACES"); real != "" || exists("../../../../shared/traces") {
		paths = append(paths, shared(t)...)
	}
	ways := 0
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		p, err := simgrid.Read(path, bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		for _, master := range []int{0, len(p.Hosts) / 2, len(p.Hosts) - 1} {
			ways += compare(t, binary, path, p, p.Hosts[master].Name)
		}
	}
	t.Logf("%d ways on %d platforms are those of SimGrid", ways, len(paths))
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// compare checks all ways from one master and returns how many there are.
func compare(t *testing.T, binary, path string, p *simgrid.Platform, master string) int {
	t.Helper()
	run := exec.Command(binary, path, master, "--log=root.threshold:error")
	var problems bytes.Buffer
	run.Stderr = &problems
	out, err := run.Output()
	if err != nil {
		t.Fatalf("SimGrid on %s: %v\n%s", path, err, problems.String())
	}
	paths, _, _ := p.Paths(master) // an error says that there is no way, and SimGrid must agree
	ours := map[string]simgrid.Path{}
	for _, way := range paths {
		ours[p.Hosts[way.Host].Name] = way
	}
	theirs := 0
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		var name string
		var speed, bandwidth, latency float64
		var cores int
		if _, err := fmt.Sscan(lines.Text(), &name, &speed, &cores, &bandwidth, &latency); err != nil {
			t.Fatalf("SimGrid answers %q: %v", lines.Text(), err)
		}
		if math.IsInf(bandwidth, 1) { // its word for "no route" in a Full zone
			continue
		}
		theirs++
		way, found := ours[name]
		h := p.Hosts[way.Host]
		if !found || !near(h.Speed, speed) || h.Cores != cores || !near(way.Bandwidth, bandwidth) || !near(way.Latency, latency) {
			t.Errorf("%s, %s to %s: we say %v, %v flop/s, %d cores, %v B/s, %v s; SimGrid %v flop/s, %d cores, %v B/s, %v s",
				filepath.Base(path), master, name, found, h.Speed, h.Cores, way.Bandwidth, way.Latency, speed, cores, bandwidth, latency)
		}
	}
	if theirs != len(ours) {
		t.Errorf("%s from %s: %d ways, SimGrid has %d", filepath.Base(path), master, len(ours), theirs)
	}
	return theirs
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*max(math.Abs(a), math.Abs(b)) }

// oracle builds testdata/oracle.cpp, or skips if SimGrid is not installed.
func oracle(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("-short: what SimGrid says is the same on every platform")
	}
	probe := exec.Command("g++", "-std=c++17", "-fsyntax-only", "-x", "c++", "-")
	probe.Stdin = strings.NewReader("#if !__has_include(<simgrid/s4u.hpp>)\n#error no SimGrid\n#endif\n")
	if err := probe.Run(); err != nil {
		t.Skipf("SimGrid is not installed (g++ and libsimgrid-dev), its comparison is left out: %v", err)
	}
	binary := filepath.Join(t.TempDir(), "oracle")
	build := exec.Command("g++", "-O1", "-std=c++17", "-o", binary, filepath.Join("testdata", "oracle.cpp"), "-lsimgrid")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("building the SimGrid oracle: %v\n%s", err, out)
	}
	return binary
}
