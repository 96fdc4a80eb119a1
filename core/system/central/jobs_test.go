package central_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
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
	for _, policy := range alike {
		t.Run(policy, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				nodes := rapid.SliceOfN(rapid.Int32Range(1, 5), 1, 5).Draw(t, "nodes")
				total := int32(0)
				for _, n := range nodes {
					total += n
				}
				nodes = append(make([]int32, rapid.SampledFrom([]int{0, 1, 70}).Draw(t, "nodes without processors")), nodes...)
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
				pass, play := "instant", batch.PlayOnce
				if rapid.Bool().Draw(t, "a pass after each event") {
					pass, play = "event", batch.PlayOn
				}
				want := play(batch.NewSite(named, int(total)), log)
				got := startsOf(t, fmt.Sprintf(`{"policy":%q,"batch":{"estimate":%q,"factor":%d,"pass":%q}}`, policy, estimate, factor, pass), nodes, jobs, log)
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

// TestAReservationBeginsThoughNothingEnds: a ends at 2, eight before its limit, and the
// two jobs of one processor take its place until 7. The one of two keeps the promise
// of 15, since between was no gap of 6 when it was asked; at 15 nothing ends.
func TestAReservationBeginsThoughNothingEnds(t *testing.T) {
	jobs := []workload.Job{{Processors: 2, Estimate: 10, Run: 2}, {Processors: 1, Estimate: 5, Run: 5}, {Processors: 2, Estimate: 6, Run: 1}, {Processors: 1, Estimate: 5, Run: 5}}
	rapid.Check(t, func(t *rapid.T) {
		got := startsOf(t, `{"policy":"conservative-compress"}`, []int32{1, 1}, jobs, make([]batch.Logged, len(jobs)))
		if want := []unit.Time{0, 2, 15, 2}; !slices.Equal(got, want) {
			t.Fatalf("jobs start at %d, not at %d", got, want)
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
		if err := errors.Join(c.Audit(), s.(system.Auditor).Audit()); err != nil {
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
	for k.Step(30 * unit.Day) {
		settle()
	}
	return starts
}

// TestJobOrders: the system starts jobs when the site with its orders does. On 4
// processors run a job of 3 for 10 s and one of 1 for 2 s; at 1 s come one of 4 for 9 s, one
// of 2 for 5 s, one of 1 for 8 s and one of 1 for 3 s.
func TestJobOrders(t *testing.T) {
	for settings, want := range map[string]string{
		`{"policy":"easy"}`:                                 "0 0 10 19 2 19",
		`{"policy":"easy-sjbf"}`:                            "0 0 10 19 19 2",
		`{"policy":"easy","batch":{"backfill":"sjf"}}`:      "0 0 10 19 19 2",
		`{"policy":"easy-sjbf","batch":{"backfill":"ljf"}}`: "0 0 10 19 2 19",
		`{"policy":"fcfs","batch":{"order":"sjf"}}`:         "0 0 18 10 10 2",
		`{"policy":"fcfs","batch":{"order":"ljf"}}`:         "0 0 10 19 19 19",
		`{"policy":"easy","batch":{"order":"saf"}}`:         "0 0 15 10 5 2",
	} {
		jobs := []workload.Job{{Processors: 3, Run: 10}, {Processors: 1, Run: 2}, {Processors: 4, Run: 9}, {Processors: 2, Run: 5}, {Processors: 1, Run: 8}, {Processors: 1, Run: 3}}
		log := make([]batch.Logged, len(jobs))
		for i := range jobs {
			jobs[i].Run *= unit.Second
			jobs[i].Estimate = jobs[i].Run
			log[i] = batch.Logged{Submit: min(unit.Time(i)/2, 1) * unit.Second}
		}
		rapid.Check(t, func(t *rapid.T) {
			var got []string
			for _, at := range startsOf(t, settings, []int32{2, 2}, jobs, log) {
				got = append(got, fmt.Sprint(int64(at/unit.Second)))
			}
			if text := strings.Join(got, " "); text != want {
				t.Fatalf("%s: %s, want %s", settings, text, want)
			}
		})
	}
}

// TestJobsAndFaults: jobs lose nodes and run again from their beginning; nobody
// holds what is down, and all end once everything is healed.
func TestJobsAndFaults(t *testing.T) {
	all := []string{
		`{"policy":"easy","batch":{"queues":"0: tier=1 preempts user_jobs=2; 1: tier=2 preempts; *: processors=8"}}`,
		`{"policy":"easy","batch":{"order":"multifactor","queues":"0: priority=2; 1: tier=1"}}`,
		`{"policy":"fcfs","batch":{"queues":"0: nodes=0-3; 1: nodes=0-3 tier=1 preempts","reservations":"all from 3us to 9us in 0; 4 from 20us to 30us in 1"}}`,
	}
	for _, policy := range alike {
		all = append(all, fmt.Sprintf(`{"policy":%q}`, policy))
	}
	for _, settings := range all {
		t.Run(settings, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				k := des.New()
				c := cluster.New(cluster.Default(), k)
				s, err := central.Entry().New(system.Env{Clock: k, View: c.View(), Acts: c}, json.RawMessage(settings))
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
						Queue: rapid.Int32Range(0, 1).Draw(t, "queue"), User: rapid.Uint32Range(0, 2).Draw(t, "user"),
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

// TestTooLarge: a job that asks for more than the machine ever had waits, holds up
// nobody, and is told of; one that only a node that is down is missing for comes to run.
func TestTooLarge(t *testing.T) {
	k := des.New()
	c := cluster.New(cluster.Default(), k)
	s, err := central.Entry().New(system.Env{Clock: k, View: c.View(), Acts: c}, json.RawMessage(`{"policy":"fcfs"}`))
	if err != nil {
		t.Fatal(err)
	}
	deliver := func() {
		for first := true; first || k.Step(k.Now()+1); first = false {
			if err := c.Deliver(s.On); err != nil {
				t.Fatal(err)
			}
		}
	}
	for i := range uint64(2) {
		c.Join(i, workload.Node{Capacity: unit.Vec{unit.Whole, unit.Whole}, Rack: -1, Site: -1, Processors: 2})
	}
	deliver()
	c.Leave(0)
	deliver()
	if w := s.(system.WarningSource).Warnings(); len(w) != 0 {
		t.Errorf("before any job it warns %q", w)
	}
	for i, processors := range []int32{5, 4, 1} {
		c.SubmitJob(workload.Key{Job: uint64(i)}, &workload.Job{Processors: processors, Run: 10, Estimate: 10})
		deliver()
	}
	c.Restore(0)
	deliver()
	if jobs := c.View().Totals().Jobs; jobs.Running != 1 || jobs.Waiting != 2 {
		t.Errorf("the job of four processors should run and hold up the last: %+v", jobs)
	}
	if w := s.(system.WarningSource).Warnings(); len(w) != 1 || !strings.Contains(w[0], "ever had: 1;") {
		t.Errorf("one job is too large, and it warns %q", w)
	}
}

// TestAdapt: files of jobs get a policy for jobs if none was chosen, and the other
// settings stay.
func TestAdapt(t *testing.T) {
	for _, c := range []struct {
		raw, want string
		shape     workload.Shape
		told      bool
	}{
		{``, `{"policy":"easy"}`, workload.ShapeJobs, true},
		{`  `, `{"policy":"easy"}`, workload.ShapeJobs, true},
		{`{"fill":0.5}`, `{"fill":0.5,"policy":"easy"}`, workload.ShapeJobs, true},
		{`{"policy":"fcfs"}`, `{"policy":"fcfs"}`, workload.ShapeJobs, false},
		{`{"fill":0.5}`, `{"fill":0.5}`, workload.ShapeTasks, false},
		{`[1]`, `[1]`, workload.ShapeJobs, false},
	} {
		got, told := central.Entry().Adapt(json.RawMessage(c.raw), c.shape, true)
		if string(got) != c.want || (told != "") != c.told {
			t.Errorf("%q becomes %s (%q), want %s", c.raw, got, told, c.want)
		}
	}
}

// alike are the policies that package batch plays without passes of their own.
var alike = slices.DeleteFunc(batch.PolicyNames(), func(name string) bool { return name == "slurm" })
