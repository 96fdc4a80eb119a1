package yield_test

import (
	"testing"

	"parley/core/system"
	"parley/core/system/yield"
	"parley/core/unit"
	"parley/core/workload"
)

// join adds a host of another capacity than the stage's own.
func (s *stage) join(cpu unit.Share) unit.NodeID {
	n := unit.NodeID(s.c.View().Nodes())
	s.c.Join(uint64(n), workload.Node{Capacity: unit.Vec{cpu, unit.Whole}, Rack: -1, Site: -1})
	s.settle()
	return n
}

// on lists where tasks are, by their order of submission.
func (s *stage) on() []unit.NodeID {
	var list []unit.NodeID
	for _, id := range s.ids {
		t, _ := s.c.View().Task(id)
		list = append(list, t.Node)
	}
	return list
}

// A task with constraints stays where it is, though moving it would be cheaper
// than moving the other: the solver knows no constraints.
func TestConstrainedTasksAreNotMoved(t *testing.T) {
	for _, constrained := range []bool{false, true} {
		set := yield.Default()
		set.WindowUS, set.BudgetMB = 0, 1e8
		s := newStage(t, 2, set)
		s.c.Leave(1)
		s.settle()
		wants := []workload.Constraint(nil)
		if constrained {
			wants = []workload.Constraint{{Name: 1, Op: workload.NotEqual, Value: 7}} // both hosts do
		}
		s.ids = append(s.ids, s.c.Submit(workload.Key{Job: 1}, &workload.Task{Request: unit.Vec{900_000, 100_000}, Constraints: wants}))
		s.submit(2, 1, unit.Vec{800_000, 400_000})
		s.pass(unit.Second)
		s.c.Restore(1)
		s.settle()
		s.pass(10 * unit.Minute)
		want := [2]unit.NodeID{1, 0} // the one of little memory moves
		if constrained {
			want = [2]unit.NodeID{0, 1}
		}
		if got := s.on(); got[0] != want[0] || got[1] != want[1] {
			t.Errorf("constrained %v: the small task is on %d, the large one on %d, want %v", constrained, got[0], got[1], want)
		}
	}
}

// By hand the floor counts too: beside two jobs of 0.8 on one host, which yield
// 62.5 %, there is room for 0.4 under a floor of one half, and for no more.
func TestFloorByHand(t *testing.T) {
	set := yield.Default()
	set.Algorithm, set.FloorYield = yield.Greedy, .5
	s := newStage(t, 1, set)
	for job, cpu := range []unit.Share{800_000, 800_000, 410_000, 400_000} {
		s.submit(job, 1, unit.Vec{cpu, 100_000})
		s.pass(10 * unit.Minute)
	}
	for i, want := range []unit.NodeID{0, 0, unit.NoNode, 0} {
		if got := s.on()[i]; got != want {
			t.Errorf("job %d is on %d, want %d", i, got, want)
		}
	}
}

// Two pools of two hosts each want to move one task each. Half of the budget is
// for each of them: with what one migration costs none moves, with twice as much
// both do.
func TestBudgetIsDividedByPools(t *testing.T) {
	cost := 0.0 // of one migration
	for _, c := range []struct {
		budget float64 // in migrations
		moves  int64
	}{{0, 0}, {1.01, 0}, {2.02, 2}} {
		set := yield.Default()
		set.WindowUS, set.BudgetMB = 0, c.budget*cost
		s := newStage(t, 2, set)
		s.join(800_000)
		s.join(800_000)
		s.c.Leave(1)
		s.c.Leave(3)
		s.settle()
		for job := range 4 {
			s.submit(job, 1, unit.Vec{700_000, 400_000})
			s.pass(unit.Second)
		}
		cost = float64(s.c.View().MigrationCost(s.ids[0])) / float64(unit.MB)
		s.c.Restore(1)
		s.c.Restore(3)
		s.settle()
		s.pass(10 * unit.Minute)
		if got := s.c.View().Totals().Migrations; got != c.moves {
			t.Errorf("with a budget of %v MB, where one migration takes %v, %d tasks have moved, want %d", set.BudgetMB, cost, got, c.moves)
		}
	}
}

// Jobs that wait together are spread over the pools, by what each expects of
// those before.
func TestJobsThatWaitTogetherAreSpread(t *testing.T) {
	set := yield.Default()
	set.WindowUS = unit.Minute
	s := newStage(t, 1, set)
	s.join(900_000)
	s.submit(0, 1, unit.Vec{1, 1})
	s.pass(10 * unit.Second)
	for job := range 4 {
		s.submit(1+job, 1, unit.Vec{450_000, 200_000})
	}
	s.pass(10 * unit.Minute)
	count := map[unit.NodeID]int{}
	for _, n := range s.on()[1:] {
		count[n]++
	}
	if lowest := s.compare(); count[0] != 2 || count[1] != 2 || lowest != 1 {
		t.Errorf("four jobs of 0.45 are on hosts %v, with a smallest yield of %v", s.on()[1:], lowest)
	}
}

// With so many tasks that an adaptation takes long, changes are gathered for a
// minute, whatever the window; with few each change is one.
func TestManyTasksAreGathered(t *testing.T) {
	for _, c := range []struct {
		tasks int
		want  int64
	}{{100, 4}, {2100, 1}} {
		set := yield.Default()
		set.WindowUS = 0
		s := newStage(t, 1, set)
		s.join(1_000_000)
		for job := range c.tasks {
			s.submit(job, 1, unit.Vec{100, 100})
		}
		s.pass(10 * unit.Second)
		before := s.s.(system.Reporter).Report()["repacks"].(int64)
		for job := range 4 {
			s.submit(c.tasks+job, 1, unit.Vec{100, 100})
			s.pass(5 * unit.Second)
		}
		s.pass(2 * unit.Minute)
		if got := s.s.(system.Reporter).Report()["repacks"].(int64) - before; got != c.want {
			t.Errorf("with %d tasks four changes within 20 s are followed by %d adaptations, want %d", c.tasks, got, c.want)
		}
	}
}
