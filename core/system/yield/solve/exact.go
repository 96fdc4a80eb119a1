package solve

import "slices"

// exact is branch and bound on the largest load L of a host, for the smallest
// yield is min(1, 1/L): task after task is put on each host that may still lead
// to a smaller L than the best placement known. It starts from the better of
// MCB8 and SG after a descent by moves and swaps, and stops when nothing better
// is left (proven), or at the step limit.
func exact(t tasks, opt Options) outcome {
	from := settled(t)
	best := better(t, from, mcb(8)(t, opt).host, greedy(byMemory)(t, opt).host)
	if best != nil && t.len() <= searchable {
		l := newLayout(t, from, best)
		l.descend()
		best = l.host
	}
	return newSearch(t, from, best, opt.StepLimit).run()
}

// improvement is the least difference in load that counts as better.
const improvement = 1e-10

// search is the state of the depth-first search. The tasks go in MCB8's order,
// largest need first. Of hosts that are equal for all that is still to come only
// one is tried, and equal tasks go to hosts in ascending order: whatever these
// rules leave out can be permuted into a lexicographically smaller placement of
// the same worth, so the least of the optimal ones is never left out.
type search struct {
	tasks
	origin
	order    []int32
	rest     []remainder // of order[k:]
	awaited  []int       // by host: tasks still to be placed that run there now
	load     []float64
	used     []float64
	host     []int32 // of the tasks placed so far
	spent    float64 // of the migration budget
	best     float64 // largest load of bestHost; infinite without one
	bestHost []int32
	floor    float64 // no placement has a smaller largest load, or one that matters
	steps    int     // hosts that may still be looked at; negative when spent
}

// remainder sums up the tasks still to be placed.
type remainder struct {
	cpu, mem       float64 // sums
	minCPU, minMem float64
	cpuPerMem      float64 // largest ratio of one task
	memPerCPU      float64
}

// newSearch prepares a branch and bound that must improve on the placement start; nil: on none. from has
// the present hosts and the budget, and steps is the number of hosts that the search may look at. It
// takes start over.
func newSearch(t tasks, from origin, start []int32, steps int) *search {
	s := &search{
		tasks: t, origin: from, awaited: make([]int, t.hosts),
		load: make([]float64, t.hosts), used: make([]float64, t.hosts), host: make([]int32, t.len()),
		best: inf, bestHost: start, floor: t.loadFloor(), steps: steps,
	}
	if start != nil {
		s.best = 1 / t.yieldOf(start)
	}
	for _, h := range from.home {
		if h >= 0 {
			s.awaited[h]++
		}
	}
	s.order = t.bySize()
	s.rest = make([]remainder, t.len()+1)
	s.rest[t.len()] = remainder{minCPU: inf, minMem: inf}
	for k := t.len() - 1; k >= 0; k-- {
		cpu, mem, r := t.cpu[s.order[k]], t.mem[s.order[k]], s.rest[k+1]
		s.rest[k] = remainder{
			cpu: r.cpu + cpu, mem: r.mem + mem,
			minCPU: min(r.minCPU, cpu), minMem: min(r.minMem, mem),
			cpuPerMem: max(r.cpuPerMem, cpu/mem), memPerCPU: max(r.memPerCPU, mem/cpu),
		}
	}
	return s
}

// searchable is the number of tasks beyond which no search would end: only a
// start that reaches the floor is proven then.
const searchable = 2000

// run searches and returns the best placement, host nil if there is none. It is proven, and bound is its
// yield, unless the steps ran out or there are more than searchable tasks. A start at the floor is
// optimal, so it is not searched.
func (s *search) run() outcome {
	switch {
	case s.best <= s.floor:
	case s.len() > searchable:
		s.steps = -1
	default:
		s.visit(0, 0)
	}
	found := outcome{host: s.bestHost, bound: s.bound, proven: s.steps >= 0}
	if found.host != nil {
		found.searched = s.yieldOf(found.host)
		if found.proven {
			found.bound = found.searched
		}
	}
	return found
}

// bySize orders the tasks by the larger of their needs at the bound, largest
// first.
func (t tasks) bySize() []int32 {
	return sorted(t.len(), func(i int32) float64 { return -max(float64(t.cpu[i]*t.bound), t.mem[i]) })
}

// maxStacked bounds n below: with many tasks a host the even spread is as good.
const maxStacked = 200

// loadFloor is a lower bound on the largest load: all CPU spread evenly, or of
// the n*hosts+1 largest needs the n+1 smallest on one host; below 1 no yield
// gains.
func (t tasks) loadFloor() float64 {
	floor := max(1, 1/t.bound)
	largest := sorted(t.len(), func(i int32) float64 { return -t.cpu[i] })
	for n := 1; n <= maxStacked && n*t.hosts < len(largest); n++ {
		sum := 0.0
		for k := 0; k <= n; k++ {
			sum += t.cpu[largest[n*t.hosts-k]]
		}
		floor = max(floor, sum)
	}
	return floor
}

// visit places the tasks order[k:] in every promising way, order[k] on host first or a later one, and
// leaves the best placement in bestHost. It restores all other state. It returns early when the steps
// are spent or the floor is reached.
func (s *search) visit(k int, first int32) {
	if k == len(s.order) {
		s.bestHost = slices.Clone(s.host)
		s.best = max(s.floor, slices.Max(s.load))
		return
	}
	if s.steps < 0 || !s.promising(s.rest[k]) {
		return
	}
	task := s.order[k]
	if home := s.home[task]; home >= 0 {
		s.awaited[home]--
		defer func() { s.awaited[home]++ }()
	}
	for at := s.next(task, first, start); at.host != New; at = s.next(task, first, at) {
		h, load, used, spent := at.host, s.load[at.host], s.used[at.host], s.spent
		s.load[h] += s.cpu[task]
		s.used[h] += s.mem[task]
		s.spent += s.cost(task, h)
		s.host[task] = h
		following := int32(0)
		if k+1 < len(s.order) && s.equal(task, s.order[k+1]) {
			following = h
		}
		s.visit(k+1, following)
		s.load[h], s.used[h], s.spent = load, used, spent
		if s.steps < 0 || s.best <= s.floor {
			return
		}
	}
}

func (s *search) equal(a, b int32) bool {
	return s.cpu[a] == s.cpu[b] && s.mem[a] == s.mem[b] && s.home[a] == s.home[b] && s.weight[a] == s.weight[b]
}

// candidate is a host to try, in the order of load, memory and number.
type candidate struct {
	host       int32
	load, used float64
	twin       bool // a host equal to this one for all that is still to come was tried
}

var start = candidate{host: New, load: -1}

// before orders candidates by load, then memory used, then number of the host.
func (c candidate) before(d candidate) bool {
	if c.load != d.load {
		return c.load < d.load
	}
	if c.used != d.used {
		return c.used < d.used
	}
	return c.host < d.host
}

// next returns the least candidate for a task that is after last, of the hosts from first on; its host
// is New if there is none. It skips hosts that would not improve the best load, lack memory or exceed
// the budget, and hosts equal to one that was tried (twin). Each call costs as many steps as there are
// hosts.
func (s *search) next(task, first int32, last candidate) candidate {
	s.steps -= s.hosts
	best := candidate{host: New, load: inf}
	for h := first; h < int32(s.hosts); h++ {
		c := candidate{host: h, load: s.load[h], used: s.used[h]}
		if c.load+s.cpu[task] > s.best-improvement || c.used+s.mem[task] > full ||
			!last.before(c) || !c.before(best) || s.spent+s.cost(task, h) > s.budget {
			continue
		}
		equal := c.load == last.load && c.used == last.used
		anonymous := s.awaited[h] == 0 && s.home[task] != h
		if equal && anonymous && last.twin {
			continue
		}
		c.twin = anonymous || equal && last.twin
		best = c
	}
	return best
}

// promising reports whether the remaining tasks may still fit below the best load: whether the CPU
// and the memory that the hosts have left for them reach the sums of their needs. A host with little
// memory left cannot use all of its free CPU, so its CPU counts at most the free memory times the
// largest CPU per memory of a remaining task, and the other way round. The test is necessary, not
// sufficient: it rejects no better placement. The conversions keep products from being fused, so
// that all platforms compute the same bits.
func (s *search) promising(r remainder) bool {
	cpu, mem := 0.0, 0.0
	for h, load := range s.load {
		roomCPU, roomMem := s.best-improvement-load, full-s.used[h]
		if roomCPU < r.minCPU || roomMem < r.minMem {
			continue
		}
		cpu += min(roomCPU, float64(roomMem*r.cpuPerMem))
		mem += min(roomMem, float64(roomCPU*r.memPerCPU))
	}
	return cpu >= r.cpu-Slack && mem >= r.mem-Slack
}
