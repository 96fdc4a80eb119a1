package run_test

import (
	"fmt"
	"slices"
	"testing"

	"parley/core/run"
	"parley/core/scenario"
	"parley/core/system"
	"parley/core/unit"
	"parley/core/workload"
)

func joins(machine uint64, node workload.Node) workload.Record {
	return workload.Record{Kind: workload.NodeJoins, Machine: machine, Node: node}
}

func whole() workload.Node {
	return workload.Node{Capacity: unit.Vec{unit.CPU: unit.Whole, unit.Memory: unit.Whole / 2}, Rack: -1, Site: -1}
}

// TestCatchUp: what has been played is read again in slices, as long as there is time,
// and the run ends as one without a copy.
func TestCatchUp(t *testing.T) {
	const document = `{"v":1,"system":"central","until":"2h"}`
	records := []workload.Record{joins(1, whole()), joins(2, whole())}
	for i := range 5000 {
		kind := []workload.Kind{workload.NodeLeaves, workload.NodeJoins}[i%2]
		records = append(records, workload.Record{At: unit.Time(i+1) * unit.Second, Kind: kind, Machine: 2, Node: whole()})
	}
	fresh := func() workload.Source { m := machines(slices.Clone(records)); return &m }
	r, err := run.Open(parse(t, document), fresh())
	if err != nil {
		t.Fatal(err)
	}
	advance(t, r, 3000*unit.Second)
	s, err := run.NewSnapshots(r).Take()
	if err != nil {
		t.Fatal(err)
	}
	again, _, err := s.Restore(fresh(), nil)
	if err != nil {
		t.Fatal(err)
	}
	slices := 0
	for ; again.Behind() && slices < 10; slices++ {
		if err := again.CatchUp(func() bool { return false }); err != nil {
			t.Fatal(err)
		}
	}
	if slices != 3 { // of 3,003 records, 1,024 at once
		t.Errorf("it is read again in %d slices", slices)
	}
	at, _, err := s.Restore(fresh(), nil)
	if err != nil {
		t.Fatal(err)
	}
	requested := 0
	if err := at.CatchUp(func() bool { requested++; return true }); err != nil || at.Behind() || requested != 2 {
		t.Errorf("with time enough it asked %d times for more, and is behind: %v (%v)", requested, at.Behind(), err)
	}
	whole, _, err := s.Restore(fresh(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := whole.CatchUp(nil); err != nil || whole.Behind() {
		t.Errorf("nobody stops it, and it is behind (%v)", err)
	}
	direct, _, err := s.Restore(fresh(), nil) // played on without being asked to read
	if err != nil {
		t.Fatal(err)
	}
	for _, own := range []*run.Run{r, again, at, whole, direct} {
		advance(t, own, unit.Forever)
		if own.Digest() != r.Digest() || !own.Done() {
			t.Errorf("at %v: %v, want %v", own.Now(), own.Digest(), r.Digest())
		}
	}
}

// TestLeads: a run comes by a snapshot if it has the faults of before and what it has more
// comes later.
func TestLeads(t *testing.T) {
	fault := func(at unit.Time, node int) scenario.Fault {
		return scenario.Fault{At: scenario.Duration(at), Kind: "node_down", Target: fmt.Sprint("node.", node)}
	}
	s := parse(t, `{"v":1,"system":"central","cluster":{"nodes":10},"workload":{"preset":"none"},"until":"20m"}`)
	first, second := fault(unit.Minute, 1), fault(2*unit.Minute, 2)
	s.Faults = []scenario.Fault{first, second}
	r, err := run.Open(s, nil)
	if err != nil {
		t.Fatal(err)
	}
	const at = 5 * unit.Minute
	advance(t, r, at)
	taken, err := run.NewSnapshots(r).Take()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		faults []scenario.Fault
		want   bool
	}{
		{[]scenario.Fault{first, second}, true},
		{[]scenario.Fault{first}, false},
		{[]scenario.Fault{second, first}, false},
		{[]scenario.Fault{first, fault(2*unit.Minute, 3)}, false},
		{[]scenario.Fault{first, second, fault(at, 3)}, true},
		{[]scenario.Fault{first, second, fault(at-1, 3)}, false},
		{[]scenario.Fault{first, second, fault(at+1, 3), fault(at-1, 4)}, false},
		{nil, false},
	} {
		if got := taken.Leads(c.faults); got != c.want {
			t.Errorf("with %v: %v", c.faults, got)
		}
	}
	if taken.At() != at || !taken.LeadsTo(taken) {
		t.Errorf("the snapshot is of %v", taken.At())
	}
}

// TestFaultsOfNodesThatAreNot: a system may have faults of the agents of nodes; one of a
// node that is not there did nothing.
func TestFaultsOfNodesThatAreNot(t *testing.T) {
	registry := run.Systems()
	i := slices.IndexFunc(registry, func(e system.Entry) bool { return e.ID == "negotiation" })
	agent := registry[i].Agents[0]
	agent.Faults = append(slices.Clone(agent.Faults), system.FaultKind{ID: "agent_asleep", Name: "Asleep", Target: "node"})
	registry[i].Agents = append([]system.Role{agent}, registry[i].Agents[1:]...)
	r, err := registry.Open(parse(t, `{"v":1,"system":"negotiation","cluster":{"nodes":20},"workload":{"preset":"none"},"until":"10m","faults":[
		{"at":"1m","kind":"agent_asleep","target":"node.19"},{"at":"1m","kind":"agent_asleep","target":"node.20"}]}`), nil)
	if err != nil {
		t.Fatal(err)
	}
	advance(t, r, unit.Forever)
	want := []string{"the fault agent_asleep of node.20 at 1m0s did nothing: there is no such node, the last is node.19"}
	if got := r.Report().Warnings; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
