package workload

import "parley/core/unit"

// Exp2, Log2 and Deviation are the arithmetic of the moving usage model, for tests
// beside floats.
var (
	Exp2      = exp2
	Log2      = log2
	Deviation = deviation
)

// TightRoom is the book of the machines that few constraints ask for, with so many of
// each kind.
type TightRoom = tightRoom

// NewTightRoom returns it with nothing on these machines.
func NewTightRoom(machines ...int) (t TightRoom) {
	copy(t.machines[:], machines)
	return t
}

// Admits, Take and Holds are admits, take and holds; Tight are the bounds: the whole,
// and what production may take of it.
func (t *tightRoom) Admits(now unit.Time, class PriorityClass, request unit.Vec, tasks int) int64 {
	return t.partFor(now, class, request, tasks)
}

func (t *tightRoom) Take(until unit.Time, class PriorityClass, part int64) {
	t.take(departure{until, class, part})
}

func (t *tightRoom) Holds(request unit.Vec) int64 { return t.holds(request) }

// The bounds of a TightRoom.
const (
	TightWhole      = tightWhole
	TightProduction = tightProduction
)

// MachineOf returns what a kind of machine has.
func MachineOf(kind int) unit.Vec {
	return unit.Vec{unit.CPU: unit.Share(machineMix[kind].cpu), unit.Memory: unit.Share(machineMix[kind].memory)}
}

// Kinds is how many kinds of machines there are.
const Kinds = len(machineMix)

// Bursts returns the lengths of the bursts of a job that has nothing but bursts of its own,
// in so many blocks of six hours; those that run into another are left out.
func Bursts(seed, job uint64, chance float64, blocks uint64) (lengths []int) {
	moving := DefaultMoving()
	moving.Restless, moving.Bursts, moving.BurstTogether = 0, chance, 0
	s := newMovement(&moving, seed).Shared(job)
	for block := range blocks {
		length := 0
		for w := block * burstBlock; w < (block+2)*burstBlock; w++ {
			if s.burst(block, w) {
				length++
			}
		}
		if length > 0 {
			lengths = append(lengths, length)
		}
	}
	return lengths
}

// Events returns the share of the jobs that takes part in each event of a cell.
func Events(seed uint64, share float64, jobs, events int) (parts []float64) {
	moving := DefaultMoving()
	moving.EventEvery, moving.EventShare = 4, share
	m := newMovement(&moving, seed)
	all := make([]Shared, jobs)
	for j := range all {
		all[j] = m.Shared(uint64(j) << 1)
	}
	for e := range events {
		in := 0.0
		for w := range int64(moving.EventEvery) {
			for j := range all {
				if all[j].inEvent(int64(e*moving.EventEvery) + w) {
					in++
				}
			}
		}
		parts = append(parts, in/float64(jobs))
	}
	return parts
}
