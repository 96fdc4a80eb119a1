package central_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"parley/core/cluster"
	"parley/core/des"
	"parley/core/rng"
	"parley/core/system"
	"parley/core/system/central"
	_ "parley/core/testkit/scripttest/seed"
	"parley/core/unit"
	"parley/core/workload"
)

// written is a formula, and what it says in Go: the higher the better, false for a node
// that takes no task.
type written struct {
	where, score string
	is           func(r rules, w *randomCell, id unit.TaskID, n unit.NodeID) (float64, bool)
}

// fit is the fullness of best-fit as a formula: F stands for used or requested.
var fit = func() string {
	var parts []string
	for r := range unit.Resources {
		parts = append(parts, strings.ReplaceAll("R.F * 1048576 // R.capacity + task.R * 1048576 // R.capacity", "R", r.String()))
	}
	return strings.Join(parts, " + ")
}()

var formulas = map[string]written{
	"best fit": {"", fit, func(r rules, w *randomCell, id unit.TaskID, n unit.NodeID) (float64, bool) {
		return float64(r.fullness(w.v, id, n)), true
	}},
	"worst fit": {"", "-(" + fit + ")", func(r rules, w *randomCell, id unit.TaskID, n unit.NodeID) (float64, bool) {
		return -float64(r.fullness(w.v, id, n)), true
	}},
	"first fit": {"", "-node", func(_ rules, _ *randomCell, _ unit.TaskID, n unit.NodeID) (float64, bool) { return -float64(n), true }},
	"of the node alone": {"tasks < 3", "memory.free - cpu.used", func(_ rules, w *randomCell, _ unit.TaskID, n unit.NodeID) (float64, bool) {
		return float64(w.v.Capacity(n)[unit.Memory] - w.v.Used(n)[unit.Memory] - w.v.Used(n)[unit.CPU]), w.v.Count(n) < 3
	}},
	"of the task too": {"task.production == 0 or rack != 1", "after.cpu / cpu.capacity if task.cpu > 0.3 else -after.memory / memory.capacity", func(r rules, w *randomCell, id unit.TaskID, n unit.NodeID) (float64, bool) {
		t, _ := w.v.Task(id)
		have := w.v.Used(n)
		if r.admission == "request" {
			have = w.v.Requested(n)
		}
		after, capacity := have.Add(t.Request), w.v.Capacity(n)
		score := -float64(after[unit.Memory]) / float64(capacity[unit.Memory])
		if t.Request[unit.CPU] > 300_000 {
			score = float64(after[unit.CPU]) / float64(capacity[unit.CPU])
		}
		return score, t.Class != workload.Production || w.v.Rack(n) != 1
	}},
	"no value where nothing is used": {"", "cpu.capacity / cpu.used", func(_ rules, w *randomCell, _ unit.TaskID, n unit.NodeID) (float64, bool) {
		used := w.v.Used(n)[unit.CPU]
		return float64(w.v.Capacity(n)[unit.CPU]) / float64(used), used > 0
	}},
}

// TestFormulaAgainstScan: under the policy formula every task gets the node that a look at
// all nodes in Go finds, whatever happened before; best, worst and first fit as formulas
// the nodes of these policies.
func TestFormulaAgainstScan(t *testing.T) {
	for name, f := range formulas {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				r := anyRules.Draw(t, "rules")
				score := strings.ReplaceAll(f.score, "F", map[string]string{"use": "used", "request": "requested"}[r.admission])
				w := newCell(t, r.settings("formula", fmt.Sprintf(`,"formula":{"where":%q,"score":%q}`, f.where, score)), rapid.SampledFrom([]int{1, 5, 70, 300}).Draw(t, "nodes"))
				scan := func(id unit.TaskID) unit.NodeID {
					want, best := unit.NoNode, 0.0
					for n := range unit.NodeID(w.v.Nodes()) {
						if value, counts := f.is(r, w, id, n); counts && r.admits(w.v, id, n) && (want == unit.NoNode || value > best) {
							want, best = n, value
						}
					}
					return want
				}
				w.steps(t, 30, scan)
			})
		})
	}
}

func TestFormulaSettings(t *testing.T) {
	for raw, want := range map[string]string{
		`{"policy":"formula","formula":{"score":"cpu.fre"}}`:                `settings: formula.score, column 1: "cpu.fre" is not known: did you mean cpu.free?`,
		`{"policy":"formula","formula":{"where":"cpu.free"}}`:               `settings: formula.where, column 1: the formula gives a share of a machine and should be a condition: compare it with something, as in cpu.used < 0.5`,
		`{"policy":"easy","formula":{"order":"job.wait + job.processors"}}`: `settings: formula.order, column 12: + has a time in seconds on its left and a plain number here: both sides must count the same; value(x) takes the unit away`,
	} {
		_, err := central.New(system.Env{Rand: func(name string) *rng.Stream { return rng.New(1, name) }}, json.RawMessage(raw))
		if err == nil || err.Error() != want {
			t.Errorf("%s gives %v, want %s", raw, err, want)
		}
	}
}

// A task preempts no other on a node that the condition leaves out.
func TestFormulaLeavesNodesOut(t *testing.T) {
	for where, want := range map[string]unit.NodeID{"": 0, "task.priority < 9 or node != 0": unit.NoNode} {
		k := des.New()
		c := cluster.New(cluster.Default(), k)
		s, err := central.New(system.Env{Clock: k, View: c.View(), Acts: c, Rand: func(name string) *rng.Stream { return rng.New(1, name) }},
			fmt.Appendf(nil, `{"policy":"formula","admission":"request","formula":{"where":%q}}`, where))
		if err != nil {
			t.Fatal(err)
		}
		c.Join(0, workload.Node{Capacity: unit.Vec{unit.Whole, unit.Whole}, Rack: -1, Site: -1})
		c.Submit(workload.Key{}, &workload.Task{Request: unit.Vec{unit.Whole * 9 / 10, unit.Whole * 9 / 10}})
		if err := c.Deliver(s.On); err != nil {
			t.Fatal(err)
		}
		id := c.Submit(workload.Key{Index: 1}, &workload.Task{Request: unit.Vec{unit.Whole / 2, unit.Whole / 2}, Priority: 9})
		if err := c.Deliver(s.On); err != nil {
			t.Fatal(err)
		}
		if task, _ := c.View().Task(id); task.Node != want {
			t.Errorf("where %q: the task is on node %d, want %d", where, task.Node, want)
		}
	}
}
