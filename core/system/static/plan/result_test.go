package plan_test

import (
	"strings"
	"testing"

	"parley/core/system/static/plan"
)

// three tasks, of which the last in the file begins first.
const three = `{"processors":[{"speed":1,"bandwidth":1e6},{"speed":2,"bandwidth":1e6}],
	"tasks":[{"name":"right","work":6},{"name":"left","work":8},{"name":"split","work":2}],
	"arcs":[{"from":"split","to":"left","bytes":5e5},{"from":"split","to":"right","bytes":5e5}]}`

// A result has the schedule by time, with its makespan and figures, and best the
// shortest of all; an algorithm that nobody knows is refused.
func TestResult(t *testing.T) {
	p, err := plan.Decode(strings.NewReader(three))
	if err != nil {
		t.Fatal(err)
	}
	r, err := p.Result("heft")
	if err != nil || r.Algorithm != "heft" || r.Makespan != 7.5 || r.BoundS != p.Bound() {
		t.Fatalf("%+v, %v", r, err)
	}
	text := ""
	for _, row := range r.Schedule {
		text += " " + row.Task
		if p.Graph.Vertex(int(row.Vertex)).Name != row.Task {
			t.Errorf("%s is said to be vertex %d", row.Task, row.Vertex)
		}
	}
	if text != " split left right" {
		t.Errorf("by time they are%s", text)
	}
	shortest := ""
	for _, algorithm := range plan.Algorithms() {
		if one, err := p.Result(algorithm); err != nil {
			t.Error(err)
		} else if one.Makespan < r.Makespan || shortest == "" {
			shortest, r = algorithm, one
		}
	}
	if best, err := p.Result("best"); err != nil || best.Algorithm != shortest || best.Makespan != r.Makespan {
		t.Errorf("best is %s with %v s, %v; %s takes %v s", best.Algorithm, best.Makespan, err, shortest, r.Makespan)
	}
	if _, err := p.Result("guess"); err == nil || !strings.Contains(err.Error(), `there is no algorithm "guess"`) {
		t.Errorf("guess: %v", err)
	}
}
