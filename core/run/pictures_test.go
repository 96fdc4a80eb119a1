package run_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"parley/core/frame"
	"parley/core/message"
	"parley/core/run"
	"parley/core/scenario"
	"parley/core/system"
	"parley/core/unit"
	"parley/core/workload"
)

// written is a workload by hand.
func written(t *testing.T, document string, records []workload.Record, options ...run.Option) *run.Run {
	t.Helper()
	source := machines(records)
	r, err := run.Open(parse(t, document), &source, options...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func joins(machine uint64, node workload.Node) workload.Record {
	return workload.Record{Kind: workload.NodeJoins, Machine: machine, Node: node}
}

func whole() workload.Node {
	return workload.Node{Capacity: unit.Vec{unit.CPU: unit.Whole, unit.Memory: unit.Whole / 2}, Rack: -1, Site: -1}
}

// TestCard: a card lists tasks of production first, then those that request most CPU,
// of equal ones those that came last; sixty of them, and how many more there are.
func TestCard(t *testing.T) {
	task := func(i int, class workload.PriorityClass, cpu unit.Share) workload.Record {
		var usage workload.UsageModel
		usage.Mean[unit.CPU], usage.Mean[unit.Memory] = workload.Ratio(0.5), workload.Ratio(0.25)
		return workload.Record{Kind: workload.TaskArrives, Key: workload.Key{Job: 1, Index: uint32(i)}, Task: workload.Task{
			Request: unit.Vec{unit.CPU: cpu, unit.Memory: 4000}, Class: class, Lifetime: unit.Hour, Usage: usage,
		}}
	}
	of := func(tasks ...workload.Record) message.Card {
		r := written(t, `{"v":1,"system":"central","settings":{"policy":"first-fit"},"until":"10m"}`, append([]workload.Record{joins(1, whole()), joins(2, whole())}, tasks...))
		advance(t, r, unit.Second)
		return r.Card(0)
	}
	card := of(task(0, workload.Batch, 1000), task(1, workload.Batch, 3000), task(2, workload.Production, 1000), task(3, workload.Batch, 3000), task(4, workload.Production, 2000))
	names := []string{}
	for _, one := range card.Tasks {
		names = append(names, one.Name)
		if one.Production != slices.Contains([]string{"1-2", "1-4"}, one.Name) || one.ID == "" {
			t.Errorf("%+v", one)
		}
	}
	if want := []string{"1-4", "1-2", "1-3", "1-1", "1-0"}; !slices.Equal(names, want) || card.More != 0 {
		t.Errorf("%v and %d more, want %v", names, card.More, want)
	}
	near := func(x, want float64) bool { return math.Abs(x-want) < 1e-4 }
	if !near(card.Requested[unit.CPU], 0.01) || !near(card.Requested[unit.Memory], 0.04) || !near(card.Used[unit.CPU], 0.005) || card.Capacity[unit.CPU] != 1 || card.Capacity[unit.Memory] != 0.5 || !card.Up || card.Node != 0 {
		t.Errorf("%+v", card)
	}
	if used := card.Tasks[0].Used; !near(used[unit.CPU], 0.001) || !near(used[unit.Memory], 0.002) {
		t.Errorf("the first task uses %v of its node", used)
	}
	for tasks, more := range map[int]int{60: 0, 61: 1} {
		var all []workload.Record
		for i := range tasks {
			all = append(all, task(i, workload.Batch, 1000))
		}
		if card := of(all...); len(card.Tasks) != 60 || card.More != more {
			t.Errorf("of %d tasks %d are listed, and %d more", tasks, len(card.Tasks), card.More)
		}
	}
}

// TestLinesOfANode: everybody is told what is no single step; a node what concerns it,
// but for the steps of a group.
func TestLinesOfANode(t *testing.T) {
	r := open(t, `{"v":1,"system":"negotiation","cluster":{"nodes":10},"workload":{"preset":"none"},"until":"10m"}`, run.KeepNotes(100))
	advance(t, r, unit.Second)
	at := r.Notes().Seen()
	for i, note := range []system.Note{
		{Node: 1, Other: 2},
		{Node: 2, Other: 1, Ref: 7},
		{Node: 1, Other: 2, Ref: 7, Minor: true},
		{Node: 1, Other: unit.NoNode, Minor: true},
		{Node: 3, Other: unit.NoNode},
	} {
		note.At = unit.Minute + unit.Time(i)
		r.Notes().Add(note)
	}
	if r.Notes().Seen() != at+5 {
		t.Fatal("the notes are not there")
	}
	for n, want := range map[unit.NodeID][]int{unit.NoNode: {4, 1, 0}, 1: {3, 1, 0}, 2: {1, 0}, 3: {4}, 4: nil} {
		var got []int
		for _, line := range r.Lines(n, 100) {
			if line.At >= unit.Minute {
				got = append(got, int(line.At-unit.Minute))
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("node %d is told the notes %v, want %v", n, got, want)
		}
	}
}

// TestMessagesAreDrawn: a frame shows what was told between two nodes since the frame
// before, the latest first, and of many messages sixty that are spread evenly.
func TestMessagesAreDrawn(t *testing.T) {
	r := open(t, `{"v":1,"system":"central","cluster":{"nodes":200},"workload":{"preset":"none"},"until":"10m"}`, run.KeepNotes(2000))
	drawn := func() (arcs []frame.Arc) {
		t.Helper()
		var f frame.Frame
		if err := frame.Decode(r.Frame(nil), &f); err != nil {
			t.Fatal(err)
		}
		for _, a := range f.Arcs {
			if a.Kind == frame.Asked {
				arcs = append(arcs, a)
			}
		}
		return arcs
	}
	advance(t, r, unit.Minute)
	drawn()
	advance(t, r, 2*unit.Minute)
	told := func(at unit.Time, from, to unit.NodeID) { r.Notes().Add(system.Note{At: at, Node: from, Other: to}) }
	told(unit.Minute, 1, 2) // of the frame before
	told(unit.Minute+1, 3, 4)
	told(unit.Minute+2, 5, unit.NoNode) // to nobody
	told(unit.Minute+2, unit.NoNode, 5)
	told(unit.Minute+2, 6, 6)   // to itself
	told(unit.Minute+2, 7, 200) // to nobody that is drawn
	told(unit.Minute+3, 0, 199)
	told(unit.Minute+4, 199, 0)
	want := []frame.Arc{{From: 199, To: 0, Kind: frame.Asked}, {From: 0, To: 199, Kind: frame.Asked}, {From: 3, To: 4, Kind: frame.Asked}}
	if got := drawn(); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	advance(t, r, 3*unit.Minute)
	for i := range 120 {
		told(2*unit.Minute+1+unit.Time(i), unit.NodeID(i), 199)
	}
	got := drawn()
	for i, a := range got {
		if a.From != unit.NodeID(119-2*i) {
			t.Errorf("message %d is from node %d", i, a.From)
		}
	}
	if len(got) != 60 {
		t.Errorf("%d messages are drawn", len(got))
	}
	advance(t, r, 4*unit.Minute)
	for i := range 650 { // of which the latest 600 are looked at
		told(3*unit.Minute+1+unit.Time(i), unit.NodeID(i/50), 199)
	}
	if got := drawn(); len(got) != 60 || got[0].From != 12 || got[59].From != 1 {
		t.Errorf("%d messages are drawn, from node %d to node %d", len(got), got[0].From, got[len(got)-1].From)
	}
}

// TestTellingAttribute: nodes stand together by the first attribute that has two to 24
// values.
func TestTellingAttribute(t *testing.T) {
	for _, c := range []struct {
		values []int // how many each attribute has
		want   int   // the attribute that tells, or -1
	}{{[]int{1}, -1}, {[]int{2}, 0}, {[]int{24}, 0}, {[]int{25}, -1}, {[]int{1, 25, 3, 2}, 2}, {[]int{25, 24}, 1}} {
		var all []workload.Record
		for n := range 50 {
			node := whole()
			for a, values := range c.values {
				node.Attributes = append(node.Attributes, workload.Attribute{Name: workload.AttributeName(a), Value: int64(n % values)})
			}
			all = append(all, joins(uint64(n), node))
		}
		r := written(t, `{"v":1,"system":"central","until":"10m"}`, all)
		advance(t, r, unit.Second)
		_, groups := r.LayoutIn(900, 400, 48, run.ByAttribute)
		if c.want < 0 {
			if groups != nil {
				t.Errorf("%v values: groups %v", c.values, groups)
			}
			continue
		}
		if len(groups) != c.values[c.want] || !strings.HasPrefix(groups[0], fmt.Sprintf("attribute %d: ", c.want)) {
			t.Errorf("%v values: groups %v", c.values, groups)
		}
	}
}

// TestHealing: a fault that cost tasks their place tells for six seconds, and for the
// span while more than a fiftieth of them wait.
func TestHealing(t *testing.T) {
	const span = unit.Minute
	r := open(t, `{"v":1,"system":"central","cluster":{"nodes":10},"workload":{"preset":"none"},"until":"20m"}`, run.KeepIncidents())
	if r.Healing(span) {
		t.Error("nothing has happened")
	}
	advance(t, r, 10*unit.Minute)
	for _, c := range []struct {
		ago         unit.Time
		lost, again int
		want        bool
	}{
		{6*unit.Second - 1, 100, 100, true},
		{6 * unit.Second, 100, 100, false},
		{0, 0, 0, false},
		{6 * unit.Second, 100, 98, false},
		{6 * unit.Second, 100, 97, true},
		{span - 1, 100, 97, true},
		{span, 100, 97, false},
	} {
		r.Happened(&run.Incident{At: 0, Lost: 50}, &run.Incident{At: r.Now() - c.ago, Lost: c.lost, Again: c.again})
		if got := r.Healing(span); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
	if open(t, `{"v":1,"system":"central","cluster":{"nodes":10},"until":"20m"}`).Healing(span) {
		t.Error("who keeps no incidents knows of none")
	}
}

// TestCatchUp: what has been played is read again in slices, as long as there is time,
// and the run ends as one that nobody copied.
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
	asked := 0
	if err := at.CatchUp(func() bool { asked++; return true }); err != nil || at.Behind() || asked != 2 {
		t.Errorf("with time enough it asked %d times for more, and is behind: %v (%v)", asked, at.Behind(), err)
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
