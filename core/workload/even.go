package workload

import (
	"parley/core/rng"
	"parley/core/unit"
)

// lowDiscrepancy decides about the large jobs, which hold most tasks, so that cells of
// different seeds, and one cell on different days, differ in detail and not in
// how loaded they are.
//
// Even sequences of requests are not enough for that: a job counts with its tasks, and the sizes
// are a sequence too, so that the few hundred jobs which are most of the load may all have high
// values of the other sequences. The contribution of every job is therefore summed, and a large job
// takes, among requests of equal probability, those that bring the sums nearest to their means.
type lowDiscrepancy struct {
	size        sequence
	cpu, memory [len(lifetimeClasses)][2]sequence                // by life and class
	shortfall   [len(lifetimeClasses)]float64                    // tasks that each life is short of
	production  [len(lifetimeClasses)]float64                    // tasks that its production class is short of
	excess      [len(lifetimeClasses)][2][unit.Resources]float64 // sum of requests above the mean, in mean requests
	// use and its restlessness, above the mean of such requests
	character [len(lifetimeClasses)]character
}

// sequence fills [0, 1) evenly: each number is the one before plus an
// irrational step (Weyl), in units of 2^-64.
type sequence uint64

// The steps of the sequences: the golden ratio, the square root of 3 and the
// plastic number's inverse, each without its whole part.
const (
	stepSize   sequence = 0x9e3779b97f4a7c15
	stepCPU    sequence = 0xbb67ae8584caa73b
	stepMemory sequence = 0xc13fa9a902a6328f
)

func (x *sequence) next(step sequence) float64 {
	*x += step
	return rng.Unit(uint64(*x))
}

// newLowDiscrepancy returns the sequences that begin at a seed.
func newLowDiscrepancy(seed uint64) lowDiscrepancy {
	start := func(i int) sequence { return sequence(rng.Hash(seed, uint64(i), 4)) }
	e := lowDiscrepancy{size: start(0)}
	for i := range lifetimeClasses {
		for class := range 2 {
			e.cpu[i][class], e.memory[i][class] = start(10+10*i+class), start(15+10*i+class)
		}
	}
	return e
}

// pick gives a large job of a given number of tasks to the life that is most short of tasks,
// and in it to the class that is. population says that the job runs at the beginning, so that
// shares of running tasks count, not of arriving ones; production is the factor on the share of
// production tasks of a life.
func (e *lowDiscrepancy) pick(tasks int, population bool, production float64) (kind int, class PriorityClass) {
	for i := range lifetimeClasses {
		if e.shortfall[i]+float64(float64(tasks)*lifetimeClasses[i].share(population)) > e.shortfall[kind]+float64(
			float64(tasks)*lifetimeClasses[kind].share(population),
		) {
			kind = i
		}
	}
	short := e.production[kind] + float64(float64(tasks)*lifetimeClasses[kind].production*production)
	return kind, classBy(short > float64(tasks)/2)
}

// add adds a job to the sums: every class of lifetimes is owed its share of the job's tasks, and its own class, kind,
// is given them all; production tasks within kind likewise. population is as for pick.
func (e *lowDiscrepancy) add(tasks, kind int, class PriorityClass, population bool, production float64) {
	for i := range lifetimeClasses {
		e.shortfall[i] += float64(float64(tasks) * lifetimeClasses[i].share(population))
	}
	e.shortfall[kind] -= float64(tasks)
	e.production[kind] += float64(float64(tasks) * lifetimeClasses[kind].production * production)
	if class == Production {
		e.production[kind] -= float64(tasks)
	}
}

// balance returns which of the requests at u and v, at the same distance from the
// other end, or for different u and v one of each, leaves the sums nearest to
// their means.
func (e *lowDiscrepancy) balance(tasks, kind int, class PriorityClass, u, v float64) (float64, float64) {
	choices := [4][2]float64{{u, v}, {1 - u, 1 - v}, {u, 1 - v}, {1 - u, v}}
	best, lowest := 0, 0.0
	for i, at := range choices {
		if i == 2 && u == v {
			break
		}
		far := 0.0
		for r, x := range requests[class].excess(at[0], at[1]) {
			d := e.excess[kind][class][r] + float64(float64(tasks)*x)
			far += float64(d * d)
		}
		if i == 0 || far < lowest {
			best, lowest = i, far
		}
	}
	return choices[best][0], choices[best][1]
}

// candidates are the numbers that a large job may have.
const candidates = 8

// job returns which of the next numbers, for a job of a given number of tasks with requests
// at u and v, leaves use and restlessness nearest to their means: with the number
// comes the job's character.
func (e *lowDiscrepancy) job(next uint64, usage *Synthesis, tasks, kind int, class PriorityClass, u, v float64) uint64 {
	request := requests[class].excess(u, v)
	after := func(c character) character {
		sum := e.character[kind]
		for r := range c.use {
			sum.use[r] += float64(float64(tasks) * (1 + request[r]) * c.use[r])
		}
		sum.restless += float64(float64(tasks) * (1 + request[unit.CPU]) * c.restless)
		return sum
	}
	best, lowest := next, 0.0
	for i := range uint64(candidates) {
		sum := after(usage.character(next+i, class))
		far := float64(sum.restless * sum.restless)
		for _, x := range sum.use {
			far += float64(x * x)
		}
		if i == 0 || far < lowest {
			best, lowest = next+i, far
		}
	}
	e.character[kind] = after(usage.character(best, class))
	return best
}

// requested takes down the requests of a job.
func (e *lowDiscrepancy) requested(tasks, kind int, class PriorityClass, u, v float64) {
	for r, x := range requests[class].excess(u, v) {
		e.excess[kind][class][r] += float64(float64(tasks) * x)
	}
}

// pickLife returns the life that u in [0, 1) falls on.
func pickLife(u float64, population bool) int {
	for i := range lifetimeClasses {
		share := lifetimeClasses[i].share(population)
		if u < share {
			return i
		}
		u -= share
	}
	return len(lifetimeClasses) - 1
}

// share returns which part of the tasks that arrive, or of those that run, is
// of a life.
func (l *life) share(population bool) float64 {
	if population {
		return l.running
	}
	return l.arriving
}

func classBy(production bool) PriorityClass {
	if production {
		return Production
	}
	return Batch
}
