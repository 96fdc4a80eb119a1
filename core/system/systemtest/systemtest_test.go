package systemtest_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"parley/core/cluster"
	"parley/core/metric"
	"parley/core/system"
	"parley/core/system/systemtest"
	"parley/core/unit"
	"parley/core/workload"
)

// simple places every task on the first node that takes it, and again each
// minute. A test breaks it in one place.
type simple struct {
	env     system.Env
	waiting map[unit.TaskID]bool
	order   []unit.TaskID
	on      func(*simple, cluster.Event) error
	report  func(*simple)
}

func (s *simple) On(e cluster.Event) error {
	switch e.Kind {
	case cluster.TaskSubmitted, cluster.TaskDisplaced:
		s.waiting[e.Task] = true
		s.order = append(s.order, e.Task)
		s.try(e.Task)
	case cluster.TaskEnded:
		delete(s.waiting, e.Task)
	case cluster.UsageSwept:
		for _, id := range s.order {
			if s.waiting[id] {
				s.try(id)
			}
		}
	}
	if s.on != nil {
		return s.on(s, e)
	}
	return nil
}

func (s *simple) try(id unit.TaskID) {
	for n := range unit.NodeID(s.env.View.Nodes()) {
		if s.env.Acts.Place(id, n, cluster.ByUse) == nil {
			delete(s.waiting, id)
			return
		}
	}
}

func (s *simple) Report() map[string]any {
	if s.report != nil {
		s.report(s)
	}
	return nil
}

// entry lists a simple system with one fault.
func entry(on func(*simple, cluster.Event) error, report func(*simple)) system.Entry {
	about := system.Description{
		ID: "simple", Name: "Simple", About: "Places every task on the first node that takes it.",
		Suits: []workload.Shape{workload.ShapeTasks}, Charts: metric.TaskCharts(), Now: []system.Sentence{system.TasksNow},
	}
	return system.Entry{Description: about, New: func(env system.Env, raw json.RawMessage) (system.System, error) {
		if err := system.Decode(raw, &struct{}{}); err != nil {
			return nil, err
		}
		return &simple{env: env, waiting: map[unit.TaskID]bool{}, on: on, report: report}, nil
	}}
}

func TestSoundSystem(t *testing.T) {
	systemtest.Run(t, entry(nil, nil), nil)
}

// again fires for ever at one moment.
type again struct{ env system.Env }

func (a again) Fire(now unit.Time, _ uint64) { a.env.Clock.At(now, a, 0) }

// TestFaultsAreSeen: the kit names each kind of fault.
func TestFaultsAreSeen(t *testing.T) {
	plays := 0
	for _, c := range []struct {
		fault  string
		on     func(*simple, cluster.Event) error
		report func(*simple)
	}{
		{"On(", func(_ *simple, e cluster.Event) error {
			if e.Kind == cluster.TaskEnded {
				return errors.New("a task ended")
			}
			return nil
		}, nil},
		{"time does not go on", func(s *simple, e cluster.Event) error {
			if e.Kind == cluster.TaskEnded {
				again{s.env}.Fire(s.env.Clock.Now(), 0)
			}
			return nil
		}, nil},
		{"has room: of its capacity", func(s *simple, e cluster.Event) error {
			if e.Kind == cluster.TaskDisplaced && s.waiting[e.Task] {
				delete(s.waiting, e.Task) // it forgets what it could not place again
			}
			return nil
		}, nil},
		{"gave other notes", func(s *simple, e cluster.Event) error {
			if plays++; s.env.Note != nil {
				s.env.Note(system.Note{Ref: uint32(plays)})
			}
			return nil
		}, nil},
		{"the same story gave", func(s *simple, e cluster.Event) error {
			if plays++; plays%100 == 0 && e.Kind == cluster.TaskPlaced {
				_ = s.env.Acts.Preempt(e.Task) // state that outlives the system
			}
			return nil
		}, nil},
		{"when somebody listened", func(s *simple, e cluster.Event) error {
			if e.Kind == cluster.TaskPlaced && s.env.Note != nil && s.env.View.Totals().Displaced == 0 {
				_ = s.env.Acts.Preempt(e.Task)
			}
			return nil
		}, nil},
		{"which ended at", func(s *simple, e cluster.Event) error {
			if e.Kind == cluster.UsageSwept {
				for _, id := range s.order { // it never forgets
					_ = s.env.Acts.Preempt(id)
				}
			}
			return nil
		}, nil},
		{"which never was", func(s *simple, e cluster.Event) error {
			_ = s.env.Acts.Preempt(unit.NewTaskID(77, 7))
			return nil
		}, nil},
		{"while it was only asked something", nil, func(s *simple) {
			for _, id := range s.order {
				_ = s.env.Acts.Preempt(id)
			}
		}},
	} {
		err := systemtest.FirstFault(entry(c.on, c.report), "", 100)
		if err == nil || !strings.Contains(err.Error(), c.fault) {
			t.Errorf("a system with the fault %q gives: %v", c.fault, err)
		}
	}
}
