package inspect_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"parley/core/frame"
	"parley/core/run"
	"parley/core/run/inspect"
	"parley/core/system"
	"parley/core/unit"
	"parley/core/workload"
)

// TestLinesOfANode: a picture of all has several steps; a picture of a node those that concern it,
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
			if a.Kind == frame.Messaged {
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
	told(unit.Minute+2, 5, unit.NoNode) // has no receiver
	told(unit.Minute+2, unit.NoNode, 5)
	told(unit.Minute+2, 6, 6)   // to itself
	told(unit.Minute+2, 7, 200) // has a receiver that is not drawn
	told(unit.Minute+3, 0, 199)
	told(unit.Minute+4, 199, 0)
	want := []frame.Arc{{From: 199, To: 0, Kind: frame.Messaged}, {From: 0, To: 199, Kind: frame.Messaged}, {From: 3, To: 4, Kind: frame.Messaged}}
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
	for i := range 650 { // the latest 600 are looked at
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
		_, groups := r.LayoutIn(900, 400, 48, inspect.ByAttribute)
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
		r.Happened(&inspect.Incident{At: 0, Lost: 50}, &inspect.Incident{At: r.Now() - c.ago, Lost: c.lost, Again: c.again})
		if got := r.Healing(span); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
	if open(t, `{"v":1,"system":"central","cluster":{"nodes":10},"until":"20m"}`).Healing(span) {
		t.Error("who keeps no incidents knows of none")
	}
}
