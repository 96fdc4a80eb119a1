package run_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"parley/core/run"
	"parley/core/scenario"
	"parley/core/system"
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

// TestOrderOfNotes: the newest come first, and of one moment those that are minor and
// belong to no group last.
func TestOrderOfNotes(t *testing.T) {
	notes := run.NewNotes(8)
	for _, n := range []system.Note{{At: 3, Minor: true}, {At: 4, Ref: 1}, {At: 5, Minor: true}, {At: 5, Ref: 2}, {At: 6, Minor: true}, {At: 7, Minor: true, Ref: 3}} {
		notes.Add(n)
	}
	told := ""
	for n := range notes.Latest {
		told += fmt.Sprintf(" %d/%d", n.At, n.Ref)
	}
	if told != " 7/3 6/0 5/2 5/0 4/1 3/0" || notes.Seen() != 6 {
		t.Errorf("%d notes are told as%s", notes.Seen(), told)
	}
}

// TestConversations: of an auction is told what its own user said and heard, and what
// was agreed.
func TestConversations(t *testing.T) {
	r := open(t, `{"v":1,"system":"market","seed":3,"until":"2h"}`, run.KeepNotes(100_000))
	advance(t, r, unit.Hour)
	told, deals := map[uint32]bool{}, 0
	for _, line := range r.Lines(unit.NoNode, 1000) {
		if line.Ref == 0 || told[line.Ref] {
			continue
		}
		c := r.Story(line.Ref).Conversation
		if c == nil || len(c.Messages) == 0 {
			t.Fatalf("auction %d has no conversation", line.Ref)
		}
		told[line.Ref] = true
		deals += len(c.Deals)
		user := c.Messages[0].From
		for _, m := range c.Messages {
			for _, party := range []string{m.From, m.To} {
				if strings.HasPrefix(party, "user ") && party != user {
					t.Errorf("%s speaks in auction %d of %s: %+v", party, line.Ref, user, m)
				}
			}
		}
	}
	if len(told) < 5 || deals == 0 {
		t.Errorf("%d auctions, %d deals", len(told), deals)
	}
	if none := r.Story(1 << 30); none.Conversation != nil {
		t.Errorf("no auction is told as %+v", none.Conversation)
	}
}
