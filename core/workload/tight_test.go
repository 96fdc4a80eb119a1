package workload_test

import (
	"testing"

	"parley/core/unit"
	"parley/core/workload"
)

// TestTightConstraintsFit: what production tasks request that only special machines
// may run leaves room on these at any moment of a day, whatever the seed and the
// size of the cell (65 % of the 90 % that may be requested), and each of these tasks
// fits one of the machines. Without the bound production requests up to 271, 141 and
// 113 % of them in cells of 500, 2,500 and 12,583 machines.
func TestTightConstraintsFit(t *testing.T) {
	for nodes, seeds := range map[int]uint64{10: 40, 500: 40, 2500: 40, 12_583: 12} {
		tasks, running := 0, 0
		for seed := uint64(1); seed <= seeds; seed++ {
			g := workload.DefaultGenerated()
			g.Nodes = nodes
			limit, n, all := tightest(t, g, seed, 2*unit.Hour)
			tasks, running = tasks+n, running+all
			t.Logf("%d nodes, seed %d: production requests at most %.0f %%", nodes, seed, limit)
			if limit > 58.6 {
				t.Errorf("%d nodes, seed %d: production requests %.0f %% of the machines that satisfy its constraint", nodes, seed, limit)
			}
		}
		t.Logf("%d nodes: %.1f of 10,000", nodes, 10_000*float64(tasks)/float64(running))
	}
}

// tightest returns the largest part of the special machines, in percent, that
// production tasks request which nothing else may run, until some time; and how
// many tasks of all at time 0 have the constraint.
func tightest(t *testing.T, g workload.Generated, seed uint64, until unit.Time) (largest float64, tight, all int) {
	t.Helper()
	source, err := g.New(seed)
	if err != nil {
		t.Fatal(err)
	}
	var machines []unit.Vec
	var capacity, requested [unit.Resources]float64
	type running struct {
		end     unit.Time
		request unit.Vec
	}
	var tasks []running
	var r workload.Record
	for source.Next(&r) == nil && r.At <= until {
		if r.Kind == workload.NodeJoins {
			if len(r.Node.Attributes) == 3 {
				machines = append(machines, r.Node.Capacity)
				add(&capacity, r.Node.Capacity)
			}
			continue
		}
		if r.At == 0 {
			all++
		}
		if len(r.Task.Constraints) == 0 || r.Task.Constraints[0].Name != workload.SpecialAttribute {
			continue
		}
		if r.At == 0 {
			tight++
		}
		fits := false
		for _, m := range machines {
			fits = fits || r.Task.Request.Within(m)
		}
		if !fits {
			t.Errorf("%d nodes, seed %d: task %v requests %v, and no machine that satisfies its constraint has it", g.Nodes, seed, r.Key, r.Task.Request)
		}
		if r.Task.Class != workload.Production {
			continue
		}
		left := tasks[:0]
		requested = [unit.Resources]float64{}
		for _, x := range append(tasks, running{r.At + r.Task.Lifetime, r.Task.Request}) {
			if x.end > r.At {
				left = append(left, x)
				add(&requested, x.request)
			}
		}
		tasks = left
		for i := range requested {
			largest = max(largest, percent(requested[i], capacity[i]))
		}
	}
	return largest, tight, all
}
