package workload

import (
	"math"

	"parley/core/heap"
	"parley/core/unit"
)

// Jobs with a constraint that few machines satisfy: how many there are, how many
// tasks they have at most, and one of how many machines satisfies it.
const (
	tight     = 0.0066
	tightSize = 20
	specialIn = 400
)

// tightest returns how many tasks such a job has at most in a cell of n
// nodes: one for each machine that satisfies it, or in a small cell one job would
// be more than these machines hold.
func tightest(nodes int) int {
	return min(tightSize, max(1, nodes/specialIn))
}

// tightRoom bounds the requests of these jobs. They arrive at random, and without a bound the
// production tasks of some seeds request more than their few machines have: no scheduler could
// place them, and one that forces would move them in circles. A job beyond the bound loses its
// constraint.
//
// A job takes as large a part of these machines as the ratio of its tasks to the tasks that the
// machines would hold if they held no others. So machines that a task does not fit count as taken,
// and so does the capacity left over on the others. Its tasks leave when their lifetimes end.
type tightRoom struct {
	machines [len(machineMix)]int  // by kind
	taken    [2]int64              // by class, in parts of tightWhole
	leaving  *heap.Heap[departure] // the first one first; nil before the first task
}

// The bounds for production tasks and for all tasks. With the tenth that is kept free, production
// requests 58 % of these machines at most, so that 1.5 times the work still fits them.
const (
	tightWhole      = 1 << 40
	tightProduction = tightWhole / 100 * 65
	tightAll        = tightWhole
	tightFill       = 90 // percent of a machine that tasks may request
)

// partFor returns the part of these machines, in parts of tightWhole, that each task of a job takes which arrives
// now; 0 if there is no room for all of its tasks. Tasks whose lifetimes have ended by now give their parts back.
func (t *tightRoom) partFor(now unit.Time, class PriorityClass, request unit.Vec, tasks int) int64 {
	for t.leaving != nil && t.leaving.Len() > 0 && t.leaving.Values()[0].at <= now {
		d := t.leaving.Pop()
		t.taken[d.class] -= d.part
	}
	holds := t.holds(request)
	if int64(tasks) > holds {
		return 0
	}
	part := (tightWhole + holds - 1) / holds
	all := part * int64(tasks)
	if t.taken[Batch]+t.taken[Production]+all > tightAll || class == Production &&
		t.taken[Production]+all > tightProduction {
		return 0
	}
	return part
}

// take adds the part of a task that arrives now, until its departure.
func (t *tightRoom) take(d departure) {
	t.taken[d.class] += d.part
	if t.leaving == nil {
		t.leaving = heap.New(sooner)
	}
	t.leaving.Push(d)
}

// holds returns how many tasks of one request the machines hold.
func (t *tightRoom) holds(request unit.Vec) int64 {
	all := int64(0)
	for kind, n := range t.machines {
		m := &machineMix[kind]
		largest := int64(math.MaxInt32)
		for r, capacity := range [...]int32{unit.CPU: m.cpu, unit.Memory: m.memory} {
			largest = min(largest, int64(capacity)*tightFill/100/int64(max(1, request[r])))
		}
		all += int64(n) * largest
	}
	return all
}

// departure is a task with the constraint that ends.
type departure struct {
	at    unit.Time
	class PriorityClass
	part  int64
}

func sooner(a, b departure) bool { return a.at < b.at }
