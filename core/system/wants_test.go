package system_test

import (
	"testing"

	"parley/core/system"
	"parley/core/unit"
)

// TestDecided: the time of the latest decision about a task is told, and none of
// another use of its slot, nor of slots and uses that never were.
func TestDecided(t *testing.T) {
	var d system.Decisions
	told := func(slot, use uint32, want unit.Time, known bool) {
		t.Helper()
		if at, has := d.Decided(unit.NewTaskID(slot, use)); at != want || has != known {
			t.Errorf("slot %d, use %d: %v, %v, want %v, %v", slot, use, at, has, want, known)
		}
	}
	told(0, 1, 0, false)
	remember := func(slot, use uint32, at unit.Time) {
		d.Remember(system.Decision{Task: unit.NewTaskID(slot, use), At: at})
	}
	remember(2, 1, 10)
	remember(4, 3, 20)
	told(2, 1, 10, true)
	told(4, 3, 20, true)
	told(3, 0, 0, false) // a slot between them
	told(2, 0, 0, false)
	told(5, 3, 0, false) // one beyond
	remember(2, 2, 30)
	told(2, 1, 0, false)
	told(2, 2, 30, true)
	remember(2, 2, 40)
	told(2, 2, 40, true)
	told(4, 3, 20, true)
}

// TestWants: whoever takes notes wants to know of every task, whoever asks of those he
// asks about.
func TestWants(t *testing.T) {
	of := unit.NewTaskID(1, 1)
	requested := func(id unit.TaskID) bool { return id == of }
	for _, c := range []struct {
		env         system.Env
		this, other bool
	}{
		{system.Env{}, false, false},
		{system.Env{Recording: requested}, true, false},
		{system.Env{Note: func(system.Note) {}}, true, true},
		{system.Env{Note: func(system.Note) {}, Recording: requested}, true, true},
	} {
		if this, other := c.env.Wants(of), c.env.Wants(of+1); this != c.this || other != c.other {
			t.Errorf("%v and %v, want %v and %v", this, other, c.this, c.other)
		}
	}
}

// TestKnows: a setting is known by its name or by that of its group.
func TestKnows(t *testing.T) {
	d := system.Description{Settings: []system.Setting{{ID: "most"}, {ID: "desk.lead"}}}
	for field, want := range map[string]bool{"most": true, "desk": true, "desk.lead": true, "lead": false, "des": false, "mos": false, "desk.": false, "": false} {
		if d.HasSetting(field) != want {
			t.Errorf("%q: %v", field, !want)
		}
	}
}

// TestCurrent: earlier spellings of faults and of what undoes them become today's.
func TestCurrent(t *testing.T) {
	d := system.Description{Agents: []system.Role{
		{ID: "node", Faults: []system.FaultKind{{ID: "deaf"}, {ID: "node_down", Revert: "node_up", Was: "down", WasRevert: "up"}}},
		{ID: "desk", Faults: []system.FaultKind{{ID: "desk_down", Revert: "desk_up", Was: "closed", WasRevert: "opened"}}},
	}}
	for id, want := range map[string]string{
		"down": "node_down", "up": "node_up", "closed": "desk_down", "opened": "desk_up",
		"": "", "deaf": "deaf", "node_up": "node_up", "other": "other",
	} {
		if got := d.Current(id); got != want {
			t.Errorf("%q: %q, want %q", id, got, want)
		}
	}
}
