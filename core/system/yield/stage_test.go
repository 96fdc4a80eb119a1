package yield_test

import (
	"encoding/json"
	"fmt"
	"math"
	"testing"

	"parley/core/cluster"
	"parley/core/des"
	"parley/core/rng"
	"parley/core/system"
	"parley/core/system/yield"
	"parley/core/unit"
	"parley/core/workload"
)

// stage is a cluster of equal hosts under the system, watched.
type stage struct {
	t      failer
	kernel *des.Kernel
	c      *cluster.Cluster
	s      system.System
	budget float64
	floor  float64
	ids    []unit.TaskID
	state  map[unit.TaskID]cluster.State // by the events
	moved  map[any]float64               // megabytes that each adaptation began to migrate
	notes  []system.Note
}

// failer is what testing and rapid have in common here.
type failer interface {
	Fatalf(format string, args ...any)
	Helper()
}

var _ failer = (*testing.T)(nil)

func newStage(t failer, hosts int, settings yield.Settings) *stage {
	t.Helper()
	s := &stage{t: t, kernel: des.New(), budget: settings.BudgetMB, floor: settings.FloorYield, state: map[unit.TaskID]cluster.State{}, moved: map[any]float64{}}
	s.c = cluster.New(cluster.Default(), s.kernel)
	raw, err := json.Marshal(settings)
	if err != nil {
		t.Fatalf("%v", err)
	}
	s.s, err = yield.New(system.Env{
		Clock: s.kernel, View: s.c.View(), Acts: s.c, Note: func(n system.Note) { s.notes = append(s.notes, n) },
		Rand: func(name string) *rng.Stream { return rng.New(1, name) },
	}, raw)
	if err != nil {
		t.Fatalf("%v", err)
	}
	for i := range hosts {
		s.c.Join(uint64(i), workload.Node{Capacity: unit.Vec{unit.Whole, unit.Whole}, Rack: -1, Site: -1})
	}
	s.settle()
	return s
}

// submit brings a job of equal tasks.
func (s *stage) submit(job int, tasks int, need unit.Vec) {
	for k := range tasks {
		id := s.c.Submit(workload.Key{Job: uint64(job), Index: uint32(k)}, &workload.Task{
			Request: need, Image: 1 + 16*unit.GB/unit.Bytes(unit.Whole)*unit.Bytes(need[unit.Memory]),
			Usage: workload.UsageModel{Mean: [unit.Resources]uint16{65535, 65535}},
		})
		s.ids = append(s.ids, id)
	}
	s.settle()
}

// each calls do for the tasks of a job that have not ended.
func (s *stage) each(job int, do func(unit.TaskID, cluster.Task)) {
	for _, id := range s.ids {
		if t, alive := s.c.View().Task(id); alive && t.Key.Job == uint64(job) {
			do(id, t)
		}
	}
	s.settle()
}

// pass lets time go on, and watches every step.
func (s *stage) pass(d unit.Time) {
	for until := s.kernel.Now() + d; s.kernel.Step(until); {
		s.settle()
	}
}

// settle hands out the events and holds the world to what may never happen.
func (s *stage) settle() {
	s.t.Helper()
	err := s.c.Deliver(func(e cluster.Event) error {
		if err := s.watch(e); err != nil {
			return err
		}
		return s.s.On(e)
	})
	if err == nil {
		err = s.c.Audit() // shares within needs and within the host's CPU, among others
	}
	if err != nil {
		s.t.Fatalf("at %v: %v", s.kernel.Now(), err)
	}
	v := s.c.View()
	for n := range unit.NodeID(v.Nodes()) {
		if v.Requested(n)[unit.Memory] > v.Capacity(n)[unit.Memory] {
			s.t.Fatalf("at %v node %d holds memory of %v", s.kernel.Now(), n, v.Requested(n)[unit.Memory])
		}
	}
}

// watch follows every task from waiting to one end, and counts what migrates.
func (s *stage) watch(e cluster.Event) error {
	steps := map[cluster.Kind][2]cluster.State{
		cluster.TaskSubmitted: {cluster.Free, cluster.Waiting}, cluster.TaskPlaced: {cluster.Waiting, cluster.Running},
		cluster.TaskDisplaced: {cluster.Running, cluster.Waiting}, cluster.MigrationBegan: {cluster.Running, cluster.Migrating},
		cluster.MigrationEnded: {cluster.Migrating, cluster.Running}, cluster.MigrationBroken: {cluster.Migrating, cluster.Running},
	}
	if step, moves := steps[e.Kind]; moves {
		if s.state[e.Task] != step[0] {
			return fmt.Errorf("%v of task %x, which is %v", e.Kind, e.Task, s.state[e.Task])
		}
		s.state[e.Task] = step[1]
	}
	if e.Kind == cluster.MigrationBegan {
		nr := s.s.(system.Reporter).Report()["repacks"]
		s.moved[nr] += float64(e.Amount) / float64(unit.MB)
		if s.moved[nr] > s.budget+1e-6 {
			return fmt.Errorf("adaptation %v migrates %v MB, but the budget is %v", nr, s.moved[nr], s.budget)
		}
	}
	return nil
}

// compare recomputes the yields from the view alone.
func (s *stage) compare() (lowest float64) {
	s.t.Helper()
	v := s.c.View()
	type key struct {
		job  uint64
		need unit.Vec
	}
	jobs := map[key]unit.Share{}
	needs, capacity := 0.0, 0.0
	for _, id := range s.ids {
		t, alive := v.Task(id)
		if !alive || t.State == cluster.Waiting {
			continue
		}
		share, has := v.Share(id)
		k := key{t.Key.Job, t.Request}
		if other, seen := jobs[k]; !has || seen && other != share {
			s.t.Fatalf("at %v task %v gets %v (%v), another of its job %v", s.kernel.Now(), t.Key, share, has, other)
		}
		jobs[k] = share
		needs += t.Request[unit.CPU].Float()
	}
	for n := range unit.NodeID(v.Nodes()) {
		if v.Up(n) {
			capacity += v.Capacity(n)[unit.CPU].Float()
		}
	}
	lowest, sum, below := 1.0, 0.0, 0.0
	for k, share := range jobs {
		if (share + 1).Float() < s.floor*k.need[unit.CPU].Float() {
			below++
		}
		y := share.Float() / k.need[unit.CPU].Float()
		lowest = min(lowest, y)
		sum += y
	}
	mean := 1.0
	if len(jobs) > 0 {
		mean = sum / float64(len(jobs))
	}
	bound := 1.0
	if needs > capacity {
		bound = capacity / needs
	}
	var told [4]float64
	s.s.(system.MetricSource).Measure(told[:])
	for i, want := range [4]float64{lowest, mean, bound, below} {
		if math.Abs(told[i]-want) > 1e-9 {
			s.t.Fatalf("at %v the gauges read %v, the view gives %v, %v, %v and %v below the floor", s.kernel.Now(), told, lowest, mean, bound, below)
		}
	}
	if lowest > bound+1e-9 {
		s.t.Fatalf("at %v the smallest yield is %v, above its bound %v", s.kernel.Now(), lowest, bound)
	}
	return lowest
}
