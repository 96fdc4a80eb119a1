package grid_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/core/system/rounds/grid"
	"parley/core/system/rounds/plan"
	"parley/core/trace/simgrid"
)

const small = `<platform version="4.1">
  <zone id="z" routing="Full">
    <host id="master" speed="1Gf"/>
    <host id="a" speed="98.095Mf" core="2"/>
    <host id="b" speed="50Mf"/>
    <host id="alone" speed="50Mf"/>
    <link id="l" bandwidth="41.25MBps" latency="50us"/>
    <link id="m" bandwidth="10MBps" latency="1ms"/>
    <route src="master" dst="a"><link_ctn id="l"/></route>
    <route src="master" dst="b"><link_ctn id="l"/><link_ctn id="m"/></route>
  </zone>
</platform>`

func TestPlatform(t *testing.T) {
	file, err := simgrid.Read("small.xml", strings.NewReader(small))
	if err != nil {
		t.Fatal(err)
	}
	p, names, err := grid.Platform(file, "master", grid.Unit{Flops: 1e6, Bytes: 1e3})
	if err != nil {
		t.Fatal(err)
	}
	// Two cores of 98.095 Mflop/s are 196.19 units of 1 Mflop a second, and so on.
	got := fmt.Sprintf("%.6g %v", p.Workers, names)
	if want := "[{196.19 41250 0 5e-05} {50 10000 0 0.00105}] [a b]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	for _, bad := range []struct {
		master string
		unit   grid.Unit
	}{{"nobody", grid.Unit{Flops: 1, Bytes: 1}}, {"alone", grid.Unit{Flops: 1, Bytes: 1}}, {"master", grid.Unit{Flops: 0, Bytes: 1}}, {"master", grid.Unit{Flops: 1, Bytes: -1}}} {
		if p, _, err := grid.Platform(file, bad.master, bad.unit); err == nil {
			t.Errorf("%v gives %v", bad, p)
		}
	}
}

func TestRouteWithoutLink(t *testing.T) {
	file, err := simgrid.Read("f.xml", strings.NewReader(strings.Replace(small, `<link_ctn id="l"/><link_ctn id="m"/>`, "", 1)))
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := grid.Platform(file, "master", grid.Unit{Flops: 1, Bytes: 1}); err == nil || !strings.Contains(err.Error(), "no link") {
		t.Error(err)
	}
}

// TestRealPlatforms plans for every platform of SimGrid's distribution.
func TestRealPlatforms(t *testing.T) {
	root := os.Getenv("PARLEY_TRACES")
	if root == "" {
		root = "../../../../../shared/traces"
	}
	paths, _ := filepath.Glob(filepath.Join(root, "simgrid", "*.xml"))
	if len(paths) == 0 {
		t.Skipf("no SimGrid platforms at %s, see PARLEY_TRACES", root)
	}
	for _, path := range paths {
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		file, err := simgrid.Read(path, f)
		f.Close()
		if err != nil {
			t.Fatal(err)
		}
		p, _, err := grid.Platform(file, file.Hosts[0].Name, grid.Unit{Flops: 1e9, Bytes: 1e5})
		if err != nil {
			t.Fatal(err)
		}
		for _, algorithm := range plan.Algorithms() {
			r, err := plan.Plan(p, 1e5, algorithm, plan.Options{})
			if err != nil {
				t.Errorf("%s, %s: %v", filepath.Base(path), algorithm, err)
				continue
			}
			t.Logf("%s, %s: %d of %d workers, %d rounds, %.6g s (predicted %.6g s)",
				filepath.Base(path), algorithm, len(r.Order), len(p.Workers), r.Rounds, r.Makespan, r.Predicted)
		}
	}
}
