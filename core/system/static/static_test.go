package static_test

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"parley/core/cluster"
	"parley/core/run"
	"parley/core/scenario"
	"parley/core/system/static"
	_ "parley/core/testkit/scripttest/seed"
	"parley/core/testkit/systemtest"
	"parley/core/unit"
)

func TestDescription(t *testing.T) { systemtest.Describes(t, static.Entry(), static.Default()) }

// TestConformance: stories of graphs, after each kind of recovery.
func TestConformance(t *testing.T) {
	for _, settings := range []string{`{}`, `{"algorithm":"min-min","recover":"wait"}`, `{"algorithm":"cpop"}`} {
		t.Run(settings, func(t *testing.T) { systemtest.Graphs(t, static.Entry(), json.RawMessage(settings), 100) })
	}
}

// play runs a scenario of this system to its end.
func play(t testing.TB, workload, settings, transfers string, faults ...scenario.Fault) *run.Run {
	t.Helper()
	s, err := scenario.Parse(fmt.Appendf(nil, `{"v":1,"system":"static","cluster":{"physical":{"transfers":%q}},"workload":{"graphs":%s},"settings":%s,"until":"10h"}`, transfers, workload, settings))
	if err != nil {
		t.Fatal(err)
	}
	s.Faults = faults
	r, err := run.Open(s, nil)
	if err == nil {
		err = r.Advance(unit.Time(s.Until))
	}
	if err == nil {
		err = r.Audit()
	}
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// costs writes the two ten-task examples of the field as a workload: a type for each
// task, machines with a speed for each type. Costs are by task and processor, arcs
// "from-to cost"; a unit of cost is a second.
func costs(table, arcs string) string {
	var rows [][]string
	for line := range strings.Lines(table) {
		rows = append(rows, strings.Fields(line))
	}
	var machines, tasks, edges []string
	for q := range rows[0] {
		var speeds []string
		for v, row := range rows {
			speeds = append(speeds, fmt.Sprintf(`"%d":%v`, v+1, 1e6/number(row[q])))
		}
		machines = append(machines, fmt.Sprintf(`{"speeds":{%s},"bandwidth":1000}`, strings.Join(speeds, ",")))
	}
	for v := range rows {
		tasks = append(tasks, fmt.Sprintf(`{"name":"%d","type":"%d","work":1e6}`, v+1, v+1))
	}
	words := strings.Fields(arcs)
	for i := 0; i < len(words); i += 2 {
		from, to, _ := strings.Cut(words[i], "-")
		edges = append(edges, fmt.Sprintf(`{"from":%q,"to":%q,"bytes":%v}`, from, to, 1000*number(words[i+1])))
	}
	return fmt.Sprintf(`{"machines":[%s],"list":[{"tasks":[%s],"arcs":[%s]}]}`, strings.Join(machines, ","), strings.Join(tasks, ","), strings.Join(edges, ","))
}

func number(text string) (x float64) {
	_, _ = fmt.Sscan(text, &x)
	return x
}

// The example of Topcuoglu et al. 2002 (figure 3) and of Arabnejad and Barbosa 2014
// (figure 1), without contention as there: played in the world, a plan takes what it
// says.
func TestPublishedExamples(t *testing.T) {
	heft := costs("14 16 9\n13 19 18\n11 13 19\n13 8 17\n12 13 10\n13 16 9\n7 15 11\n5 11 14\n18 12 20\n21 7 16",
		"1-2 18 1-3 12 1-4 9 1-5 11 1-6 14 2-8 19 2-9 16 3-7 23 4-8 27 4-9 23 5-9 13 6-8 15 7-10 17 8-10 11 9-10 13")
	peft := costs("22 21 36\n22 18 18\n32 27 43\n7 10 4\n29 27 35\n26 17 24\n14 25 30\n29 23 36\n15 21 8\n13 16 33",
		"1-2 17 1-3 31 1-4 29 1-5 13 1-6 7 2-8 3 2-9 30 3-7 16 4-8 11 4-9 7 5-9 57 6-8 5 7-10 9 8-10 42 9-10 7")
	for _, c := range []struct {
		name, workload, algorithm string
		want                      float64
	}{
		{"2002", heft, "heft", 80},
		{"2002", heft, "cpop", 86},
		{"2014", peft, "heft", 133},
		{"2014", peft, "peft", 122},
	} {
		r := play(t, c.workload, fmt.Sprintf(`{"algorithm":%q}`, c.algorithm), cluster.ContentionFree)
		if got := r.Report().Graphs.MakespanS; math.Abs(got-c.want) > 1e-4 {
			t.Errorf("%s, %s: %v s, want %v", c.name, c.algorithm, got, c.want)
		}
	}
}

// drawn is a workload of random graphs on random machines.
var drawn = rapid.Custom(func(t *rapid.T) string {
	return fmt.Sprintf(`{"machines":[{"count":%d,"types":4,"types_each":[2,4],"speed":[1,5],"bandwidth":[1e5,1e7],"latency_s":0.1}],"generate":{"count":%d,"every_s":%d,"shape":"mixed","vertices":[1,40],"width":6,"work":[1,50],"bytes":[0,1e6],"output":[0,1e6]},"deadline_factor":3}`,
		rapid.IntRange(2, 8).Draw(t, "machines"), rapid.IntRange(1, 6).Draw(t, "graphs"), rapid.IntRange(0, 100).Draw(t, "every"))
})

// If nothing is in the way of anything, no graph takes longer than was planned for
// it: the order of the plan is kept, and nobody waits longer than he must.
func TestTakesNoLongerThanPlanned(t *testing.T) {
	systemtest.Cases(t, 60)
	rapid.Check(t, func(t *rapid.T) {
		workload := strings.Replace(strings.Replace(drawn.Draw(t, "workload"), `"output":[0,1e6]`, `"users":1`, 1), `"count":1,"every`, `"count":2,"every`, 1)
		for _, algorithm := range []string{"heft", "cpop", "peft", "min-min", "max-min", "best"} {
			s, err := scenario.Parse(fmt.Appendf(nil, `{"v":1,"system":"static","cluster":{"physical":{"transfers":"contention-free"}},"workload":{"graphs":%s},"settings":{"algorithm":%q},"until":"10h"}`, workload, algorithm))
			if err != nil {
				t.Fatal(err)
			}
			r, err := run.Open(s, nil)
			if err == nil {
				err = r.Advance(unit.Time(s.Until))
			}
			if err != nil {
				t.Fatal(err)
			}
			report := r.Report()
			if report.Graphs.Open > 0 || report.Graphs.Done == 0 || report.System["took_over_planned_most"].(float64) > 1.00001 {
				t.Fatalf("%s: %d open, %d done, %v of the plan", algorithm, report.Graphs.Open, report.Graphs.Done, report.System["took_over_planned_most"])
			}
		}
	})
}

// Whatever fails, every graph is done in the end, whether what was lost is planned
// anew or waits for its machine.
func TestFailuresLoseNoGraph(t *testing.T) {
	systemtest.Cases(t, 100)
	rapid.Check(t, func(t *rapid.T) {
		var faults []scenario.Fault
		at := unit.Time(0)
		for range rapid.IntRange(0, 8).Draw(t, "faults") {
			at += unit.Time(rapid.IntRange(0, 30).Draw(t, "after")) * unit.Second
			target := fmt.Sprint("node.", rapid.IntRange(0, 7).Draw(t, "node"))
			back := at + unit.Time(rapid.IntRange(0, 60).Draw(t, "for"))*unit.Second
			faults = append(faults, scenario.Fault{At: scenario.Duration(at), Kind: "node_down", Target: target}, scenario.Fault{At: scenario.Duration(back), Kind: "node_up", Target: target})
		}
		settings, _ := json.Marshal(static.Settings{Algorithm: rapid.SampledFrom([]string{"heft", "min-min"}).Draw(t, "algorithm"), Recover: rapid.SampledFrom([]string{"replan", "wait"}).Draw(t, "recover")})
		s, err := scenario.Parse(fmt.Appendf(nil, `{"v":1,"system":"static","cluster":{"physical":{"transfers":%q}},"workload":{"graphs":%s},"settings":%s,"until":"10h"}`,
			rapid.SampledFrom([]string{"one-port", "contention-free"}).Draw(t, "transfers"), drawn.Draw(t, "workload"), settings))
		if err != nil {
			t.Fatal(err)
		}
		s.Faults = faults
		r, err := run.Open(s, nil)
		if err == nil {
			err = r.Advance(unit.Time(s.Until))
		}
		if err == nil {
			err = r.Audit()
		}
		if err != nil {
			t.Fatal(err)
		}
		if g := r.Report().Graphs; g.Open > 0 || g.Done != g.Arrived {
			t.Fatalf("%d graphs arrived, %d are done, %d open", g.Arrived, g.Done, g.Open)
		}
	})
}

// Of two hundred graphs that come one after another every one is done, while a machine
// fails and its subtasks wait for it.
func TestManyGraphs(t *testing.T) {
	var faults []scenario.Fault
	for i := range 60 {
		at := unit.Time(i) * unit.Minute
		faults = append(faults, scenario.Fault{At: scenario.Duration(at), Kind: "node_down", Target: "node.1"}, scenario.Fault{At: scenario.Duration(at + 5*unit.Second), Kind: "node_up", Target: "node.1"})
	}
	r := play(t, `{"machines":[{"count":3,"speed":2,"bandwidth":1e6}],"generate":{"count":200,"every_s":16,"vertices":3,"work":[20,40],"bytes":0}}`, `{"recover":"wait"}`, cluster.OnePort, faults...)
	if report := r.Report(); report.Graphs.Done != 200 || report.Graphs.Open != 0 {
		t.Errorf("%d of 200 graphs are done, %d are open", report.Graphs.Done, report.Graphs.Open)
	}
}
