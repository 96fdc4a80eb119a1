package solve

// settle takes the cheapest tasks off every host that is above its memory or the limit on its load, and
// places them and the new tasks, largest first: at home if that has room, else by choose, else by moving
// another task away. It reports whether all found a place within the budget. If not, the layout is left
// half done, so callers work on a clone.
func (l *layout) settle(limit float64, choose preference) bool {
	pool := l.homeless()
	for h := range int32(len(l.load)) {
		pool = l.relieve(h, limit, pool)
	}
	homeless := make([]bool, l.len())
	for _, i := range pool {
		homeless[i] = true
	}
	for _, i := range l.bySize() {
		if !homeless[i] {
			continue
		}
		h := l.home[i]
		if h == New || !l.fits(i, h, limit) {
			h = choose(l, i, limit)
		}
		if h != New {
			l.move(i, h)
		} else if !l.makeRoom(i, limit) {
			return false
		}
	}
	return l.spent <= l.budget
}

// relieve takes tasks off host h until it is within its memory and the limit, and returns pool with
// them. It takes those that relieve most for their weight, and as the last one the cheapest that
// suffices alone.
func (l *layout) relieve(h int32, limit float64, pool []int32) []int32 {
	load, used := l.load[h], l.used[h]
	for _, relief := range []struct {
		excess func() bool
		of     []float64
	}{
		{func() bool { return used > full }, l.mem},
		{func() bool { return load > limit }, l.cpu},
	} {
		if !relief.excess() {
			continue
		}
		on := l.on[h]
		for _, at := range sorted(len(on), func(k int32) float64 { return -relief.of[on[k]] / l.weight[on[k]] }) {
			if !relief.excess() {
				break
			}
			pick := on[at]
			if last := l.cheapestOf(on[:min(len(on), lastLooks)], load-limit, used-full); last != New {
				pick = last
			}
			if l.host[pick] == New {
				continue
			}
			load, used = load-l.cpu[pick], used-l.mem[pick]
			l.host[pick] = New
			pool = append(pool, pick)
		}
		l.drop(h)
		load, used = l.load[h], l.used[h]
	}
	return pool
}

// lastLooks bounds the tasks of a host among which the cheapest is sought.
const lastLooks = 256

// cheapestOf returns the task of least weight that relieves its host of both
// excesses alone, or New.
func (l *layout) cheapestOf(on []int32, excessCPU, excessMem float64) int32 {
	pick := int32(New)
	for _, i := range on {
		if l.host[i] != New && l.cpu[i] >= excessCPU && l.mem[i] >= excessMem &&
			(pick == New || l.weight[i] < l.weight[pick]) {
			pick = i
		}
	}
	return pick
}

// Limits of makeRoom during one settle: tasks that it tries to move, and tasks that it looks at.
const (
	roomScans = 3000
	roomLooks = 5_000_000
)

// makeRoom places task i on a host from which one other task can move elsewhere, at the least cost. It
// returns false and changes no host if there is none, or if the limits of roomScans and roomLooks are
// reached; the counts go on over one settle.
func (l *layout) makeRoom(i int32, limit float64) bool {
	if l.looks += l.len(); l.looks > roomLooks {
		return false
	}
	maxCPU, maxMem := 0.0, 0.0 // room on any host
	for h, load := range l.load {
		maxCPU, maxMem = max(maxCPU, limit-load), max(maxMem, full-l.used[h])
	}
	lowest, out, to := inf, int32(New), int32(New)
	for h := range int32(len(l.load)) {
		for _, k := range l.on[h] {
			if l.load[h]-l.cpu[k]+l.cpu[i] > limit || l.used[h]-l.mem[k]+l.mem[i] > full ||
				l.cpu[k] > maxCPU || l.mem[k] > maxMem {
				continue
			}
			if l.scans++; l.scans > roomScans {
				return false
			}
			if g, cost := l.refuge(k, h, limit); cost+l.cost(i, h) < lowest {
				lowest, out, to = cost+l.cost(i, h), k, g
			}
		}
	}
	if out == New {
		return false
	}
	h := l.host[out]
	l.move(out, to)
	l.move(i, h)
	return true
}

// refuge finds another host for task k of host h: its home if that has room, or else the least loaded
// with room, since all others cost the same. It returns the host and the change of the budget spent,
// which is negative for a way home; New and inf if there is none.
func (l *layout) refuge(k, h int32, limit float64) (int32, float64) {
	if home := l.home[k]; home != New && home != h && l.fits(k, home, limit) {
		return home, -l.cost(k, h)
	}
	for _, g := range l.ranked {
		if g != h && l.fits(k, g, limit) {
			return g, l.cost(k, g) - l.cost(k, h)
		}
	}
	return New, inf
}

// preference chooses a host for task i that keeps within the limit, or New. It is
// asked only when the task cannot be at home: any other host costs the same.
type preference func(l *layout, i int32, limit float64) int32

// leastLoaded is a preference: the least loaded host with room, which spreads the load as the greedy
// algorithms do.
func leastLoaded(l *layout, i int32, limit float64) int32 {
	for _, h := range l.ranked {
		if l.load[h]+l.cpu[i] > limit {
			break
		}
		if l.fits(i, h, limit) {
			return h
		}
	}
	return New
}

// tightest is a preference: the host with room that is fullest by the sum of load and memory, which
// leaves large gaps for large tasks. Load counts relative to the limit.
func tightest(l *layout, i int32, limit float64) int32 {
	best, largest := int32(New), -1.0
	for h, load := range l.load {
		if filled := load/min(limit, 1e9) + l.used[h]; filled > largest && l.fits(i, int32(h), limit) {
			best, largest = int32(h), filled
		}
	}
	return best
}
