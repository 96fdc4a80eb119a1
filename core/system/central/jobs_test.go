package central_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"parley/core/batch"
	"parley/core/cluster"
	"parley/core/des"
	"parley/core/rng"
	"parley/core/system"
	"parley/core/system/central"
	"parley/core/unit"
	"parley/core/workload"
)

// TestJobs plays random logs on a cluster of uneven nodes under every policy for
// jobs: each job starts when it does on the bare site of package batch, which a
// naive scheduler has checked, whichever nodes its processors are of.
func TestJobs(t *testing.T) {
	for _, policy := range batch.PolicyNames() {
		t.Run(policy, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				nodes := rapid.SliceOfN(rapid.Int32Range(1, 5), 1, 5).Draw(t, "nodes")
				total := int32(0)
				for _, n := range nodes {
					total += n
				}
				estimate := rapid.SampledFrom([]string{"requested", "run"}).Draw(t, "estimate")
				factor := rapid.SampledFrom([]int{1, 2}).Draw(t, "factor")
				var jobs []workload.Job
				var log []batch.Logged
				at := unit.Time(0)
				for range rapid.IntRange(1, 15).Draw(t, "jobs") {
					at += unit.Time(rapid.IntRange(0, 3).Draw(t, "gap"))
					j := workload.Job{
						Processors: rapid.Int32Range(1, total).Draw(t, "processors"),
						Estimate:   unit.Time(rapid.IntRange(1, 12).Draw(t, "estimate")), Run: unit.Time(rapid.IntRange(1, 14).Draw(t, "run")),
					}
					l := batch.Logged{Job: batch.Job{Processors: int(j.Processors), Estimate: j.Estimate}, Submit: at, Run: min(j.Run, j.Estimate)}
					if estimate == "run" {
						l.Estimate = l.Run
					}
					l.Estimate *= unit.Time(factor)
					jobs, log = append(jobs, j), append(log, l)
				}
				named, _ := batch.ParsePolicy(policy)
				want := batch.Play(named, int(total), log)
				got := startsOf(t, fmt.Sprintf(`{"policy":%q,"batch":{"estimate":%q,"factor":%d}}`, policy, estimate, factor), nodes, jobs, log)
				if !slices.Equal(got, want) {
					t.Fatalf("jobs start at %d, on the bare site at %d", got, want)
				}
			})
		})
	}
}

// TestAReservationCountsOnEndsOfItsMoment: at 6 two jobs end, and the reservation of
// the last one begins, which needs the processors of both. It goes before the one that
// needs all, whose promise, 7, stays.
func TestAReservationCountsOnEndsOfItsMoment(t *testing.T) {
	var jobs []workload.Job
	var log []batch.Logged
	for _, j := range []struct {
		processors    int32
		estimate, run unit.Time
	}{{1, 7, 6}, {2, 6, 5}, {5, 1, 1}, {7, 1, 1}, {5, 1, 1}} {
		jobs = append(jobs, workload.Job{Processors: j.processors, Estimate: j.estimate, Run: j.run})
		log = append(log, batch.Logged{Job: batch.Job{Processors: int(j.processors), Estimate: j.estimate}, Run: j.run})
	}
	rapid.Check(t, func(t *rapid.T) {
		want := batch.Play(batch.ConservativeCompress, 7, log)
		if got := startsOf(t, `{"policy":"conservative-compress"}`, []int32{3, 4}, jobs, log); !slices.Equal(got, want) {
			t.Fatalf("jobs start at %d, on the bare site at %d", got, want)
		}
	})
}

// arrivals submits jobs at their time.
type arrivals struct {
	c    *cluster.Cluster
	jobs []workload.Job
}

func (a arrivals) Fire(_ unit.Time, i uint64) {
	a.c.SubmitJob(workload.Key{Job: i}, &a.jobs[i])
}

// startsOf returns when each job starts under the system.
func startsOf(t *rapid.T, settings string, nodes []int32, jobs []workload.Job, log []batch.Logged) []unit.Time {
	k := des.New()
	c := cluster.New(cluster.Default(), k)
	s, err := central.Entry().New(system.Env{Clock: k, View: c.View(), Acts: c, Rand: func(string) *rng.Stream { return nil }}, json.RawMessage(settings))
	if err != nil {
		t.Fatal(err)
	}
	starts := make([]unit.Time, len(jobs))
	for i := range starts {
		starts[i] = unit.Forever
	}
	settle := func() {
		if err := c.Deliver(func(e cluster.Event) error {
			if e.Kind == cluster.JobPlaced {
				j, _ := c.View().Job(e.Job())
				starts[j.Key.Job] = e.At
			}
			return s.On(e)
		}); err != nil {
			t.Fatal(err)
		}
		if err := c.Audit(); err != nil {
			t.Fatal(err)
		}
	}
	for i, processors := range nodes {
		c.Join(uint64(i), workload.Node{Capacity: unit.Vec{unit.Whole, unit.Whole}, Rack: -1, Site: -1, Processors: processors})
	}
	settle()
	for i := range jobs {
		k.At(log[i].Submit, arrivals{c, jobs}, uint64(i))
	}
	for k.Step(unit.Minute) {
		settle()
	}
	return starts
}

// TestJobsAndFaults: jobs lose nodes and run again from their beginning; nobody
// holds what is down, and all end once everything is healed.
func TestJobsAndFaults(t *testing.T) {
	for _, policy := range batch.PolicyNames() {
		t.Run(policy, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				k := des.New()
				c := cluster.New(cluster.Default(), k)
				s, err := central.Entry().New(system.Env{Clock: k, View: c.View(), Acts: c}, json.RawMessage(fmt.Sprintf(`{"policy":%q}`, policy)))
				if err != nil {
					t.Fatal(err)
				}
				settle := func() {
					if err := c.Deliver(s.On); err != nil {
						t.Fatal(err)
					}
					if err := errors.Join(c.Audit(), s.(system.Auditor).Audit()); err != nil {
						t.Fatal(err)
					}
				}
				for i := range uint64(4) {
					c.Join(i, workload.Node{Capacity: unit.Vec{unit.Whole, unit.Whole}, Rack: -1, Site: -1, Processors: 2})
				}
				for i := range uint64(rapid.IntRange(1, 12).Draw(t, "jobs")) {
					c.SubmitJob(workload.Key{Job: i}, &workload.Job{
						Processors: rapid.Int32Range(1, 8).Draw(t, "processors"), Run: unit.Time(rapid.IntRange(1, 9).Draw(t, "run")), Estimate: 10,
					})
				}
				settle()
				for range rapid.IntRange(0, 8).Draw(t, "faults") {
					n := unit.NodeID(rapid.IntRange(0, 3).Draw(t, "node"))
					if rapid.Bool().Draw(t, "down") {
						c.Leave(n)
					} else {
						c.Restore(n)
					}
					settle()
					until := k.Now() + unit.Time(rapid.IntRange(0, 7).Draw(t, "time"))
					for k.Step(until) {
						settle()
					}
				}
				for n := range unit.NodeID(4) {
					c.Restore(n)
					settle()
				}
				for k.Step(k.Now() + 1000) {
					settle()
					if k.Now() > 2000 {
						break
					}
				}
				if left := c.View().Totals().Jobs; left.Waiting+left.Running > 0 {
					t.Fatalf("at %v %+v", k.Now(), left)
				}
			})
		})
	}
}
