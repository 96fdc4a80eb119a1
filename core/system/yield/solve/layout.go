package solve

import "slices"

// layout is an allocation under change: the tasks' hosts, their loads and the cost. A task may be
// off all hosts (host New) in between.
type layout struct {
	tasks
	origin
	ranking // the hosts by load
	host    []int32
	on      [][]int32 // tasks of each host, ascending
	spent   float64
	scans   int // see roomScans
	looks   int // see roomLooks
}

// newLayout starts from the given hosts, or from where the tasks run when host
// is nil.
func newLayout(t tasks, from origin, host []int32) *layout {
	if host == nil {
		host = from.home
	}
	l := &layout{
		tasks: t, origin: from, ranking: newRanking(t.hosts), host: slices.Clone(host),
		on: make([][]int32, t.hosts), spent: from.total(host),
	}
	for i, h := range host {
		if h != New {
			l.on[h] = append(l.on[h], int32(i))
		}
	}
	for h := range l.on {
		l.sum(int32(h))
	}
	l.ranked = sorted(t.hosts, func(h int32) float64 { return l.load[h] })
	return l
}

// clone returns a copy that can change independently. The tasks and the origin are shared, because they
// never change.
func (l *layout) clone() *layout {
	c := *l
	c.ranking = ranking{ranked: slices.Clone(l.ranked), load: slices.Clone(l.load), used: slices.Clone(l.used)}
	c.host, c.on = slices.Clone(l.host), make([][]int32, len(l.on))
	for h := range l.on {
		c.on[h] = slices.Clone(l.on[h])
	}
	return &c
}

func (l *layout) homeless() []int32 {
	return slices.DeleteFunc(inOrder(l.tasks), func(i int32) bool { return l.host[i] != New })
}

func (l *layout) fits(i, h int32, limit float64) bool {
	return l.load[h]+l.cpu[i] <= limit && l.used[h]+l.mem[i] <= full
}

// move puts task i on host h, off its present one.
func (l *layout) move(i, h int32) {
	if old := l.host[i]; old != New {
		l.spent -= l.cost(i, old)
		l.host[i] = New
		l.drop(old)
	}
	l.host[i] = h
	l.spent += l.cost(i, h)
	at, _ := slices.BinarySearch(l.on[h], i)
	l.change(h, func() { l.on[h] = slices.Insert(l.on[h], at, i) })
}

// drop takes the tasks off host h whose host is no longer h.
func (l *layout) drop(h int32) {
	l.change(h, func() {
		l.on[h] = slices.DeleteFunc(l.on[h], func(i int32) bool { return l.host[i] != h })
	})
}

// change keeps the ranking while the tasks of host h change.
func (l *layout) change(h int32, edit func()) {
	at, _ := slices.BinarySearchFunc(l.ranked, h, l.compare)
	l.ranked = slices.Delete(l.ranked, at, at+1)
	edit()
	l.sum(h)
	at, _ = slices.BinarySearchFunc(l.ranked, h, l.compare)
	l.ranked = slices.Insert(l.ranked, at, h)
}

// sum adds up a host afresh in the order of its tasks: loads do not depend on
// the way an allocation was reached.
func (l *layout) sum(h int32) {
	l.load[h], l.used[h] = 0, 0
	for _, i := range l.on[h] {
		l.load[h] += l.cpu[i]
		l.used[h] += l.mem[i]
	}
}

// A layout of more tasks compares the most loaded host only with the least
// loaded ones, and takes a limited number of steps.
const (
	fullNeighbourhood = 2000
	partners          = 48
	descendSteps      = 20_000
)

// descend relieves the most loaded host by the best move of one task or swap of
// two within the budget, until none lowers the largest load or it no longer
// costs any yield.
func (l *layout) descend() {
	for range min(20*len(l.load), descendSteps) {
		top := l.ranked[len(l.load)-1]
		if l.load[top] <= 1 {
			return
		}
		step, ok := l.relieving(top)
		if !ok {
			return
		}
		l.move(step.task, step.to)
		if step.back != New {
			l.move(step.back, top)
		}
	}
}

// exchange moves a task to a host and, unless back is New, another one back.
type exchange struct {
	task, to, back int32
	peak           float64 // the larger load of the two hosts afterwards
	cost           float64
}

// relieving returns the best step that lowers the load of top, the most loaded host: a move of one task,
// or a swap of two, to a less loaded host within memory and budget. Best is the lowest peak of the two
// hosts, then the lowest cost. It returns false if no step lowers the peak by improvement.
func (l *layout) relieving(top int32) (exchange, bool) {
	best := exchange{peak: l.load[top] - improvement, cost: inf}
	found := false
	consider := func(e exchange) {
		if (e.peak < best.peak || e.peak == best.peak && e.cost < best.cost) && l.spent+e.cost <= l.budget {
			best, found = e, true
		}
	}
	others := l.ranked[:len(l.load)-1]
	if l.len() > fullNeighbourhood {
		others = others[:min(len(others), partners)]
	}
	for _, g := range others {
		if (l.load[top]+l.load[g])/2 > best.peak {
			break // by rising load: even an equal split of the two is worse
		}
		for _, i := range l.on[top] {
			extra := l.cost(i, g) - l.cost(i, top)
			if l.used[g]+l.mem[i] <= full {
				consider(exchange{i, g, New, max(l.load[top]-l.cpu[i], l.load[g]+l.cpu[i]), extra})
			}
			for _, k := range l.on[g] {
				if gain := l.cpu[i] - l.cpu[k]; gain > 0 &&
					l.used[g]-l.mem[k]+l.mem[i] <= full && l.used[top]-l.mem[i]+l.mem[k] <= full {
					consider(exchange{
						i, g, k, max(l.load[top]-gain, l.load[g]+gain),
						extra + l.cost(k, top) - l.cost(k, g),
					})
				}
			}
		}
	}
	return best, found
}
