package systemtest_test

import (
	"encoding/json"
	"errors"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"parley/core/cluster"
	"parley/core/metric"
	"parley/core/system"
	"parley/core/testkit/scripttest"
	"parley/core/testkit/scripttest/cell"
	"parley/core/testkit/systemtest"
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
		Supports: []workload.Shape{workload.ShapeTasks}, Charts: metric.TaskCharts(), Now: []system.Sentence{system.TasksNow},
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
		{"the same trial gave", func(s *simple, e cluster.Event) error {
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
		script, err := systemtest.FirstFault(entry(c.on, c.report), "", 100)
		if err == nil || !strings.Contains(err.Error(), c.fault) {
			t.Errorf("a system with the fault %q gives: %v", c.fault, err)
		}
		if !strings.Contains(script, c.fault) || !strings.Contains(script, "\nplay\njoin m1000 cpu=") {
			t.Errorf("the fault %q gives the script\n%s", c.fault, script)
		}
	}
}

// TestScript: the script of a trial, played without the kit, shows the fault again: the
// task waits, and the node that is named has room for it.
func TestScript(t *testing.T) {
	forgets := entry(func(s *simple, e cluster.Event) error {
		if e.Kind == cluster.TaskDisplaced {
			delete(s.waiting, e.Task)
		}
		return nil
	}, nil)
	script, fault := systemtest.FirstFault(forgets, "", 100)
	named := regexp.MustCompile(`task (\w+), submitted .* and node n(\d+) has room`).FindStringSubmatch(fault.Error())
	if named == nil {
		t.Fatal(fault)
	}
	_, input, begun := strings.Cut(script, "\nplay\n")
	input, _, ended := strings.Cut(input, "----\n")
	if !begun || !ended {
		t.Fatalf("this is no script:\n%s", script)
	}
	physical := cluster.Default()
	physical.RackSize, physical.SiteRacks = 3, 2
	c := cell.New(physical)
	s, err := forgets.New(system.Env{Clock: c.Kernel, View: c.Cluster.View(), Acts: c.Cluster}, nil)
	if err != nil {
		t.Fatal(err)
	}
	c.Settle = func() error { return c.Cluster.Deliver(s.On) }
	for _, l := range scripttest.Lines(t, &datadriven.TestData{Input: input}) {
		if _, known, err := c.Do(l); !known || err != nil {
			t.Fatalf("%v: %v", l.Words, err)
		}
		if err := c.Settle(); err != nil {
			t.Fatal(err)
		}
	}
	node, _ := strconv.Atoi(named[2])
	id, view := c.Tasks[named[1]], c.Cluster.View()
	if task, _ := view.Task(id); task.State != cluster.Waiting || view.Fits(id, unit.NodeID(node), cluster.ByRequest) != nil {
		t.Errorf("task %s is %v; the script is\n%s", named[1], task.State, script)
	}
}
