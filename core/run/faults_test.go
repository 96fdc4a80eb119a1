package run_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"parley/core/cluster"
	"parley/core/run"
	"parley/core/scenario"
	"parley/core/unit"
	"parley/core/workload"
)

// TestInjectedFaults: a fault that is injected is a fault of the scenario from
// then on: the scenario that comes out reproduces the run, even if several
// happen at one moment, at the beginning and between slices.
func TestInjectedFaults(t *testing.T) {
	for _, id := range systems {
		t.Run(id, func(t *testing.T) {
			document := fmt.Sprintf(`{"v":1,"system":%q,"seed":3,"cluster":{"nodes":60},"faults":[{"at":"4m","kind":"node_down","target":"node.9"}],"chaos":{"node_mtbf":"5h"},"until":"12m"}`, id)
			clicked := parse(t, document)
			r, err := run.Open(clicked, nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, one := range []struct {
				at           unit.Time
				kind, target string
				value        float64
			}{
				{0, "node_down", "node.3", 0},
				{2*unit.Minute + 1, "node_down", "node.1", 0},
				{2*unit.Minute + 1, "node_down", "node.2", 0},
				{2*unit.Minute + 1, "rack_up", "rack.0", 0},
				{4 * unit.Minute, "rack_down", "rack.0", 0},
				{6*unit.Minute + 17, "mail_loss", "", 0.4},
				{7 * unit.Minute, "broker_down", "broker.0", 0},
				{9 * unit.Minute, "broker_up", "broker.0", 0},
				{10 * unit.Minute, "rack_up", "rack.0", 0},
			} {
				advance(t, r, one.at)
				if err := r.Inject(scenario.Fault{Kind: one.kind, Target: one.target, Value: one.value}); err != nil {
					t.Fatal(err)
				}
			}
			advance(t, r, unit.Forever)
			if len(clicked.Faults) != 1 {
				t.Errorf("the scenario that the run was opened with has %d faults now", len(clicked.Faults))
			}
			back := parse(t, string(r.Scenario().Encode()))
			if len(back.Faults) != 10 {
				t.Fatalf("the run's scenario has %d faults", len(back.Faults))
			}
			again, err := run.Open(back, nil)
			if err != nil {
				t.Fatal(err)
			}
			advance(t, again, unit.Forever)
			if again.Digest() != r.Digest() {
				t.Errorf("injected faults give %v, the same in the scenario %v", r.Digest(), again.Digest())
			}
			untouched := open(t, document)
			advance(t, untouched, unit.Forever)
			if untouched.Digest() == r.Digest() {
				t.Error("the faults changed nothing")
			}
		})
	}
}

// TestFaultsHappen: nodes and racks go down and up when the scenario says so,
// also at time 0, when the nodes join.
func TestFaultsHappen(t *testing.T) {
	r := open(t, `{"v":1,"system":"central","cluster":{"nodes":30,"physical":{"rack_size":10}},"until":"1h","faults":[
		{"at":"0s","kind":"node_down","target":"node.5"},{"at":"2m","kind":"rack_down","target":"rack.1"},{"at":"2m","kind":"node_up","target":"node.12"},
		{"at":"3m","kind":"node_up","target":"node.5"},{"at":"4m","kind":"rack_up","target":"rack.1"},{"at":"5m","kind":"node_down","target":"node.4711"}]}`)
	for _, step := range []struct {
		until unit.Time
		down  []unit.NodeID
	}{
		{unit.Second, []unit.NodeID{5}},
		{2 * unit.Minute, []unit.NodeID{5, 10, 11, 13, 14, 15, 16, 17, 18, 19}},
		{3 * unit.Minute, []unit.NodeID{10, 11, 13, 14, 15, 16, 17, 18, 19}},
		{4 * unit.Minute, nil},
		{6 * unit.Minute, nil},
	} {
		advance(t, r, step.until)
		var down []unit.NodeID
		for n := range unit.NodeID(r.View().Nodes()) {
			if !r.View().Up(n) {
				down = append(down, n)
			}
		}
		if !slices.Equal(down, step.down) {
			t.Errorf("at %v the nodes %v are down, want %v", r.Now(), down, step.down)
		}
	}
}

// TestRestoreLeavesTheWorkloadAlone: faults restore what faults broke, not what
// the workload took away, whichever of the two came first; what the workload
// brings is there.
func TestRestoreLeavesTheWorkloadAlone(t *testing.T) {
	source := machines{}
	add := func(at unit.Time, kind workload.Kind, machine uint64) {
		source = append(source, workload.Record{At: at, Kind: kind, Machine: machine, Node: workload.Node{Capacity: unit.Vec{unit.CPU: unit.Whole, unit.Memory: unit.Whole}, Rack: 0}})
	}
	for n := range uint64(5) {
		add(0, workload.NodeJoins, n)
	}
	add(1*unit.Minute, workload.NodeLeaves, 1) // and is never heard of again
	add(3*unit.Minute, workload.NodeLeaves, 2) // while it is broken
	add(3*unit.Minute, workload.NodeLeaves, 3)
	add(6*unit.Minute, workload.NodeJoins, 3)
	r, err := run.Open(parse(t, `{"v":1,"system":"central","until":"20m","faults":[{"at":"2m","kind":"rack_down","target":"rack.0"},
		{"at":"5m","kind":"rack_up","target":"rack.0"},{"at":"5m","kind":"node_up","target":"node.1"},{"at":"8m","kind":"node_down","target":"node.3"},{"at":"9m","kind":"node_up","target":"node.3"}]}`), &source)
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		until unit.Time
		up    string
	}{{2*unit.Minute - 1, "10111"}, {4 * unit.Minute, "00000"}, {5*unit.Minute + 1, "10001"}, {7 * unit.Minute, "10011"}, {8*unit.Minute + 1, "10001"}, {10 * unit.Minute, "10011"}} {
		advance(t, r, step.until)
		up := ""
		for n := range unit.NodeID(r.View().Nodes()) {
			up += map[bool]string{true: "1", false: "0"}[r.View().Up(n)]
		}
		if up != step.up {
			t.Errorf("at %v up are %s, want %s", step.until, up, step.up)
		}
	}
}

// outages counts nodes that go down and come up.
type outages struct{ down, up int }

func (o *outages) Observe(e cluster.Event) {
	switch e.Kind {
	case cluster.NodeDown:
		o.down++
	case cluster.NodeUp:
		o.up++
	}
}

// TestChaos: 200 nodes that fail every 100 h fail twice an hour, within four
// standard deviations of a Poisson count, and are down for their time to
// repair.
func TestChaos(t *testing.T) {
	var o outages
	r := open(t, `{"v":1,"system":"central","cluster":{"nodes":200},"workload":{"preset":"none"},"chaos":{"node_mtbf":"100h","mttr":"30m"},"until":"20d"}`, run.Watch(&o))
	down, samples := 0, 0
	for at := unit.Time(0); !r.Done(); at += 10 * unit.Minute {
		advance(t, r, at)
		samples++
		down += r.View().Nodes() - r.View().Totals().NodesUp
	}
	if o.down < 960-4*31 || o.down > 960+4*31 {
		t.Errorf("200 nodes that fail every 100 h failed %d times in 20 days, want about 960", o.down)
	}
	if o.up-200 > o.down || o.up-200 < o.down-10 {
		t.Errorf("of %d nodes that went down %d came back", o.down, o.up-200)
	}
	if mean := float64(down) / float64(samples); mean < 0.85 || mean > 1.15 {
		t.Errorf("%.2f nodes are down on average, want 2 an hour × half an hour", mean)
	}
}

// TestMostFaults: a scenario is full of faults when it has as many as may be.
func TestMostFaults(t *testing.T) {
	one := `{"at":"1h","kind":"node_down","target":"node.1"}`
	faults := strings.Repeat(one+",", scenario.MaxFaults-2) + one // one more has room
	r := open(t, `{"v":1,"system":"central","cluster":{"nodes":10},"workload":{"preset":"none"},"until":"1h","faults":[`+faults+`]}`)
	act := scenario.Fault{Kind: "node_down", Target: "node.0"}
	if err := r.Inject(act); err != nil {
		t.Errorf("the last fault: %v", err)
	}
	if err := r.Inject(act); err == nil || !strings.Contains(err.Error(), "at most 10000 faults") || len(r.Scenario().Faults) != scenario.MaxFaults {
		t.Errorf("one more: %v", err)
	}
}
