package rounds_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"parley/core/cluster"
	"parley/core/run"
	"parley/core/system/rounds"
	"parley/core/system/rounds/plan"
	"parley/core/unit"
)

// TestTimeline: the marks are the events of chunks in their order, and the groups
// of a run without failures are the rounds of the plan, each chunk in its own, which begins
// and ends when the plan says so.
func TestTimeline(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64Range(1, 1e9).Draw(t, "seed")
		l := live{load: 20_000, workers: platform(seed, rapid.IntRange(1, 12).Draw(t, "workers"), 0.05, false), settings: rounds.Settings{Algorithm: "umr2", Adapt: "fixed"}}
		l.reality.Seed = seed
		if rapid.Bool().Draw(t, "failing") {
			l.reality.Failures = failures(seed, len(l.workers), 60)
		}
		var events eventLog
		r := l.open(t, 1e5, run.KeepNotes(10), run.Watch(&events))
		makespan(t, r)
		marks, whole := r.Timeline()
		if !whole || len(marks) < 3 {
			t.Fatalf("%d marks, whole: %v", len(marks), whole)
		}
		var chunks []cluster.Event
		sent := map[uint32]map[unit.NodeID]float64{}
		planned, played := map[unit.NodeID][]float64{}, map[unit.NodeID][]float64{} // beginning and end of each chunk in turn
		for _, m := range marks {
			switch at := m.At.Seconds(); m.Kind {
			case cluster.NodeDown, cluster.NodeUp:
				continue
			case cluster.SubtaskAssigned:
				planned[m.Node] = append(planned[m.Node], at+m.Value)
				continue
			case cluster.SubtaskReady:
				of := planned[m.Node]
				planned[m.Node] = append(of, of[len(of)-1]+m.Value)
				continue
			case cluster.ChunkStarted, cluster.ChunkDone:
				played[m.Node] = append(played[m.Node], at)
			}
			chunks = append(chunks, cluster.Event{At: m.At, Kind: m.Kind, Node: m.Node, Amount: int64(unit.WorkOf(m.Value))})
			if m.Kind == cluster.ChunkSent {
				if sent[m.Group] == nil {
					sent[m.Group] = map[unit.NodeID]float64{}
				}
				sent[m.Group][m.Node] += m.Value
			}
		}
		if len(chunks) != len(events) {
			t.Fatalf("%d marks of %d events", len(chunks), len(events))
		}
		for i, e := range events {
			if c := chunks[i]; c != e {
				t.Fatalf("mark %d is %+v, the event %+v", i, c, e)
			}
		}
		if l.reality.Failures != nil {
			return
		}
		want, err := plan.Plan(plan.Platform{Workers: l.workers}, l.load, "umr2", plan.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for n, times := range played {
			if len(times) != len(planned[n]) {
				t.Fatalf("worker %d: %d moments are planned, %d played", n, len(planned[n]), len(times))
			}
			for i, at := range times {
				if was := planned[n][i]; math.Abs(at-was) > 1e-3 {
					t.Fatalf("worker %d, moment %d: planned at %v, played at %v", n, i, was, at)
				}
			}
		}
		if len(sent) != want.Rounds || sent[0] != nil {
			t.Fatalf("%d groups for %d rounds", len(sent), want.Rounds)
		}
		for j, row := range want.Chunks {
			for k, x := range row {
				if got := sent[uint32(j+1)][unit.NodeID(want.Order[k])]; got < x-0.01 || got > x+0.01 {
					t.Fatalf("round %d sends worker %d %v, planned are %v", j+1, want.Order[k], got, x)
				}
			}
		}
	})
	quiet := live{load: 100, workers: []plan.Worker{{Speed: 1, Bandwidth: 10}}, settings: rounds.Default()}.open(t, 1e4)
	makespan(t, quiet)
	if marks, _ := quiet.Timeline(); len(marks) > 0 {
		t.Errorf("%d marks are kept for nobody", len(marks))
	}
}

// eventLog keeps what happened to chunks.
type eventLog []cluster.Event

// Observe implements run.Observer.
func (l *eventLog) Observe(e cluster.Event) {
	if e.Kind >= cluster.LoadArrived {
		*l = append(*l, cluster.Event{At: e.At, Kind: e.Kind, Node: e.Node, Amount: e.Amount})
	}
}
