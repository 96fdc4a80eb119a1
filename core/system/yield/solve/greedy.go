package solve

import "slices"

// sequence is the order in which the greedy algorithms look at the tasks.
type sequence func(tasks) []int32

func inOrder(t tasks) []int32 {
	order := make([]int32, t.len())
	for i := range order {
		order[i] = int32(i)
	}
	return order
}

// byMemory puts the tasks of largest memory first, equal ones in their order.
func byMemory(t tasks) []int32 {
	return sorted(t.len(), func(i int32) float64 { return -t.mem[i] })
}

// sorted lists 0 to n-1 by rising key, equal keys by number.
func sorted(n int, key func(i int32) float64) []int32 {
	list := make([]keyed, n)
	for i := range list {
		list[i] = keyed{key(int32(i)), int32(i)}
	}
	slices.SortFunc(list, byKey)
	order := make([]int32, n)
	for at, k := range list {
		order[at] = k.task
	}
	return order
}

// greedy puts each task on the least loaded host that has the memory, load being
// the sum of the CPU needs there (section 3.3, GR and SG).
func greedy(in sequence) placer {
	return func(t tasks, _ Options) outcome {
		host := make([]int32, t.len())
		ranks := newRanking(t.hosts)
		for _, i := range in(t) {
			at := ranks.next(0, t.mem[i])
			if at < 0 {
				return outcome{}
			}
			host[i] = ranks.ranked[at]
			ranks.add(at, t.cpu[i], t.mem[i])
		}
		return outcome{host: host, searched: t.yieldOf(host)}
	}
}

// backtracking searches depth first, hosts in non-decreasing load, and stops at
// the first complete placement or after the limit on placements (section 3.3, GB
// and SGB). A placement counts when a task is put on a host that has the memory.
func backtracking(in sequence) placer {
	return func(t tasks, opt Options) outcome {
		order := in(t)
		ranks := newRanking(t.hosts)
		trail := make([]placement, 0, t.len())
		from := 0 // rank from which the next host for the current task is sought
		for attempts := 0; len(trail) < len(order); {
			task := order[len(trail)]
			at := ranks.next(from, t.mem[task])
			if at >= 0 {
				if attempts++; attempts > opt.PlacementLimit {
					return outcome{}
				}
				h := ranks.ranked[at]
				trail = append(trail, placement{host: h, rank: at, load: ranks.load[h], used: ranks.used[h]})
				ranks.add(at, t.cpu[task], t.mem[task])
				from = 0
				continue
			}
			if len(trail) == 0 {
				return outcome{}
			}
			last := trail[len(trail)-1]
			trail = trail[:len(trail)-1]
			ranks.restore(last)
			from = last.rank + 1
		}
		host := make([]int32, t.len())
		for k, p := range trail {
			host[order[k]] = p.host
		}
		return outcome{host: host, searched: t.yieldOf(host)}
	}
}

// placement is one step of the depth-first search, with the values that undo it.
type placement struct {
	host       int32
	rank       int
	load, used float64
}

// ranking keeps hosts sorted by load, equal loads by number.
type ranking struct {
	ranked []int32 // hosts by rank
	load   []float64
	used   []float64 // memory
}

func newRanking(hosts int) ranking {
	r := ranking{ranked: make([]int32, hosts), load: make([]float64, hosts), used: make([]float64, hosts)}
	for i := range r.ranked {
		r.ranked[i] = int32(i)
	}
	return r
}

// next returns the first rank from the given one on whose host has the memory,
// or -1.
func (r ranking) next(from int, mem float64) int {
	for at := from; at < len(r.ranked); at++ {
		if r.used[r.ranked[at]]+mem <= full {
			return at
		}
	}
	return -1
}

// add loads the host at a rank, which then moves behind the less loaded ones.
func (r ranking) add(at int, cpu, mem float64) {
	h := r.ranked[at]
	r.load[h] += cpu
	r.used[h] += mem
	r.moveUp(at)
}

func (r ranking) moveUp(at int) {
	h := r.ranked[at]
	rest := r.ranked[at+1:]
	n, _ := slices.BinarySearchFunc(rest, h, func(other, h int32) int { return r.compare(other, h) })
	copy(r.ranked[at:], rest[:n])
	r.ranked[at+n] = h
}

// restore takes the last placement back: its host regains its load and rank.
func (r ranking) restore(p placement) {
	at, _ := slices.BinarySearchFunc(r.ranked, p.host, r.compare)
	copy(r.ranked[p.rank+1:at+1], r.ranked[p.rank:at])
	r.ranked[p.rank] = p.host
	r.load[p.host], r.used[p.host] = p.load, p.used
}

// compare orders hosts by load, equal ones by number.
func (r ranking) compare(a, b int32) int {
	switch {
	case r.load[a] < r.load[b]:
		return -1
	case r.load[a] > r.load[b]:
		return 1
	}
	return int(a - b)
}
