package yield_test

import (
	"encoding/json"
	"strings"
	"testing"

	"parley/core/cluster"
	"parley/core/frame"
	"parley/core/system"
	"parley/core/system/yield"
	"parley/core/unit"
	"parley/core/workload"
)

const pct = unit.Whole / 100

// told counts the notes whose sentence holds some words.
func (s *stage) told(words string) (n int) {
	for _, note := range s.notes {
		if strings.Contains(s.s.(system.NoteFormatter).FormatNote(note), words) {
			n++
		}
	}
	return n
}

// byHand reports whether the i-th task was placed without a plan.
func (s *stage) byHand(i int) bool {
	s.t.Helper()
	d, known := s.s.(system.Explainer).Explain(s.ids[i])
	if !known {
		s.t.Fatalf("nobody knows why task %d is on node %d", i, s.on()[i])
	}
	return strings.HasPrefix(d.Rule, "among the suitable hosts")
}

func (s *stage) report(name string) any { return s.s.(system.Reporter).Report()[name] }

// together submits jobs of one task each, by need, in one moment.
func (s *stage) together(from int, needs ...unit.Vec) {
	for i, need := range needs {
		s.ids = append(s.ids, s.c.Submit(workload.Key{Job: uint64(from + i)}, &workload.Task{Request: need}))
	}
	s.settle()
}

// Two hosts are full. One has two jobs of 0.9, the other two of 0.1: to exchange
// two of them would be best, but neither can go before the other. The plan is
// given up, once, and all stays as it is.
func TestAPlanThatCannotBeginIsGivenUp(t *testing.T) {
	set := yield.Default()
	set.WindowUS, set.BudgetMB = 0, 1e8
	s := newStage(t, 2, set)
	for job, memory := range []unit.Share{60, 60, 39, 39} {
		s.submit(job, 1, unit.Vec{50 * pct, memory * pct})
		s.pass(unit.Second)
	}
	before := s.on()
	if before[0] == before[1] || before[2] == before[3] || s.told("The plan drops") != 0 {
		t.Fatalf("the jobs are on %v, %d plans were given up", before, s.told("The plan drops"))
	}
	for i, id := range s.ids {
		cpu := unit.Share(10)
		if before[i] == 0 {
			cpu = 90
		}
		task, _ := s.c.View().Task(id)
		s.c.Change(id, &workload.Task{Request: unit.Vec{cpu * pct, task.Request[unit.Memory]}})
	}
	s.settle()
	s.pass(10 * unit.Minute)
	if got := s.on(); got[0] != before[0] || got[2] != before[2] || s.told("The plan drops 2 moves") != 1 || s.told("The plan drops") != 1 {
		t.Errorf("the jobs were on %v and are on %v, %d plans were given up", before, got, s.told("The plan drops"))
	}
}

// Of pools that would be loaded alike a job enters the first.
func TestAmongEqualPoolsTheFirst(t *testing.T) {
	s := newStage(t, 1, yield.Default())
	s.c.Join(1, workload.Node{Capacity: unit.Vec{unit.Whole, unit.Whole / 2}, Rack: -1, Site: -1})
	s.settle()
	s.submit(1, 1, unit.Vec{50 * pct, 10 * pct})
	s.pass(unit.Second)
	if got := s.on()[0]; got != 0 {
		t.Errorf("the job is on %d", got)
	}
}

// What fills a host to the brim fits: memory of 100 % and a yield of just the floor.
func TestFullToTheBrim(t *testing.T) {
	set := yield.Default()
	set.WindowUS, set.FloorYield = 0, .5
	s := newStage(t, 1, set)
	for job, need := range []unit.Vec{{80 * pct, 50 * pct}, {80 * pct, 30 * pct}, {40 * pct, 20 * pct}} {
		s.submit(job, 1, need)
		s.pass(unit.Second)
	}
	if v := s.c.View().Totals(); v.Running != 3 || s.compare() != .5 {
		t.Errorf("%d of 3 jobs run, with a smallest yield of %v", v.Running, s.compare())
	}
	if s.told("Adaptation 2: every job now gets at least 62.5 % of its CPU") != 1 || s.told("Adaptation 3: every job now gets at least 50.0 % of its CPU") != 1 {
		t.Errorf("the plans were not told: %+v", s.notes)
	}
}

// A job that cannot fit by the sums costs no try: the one beside it is planned.
func TestWhatCannotFitCostsNoTry(t *testing.T) {
	set := yield.Default()
	set.WindowUS, set.Tries = 0, 1
	s := newStage(t, 1, set)
	s.submit(0, 1, unit.Vec{10 * pct, 50 * pct})
	s.pass(unit.Second)
	s.together(1, unit.Vec{10 * pct, 60 * pct}, unit.Vec{10 * pct, 20 * pct})
	s.pass(unit.Second)
	if on := s.on(); on[1] != unit.NoNode || on[2] != 0 || s.byHand(2) {
		t.Errorf("the jobs are on %v, the last by hand: %v", on, s.byHand(2))
	}
}

// Two jobs that are too much together cost a try. With none left they are placed
// by hand, one by one; with another each is tried alone.
func TestTries(t *testing.T) {
	for tries, byHand := range map[int]bool{1: true, 2: false} {
		set := yield.Default()
		set.WindowUS, set.FloorYield, set.Tries = 0, .5, tries
		s := newStage(t, 1, set)
		s.together(0, unit.Vec{80 * pct, 10 * pct}, unit.Vec{80 * pct, 10 * pct})
		s.pass(unit.Second)
		s.together(2, unit.Vec{30 * pct, 10 * pct}, unit.Vec{30 * pct, 10 * pct})
		s.pass(unit.Second)
		if on := s.on(); on[2] != 0 || on[3] != unit.NoNode || s.byHand(2) != byHand {
			t.Errorf("with %d tries the jobs are on %v, the third by hand: %v, want %v", tries, on, s.byHand(2), byHand)
		}
	}
}

// What a plan accepted counts for those that come to the pool after it: the second
// job is too much by the sums of memory and costs no try, so the third is planned.
func TestAcceptedJobsCount(t *testing.T) {
	set := yield.Default()
	set.WindowUS, set.Tries, set.BudgetMB = 0, 1, 0
	s := newStage(t, 1, set)
	s.c.Join(1, workload.Node{Capacity: unit.Vec{unit.Whole, unit.Whole / 2}, Rack: -1, Site: -1})
	s.c.Leave(0)
	s.settle()
	s.submit(0, 1, unit.Vec{1 * pct, 20 * pct}) // on the small host
	s.pass(unit.Second)
	s.c.Restore(0)
	s.settle()
	s.join(unit.Whole)
	s.pass(unit.Second)
	large, medium := unit.Vec{50 * pct, 60 * pct}, unit.Vec{10 * pct, 45 * pct}
	for task, need := range []unit.Vec{large, large, medium, medium, {10 * pct, 35 * pct}} {
		key := workload.Key{Job: uint64(1 + task/2), Index: uint32(task % 2)} // two, two and one
		s.ids = append(s.ids, s.c.Submit(key, &workload.Task{Request: need}))
	}
	s.settle()
	s.pass(unit.Second)
	if on := s.on(); on[1] == on[2] || on[3] != unit.NoNode || on[4] != unit.NoNode || on[5] == unit.NoNode || on[5] == 1 || s.byHand(5) {
		t.Errorf("the tasks are on %v, the last by hand: %v", on, s.byHand(5))
	}
}

// A job that needs all of a host's memory fits an empty one. Why it is there says
// that a host which would just be full was rejected, and a fuller one refused.
func TestAllOfTheMemory(t *testing.T) {
	s := newStage(t, 3, yield.Default())
	s.submit(0, 1, unit.Vec{pct, pct})
	s.pass(unit.Second)
	s.submit(1, 1, unit.Vec{pct, unit.Whole})
	s.pass(10 * unit.Minute)
	d, _ := s.s.(system.Explainer).Explain(s.ids[1])
	if on := s.on(); on[1] == unit.NoNode || on[1] == on[0] || s.byHand(1) || len(d.Candidates) != 3 {
		t.Fatalf("the jobs are on %v, %+v", on, d)
	}
	for _, c := range d.Candidates {
		want := map[bool]string{true: "refused", false: "rejected"}[c.Node == s.on()[0]]
		if c.Node == s.on()[1] {
			want = system.Chosen
		}
		if c.Answer != want {
			t.Errorf("host %d is %s, want %s", c.Node, c.Answer, want)
		}
	}
}

// The book knows nothing of tasks that nobody entered.
func TestBook(t *testing.T) {
	b := yield.NewBook()
	b.Enter(1)
	if !b.Has(1) || b.Has(0) || b.Has(2) {
		t.Error("it has other tasks than task 1")
	}
}

// A job that ends in the moment in which it comes was never there.
func TestGoneAtOnce(t *testing.T) {
	s := newStage(t, 1, yield.Default())
	s.c.End(s.c.Submit(workload.Key{}, &workload.Task{Request: unit.Vec{pct, pct}}), workload.Killed)
	s.settle()
	s.pass(unit.Second)
	s.submit(1, 1, unit.Vec{pct, pct})
	s.pass(10 * unit.Minute)
	if v := s.c.View().Totals(); v.Running != 1 {
		t.Errorf("%d tasks run after it", v.Running)
	}
}

// Without a host and without a job that runs, all yields are 1. A task that needs
// no CPU gets all that it needs.
func TestYieldOfNothing(t *testing.T) {
	for subject, s := range map[string]*stage{"without a host": newStage(t, 0, yield.Default()), "without a job": newStage(t, 1, yield.Default()), "without a need": newStage(t, 1, yield.Default())} {
		if subject == "without a need" {
			s.together(0, unit.Vec{0, pct})
			s.pass(unit.Second)
			if s.on()[0] != 0 {
				t.Fatal("a task without a need of CPU does not start")
			}
		}
		var told [4]float64
		if s.s.(system.MetricSource).Measure(told[:]); told != [4]float64{1, 1, 1, 0} {
			t.Errorf("%s the yields are %v", subject, told)
		}
	}
}

// A job is incomplete while it runs and one of its tasks waits.
func TestIncompleteJobs(t *testing.T) {
	s := newStage(t, 2, yield.Default())
	s.submit(0, 2, unit.Vec{10 * pct, 60 * pct})
	s.submit(1, 1, unit.Vec{10 * pct, 10 * pct})
	s.pass(unit.Second)
	if got := s.report("incomplete_jobs"); got != int64(0) {
		t.Errorf("all run, and %v jobs are incomplete", got)
	}
	s.c.Leave(1)
	s.settle()
	s.pass(unit.Second)
	if v := s.c.View().Totals(); s.report("incomplete_jobs") != int64(1) || v.Waiting != 1 {
		t.Errorf("%d tasks wait, and %v jobs are incomplete", v.Waiting, s.report("incomplete_jobs"))
	}
}

// The layers: CPU given of the host's, the smallest yield of a task on it, and what
// all would get if cut alike; 0 for a host that is down, empty or has no CPU.
func TestLayers(t *testing.T) {
	set := yield.Default()
	set.RaiseAverage = false
	s := newStage(t, 4, set)
	for n := range unit.NodeID(3) {
		s.c.Leave(n)
	}
	s.settle()
	s.submit(0, 2, unit.Vec{80 * pct, 10 * pct}) // both on host 3
	s.pass(unit.Second)
	s.c.Restore(1)
	s.c.Resize(1, unit.Vec{0, unit.Whole})
	s.c.Restore(2)
	s.settle()
	layer := func(i int) (cells [4]byte) {
		s.s.(system.LayerSource).FillLayer(i, cells[:])
		return cells
	}
	const full = frame.FullScale
	for i, want := range [3]byte{full, 62.5 * full / 100, 62.5 * full / 100} {
		if got := layer(i); got != [4]byte{0, 0, 0, want} {
			t.Errorf("layer %d is %v, want %d for the last host", i, got, want)
		}
	}
}

// A host without CPU takes nothing, and what is on a host that has lost its CPU
// does not hinder the others, coupled or not.
func TestHostWithoutCPU(t *testing.T) {
	for _, search := range []int{20_000, 0} {
		set := yield.Default()
		set.WindowUS, set.SearchTasks = 0, search
		s := newStage(t, 0, set)
		bare := s.join(0)
		s.submit(0, 1, unit.Vec{10 * pct, 10 * pct})
		s.pass(unit.Second)
		if got := s.on()[0]; got != unit.NoNode {
			t.Fatalf("a task is on host %d, which has no CPU", got)
		}
		lost := s.join(unit.Whole)
		s.pass(unit.Second)
		s.submit(1, 2, unit.Vec{10 * pct, 10 * pct})
		s.pass(unit.Second)
		s.c.Resize(lost, unit.Vec{0, unit.Whole})
		s.settle()
		whole := s.join(unit.Whole)
		s.submit(2, 1, unit.Vec{10 * pct, 10 * pct})
		s.each(1, func(id unit.TaskID, _ cluster.Task) {
			s.c.Change(id, &workload.Task{Request: unit.Vec{20 * pct, 10 * pct}})
		})
		s.pass(unit.Second)
		if on := s.on(); on[3] != whole || s.c.View().Allotted(whole) != 10*pct || s.c.View().Count(bare) != 0 {
			t.Errorf("the tasks are on %v, %v is given on the whole host", on, s.c.View().Allotted(whole))
		}
	}
}

// CPU is divided a millisecond after a job has left, when all is known that
// happened with it.
func TestSharesFollowAMillisecondLater(t *testing.T) {
	s := newStage(t, 1, yield.Default())
	s.submit(0, 1, unit.Vec{unit.Whole, pct})
	s.submit(1, 1, unit.Vec{unit.Whole, pct})
	s.pass(unit.Second)
	s.c.End(s.ids[0], workload.Finished)
	s.settle()
	s.kernel.At(s.kernel.Now()+unit.Millisecond-1, nothing{}, 0)
	s.pass(unit.Millisecond)
	if got, _ := s.c.View().Share(s.ids[1]); got != unit.Whole/2 {
		t.Errorf("%v are given before all is known", got)
	}
	s.pass(2)
	if got, _ := s.c.View().Share(s.ids[1]); got != unit.Whole {
		t.Errorf("%v are given a millisecond later", got)
	}
}

// nothing lets time pass.
type nothing struct{}

func (nothing) Fire(unit.Time, uint64) {}

// The first adaptation comes at once, however long the window.
func TestTheFirstComesAtOnce(t *testing.T) {
	set := yield.Default()
	set.WindowUS = unit.Hour
	s := newStage(t, 0, set)
	s.submit(0, 1, unit.Vec{pct, pct})
	s.pass(unit.Second)
	if got := s.report("repacks"); got != int64(1) {
		t.Errorf("%v adaptations in the first second", got)
	}
}

// Services of several tasks come only if asked for, and needs change only if
// they shall. A second is the shortest mean of a life.
func TestPopulationWithoutChanges(t *testing.T) {
	for raw, want := range map[string][2]bool{
		`{"parallel_share":0,"change_every":"0s","mean_lifetime":"1s"}`:    {false, false},
		`{"hosts":20000,"tasks":1,"parallel_share":0,"change_every":"0s"}`: {false, false},
		`{"parallel_share":1,"change_every":"1s","mean_lifetime":"1s"}`:    {true, true},
	} {
		source, err := yield.Workload(json.RawMessage(raw), 3)
		if err != nil {
			t.Fatal(err)
		}
		var r workload.Record
		var got [2]bool
		for range 3000 {
			if err := source.Next(&r); err != nil {
				t.Fatal(err)
			}
			got[0] = got[0] || r.Key.Index > 0
			got[1] = got[1] || r.Kind == workload.TaskChanges
		}
		if got != want {
			t.Errorf("%s: several tasks, changes: %v, want %v", raw, got, want)
		}
	}
}
