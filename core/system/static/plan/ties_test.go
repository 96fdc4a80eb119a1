package plan_test

import (
	"strings"
	"testing"

	"parley/core/system/static/plan"
)

// TestTightArcs: a -> b -> c is the critical path, 13.5 s with mean times and travel.
// The direct arc a -> c is short and has slack: it must not take b off the path,
// whichever of b and c comes first in the list. On processor 1 the path takes
// 2 + 1 + 2 s.
func TestTightArcs(t *testing.T) {
	const a, b, c = `{"name":"a","cost":[1,2]}`, `{"name":"b","cost":[10,1]}`, `{"name":"c","cost":[1,2]}`
	for _, tasks := range [][]string{{a, b, c}, {a, c, b}, {c, b, a}} {
		p, err := plan.Decode(strings.NewReader(`{"processors":[{"speed":1,"bandwidth":1},{"speed":1,"bandwidth":1}],"tasks":[` + strings.Join(tasks, ",") +
			`],"arcs":[{"from":"a","to":"b","bytes":5},{"from":"b","to":"c","bytes":5},{"from":"a","to":"c","bytes":1}]}`))
		if err != nil {
			t.Fatal(err)
		}
		s, err := p.Plan("cpop")
		if err != nil || s.Makespan != 5 {
			t.Errorf("%v: %v (%v), want 5", tasks, s, err)
		}
	}
}

// TestEqualRanks: the optimistic costs of left are 2, 3 and 1, those of right 1, 2 and
// 3. Their means are 2, but in floats 2/3 + 3/3 + 1/3 is less than 1/3 + 2/3 + 3/3. The
// lower number goes first: left takes processor 2, where both are best, and right takes
// processor 0.
func TestEqualRanks(t *testing.T) {
	p, err := plan.Decode(strings.NewReader(`{"processors":[{"speed":1,"bandwidth":1},{"speed":1,"bandwidth":1},{"speed":1,"bandwidth":1}],"tasks":[
		{"name":"left","cost":[9,9,5]},{"name":"right","cost":[7,9,2]},{"name":"after left","cost":[2,3,1]},{"name":"after right","cost":[1,2,3]}],
		"arcs":[{"from":"left","to":"after left","bytes":99},{"from":"right","to":"after right","bytes":99}]}`))
	if err != nil {
		t.Fatal(err)
	}
	s, err := p.Plan("peft")
	if err != nil {
		t.Fatal(err)
	}
	if left, right := s.Slots[0], s.Slots[1]; left != (plan.Slot{Processor: 2, Start: 0, Finish: 5}) || right != (plan.Slot{Processor: 0, Start: 0, Finish: 7}) {
		t.Errorf("left at %+v, right at %+v", left, right)
	}
}
