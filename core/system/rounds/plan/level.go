package plan

// level fills row with a last round of total size rest that lets all workers finish together, as
// far as a round in this order can, given the work of the lanes so far. deadline is a time by which
// some other division of rest finishes. It returns false, with row undefined, if it finds nothing
// by then.
//
// UMR gives every worker the same computing time in every round, so the first
// workers, which start earlier, also end earlier; this takes that back.
func (s *Simulator) level(row []float64, rest, deadline float64) (ok bool) {
	if s.fill(row, deadline) < rest {
		return false
	}
	finish := reach(s.port, deadline, rest, func(t float64) float64 { return s.fill(row, t) })
	total := s.fill(row, finish)
	scaleRows([][]float64{row}, rest/total)
	return true
}

// fill gives every worker in turn the largest chunk that it can finish by the deadline, given its work
// so far, and returns the sum. A worker that cannot finish any gets 0. The state of the simulator stays.
func (s *Simulator) fill(row []float64, deadline float64) (sum float64) {
	port := s.port
	for k := range row {
		l := &s.lanes[k]
		sent := port + l.commLatency
		// The chunk arrives while the worker still computes, or before.
		late := (deadline - sent - l.compLatency) * l.rate
		x := min((deadline-l.free-l.compLatency)*l.speed, late)
		if !(x > 0) {
			row[k] = 0
			continue
		}
		row[k] = x
		port = sent + x/l.bandwidth
		sum += x
	}
	return sum
}
