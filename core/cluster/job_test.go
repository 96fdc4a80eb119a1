package cluster_test

import (
	"errors"
	"testing"

	"pgregory.net/rapid"

	"parley/core/cluster"
	"parley/core/des"
	"parley/core/unit"
	"parley/core/workload"
)

// TestJobs plays random acts on jobs beside a model that keeps, by name, who holds
// how many processors of which node: an act that the model allows happens whole,
// any other changes nothing.
func TestJobs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := des.New()
		c := cluster.New(cluster.Default(), k)
		var total [3]int32
		up := [3]bool{true, true, true}
		for n := range total {
			total[n] = rapid.Int32Range(1, 4).Draw(t, "processors")
			c.Join(uint64(n), workload.Node{Capacity: unit.Vec{unit.CPU: 1_000_003, unit.Memory: 5}, Rack: -1, Site: -1, Processors: total[n]})
		}
		type told struct {
			asks  int32
			ends  unit.Time // of a running one
			began unit.Time // likewise
			done  unit.Time // kept of earlier runs
			cost  unit.Time // of its present run, or the next
			pace  unit.Time // of its present run, in thousandths
			holds map[unit.NodeID]int32
		}
		alive := map[unit.JobID]*told{}
		busy := func(n unit.NodeID) (sum int32) {
			for _, j := range alive {
				sum += j.holds[n]
			}
			return sum
		}
		oldest := func() unit.JobID {
			ids := []unit.JobID{77 << 32}
			for id := range alive {
				ids = append(ids, id)
			}
			lowest := ids[0]
			for _, id := range ids[1:] {
				if lowest == 77<<32 || id < lowest {
					lowest = id
				}
			}
			return lowest
		}
		listen := func() {
			err := c.Deliver(func(e cluster.Event) error {
				switch e.Kind {
				case cluster.JobDisplaced:
					j := alive[e.Job()]
					j.holds = nil
					if e.Detail != cluster.Suspended {
						j.done, j.cost = 0, 0
					}
				case cluster.JobEnded:
					if j := alive[e.Job()]; j.holds != nil && e.At != j.ends {
						t.Fatalf("job %x ends at %v instead of %v", e.Job(), e.At, j.ends)
					}
					delete(alive, e.Job())
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		t.Repeat(map[string]func(*rapid.T){
			"submit": func(t *rapid.T) {
				asks := rapid.Int32Range(1, 6).Draw(t, "asks")
				id := c.SubmitJob(workload.Key{}, &workload.Job{Processors: asks, Run: unit.Time(rapid.IntRange(1, 9).Draw(t, "run")), Estimate: unit.Time(rapid.IntRange(1, 9).Draw(t, "estimate"))})
				alive[id] = &told{asks: asks}
				listen()
			},
			"place": func(t *rapid.T) {
				id := oldest()
				var parts []cluster.Part
				want := map[unit.NodeID]int32{}
				sum, ok := int32(0), true
				for range rapid.IntRange(0, 3).Draw(t, "parts") {
					p := cluster.Part{Node: unit.NodeID(rapid.IntRange(-1, 3).Draw(t, "node")), Processors: rapid.Int32Range(-1, 4).Draw(t, "part")}
					parts = append(parts, p)
					want[p.Node] += p.Processors
					sum += p.Processors
					ok = ok && p.Node >= 0 && p.Node < 3 && up[p.Node] && p.Processors > 0
				}
				for n, held := range want {
					ok = ok && busy(n)+held <= total[n]
				}
				j := alive[id]
				ok = ok && j != nil && j.holds == nil && sum == j.asks
				err := c.PlaceAll(id, parts)
				if (err == nil) != ok {
					t.Fatalf("placing on %v: %v, the model says %v", parts, err, ok)
				}
				if ok {
					j.holds = want
					real, _ := c.View().Job(id)
					j.pace = unit.Time(rapid.SampledFrom([]int64{1000, 1000, 1500, 2333}).Draw(t, "pace"))
					if err := c.Slow(id, int64(j.pace)); err != nil {
						t.Fatal(err)
					}
					left := min(real.Run, real.Estimate) - j.done
					j.began, j.ends = k.Now(), k.Now()+j.cost+(left*j.pace+999)/1000
				}
				listen()
			},
			"preempt": func(t *rapid.T) {
				id := oldest()
				j := alive[id]
				err := c.PreemptAll(id)
				if (err == nil) != (j != nil && j.holds != nil) || j == nil && !errors.Is(err, cluster.ErrGone) {
					t.Fatalf("preempting %x: %v", id, err)
				}
				listen()
			},
			"suspend": func(t *rapid.T) {
				id, cost := oldest(), unit.Time(rapid.IntRange(0, 3).Draw(t, "cost"))
				j := alive[id]
				err := c.SuspendAll(id, cost)
				if (err == nil) != (j != nil && j.holds != nil) || j == nil && !errors.Is(err, cluster.ErrGone) {
					t.Fatalf("suspending %x: %v", id, err)
				}
				if err == nil {
					j.done, j.cost = j.done+max(0, k.Now()-j.began-j.cost)*1000/j.pace, cost
				}
				listen()
			},
			"leave": func(t *rapid.T) {
				n := rapid.IntRange(0, 2).Draw(t, "node")
				c.Leave(unit.NodeID(n))
				up[n] = false
				listen()
			},
			"restore": func(t *rapid.T) {
				n := rapid.IntRange(0, 2).Draw(t, "node")
				c.Restore(unit.NodeID(n))
				up[n] = true
				listen()
			},
			"pass": func(t *rapid.T) {
				until := k.Now() + unit.Time(rapid.IntRange(1, 5).Draw(t, "time"))
				for k.Step(until) {
					listen()
				}
			},
			"": func(t *rapid.T) {
				if err := c.Audit(); err != nil {
					t.Fatal(err)
				}
				for n := range unit.NodeID(3) {
					v := c.View()
					cpu := int64(1_000_003) * int64(busy(n)) / int64(total[n])
					if v.BusyProcessors(n) != busy(n) || int64(v.Used(n)[unit.CPU]) != cpu || int64(v.Requested(n)[unit.CPU]) != cpu {
						t.Fatalf("node %d: %d processors busy and %v used, want %d and %d", n, v.BusyProcessors(n), v.Used(n), busy(n), cpu)
					}
				}
			},
		})
	})
}

// A slot keeps the room of a narrow job's parts and drops that of a wide one.
func TestEmptied(t *testing.T) {
	narrow, wide := cluster.Emptied(make([]cluster.Part, 4)), cluster.Emptied(make([]cluster.Part, 1000))
	if len(narrow) != 0 || cap(narrow) != 4 || wide != nil {
		t.Errorf("%d of %d parts are kept of a narrow job, %d of a wide one", len(narrow), cap(narrow), cap(wide))
	}
}
