package raster

import "time"

// LevelOfDetail lists the details omitted from a picture to keep its pace. Cells, racks and the
// shapes of arcs are always drawn.
type LevelOfDetail uint8

// The steps, each with those before it.
const (
	Everything LevelOfDetail = iota // is drawn
	NoRings                         // of messages
	NoGlow                          // around changes
	NoTails                         // of arcs: their heads alone fly
)

// Pace chooses the level of detail by the cost of pictures. It counts pictures and uses no clock:
// the same costs lead to the same choices.
type Pace struct {
	Budget time.Duration // the most that a picture may cost
	Left   LevelOfDetail // details that are omitted now

	over, under int // pictures in a row beyond the budget, and below half of it
	patience    int // pictures below half of it until more is drawn again
}

// How many pictures in a row are a reason: to leave more out, and to try again,
// first and, after tries that failed, at most.
const (
	slowInARow = 4
	fastInARow = 60
	maxInARow  = 16 * fastInARow
)

// Took records the cost of a picture, and reports whether another level of detail follows.
func (p *Pace) Took(cost time.Duration) bool {
	p.patience = max(p.patience, fastInARow)
	switch {
	case cost > p.Budget:
		p.over, p.under = p.over+1, 0
	case 2*cost < p.Budget:
		p.over, p.under = 0, p.under+1
	default:
		p.over, p.under = 0, 0
	}
	switch {
	case p.over >= slowInARow && p.Left < NoTails:
		p.Left++
		p.over, p.patience = 0, min(2*p.patience, maxInARow)
		return true
	case p.under >= p.patience && p.Left > Everything:
		p.Left--
		p.under = 0
		return true
	}
	return false
}
