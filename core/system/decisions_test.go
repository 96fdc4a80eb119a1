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
