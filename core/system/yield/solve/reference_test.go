package solve_test

import (
	"fmt"
	"sort"
	"testing"

	"parley/core/rng"
	"parley/core/system/yield/solve"
)

// The functions below are the algorithms as the paper tells them, written to be
// read: lists that are scanned from the top, hosts sorted anew for every job.
// The fast ones must give the same placements.

type task struct {
	cpu, mem float64
	host     int
}

func tasksOf(in solve.Instance) []*task {
	var list []*task
	for _, j := range in.Jobs {
		for range j.Tasks {
			list = append(list, &task{cpu: j.CPU, mem: j.Mem, host: -1})
		}
	}
	return list
}

const fullHost = 1 + 1e-9

var keys = []func(c, m float64) float64{
	func(c, m float64) float64 { return max(c, m) + min(c, m) },
	func(c, m float64) float64 { return max(c, m) - min(c, m) },
	func(c, m float64) float64 { return max(c, m) / min(c, m) },
	func(c, m float64) float64 { return max(c, m) },
}

// packByScanning is multi-capacity bin packing at yield y (section 3.4).
func packByScanning(in solve.Instance, list []*task, variant int, y float64) bool {
	key := keys[(variant-1)%4]
	var heavy [2][]*task
	for _, t := range list {
		t.host = -1
		if t.cpu*y > t.mem {
			heavy[0] = append(heavy[0], t)
		} else {
			heavy[1] = append(heavy[1], t)
		}
	}
	for _, l := range heavy {
		sort.SliceStable(l, func(a, b int) bool {
			if variant > 4 {
				a, b = b, a
				if key(l[a].cpu*y, l[a].mem) == key(l[b].cpu*y, l[b].mem) {
					return false
				}
			}
			return key(l[a].cpu*y, l[a].mem) < key(l[b].cpu*y, l[b].mem)
		})
	}
	for h := range in.Hosts {
		cpu, mem := fullHost, fullHost
		scan := func(l []*task) bool {
			for _, t := range l {
				if t.host < 0 && t.cpu*y <= cpu && t.mem <= mem {
					t.host = h
					cpu -= t.cpu * y
					mem -= t.mem
					return true
				}
			}
			return false
		}
		for {
			first := 1
			if cpu > mem {
				first = 0
			}
			if !scan(heavy[first]) && !scan(heavy[1-first]) {
				break
			}
		}
	}
	for _, t := range list {
		if t.host < 0 {
			return false
		}
	}
	return true
}

func mcbByScanning(in solve.Instance, variant int) (hosts []int, yield float64) {
	list := tasksOf(in)
	lo, hi := 0.0, solve.Bound(in)
	for y := hi / 2; ; y = (lo + hi) / 2 {
		if packByScanning(in, list, variant, y) {
			lo, yield, hosts = y, y, nil
			for _, t := range list {
				hosts = append(hosts, t.host)
			}
		} else {
			hi = y
		}
		if hi-lo <= 0.001 || lo >= 1-1e-5 {
			return hosts, yield
		}
	}
}

// greedyBySorting places the jobs one after the other on the least loaded host
// with memory; with backtracking it takes the next host when the rest fails.
func greedyBySorting(in solve.Instance, byMemory, backtrack bool, limit int) []int {
	list := tasksOf(in)
	order := append([]*task(nil), list...)
	if byMemory {
		sort.SliceStable(order, func(a, b int) bool { return order[a].mem > order[b].mem })
	}
	load, used := make([]float64, in.Hosts), make([]float64, in.Hosts)
	attempts := 0
	var place func(k int) bool
	place = func(k int) bool {
		if k == len(order) {
			return true
		}
		ranked := make([]int, in.Hosts)
		for h := range ranked {
			ranked[h] = h
		}
		sort.SliceStable(ranked, func(a, b int) bool { return load[ranked[a]] < load[ranked[b]] })
		t := order[k]
		for _, h := range ranked {
			if used[h]+t.mem > fullHost {
				continue
			}
			if attempts++; attempts > limit {
				return false
			}
			oldLoad, oldUsed := load[h], used[h]
			load[h], used[h], t.host = load[h]+t.cpu, used[h]+t.mem, h
			if place(k + 1) {
				return true
			}
			load[h], used[h] = oldLoad, oldUsed
			if !backtrack || attempts > limit {
				return false
			}
		}
		return false
	}
	if !place(0) {
		return nil
	}
	var hosts []int
	for _, t := range list {
		hosts = append(hosts, t.host)
	}
	return hosts
}

func flat(rows [][]int) []int {
	var all []int
	for _, r := range rows {
		all = append(all, r...)
	}
	return all
}

func equal(a, b []int) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

func TestSamePlacementsAsTheNaiveAlgorithms(t *testing.T) {
	random := rng.New(2, "yield/naive")
	opt := solve.Default()
	instances := 1000
	if testing.Short() {
		instances = 100
	}
	for n := range instances {
		in := randomInstance(random, 60, 12)
		if n%10 == 0 {
			in = randomInstance(random, 400, 50)
		}
		opt.PlacementLimit = 300
		if n%3 == 0 { // exactly what a search that never turns back needs
			opt.PlacementLimit = len(tasksOf(in))
		}
		for variant := 1; variant <= 8; variant++ {
			hosts, yield := []int(nil), 0.0
			if solve.Bound(in) > 0 {
				hosts, yield = mcbByScanning(in, variant)
			}
			r := compare(t, in, fmt.Sprintf("mcb%d", variant), opt, hosts)
			if r.Searched != yield {
				t.Fatalf("mcb%d on %+v: searched %v, naively %v", variant, in, r.Searched, yield)
			}
		}
		for _, g := range []struct {
			name                string
			byMemory, backtrack bool
		}{{"gr", false, false}, {"sg", true, false}, {"gb", false, true}, {"sgb", true, true}} {
			limit := opt.PlacementLimit
			if !g.backtrack {
				limit = 1 << 30
			}
			compare(t, in, g.name, opt, greedyBySorting(in, g.byMemory, g.backtrack, limit))
		}
	}
}

func compare(t *testing.T, in solve.Instance, algorithm string, opt solve.Options, want []int) solve.Result {
	t.Helper()
	r, err := solve.Solve(in, algorithm, opt)
	if err != nil {
		t.Fatal(err)
	}
	if got := flat(r.Place); !equal(got, want) {
		t.Fatalf("%s on %+v:\n%v, naively\n%v", algorithm, in, got, want)
	}
	return r
}
