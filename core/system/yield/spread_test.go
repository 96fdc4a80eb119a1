package yield_test

import (
	"testing"

	"parley/core/cluster"
	"parley/core/des"
	"parley/core/rng"
	"parley/core/system/yield"
	"parley/core/unit"
	"parley/core/workload"
)

// TestSpreadAgainstAList: a task goes to the host with the least CPU need by its
// capacity, of equal ones to the lowest number, among those that have the memory,
// suit it and stay within the limit; here by looking at all hosts. Amounts are
// sixteenths of a machine times powers of two, so that loads tie and add up exactly.
func TestSpreadAgainstAList(t *testing.T) {
	random := rng.New(2, "spread")
	for round := range 200 {
		c := cluster.New(cluster.Default(), des.New())
		type host struct {
			up   bool
			cpu  float64
			load float64
			free int64
		}
		hosts := make([]host, 1+random.Intn(80))
		for i := range hosts {
			capacity := unit.Vec{250_000 << random.Intn(3), unit.Share(random.Intn(8)) * 1000}
			hosts[i] = host{up: random.Intn(8) > 0, cpu: capacity[unit.CPU].Float(), free: int64(capacity[unit.Memory])}
			n := c.Join(uint64(i), workload.Node{Capacity: capacity, Rack: -1, Site: -1})
			for range random.Intn(3) {
				request := unit.Vec{62_500 << random.Intn(3), 500}
				id := c.Submit(workload.Key{Index: uint32(i)}, &workload.Task{Request: request})
				if hosts[i].up && c.Place(id, n, cluster.Unchecked) == nil {
					hosts[i].load += request[unit.CPU].Float() / hosts[i].cpu
					hosts[i].free -= 500
				}
			}
			if !hosts[i].up {
				c.Leave(n)
			}
		}
		s := yield.NewSpread(c.View())
		type place struct {
			on   unit.NodeID
			need unit.Vec
		}
		var taken []place
		for task := range 200 {
			if task < 110 && len(taken) > 0 && random.Intn(6) == 0 {
				i := random.Intn(len(taken))
				p := taken[i]
				s.GiveBack(p.on, p.need)
				hosts[p.on].load -= p.need[unit.CPU].Float() / hosts[p.on].cpu
				hosts[p.on].free += int64(p.need[unit.Memory])
				taken = append(taken[:i], taken[i+1:]...)
			}
			need := unit.Vec{62_500 << random.Intn(4), unit.Share(random.Intn(4)) * 500}
			limit := []float64{0.5, 1, 2, 1e18}[random.Intn(4)]
			rare := random.Intn(4) // few hosts will do, or none of the least loaded
			before := func(n unit.NodeID) (less int) {
				for i := range hosts {
					if hosts[i].up && (hosts[i].load < hosts[n].load || hosts[i].load == hosts[n].load && unit.NodeID(i) < n) {
						less++
					}
				}
				return less
			}
			if task >= 120 { // now anyone
				need, limit, rare = unit.Vec{500_000, 0}, 1e18, 2
			}
			suits := func(n unit.NodeID) bool { return rare > 1 || rare == 1 && n%37 == 3 || rare == 0 && before(n) >= 32 }
			want := unit.NoNode
			for i := range hosts {
				n, h := unit.NodeID(i), &hosts[i]
				if h.up && int64(need[unit.Memory]) <= h.free && h.load+need[unit.CPU].Float()/h.cpu <= limit && suits(n) &&
					(want == unit.NoNode || h.load < hosts[want].load) {
					want = n
				}
			}
			got := s.Take(need, limit, suits)
			if got != want {
				t.Fatalf("round %d, task %d: %d of %d hosts, want %d", round, task, got, len(hosts), want)
			}
			if got != unit.NoNode {
				hosts[got].load += need[unit.CPU].Float() / hosts[got].cpu
				hosts[got].free -= int64(need[unit.Memory])
				taken = append(taken, place{got, need})
			}
		}
	}
}
