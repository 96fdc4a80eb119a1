package plan

import "math"

// oneRound is the classical single installment: workers by bandwidth
// decreasing finish together, which gives each chunk as a linear function of
// the first,
//
//	x_{k+1} (1/B_{k+1} + 1/S_{k+1}) = x_k/S_k + cLat_k - nLat_{k+1} - cLat_{k+1},
//
// and the load gives the first. A worker joins if everyone's chunk stays
// positive; each that joins makes the others' chunks smaller and the makespan
// shorter. predicted is exact.
func oneRound(p Platform, load float64) (order []int, row []float64, predicted float64) {
	type term struct{ slope, constant float64 } // x = slope·x_0 + constant
	var terms []term
	var slopes, constants float64
	first, lowest := load, 0.0 // x_0, and the smallest x_0 that leaves every chunk non-negative
	for _, i := range everyone(p, linkSlowness) {
		w := p.Workers[i]
		next := term{1, 0}
		if n := len(terms); n > 0 {
			before := p.Workers[order[n-1]]
			cost := 1/w.Bandwidth + 1/w.Speed
			next.slope = terms[n-1].slope / before.Speed / cost
			next.constant = (terms[n-1].constant/before.Speed + before.CompLatency - w.latency()) / cost
		}
		if next.slope < 1e-250 {
			break // nothing measurable is left for slower links
		}
		x := (load - constants - next.constant) / (slopes + next.slope)
		need := max(lowest, -next.constant/next.slope)
		if x <= need {
			continue
		}
		order, terms = append(order, i), append(terms, next)
		slopes, constants = slopes+next.slope, constants+next.constant
		first, lowest = x, need
	}
	row = make([]float64, len(order))
	for k, t := range terms {
		row[k] = max(0, float64(t.slope*first)+t.constant)
	}
	w := p.Workers[order[0]]
	return order, row, w.latency() + first/w.Bandwidth + first/w.Speed
}

// alone is one round for one worker, the one that is done first with all of the load.
func (pl planner) alone() (Result, error) {
	best, lowest := 0, math.Inf(1)
	for i, w := range pl.p.Workers {
		if took := w.latency() + pl.load/w.Bandwidth + pl.load/w.Speed; took < lowest {
			best, lowest = i, took
		}
	}
	return pl.seal("one-round", "the fastest worker alone", []int{best}, [][]float64{{pl.load}}, lowest)
}
