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
	return t.admits(now, class, request, tasks)
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
