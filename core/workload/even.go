package workload

import "parley/core/rng"

// evenly decides about the large jobs, which hold most tasks, so that cells of
// different seeds, and one cell on different days, differ in detail and not in
// how loaded they are.
type evenly struct {
	size        sequence
	cpu, memory [len(lives)][2]sequence // by life and class
	owed        [len(lives)]float64     // tasks that each life is short of
	production  [len(lives)]float64     // tasks that its production class is short of
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

// newEvenly begins somewhere: seed says where, most is the size of the largest
// jobs.
func newEvenly(seed uint64, most int) evenly {
	start := func(i int) uint64 { return rng.Hash(seed, uint64(i), 4) }
	e := evenly{size: sequence(start(0))}
	for i := range lives {
		for class := range 2 {
			e.cpu[i][class], e.memory[i][class] = sequence(start(10+10*i+class)), sequence(start(15+10*i+class))
		}
		e.owed[i] = float64((rng.Unit(start(1+i))-0.5)*float64(most)) * lives[i].arriving
		e.production[i] = (rng.Unit(start(5+i)) - 0.5) * float64(most)
	}
	return e
}

// pick gives a job of so many tasks to the life that is most short of tasks,
// and in it to the class that is.
func (e *evenly) pick(tasks int, population bool) (kind int, class PriorityClass) {
	for i := range lives {
		e.owed[i] += float64(float64(tasks) * lives[i].share(population))
		if e.owed[i] > e.owed[kind] {
			kind = i
		}
	}
	e.owed[kind] -= float64(tasks)
	short := e.production[kind] + float64(float64(tasks)*lives[kind].production)
	class = classBy(short > float64(tasks)/2)
	if class == Production {
		short -= float64(tasks)
	}
	e.production[kind] = short
	return kind, class
}

// pickLife returns the life that u in [0, 1) falls on.
func pickLife(u float64, population bool) int {
	for i := range lives {
		share := lives[i].share(population)
		if u < share {
			return i
		}
		u -= share
	}
	return len(lives) - 1
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
