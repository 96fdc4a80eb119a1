package yield_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"parley/core/cluster"
	"parley/core/system"
	"parley/core/system/yield"
	"parley/core/system/yield/solve"
	_ "parley/core/testkit/scripttest/seed"
	"parley/core/testkit/systemtest"
	"parley/core/unit"
	"parley/core/workload"
)

func need(t *rapid.T, maxMemory int) unit.Vec {
	return unit.Vec{
		unit.CPU:    unit.Share(rapid.IntRange(1, 100).Draw(t, "cpu %")) * 10_000,
		unit.Memory: unit.Share(rapid.IntRange(1, maxMemory).Draw(t, "memory %")) * 10_000,
	}
}

// TestSchedules plays random arrivals, changes, departures and faults; stage
// checks every step and compare every state that is settled.
func TestSchedules(t *testing.T) {
	systemtest.Cases(t, 600)
	rapid.Check(t, func(t *rapid.T) {
		set := yield.Default()
		set.BudgetMB = rapid.SampledFrom([]float64{0, 2000, 10_000, 1e8}).Draw(t, "budget")
		set.WindowUS = rapid.SampledFrom([]unit.Time{0, 30 * unit.Second}).Draw(t, "window")
		set.FloorYield = rapid.SampledFrom([]float64{0, .5}).Draw(t, "floor")
		set.OnFloor = rapid.SampledFrom([]string{yield.Queue, yield.Refuse}).Draw(t, "on floor")
		set.RaiseAverage = rapid.Bool().Draw(t, "raise")
		set.Algorithm = rapid.SampledFrom([]string{yield.Adapt, yield.Adapt, yield.Greedy}).Draw(t, "algorithm")
		hosts := rapid.IntRange(1, 6).Draw(t, "hosts")
		s := newStage(t, hosts, set)
		jobs := 0
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			job := rapid.IntRange(0, max(jobs, 1)).Draw(t, "job")
			node := unit.NodeID(rapid.IntRange(0, hosts-1).Draw(t, "node"))
			switch rapid.IntRange(0, 9).Draw(t, "step") {
			case 0, 1, 2, 3:
				jobs++
				s.submit(jobs, rapid.SampledFrom([]int{1, 1, 1, 2, 5}).Draw(t, "tasks"), need(t, 60))
			case 4, 5:
				want := need(t, 60)
				s.each(job, func(id unit.TaskID, old cluster.Task) {
					want[unit.Memory] = old.Request[unit.Memory]
					s.c.Change(id, &workload.Task{Request: want})
				})
			case 6, 7:
				s.each(job, func(id unit.TaskID, _ cluster.Task) { s.c.End(id, workload.Finished) })
			case 8:
				s.c.Leave(node)
				s.settle()
			default:
				s.c.Restore(node)
				s.settle()
			}
			s.pass(rapid.SampledFrom([]unit.Time{0, unit.Second, 20 * unit.Second, 2 * unit.Minute}).Draw(t, "while") + 10*unit.Millisecond)
			s.compare()
		}
	})
}

// TestUnlimitedBudgetIsExact: after whatever came before, with any migration
// allowed, the smallest yield is that of branch and bound from nothing.
func TestUnlimitedBudgetIsExact(t *testing.T) {
	systemtest.Cases(t, 200)
	rapid.Check(t, func(t *rapid.T) {
		set := yield.Default()
		set.BudgetMB, set.WindowUS, set.StepLimit = 1e8, 0, 10_000_000
		hosts := rapid.IntRange(1, 4).Draw(t, "hosts")
		s := newStage(t, hosts, set)
		jobs := rapid.IntRange(1, 6).Draw(t, "jobs")
		for job := range jobs {
			s.submit(job, rapid.SampledFrom([]int{1, 1, 2}).Draw(t, "tasks"), need(t, 10)) // all would fit twice on one host
			s.pass(unit.Minute)
		}
		for range rapid.IntRange(1, 4).Draw(t, "changes") {
			want := need(t, 10)
			s.each(rapid.IntRange(0, jobs-1).Draw(t, "job"), func(id unit.TaskID, old cluster.Task) {
				want[unit.Memory] = old.Request[unit.Memory]
				s.c.Change(id, &workload.Task{Request: want})
			})
			s.pass(10 * unit.Minute)
		}
		in := solve.Instance{Hosts: hosts}
		for job := range jobs {
			one := solve.Job{}
			s.each(job, func(_ unit.TaskID, t cluster.Task) {
				one = solve.Job{CPU: t.Request[unit.CPU].Float(), Mem: t.Request[unit.Memory].Float(), Tasks: one.Tasks + 1}
			})
			in.Jobs = append(in.Jobs, one)
		}
		best, err := solve.Solve(in, "exact", solve.Default())
		if err != nil || !best.Proven {
			t.Fatalf("no optimum: %v", err)
		}
		if got := s.compare(); math.Abs(got-best.MinYield) > 2e-4 { // shares are whole millionths of a host, needs from 0.01
			t.Fatalf("the smallest yield is %v, the optimum %v for %+v", got, best.MinYield, in)
		}
	})
}

// TestExplains: a task that started says where and which hosts there were.
func TestExplains(t *testing.T) {
	s := newStage(t, 3, yield.Default())
	s.submit(1, 2, unit.Vec{500_000, 400_000})
	s.pass(unit.Second)
	d, known := s.s.(system.Explainer).Explain(s.ids[0])
	task, _ := s.c.View().Task(s.ids[0])
	if !known || d.To != task.Node || d.From != unit.NoNode || len(d.Candidates) != 3 || d.Candidates[0].Answer != "chosen" || d.Candidates[0].Node != task.Node {
		t.Fatalf("the decision about a task on node %d is %+v, known %v", task.Node, d, known)
	}
	if d.Candidates[1].Answer != "rejected" || d.Candidates[1].Score != 1 {
		t.Errorf("an empty host scored %+v", d.Candidates[1])
	}
}
