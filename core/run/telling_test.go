package run_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"testing"

	"parley/core/cluster"
	"parley/core/run"
	"parley/core/scenario"
	"parley/core/unit"
)

// TestKindsOfEvents: a log takes every kind that it names, and no other.
func TestKindsOfEvents(t *testing.T) {
	_, err := run.NewEventLog(io.Discard, []string{"nonsense"})
	if err == nil {
		t.Fatal("events of the kind nonsense are written")
	}
	_, list, _ := strings.Cut(err.Error(), "choose among ")
	kinds := strings.Split(list, ", ")
	if len(kinds) < 30 {
		t.Errorf("%d kinds: %s", len(kinds), err)
	}
	for _, kind := range kinds {
		if _, err := run.NewEventLog(io.Discard, []string{kind}); err != nil {
			t.Errorf("%s: %v", kind, err)
		}
	}
}

// heard remembers events of some kinds.
type heard struct {
	kinds  []cluster.Kind
	events []cluster.Event
}

// Observe implements run.Observer.
func (h *heard) Observe(e cluster.Event) {
	if slices.Contains(h.kinds, e.Kind) {
		h.events = append(h.events, e)
	}
}

// TestFieldsOfEvents: the log says of a migration whether it was forced, of a task that
// is submitted its priority and class, and of one that is placed neither.
func TestFieldsOfEvents(t *testing.T) {
	var out strings.Builder
	log, err := run.NewEventLog(&out, []string{"migration_began", "task_submitted", "task_placed"})
	if err != nil {
		t.Fatal(err)
	}
	seen := &heard{kinds: []cluster.Kind{cluster.MigrationBegan}}
	r := open(t, `{"v":1,"system":"negotiation","seed":3,"cluster":{"nodes":100},"workload":{"scale":1.5},"until":"20m"}`, run.LogEvents(log), run.Watch(seen))
	advance(t, r, unit.Forever)
	if err := log.Flush(); err != nil {
		t.Fatal(err)
	}
	forced, agreed := 0, 0
	for _, e := range seen.events {
		if e.Detail == 1 {
			forced++
		} else {
			agreed++
		}
	}
	counts := map[string]int{}
	for lines := bufio.NewScanner(strings.NewReader(out.String())); lines.Scan(); {
		var one map[string]any
		if err := json.Unmarshal(lines.Bytes(), &one); err != nil {
			t.Fatal(err)
		}
		kind := fmt.Sprint(one["e"])
		_, told := one["priority"]
		_, classed := one["production"]
		if submitted := kind == "task_submitted"; told != submitted || classed && !submitted {
			t.Fatalf("%s", lines.Text())
		}
		if classed {
			counts["of production"]++
		}
		counts[fmt.Sprintf("%s %v", kind, one["forced"])]++
	}
	if counts["migration_began true"] != forced || counts["migration_began <nil>"] != agreed || agreed == 0 || counts["task_submitted <nil>"] == 0 || counts["task_placed <nil>"] == 0 || counts["of production"] == 0 {
		t.Errorf("%v; %d migrations were forced, %d agreed", counts, forced, agreed)
	}
}

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
	if candidates == 0 {
		t.Error("no decision tells of a candidate")
	}
}

// TestMostFaults: a scenario is full of faults when it has as many as may be.
func TestMostFaults(t *testing.T) {
	one := `{"at":"1h","kind":"node_down","target":"node.1"}`
	faults := strings.Repeat(one+",", scenario.MaxFaults-2) + one // one more has room
	r := open(t, `{"v":1,"system":"central","cluster":{"nodes":10},"workload":{"preset":"none"},"until":"1h","faults":[`+faults+`]}`)
	act := scenario.Fault{Kind: "node_down", Target: "node.0"}
	if err := r.Inject(act); err != nil {
		t.Errorf("the last fault: %v", err)
	}
	if err := r.Inject(act); err == nil || !strings.Contains(err.Error(), "at most 10000 faults") || len(r.Scenario().Faults) != scenario.MaxFaults {
		t.Errorf("one more: %v", err)
	}
}
