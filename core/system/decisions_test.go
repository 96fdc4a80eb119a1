package system_test

import (
	"testing"

	"parley/core/system"
	"parley/core/unit"
)

// TestDecisions: the latest decision about a task is told, and of many tasks
// only the latest ones.
func TestDecisions(t *testing.T) {
	var d system.Decisions
	if _, known := d.Explain(1); known {
		t.Error("a decision is known before there was one")
	}
	const many = 10_000
	for i := range many {
		d.Remember(system.Decision{Task: unit.TaskID(i), Ref: 1})
		d.Remember(system.Decision{Task: unit.TaskID(i), Ref: 2})
		if one, known := d.Explain(unit.TaskID(i)); !known || one.Ref != 2 {
			t.Fatalf("of task %d %+v is told", i, one)
		}
	}
	known := 0
	for i := range many {
		if one, ok := d.Explain(unit.TaskID(i)); ok {
			known++
			if one.Task != unit.TaskID(i) || one.Ref != 2 {
				t.Fatalf("of task %d %+v is told", i, one)
			}
		} else if known > 0 {
			t.Fatalf("task %d is forgotten before an older one", i)
		}
	}
	if known != 4096 {
		t.Errorf("%d tasks are remembered, two decisions each of 8192", known)
	}
}

// TestRoom: what is forgotten leaves its memory, and what somebody was told stays as it
// was.
func TestRoom(t *testing.T) {
	var d system.Decisions
	remember := func(task int) {
		d.Remember(system.Decision{Task: unit.TaskID(task), Brief: append(d.Room(2), system.Brief{Node: unit.NodeID(task)})})
	}
	const many = 8192
	for i := range many {
		remember(i)
	}
	first, known := d.Explain(0)
	if !known || first.Brief[0].Node != 0 {
		t.Fatalf("the first decision is %+v, %v", first, known)
	}
	if allocated := testing.AllocsPerRun(100, func() { remember(many) }); allocated > 0 {
		t.Errorf("a decision in the place of another allocates %v times", allocated)
	}
	if first.Brief[0].Node != 0 {
		t.Errorf("what was told of the first decision became %+v", first.Brief)
	}
	if second, known := d.Explain(many - 1); !known || second.Brief[0].Node != many-1 {
		t.Errorf("the decision before is %+v, %v", second, known)
	}
}
