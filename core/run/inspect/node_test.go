package inspect_test

import (
	"fmt"
	"strconv"
	"testing"

	"parley/core/run"
	"parley/core/unit"
	"parley/core/workload"
)

// TestInspectTells: the nodes that there are, what moving a task of theirs costs, and of
// each candidate of a decision what share of it the task would have left used.
func TestInspectTells(t *testing.T) {
	r := open(t, `{"v":1,"system":"central","seed":3,"cluster":{"nodes":20},"until":"1h"}`, run.KeepNotes(1000))
	advance(t, r, unit.Forever)
	v := r.View()
	for _, n := range []unit.NodeID{-1, 20} {
		if _, err := r.Inspect(n); err == nil || err.Error() != fmt.Sprintf("node %d does not exist: the cluster has nodes 0 to 19", n) {
			t.Errorf("node %d: %v", n, err)
		}
	}
	candidates := 0
	production := map[bool]int{}
	for n := range unit.NodeID(20) {
		report, err := r.Inspect(n)
		if err != nil || report.Node != n {
			t.Fatalf("node %d: %+v, %v", n, report, err)
		}
		for _, task := range report.Tasks {
			number, err := strconv.ParseUint(task.ID, 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			id := unit.TaskID(number)
			if cost := v.MigrationCost(id); cost == 0 || task.ImageMB*1e6 < float64(cost)-1 || task.ImageMB*1e6 > float64(cost)+1 {
				t.Errorf("moving %s costs %v MB, of %d bytes", task.Name, task.ImageMB, cost)
			}
			production[task.Production]++
			if known, _ := v.Task(id); task.Production != (known.Class == workload.Production) {
				t.Errorf("%s is told as production: %v; it is of class %v", task.Name, task.Production, known.Class)
			}
			d, err := r.Explain(id)
			if err != nil {
				continue // long ago
			}
			for _, c := range d.Candidates {
				candidates += len(c.After)
				for i, share := range c.After {
					if share <= 0 || share > 1.5 {
						t.Errorf("%s on node %d would leave %v of resource %d used", d.Task, c.Node, share, i)
					}
				}
			}
		}
	}
	if candidates == 0 || len(production) < 2 {
		t.Errorf("decisions tell of %d candidates, and so many tasks are production or not: %v", candidates, production)
	}
}
