package board_test

import (
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"parley/core/graph"
	"parley/core/rng"
	"parley/core/scenario"
	"parley/core/testkit/systemtest"
	"parley/core/unit"
)

// tale is a random workload with faults.
type tale struct {
	settings string
	lossy    bool
	listed   listed
	faults   []scenario.Fault
	graphs   int
}

// tales draws one: a few machines of which none may know every type, graphs of every
// shape with deadlines that are too tight or loose, nodes and boards that fail.
func tales(t *rapid.T, tb testing.TB) *tale {
	w := &tale{}
	boards := rapid.IntRange(1, 3).Draw(t, "boards")
	rule := rapid.SampledFrom([]string{"safe", "literal", "ready"}).Draw(t, "rule")
	exclude := rapid.SampledFrom([]string{"thread", "vertices"}).Draw(t, "exclude")
	w.lossy = rapid.IntRange(0, 2).Draw(t, "lossy") == 0
	loss := 0.0
	if w.lossy {
		loss = 0.1
	}
	w.settings = fmt.Sprintf(`{"boards":%d,"thread_rule":%q,"exclude":%q,"channels":%v,"mail":{"loss":%v,"jitter_us":%d}}`, boards, rule, exclude, rapid.Bool().Draw(t, "channels"), loss,
		rapid.SampledFrom([]int{1500, 3_000_000}).Draw(t, "jitter"))
	machines := rapid.IntRange(2, 12).Draw(t, "machines")
	for m := range machines {
		speeds := []float64{0, 0, 0}
		for k := range speeds {
			if k == m%3 || rapid.Bool().Draw(t, "knows") {
				speeds[k] = rapid.SampledFrom([]float64{0.5, 1, 2}).Draw(t, "speed")
			}
		}
		w.listed.machine(rapid.SampledFrom([]unit.Bytes{0, 1e5, 1e6}).Draw(t, "channel"), speeds...)
	}
	random := rng.New(rapid.Uint64().Draw(t, "graphs"), "tale")
	w.graphs = rapid.IntRange(1, 6).Draw(t, "graphs")
	at := unit.Time(0)
	for range w.graphs {
		r := graph.Recipe{
			Shape: graph.Shape(rapid.SampledFrom(graph.Shapes()).Draw(t, "shape")), Vertices: rapid.IntRange(1, 25).Draw(t, "vertices"), Width: 4, Needs: 3,
			Types: []string{"0", "1", "2"}, Work: [2]float64{0, 60}, Bytes: [2]float64{0, 1e6},
		}
		at += unit.Time(rapid.IntRange(0, 600).Draw(t, "pause")) * unit.Second
		deadline := unit.Time(rapid.SampledFrom([]int{60, 600, 3600, 7200}).Draw(t, "deadline")) * unit.Second
		w.listed.post(tb, at, r.Generate(random), deadline, unit.Money(rapid.IntRange(0, 1000).Draw(t, "bonus")))
	}
	for range rapid.IntRange(0, 8).Draw(t, "faults") {
		down := scenario.Duration(rapid.IntRange(0, 5000).Draw(t, "at")) * scenario.Duration(unit.Second)
		subject := "node"
		number := rapid.IntRange(0, machines-1).Draw(t, "which")
		if rapid.IntRange(0, 3).Draw(t, "what") == 0 {
			subject, number = "board", number%boards
		}
		target := fmt.Sprintf("%s.%d", subject, number)
		long := scenario.Duration(rapid.IntRange(1, 900).Draw(t, "long")) * scenario.Duration(unit.Second)
		w.faults = append(w.faults, scenario.Fault{At: down, Kind: subject + "_down", Target: target}, scenario.Fault{At: down + long, Kind: subject + "_up", Target: target})
	}
	return w
}

// TestFailuresOfMakers: a result may be lost with one node and its subtask be open again
// before the board gives up another one that went down meanwhile.
func TestFailuresOfMakers(t *testing.T) {
	w := tale{}
	for range 12 {
		w.listed.machine(1e6, 1)
	}
	random := rng.New(1, "makers")
	recipe := graph.Recipe{Shape: graph.Layers, Vertices: 60, Width: 6, Needs: 3, Types: []string{"0"}, Work: [2]float64{30, 90}, Bytes: [2]float64{1e6, 1e7}}
	for i := range 8 {
		w.listed.post(t, unit.Time(i)*5*unit.Minute, recipe.Generate(random), 3*unit.Hour, 1)
	}
	for i := range 200 {
		down := scenario.Duration(i) * scenario.Duration(30*unit.Second)
		target := fmt.Sprintf("node.%d", random.Intn(12))
		w.faults = append(w.faults, scenario.Fault{At: down, Kind: "node_down", Target: target}, scenario.Fault{At: down + scenario.Duration(50*unit.Second), Kind: "node_up", Target: target})
	}
	if err := verdict(w.listed.play(t, `{"thread_rule":"ready"}`, 4*unit.Hour, w.faults...)); err != nil {
		t.Fatal(err)
	}
}

// TestTales: whatever fails, the schedule passes the checker, the books agree after
// every hour and at the end, graphs with a deadline come to an end, and bonuses sum to
// the offers of those that met it, or to less if they are paid by thread. The system's own
// efficiency and guarantee are those that an observer of the events computes.
func TestTales(t *testing.T) {
	systemtest.Cases(t, 160)
	rapid.Check(t, func(rt *rapid.T) {
		w := tales(rt, t)
		pay := rapid.SampledFrom([]string{"thread", "end"}).Draw(rt, "pay")
		w.settings = fmt.Sprintf(`{"pay":%q,`, pay) + w.settings[1:]
		const until = 8 * unit.Hour
		r, err := w.listed.open(w.settings, until, w.faults...)
		if err != nil {
			rt.Fatal(err)
		}
		for r.Now() < until && err == nil {
			if err = r.Advance(r.Now() + 7*unit.Minute); err == nil {
				err = r.Audit()
			}
			report := r.Report()
			busy, met := report.System["kpd_pct"].(float64), report.System["kgv_pct"].(float64)
			if g := report.Graphs; err == nil && g != nil && (math.Abs(busy-g.BusyPct) > 1e-6 || math.Abs(met-g.MetPct) > 1e-6) {
				err = fmt.Errorf("efficiency %v and guarantee %v, an observer sees %v and %v", busy, met, g.BusyPct, g.MetPct)
			}
		}
		if err == nil {
			err = verdict(r)
		}
		if err != nil {
			rt.Fatalf("%v\n%s\n%s", err, w.settings, story(r))
		}
		report := r.Report().System
		ended := report["graphs_met"].(int64) + report["graphs_late"].(int64) + report["graphs_missed"].(int64)
		if timed := r.View().GraphTotals().Timed; ended < timed {
			rt.Fatalf("of %d graphs with a deadline only %d came to an end\n%s\n%s", timed, ended, w.settings, story(r))
		}
		if paid, offered := report["bonus_paid"].(float64), report["bonus_offered"].(float64); paid > offered || pay == "end" && paid != offered {
			rt.Fatalf("paid %v of %v\n%s\n%v\n%s", paid, offered, w.settings, w.faults, story(r))
		}
	})
}
