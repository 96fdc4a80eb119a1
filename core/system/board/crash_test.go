package board_test

import (
	"maps"
	"math"
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

// TestMessages: a thread costs six messages, from the poll to the acknowledgement, and one more for
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
		for limit := range 4 {
			if list, rest := r.Graphs(limit); len(list) != min(limit, len(all)) || rest != len(all)-len(list) {
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

// forgets returns a workload in which node 0 does a, forgets the type of b while it computes
// it, and node 1, which has learned that type, does b. a has 30 units of work and b 300.
func forgets(t *testing.T) (w listed) {
	g, err := graph.New([]graph.Vertex{{Name: "a", Type: "0", Work: 30}, {Name: "b", Type: "1", Work: 300}}, []graph.Arc{{From: 0, To: 1}})
	if err != nil {
		t.Fatal(err)
	}
	w.machine(0, 1, 1)
	w.machine(0, 0, 0)
	w.post(t, 0, g, unit.Hour, 330_000_000)
	for n, speeds := range [][]unit.Work{{unit.WorkUnit, 0}, {0, unit.WorkUnit}} {
		one := w.records[n]
		one.At = 100 * unit.Second
		one.Node.Worker = &workload.Worker{Speeds: speeds}
		w.records = append(w.records, one)
	}
	return w
}

// TestBonusByThread: a bonus accrues with a thread that is done to its end. Node 0 did a,
// but gave its thread back: only by the setting "end" it is paid for a.
func TestBonusByThread(t *testing.T) {
	for settings, want := range map[string]map[string]float64{`{}`: {"1": 300}, `{"pay":"thread"}`: {"1": 300}, `{"pay":"end"}`: {"0": 30, "1": 300}} {
		w := forgets(t)
		r := w.play(t, settings, unit.Hour)
		if err := verdict(r); err != nil {
			t.Error(err)
		}
		if got := r.Report().System["bonus"].(map[string]float64); !maps.Equal(got, want) {
			t.Errorf("%s: %v is paid, want %v\n%s", settings, got, want, story(r))
		}
	}
}

// TestVainComputing: what node 0 computed of b before it forgot the type is time used: the
// efficiency counts it beside the 330 s of what was done.
func TestVainComputing(t *testing.T) {
	w := forgets(t)
	r := w.play(t, `{}`, unit.Hour)
	vain, since := 0.0, map[unit.NodeID]unit.Time{}
	events, _ := r.Timeline()
	for _, e := range events {
		switch e.Kind {
		case cluster.ChunkStarted:
			since[e.Node] = e.At
		case cluster.ChunkLost:
			vain += (e.At - since[e.Node]).Seconds()
		}
	}
	if got, want := r.Report().System["kpd_pct"].(float64), 100*(330+vain)/(2*3600); vain < 30 || math.Abs(got-want) > 1e-3 {
		t.Errorf("efficiency %v %%, want %v: %v s are for nothing", got, want, vain)
	}
}

// TestEngagedNow: a member that is still in its community counts for the time that it has
// been there: it computes for just as long.
func TestEngagedNow(t *testing.T) {
	g, err := graph.New([]graph.Vertex{{Name: "a", Type: "0", Work: 3000}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	w := listed{}
	w.machine(0, 1)
	w.post(t, 0, g, 0, 1)
	report := w.play(t, `{}`, unit.Hour/4).Report().System
	if engaged, computing := report["kpd_engaged_pct"].(float64), report["kpd_pct"].(float64); engaged < 90 || math.Abs(engaged-computing) > 1e-9 {
		t.Errorf("%v %% of the time in a community, %v %% computing", engaged, computing)
	}
}

// TestClockFindsMissed: a deadline that passes while no agent looks is noticed at once, and
// by a board that is down when it is back.
func TestClockFindsMissed(t *testing.T) {
	g, err := graph.New([]graph.Vertex{{Name: "a", Type: "0", Work: 10}, {Name: "b", Type: "1", Work: 10}}, []graph.Arc{{From: 0, To: 1}})
	if err != nil {
		t.Fatal(err)
	}
	const second = scenario.Duration(unit.Second)
	down := []scenario.Fault{{At: 500 * second, Kind: "board_down", Target: "board.0"}, {At: 900 * second, Kind: "board_up", Target: "board.0"}}
	for noticed, faults := range map[unit.Time][]scenario.Fault{600: nil, 900: down} {
		w := listed{}
		w.machine(0, 1) // no machine knows the type of b
		w.post(t, 0, g, 600*unit.Second, 1)
		r, err := w.open(`{"thread_rule":"ready","poll_us":3600000000}`, unit.Hour, faults...)
		if err != nil {
			t.Fatal(err)
		}
		for at, want := range []int64{0, 1} {
			if err := r.Advance((noticed + 2*unit.Time(at) - 1) * unit.Second); err != nil {
				t.Fatal(err)
			}
			if got := r.Report().System["graphs_missed"]; got != want {
				t.Errorf("at %v %v graphs are given up, want %d", r.Now(), got, want)
			}
		}
	}
}
