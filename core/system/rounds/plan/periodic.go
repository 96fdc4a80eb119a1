package plan

import "math"

// periodic is LP, the periodic multi-round schedule of Beaumont, Legrand and
// Robert ([4]): periods of T seconds, in each of which the load x_i of every
// worker is a solution of
//
//	maximise Σ x_i  subject to  Σ_{i used} (nLat_i + x_i/B_i) <= T,  cLat_i + x_i/S_i <= T
//
// found greedily by bandwidth decreasing: saturate, the last one partial. The
// data of period k+1 is sent while period k computes. T = sqrt(T*), where
// T* = load/ρ and ρ is the throughput without latencies, makes the schedule
// asymptotically optimal. Where latencies leave no room in such a period, or
// it would take more than limit of them, T is doubled until it does.
//
// order holds only workers that get something; predicted is one period of
// filling and m of computing.
func periodic(p Platform, load float64, limit int) (order []int, rows [][]float64, predicted float64) {
	fastest := everyone(p, linkSlowness)
	x := make([]float64, len(fastest))
	ideal := load / period(p, fastest, 1, false, x)
	length := math.Sqrt(ideal)
	sum := period(p, fastest, length, true, x)
	for !(sum > 0 && load/sum <= float64(limit)) {
		length *= 2
		sum = period(p, fastest, length, true, x)
	}
	var share []float64
	for k, i := range fastest {
		if x[k] > 0 {
			order, share = append(order, i), append(share, x[k])
		}
	}
	m := max(1, int(math.Ceil(load/sum)))
	rows = matrix(m, len(order))
	for _, row := range rows {
		copy(row, share)
	}
	scaleRows(rows, load/(float64(m)*sum))
	return order, rows, float64(m+1) * length
}

// periodOf fills x with the loads, size in total, of the shortest period in which the workers of order,
// served in that order, can take them.
func periodOf(p Platform, order []int, size float64, x []float64) {
	high := 1.0
	for period(p, order, high, true, x) < size {
		high *= 2
	}
	high = reach(0, high, size, func(length float64) float64 { return period(p, order, length, true, x) })
	if sum := period(p, order, high, true, x); sum > 0 {
		for k := range x {
			x[k] *= size / sum
		}
	}
}

// period fills x, one entry for each worker of order, with the largest loads that the workers, served in
// that order, receive and compute in a period of length seconds, and returns their sum. Workers for
// which the port has no time get 0.
func period(p Platform, order []int, length float64, latencies bool, x []float64) (sum float64) {
	port := length
	for k, i := range order {
		w := p.Workers[i]
		if !latencies {
			w.CompLatency, w.CommLatency = 0, 0
		}
		x[k] = max(0, min(float64((length-w.CompLatency)*w.Speed), float64((port-w.CommLatency)*w.Bandwidth)))
		if x[k] <= 1e-12*sum { // the rounding error of the port is not worth a message
			x[k] = 0
		}
		if x[k] > 0 {
			port -= w.CommLatency + x[k]/w.Bandwidth
			sum += x[k]
		}
	}
	return sum
}
