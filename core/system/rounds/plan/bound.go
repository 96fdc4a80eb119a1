package plan

// Bound returns a time that no plan of the load stays below, whatever its order, chunks
// and rounds: the least T in which chunks x_i could be had that keep
//
//	x_i <= S_i (T - nLat_i - cLat_i)  and  Σ x_i/B_i <= T - min(nLat_i + cLat_i)
//
// Each worker that computes has waited for one message and begun one computation, and the port for
// one of each. For a given T the fastest links are filled first, as in a knapsack. The cost of
// further messages is left out, so no plan meets the bound in general: it limits the gain of a
// better plan.
func Bound(p Platform, load float64) float64 {
	fastest := everyone(p, linkSlowness)
	lowest := p.Workers[0].latency()
	for _, w := range p.Workers {
		lowest = min(lowest, w.latency())
	}
	fits := func(length float64) bool {
		port, rest := length-lowest, load
		for _, i := range fastest {
			w := p.Workers[i]
			x := max(0, min(float64((length-w.latency())*w.Speed), float64(port*w.Bandwidth)))
			if rest -= x; rest <= 0 {
				return true
			}
			port -= x / w.Bandwidth
		}
		return false
	}
	low, high := lowest, lowest+1
	for !fits(high) {
		low, high = high, 2*high
	}
	for {
		middle := low + float64((high-low)/2)
		if middle <= low || middle >= high {
			return high
		}
		if fits(middle) {
			high = middle
		} else {
			low = middle
		}
	}
}
