package inspect_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"parley/core/metric"
	"parley/core/unit"
)

// The yields of the system reach the report as time means of its gauges, and the
// inspector task by task.
func TestYieldsAreTold(t *testing.T) {
	r := open(t, `{"v":1,"system":"yield","seed":7,"workload":{"system":{"hosts":8,"tasks":60,"cpu_load":1.5,"mean_lifetime":"4h","change_every":"2h"}},"until":"3h"}`)
	advance(t, r, unit.Forever)
	report := r.Report()
	for _, name := range strings.Fields("min_yield avg_yield bound repacks migrations migrated_mb rejected") {
		if _, told := report.System[name]; !told {
			t.Errorf("the report has no %s", name)
		}
	}
	table := r.Table()
	for c, column := range table.Columns()[metric.Width:] {
		sum := 0.0
		for row := range table.Rows {
			sum += table.Value(row, metric.Width+c)
		}
		if mean := sum / float64(len(table.Rows)); math.Abs(mean-report.System[column.ID].(float64)) > 1e-9 || (mean <= 0) != (column.ID == "jobs_below_floor") || mean > 1 {
			t.Errorf("%s is %v, its samples' mean %v", column.ID, report.System[column.ID], mean)
		}
	}
	if smallest, bound := report.System["min_yield"].(float64), report.System["bound"].(float64); smallest > bound {
		t.Errorf("the smallest yield %v is above its bound %v", smallest, bound)
	}
	node, err := r.Inspect(0)
	if err != nil || len(node.Tasks) == 0 {
		t.Fatalf("node 0: %+v, %v", node, err)
	}
	for _, task := range node.Tasks {
		if task.Share == nil || task.Yield == nil || math.Abs(*task.Yield*task.Requested[unit.CPU]-*task.Share) > 1e-9 {
			t.Errorf("task %s tells share %v and yield %v", task.Name, task.Share, task.Yield)
		}
	}
	other := open(t, `{"v":1,"system":"central","seed":7,"cluster":{"nodes":10},"until":"10m"}`)
	advance(t, other, unit.Forever)
	node, err = other.Inspect(0)
	if text, _ := json.Marshal(node); err != nil || strings.Contains(string(text), `"yield"`) {
		t.Errorf("a system without shares tells %s, %v", text, err)
	}
}
