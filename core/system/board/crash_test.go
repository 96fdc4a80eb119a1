package board_test

import (
	"testing"

	"parley/core/cluster"
	"parley/core/graph"
	"parley/core/scenario"
	"parley/core/unit"
	"parley/core/workload"
)

// TestBoardCrash: while its only board is down no agent is given anything; when it is back
// the graph is taken, as if the board had never gone, and a node that went down meanwhile
// is given up then.
func TestBoardCrash(t *testing.T) {
	const second = scenario.Duration(unit.Second)
	for _, c := range []struct {
		faults []scenario.Fault
		done   func(at float64) bool
	}{
		{nil, func(at float64) bool { return at < 100 }},
		{[]scenario.Fault{{At: 0, Kind: "board_down", Target: "board.0"}, {At: 900 * second, Kind: "board_up", Target: "board.0"}}, func(at float64) bool { return at > 900 && at < 1100 }},
		{[]scenario.Fault{{At: 0, Kind: "board_down", Target: "board.0"}}, nil},
	} {
		w := listed{}
		w.machine(0, 1)
		w.machine(0, 1)
		w.post(t, 0, fork(), 2*unit.Hour, 7_000_000)
		r := w.play(t, `{"thread_rule":"ready"}`, unit.Hour, c.faults...)
		if err := verdict(r); err != nil {
			t.Error(err)
		}
		report := r.Report().System
		tasks := report["tasks"].([]map[string]any)
		if c.done == nil {
			if len(tasks) != 0 || report["threads"] != int64(0) {
				t.Errorf("with its board down for ever: %v", report)
			}
			continue
		}
		if len(tasks) != 1 || !c.done(tasks[0]["finished_s"].(float64)) || tasks[0]["met"] != true || report["bonus_paid"] != 7.0 {
			t.Errorf("%v: %v", c.faults, report)
		}
	}
	// The second node takes a thread and goes down while the board is down: the lease is
	// over before the board is back, which then gives the node up at once.
	w := listed{}
	w.machine(0, 1)
	w.machine(0, 1)
	w.post(t, 0, fork(), 2*unit.Hour, 7_000_000)
	r := w.play(t, `{"thread_rule":"ready","lease_us":10000000}`, unit.Hour,
		scenario.Fault{At: 35 * second, Kind: "board_down", Target: "board.0"}, scenario.Fault{At: 40 * second, Kind: "node_down", Target: "node.0"},
		scenario.Fault{At: 40 * second, Kind: "node_down", Target: "node.1"}, scenario.Fault{At: 600 * second, Kind: "node_up", Target: "node.0"}, scenario.Fault{At: 700 * second, Kind: "board_up", Target: "board.0"})
	if err := verdict(r); err != nil {
		t.Error(err)
	}
	report := r.Report().System
	if tasks := report["tasks"].([]map[string]any); len(tasks) != 1 || tasks[0]["finished_s"].(float64) < 700 || report["releases"].(int64) < 1 || report["graphs_met"] != int64(1) {
		t.Errorf("%v\n%s", report, story(r))
	}
}

// TestMessages: a thread costs six messages, from the poll to the thanks, and one more for
// each subtask that others than the next one wait for; a look in vain costs two. An agent
// whose inputs are there has nothing to say about them.
func TestMessages(t *testing.T) {
	chain, err := graph.New(
		[]graph.Vertex{{Name: "a", Type: "0", Work: 100}, {Name: "b", Type: "0", Work: 100}, {Name: "c", Type: "0", Work: 100}},
		[]graph.Arc{{From: 0, To: 1}, {From: 1, To: 2}},
	)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		g    *graph.Graph
		rule string
		want int64
	}{
		{chain, "ready", 6 + 2},
		{chain, "safe", 6 + 2},
		{fork(), "ready", 7 + 6 + 6 + 2},
	} {
		w := listed{}
		w.machine(0, 1)
		w.post(t, 0, c.g, unit.Hour, 1)
		r, err := w.open(`{"thread_rule":"`+c.rule+`"}`, unit.Hour)
		if err != nil {
			t.Fatal(err)
		}
		for r.View().GraphTotals().Done == 0 && err == nil {
			err = r.Advance(r.Now() + unit.Second)
		}
		if err == nil {
			err = r.Advance(r.Now() + unit.Second)
		}
		if got := r.Report().System["messages"]; err != nil || got != c.want {
			t.Errorf("rule %s: %v messages, want %d (%v)", c.rule, got, c.want, err)
		}
	}
}

// TestList: of the graphs in work as many are listed as are asked for, with how many more
// there are, and those that have stalled are told as such.
func TestList(t *testing.T) {
	w := listed{}
	w.machine(0, 1)
	w.machine(0, 1)
	for range 3 {
		w.post(t, 0, fork(), 0, 1)
	}
	r, err := w.open(`{"patience_us":100000000}`, unit.Hour)
	if err != nil {
		t.Fatal(err)
	}
	stalled := 0
	for r.Now() < unit.Hour/4 {
		if err := r.Advance(r.Now() + 5*unit.Second); err != nil {
			t.Fatal(err)
		}
		all, _ := r.Graphs(10)
		for most := range 4 {
			if list, rest := r.Graphs(most); len(list) != min(most, len(all)) || rest != len(all)-len(list) {
				t.Fatalf("of %d graphs %d are listed and %d more", len(all), len(list), rest)
			}
		}
		now := 0
		for _, g := range all {
			if g.Deadline != -1 {
				t.Fatalf("a graph without a deadline: %+v", g)
			}
			if g.State == "stalled" {
				now++
			} else if g.State != "working" {
				t.Fatalf("a graph in work: %+v", g)
			}
		}
		stalled = max(stalled, now)
	}
	if n := r.Report().System["stalled"].(int64); n == 0 || int64(stalled) > n || stalled == 0 {
		t.Errorf("%d graphs were told as stalled, %d are reported", stalled, n)
	}
}

// TestSilence: an agent that has waited for its inputs and computes then says nothing more
// until it is done: between the two nobody sends a message, as whoever else is free rests.
func TestSilence(t *testing.T) {
	g, err := graph.New(
		[]graph.Vertex{{Name: "a", Type: "1", Work: 5}, {Name: "b", Type: "0", Work: 30}, {Name: "c", Type: "1", Work: 200}},
		[]graph.Arc{{From: 0, To: 2}, {From: 1, To: 2}},
	)
	if err != nil {
		t.Fatal(err)
	}
	w := listed{}
	w.machine(0, 1, 0)
	w.machine(0, 0, 1)
	w.post(t, 0, g, 2*unit.Hour, 1)
	r, err := w.open(`{"poll_us":60000000,"patience_us":100000000}`, 2*unit.Hour)
	if err != nil {
		t.Fatal(err)
	}
	messages, silent, rests := int64(-1), 0, unit.Time(0)
	for r.View().GraphTotals().Done == 0 && r.Now() < unit.Hour {
		if err := r.Advance(r.Now() + unit.Second); err != nil {
			t.Fatal(err)
		}
		computes := false
		for id := range r.View().Graphs {
			s, ok := r.View().Subtask(id, 2)
			computes = ok && s.State == cluster.SubtaskComputing
		}
		if !computes {
			continue
		}
		now := r.Report().System["messages"].(int64)
		switch {
		case messages >= 0 && now == messages:
			silent++
		case messages >= 0 && now != messages+2: // the other one looks in vain, once a minute
			t.Fatalf("%v: %d messages while %d are usual", r.Now(), now-messages, 2)
		case messages >= 0 && r.Now()-rests < 55*unit.Second && rests > 0:
			t.Fatalf("somebody speaks %v after another word", r.Now()-rests)
		case messages >= 0:
			rests = r.Now()
		}
		messages = now
	}
	if silent < 150 {
		t.Errorf("%d seconds of silence", silent)
	}
}

// TestForgottenTypes: a resource that cannot do a type any more gives back what it computes,
// and another one that can takes it.
func TestForgottenTypes(t *testing.T) {
	g, err := graph.New([]graph.Vertex{{Name: "a", Type: "0", Work: 300}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	w := listed{}
	w.machine(0, 1)
	w.machine(0, 0)
	w.post(t, 0, g, 0, 1)
	for n, speed := range []unit.Work{0, unit.WorkUnit} {
		one := w.records[n]
		one.At = 100 * unit.Second // it joins anew, as another resource
		one.Node.Worker = &workload.Worker{Speeds: []unit.Work{speed}}
		w.records = append(w.records, one)
	}
	r := w.play(t, `{"lease_us":3600000000}`, unit.Hour)
	if err := verdict(r); err != nil {
		t.Error(err)
	}
	report := r.Report().System
	if tasks := report["tasks"].([]map[string]any); len(tasks) != 1 || !(tasks[0]["finished_s"].(float64) < 500) || report["releases"] != int64(1) {
		t.Errorf("%v\n%s", report, story(r))
	}
}
