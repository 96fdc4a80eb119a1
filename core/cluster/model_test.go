package cluster_test

import (
	"flag"
	"os"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"parley/core/cluster"
	"parley/core/des"
	"parley/core/unit"
	"parley/core/workload"
)

// TestMain asks for thousands of random schedules, which are small and fast, and
// for few of them with -short.
func TestMain(m *testing.M) {
	flag.Parse()
	asked := false
	flag.Visit(func(f *flag.Flag) { asked = asked || f.Name == "rapid.checks" })
	if !asked && !testing.Short() {
		if err := flag.Set("rapid.checks", "3000"); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}

// TestAgainstDumbModel throws random acts and faults at the cluster and at maps.
func TestAgainstDumbModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld()
		share := rapid.Map(rapid.IntRange(1, 20), func(i int) unit.Share { return unit.Share(i) * 50_000 })
		vec := rapid.Custom(func(t *rapid.T) unit.Vec { return unit.Vec{share.Draw(t, "cpu"), share.Draw(t, "memory")} })
		some := func() unit.TaskID {
			if len(w.order) == 0 {
				return unit.NoTask
			}
			return rapid.SampledFrom(w.order).Draw(t, "task") // stale ones too
		}
		where := rapid.Map(rapid.IntRange(-1, machines), func(i int) unit.NodeID { return unit.NodeID(i) })
		checks := rapid.SampledFrom([]cluster.Check{cluster.ByUse, cluster.ByRequest, cluster.ByTotal, cluster.Unchecked, cluster.ByMemory})
		wish := rapid.Custom(func(t *rapid.T) workload.Task {
			task := workload.Task{Request: vec.Draw(t, "request"), Class: workload.PriorityClass(rapid.IntRange(0, 1).Draw(t, "class"))}
			task.Request = unit.Vec{task.Request[0] / 2, task.Request[1] / 2}
			task.Image = workload.ImageOf(task.Request)
			if rapid.Bool().Draw(t, "picky") {
				task.Constraints = []workload.Constraint{{Name: 0, Op: workload.Operator(rapid.IntRange(0, 3).Draw(t, "op")), Value: int64(rapid.IntRange(0, 2).Draw(t, "value"))}}
			}
			return task
		})
		same := func(act string, got, want error) {
			if got != want {
				t.Fatalf("%s answers %v, want %v", act, got, want)
			}
		}
		actions := map[string]func(*rapid.T){
			"join": func(t *rapid.T) {
				n := rapid.IntRange(0, min(len(w.nodes), machines-1)).Draw(t, "machine")
				capacity := vec.Draw(t, "capacity")
				w.c.Join(uint64(100+n), workload.Node{Capacity: capacity, Rack: -1, Site: -1})
				if n == len(w.nodes) {
					w.nodes = append(w.nodes, machine{disk: workload.Unset})
				}
				w.shrink(n, capacity)
				w.nodes[n].up = true
			},
			"leave": func(t *rapid.T) {
				n := rapid.IntRange(0, machines).Draw(t, "node")
				w.c.Leave(unit.NodeID(n))
				w.leave(unit.NodeID(n))
			},
			"restore": func(t *rapid.T) {
				n := rapid.IntRange(0, machines).Draw(t, "node")
				w.c.Restore(unit.NodeID(n))
				if n < len(w.nodes) {
					w.nodes[n].up = true
				}
			},
			"resize": func(t *rapid.T) {
				n, capacity := rapid.IntRange(0, machines).Draw(t, "node"), vec.Draw(t, "capacity")
				w.c.Resize(unit.NodeID(n), capacity)
				if n < len(w.nodes) {
					w.shrink(n, capacity)
				}
			},
			"attribute": func(t *rapid.T) {
				n, value := rapid.IntRange(0, machines).Draw(t, "node"), int64(rapid.IntRange(-1, 2).Draw(t, "value"))
				w.c.SetAttribute(unit.NodeID(n), workload.Attribute{Value: value, Absent: value < 0})
				if value < 0 {
					value = workload.Unset
				}
				if n < len(w.nodes) {
					w.nodes[n].disk = value
				}
			},
			"submit": func(t *rapid.T) {
				task := wish.Draw(t, "task")
				if rapid.Bool().Draw(t, "mortal") {
					task.Lifetime = unit.Time(rapid.IntRange(1, 200).Draw(t, "life"))*unit.Second + 1
				}
				for r := range task.Usage.Mean {
					task.Usage.Mean[r] = uint16(rapid.IntRange(0, 65535).Draw(t, "mean"))
				}
				id := w.c.Submit(workload.Key{Job: 1, Index: uint32(len(w.order))}, &task)
				if slices.Contains(w.order, id) {
					t.Fatalf("task id %x was given before", id)
				}
				w.order = append(w.order, id)
				w.tasks[id] = &job{Task: task, state: cluster.Waiting, node: unit.NoNode, to: unit.NoNode, usage: task.Usage.Average(task.Request), submitted: w.kernel.Now()}
			},
			"place": func(t *rapid.T) {
				id, n, by := some(), where.Draw(t, "node"), checks.Draw(t, "by")
				want := w.place(id, n, by)
				same("place", w.c.Place(id, n, by), want)
			},
			"migrate": func(t *rapid.T) {
				id, n, by := some(), where.Draw(t, "node"), checks.Draw(t, "by")
				want := w.migrate(id, n, by)
				same("migrate", w.c.Migrate(id, n, by), want)
			},
			"preempt": func(t *rapid.T) {
				id := some()
				want := w.preempt(id)
				same("preempt", w.c.Preempt(id), want)
			},
			"allot": func(t *rapid.T) {
				id, cpu := some(), unit.Share(rapid.IntRange(-1, 12).Draw(t, "tenths"))*100_000
				if j, alive := w.tasks[id]; alive && rapid.Bool().Draw(t, "within its request") {
					cpu = min(cpu, j.Request[unit.CPU])
				}
				want := w.allot(id, cpu)
				same("allot", w.c.Allot(id, cpu), want)
			},
			"end": func(t *rapid.T) {
				id, how := some(), workload.End(rapid.IntRange(0, 4).Draw(t, "how"))
				w.c.End(id, how)
				w.end(id, how)
			},
			"change": func(t *rapid.T) {
				id, task := some(), wish.Draw(t, "task")
				w.c.Change(id, &task)
				if j, alive := w.tasks[id]; alive {
					j.Request, j.Class, j.Constraints, j.Image = task.Request, task.Class, task.Constraints, task.Image
					if !j.measured {
						j.usage = j.Usage.Average(j.Request)
					}
					j.share = min(j.share, j.Request[unit.CPU])
				}
			},
			"measure": func(t *rapid.T) {
				id, use := some(), vec.Draw(t, "use")
				w.c.Measure(id, use)
				if j, alive := w.tasks[id]; alive {
					j.usage, j.measured = use, true
				}
			},
			"pass": func(t *rapid.T) {
				until := w.kernel.Now() + unit.Time(rapid.IntRange(1, 200).Draw(t, "seconds"))*unit.Second
				for w.kernel.Step(until) {
				}
				w.pass(until)
			},
			"": func(t *rapid.T) {
				w.compare(t)
				w.listen(t)
			},
		}
		t.Repeat(actions)
	})
}

// TestRequestsStayWithinCapacity: while every act is checked by requests, no
// node is ever promised more than it has, whatever fails meanwhile.
func TestRequestsStayWithinCapacity(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := des.New()
		c := cluster.New(cluster.Default(), k)
		v := c.View()
		for i := range 3 {
			c.Join(uint64(i), workload.Node{Capacity: unit.Vec{unit.Whole, unit.Whole}, Rack: -1, Site: -1})
		}
		var tasks []unit.TaskID
		for range rapid.IntRange(10, 60).Draw(t, "steps") {
			n := unit.NodeID(rapid.IntRange(0, 2).Draw(t, "node"))
			switch rapid.IntRange(0, 9).Draw(t, "act") {
			case 0:
				c.Leave(n)
			case 1:
				c.Restore(n)
			case 2:
				for until := k.Now() + 10*unit.Second; k.Step(until); {
				}
			case 3, 4, 5:
				request := unit.Vec{unit.Share(rapid.IntRange(1, 600_000).Draw(t, "cpu")), unit.Share(rapid.IntRange(1, 600_000).Draw(t, "memory"))}
				id := c.Submit(workload.Key{Index: uint32(len(tasks))}, &workload.Task{Request: request, Image: workload.ImageOf(request), Lifetime: unit.Minute})
				tasks = append(tasks, id)
				_ = c.Place(id, n, cluster.ByRequest)
			default:
				if len(tasks) > 0 {
					id := rapid.SampledFrom(tasks).Draw(t, "task")
					if c.Place(id, n, cluster.ByRequest) != nil {
						_ = c.Migrate(id, n, cluster.ByRequest)
					}
				}
			}
			for n := range unit.NodeID(3) {
				if !v.Requested(n).Within(v.Capacity(n)) {
					t.Fatalf("node %d holds requests of %v, but has %v", n, v.Requested(n), v.Capacity(n))
				}
			}
		}
	})
}
