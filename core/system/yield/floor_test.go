package yield_test

import (
	"testing"

	"parley/core/cluster"
	"parley/core/system"
	"parley/core/system/yield"
	"parley/core/unit"
	"parley/core/workload"
)

// Three jobs of 0.8 on one host: two reach a yield of 1/1.6 = 62.5 %, three only
// 41.7 %. Under a floor of one half the third waits, or is refused for good.
func TestFloor(t *testing.T) {
	for _, c := range []struct {
		subject         string
		starts          bool
		rejected, lines int64
	}{{yield.Queue, true, 0, 0}, {yield.Refuse, false, 1, 1}} {
		set := yield.Default()
		set.WindowUS, set.FloorYield, set.OnFloor = 0, .5, c.subject
		s := newStage(t, 1, set)
		for job := range 3 {
			s.submit(job, 1, unit.Vec{800_000, 100_000})
			s.pass(unit.Second)
		}
		if v := s.c.View().Totals(); v.Running != 2 || v.Waiting != 1 || s.compare() != .625 {
			t.Fatalf("%s: %d run and %d wait, with a smallest yield of %v", c.subject, v.Running, v.Waiting, s.compare())
		}
		s.raise(.7) // what runs stays, and the two count as below
		s.compare()
		s.raise(.5)
		s.each(0, func(id unit.TaskID, _ cluster.Task) { s.c.End(id, workload.Finished) })
		s.pass(unit.Second)
		third, _ := s.c.View().Task(s.ids[2])
		if started := third.State == cluster.Running; started != c.starts {
			t.Errorf("%s: the third job is %v after the first has left", c.subject, third.State)
		}
		refused := int64(0)
		for _, n := range s.notes {
			if text := s.s.(system.NoteFormatter).FormatNote(n); text == "A job of 1 task is refused: it would push the smallest yield below 50.0 %, or there is too little memory" {
				refused++
			}
		}
		if got := s.s.(system.Reporter).Report()["rejected"]; got != c.rejected || refused != c.lines {
			t.Errorf("%s: %v rejected, told %d times", c.subject, got, refused)
		}
	}
}

// Three jobs of 0.7 share one host: each gets 333,333 millionths, which is less than the
// floor of 1/2.1 of its need by the rounding alone. None of them counts as below it.
func TestRoundingIsNotBelowTheFloor(t *testing.T) {
	set := yield.Default()
	set.WindowUS, set.FloorYield = 0, 1/2.1
	s := newStage(t, 1, set)
	for job := range 3 {
		s.submit(job, 1, unit.Vec{700_000, 100_000})
		s.pass(unit.Second)
	}
	told := make([]float64, 4)
	if s.s.(system.MetricSource).Measure(told); s.c.View().Totals().Running != 3 || told[0] >= set.FloorYield || told[3] != 0 {
		t.Errorf("%d run, yields and those below the floor %v", s.c.View().Totals().Running, told)
	}
}

// raise sets the floor while the system runs.
func (s *stage) raise(floor float64) {
	s.floor = floor
	s.s.(system.FaultTarget).Fail(system.AgentFault{Kind: "floor_yield", Value: floor})
}

// While a task migrates, its memory is held on both hosts, and its share of CPU
// stays where it runs until it arrives. Then all get what they need.
func TestMigrationTakesItsTime(t *testing.T) {
	set := yield.Default()
	set.WindowUS, set.BudgetMB = 0, 1e8
	s := newStage(t, 3, set)
	s.c.Leave(1)
	s.c.Leave(2)
	s.settle()
	s.submit(1, 2, unit.Vec{900_000, 400_000}) // both on host 0
	s.pass(unit.Second)
	if got := s.compare(); got != .5/.9 && got < .5555 {
		t.Fatalf("two tasks of 0.9 on one host yield %v", got)
	}
	s.c.Restore(1)
	s.settle()
	s.pass(unit.Second)
	v := s.c.View()
	if v.Totals().Migrating != 1 || v.Requested(0)[unit.Memory] != 800_000 || v.Requested(1)[unit.Memory] != 400_000 || v.Allotted(1) != 0 {
		t.Fatalf("%d migrate, memory %v and %v, %d given on host 1", v.Totals().Migrating, v.Requested(0), v.Requested(1), v.Allotted(1))
	}
	s.pass(10 * unit.Minute)
	if v.Allotted(0) != 900_000 || v.Allotted(1) != 900_000 || s.compare() != 1 {
		t.Fatalf("after the migration %d and %d are given, the smallest yield is %v", v.Allotted(0), v.Allotted(1), s.compare())
	}
}

// A lost host: its tasks are placed again at once, within the others' memory.
func TestLostHost(t *testing.T) {
	s := newStage(t, 2, yield.Default())
	s.submit(1, 4, unit.Vec{500_000, 200_000})
	s.pass(unit.Second)
	s.c.Leave(0)
	s.settle()
	s.pass(unit.Second)
	if v := s.c.View().Totals(); v.Running != 4 || v.Displaced != 2 || s.compare() != .5 {
		t.Fatalf("%d of 4 tasks run, %d were displaced, the smallest yield is %v", v.Running, v.Displaced, s.compare())
	}
}

// Where what cannot start is refused, a job that ran is not: it lost its host, waits until there is
// room, and runs again.
func TestALostJobIsNotRefused(t *testing.T) {
	for _, need := range []unit.Vec{{80 * pct, 80 * pct}, {70 * pct, 75 * pct}} { // as it came, and changed
		lose(t, need)
	}
}

func lose(t *testing.T, need unit.Vec) {
	set := yield.Default()
	set.OnFloor, set.FloorYield = yield.Refuse, .9
	s := newStage(t, 2, set)
	s.submit(1, 1, unit.Vec{80 * pct, 80 * pct})
	s.submit(2, 1, unit.Vec{80 * pct, 80 * pct})
	s.pass(10 * unit.Minute)
	lost := s.on()[0]
	s.c.Change(s.ids[0], &workload.Task{Request: need})
	s.settle()
	s.c.Leave(lost)
	s.settle()
	s.pass(10 * unit.Minute)
	if on := s.on(); on[0] != unit.NoNode || on[1] == unit.NoNode || s.report("rejected") != int64(0) {
		t.Fatalf("without its host the job is on %d of %v, and %v jobs are refused", on[0], on, s.report("rejected"))
	}
	s.c.Join(uint64(lost), workload.Node{Capacity: unit.Vec{unit.Whole, unit.Whole}, Rack: -1, Site: -1})
	s.settle()
	s.pass(10 * unit.Minute)
	if s.on()[0] == unit.NoNode {
		t.Errorf("the job never runs again; %v jobs are refused", s.report("rejected"))
	}
}

// Jobs that the memory of no host holds are refused at once, and no plan is tried for them.
func TestTooMuchMemoryForAnyHost(t *testing.T) {
	set := yield.Default()
	set.OnFloor, set.Tries = yield.Refuse, 1
	s := newStage(t, 2, set)
	s.together(1, unit.Vec{10 * pct, 150 * pct}, unit.Vec{20 * pct, 150 * pct})
	s.pass(10 * unit.Minute)
	if got := s.report("rejected"); got != int64(2) {
		t.Errorf("%v jobs of 2 are refused", got)
	}
}

// A host whose memory becomes less than its tasks hold keeps those that fit: the latest leave.
func TestLessMemoryThanIsHeld(t *testing.T) {
	s := newStage(t, 1, yield.Default())
	s.submit(1, 1, unit.Vec{10 * pct, 40 * pct})
	s.submit(2, 1, unit.Vec{10 * pct, 40 * pct})
	s.pass(10 * unit.Minute)
	s.c.Resize(0, unit.Vec{unit.Whole, 50 * pct})
	for until := s.kernel.Now() + 10*unit.Minute; ; { // the host holds too much until the next adaptation
		if err := s.c.Deliver(s.s.On); err != nil {
			t.Fatal(err)
		}
		if !s.kernel.Step(until) {
			break
		}
	}
	if on := s.on(); on[0] == unit.NoNode == (on[1] == unit.NoNode) {
		t.Errorf("of two tasks of 40 %% on a host of 50 %% these run: %v", on)
	}
}

// Tasks of a job on hosts of different CPU stay equal: both get what the smaller host has.
func TestTasksOfAJobAreEqualOverPools(t *testing.T) {
	set := yield.Default()
	set.Algorithm = yield.Greedy // which spreads a job over unequal hosts
	s := newStage(t, 1, set)
	s.join(50 * pct)
	s.submit(1, 2, unit.Vec{60 * pct, 60 * pct})
	s.pass(10 * unit.Minute)
	if lowest := s.compare(); s.c.View().Totals().Running != 2 || lowest < .83 || lowest > .84 {
		t.Errorf("%d of 2 tasks run at a yield of %v", s.c.View().Totals().Running, lowest)
	}
}
