package plan

// umrSelection is UMR's choice: workers by S/B increasing while Σ S/B < 1. If
// already the first breaks the condition, it works alone.
func umrSelection(p Platform) []int {
	order := everyone(p, Worker.load)
	total := 0.0
	for n, i := range order {
		if total += p.Workers[i].load(); total >= 1 {
			return order[:max(n, 1)]
		}
	}
	return order
}

// umrStrictSelection is (2.7): the longest prefix by S/B increasing in which
// every worker has B/S > n, the number of workers taken.
func umrStrictSelection(p Platform) []int {
	order := everyone(p, Worker.load)
	for n, i := range order {
		if w := p.Workers[i]; w.Bandwidth <= float64(w.Speed*float64(n+1)) {
			return order[:max(n, 1)]
		}
	}
	return order
}

// withRoom drops the workers whose latency is so long that the load, dealt in one single round by
// the algorithm's rule, would give them a negative chunk: with them no number of rounds has only
// non-negative chunks. The remaining ones keep their order. Dropping the worker of the largest
// latency always lowers the smallest admissible round Σ rate_k (largest - latency_k), so the answer
// is a prefix by latency.
func withRoom(p Platform, load float64, order []int, rate, latency func(Worker) float64) []int {
	byLatency := append([]int(nil), order...)
	sortBy(p, byLatency, latency)
	var rates, weighted float64
	keep := 0
	for n, i := range byLatency {
		w := p.Workers[i]
		rates += rate(w)
		weighted += float64(rate(w) * latency(w))
		if float64(rates*latency(w))-weighted <= float64(load*(1-1e-9)) {
			keep = n + 1
		}
	}
	if keep == len(order) {
		return order
	}
	kept := make(map[int]bool, keep)
	for _, i := range byLatency[:keep] {
		kept[i] = true
	}
	out := make([]int, 0, keep)
	for _, i := range order {
		if kept[i] {
			out = append(out, i)
		}
	}
	return out
}

func speed(w Worker) float64       { return w.Speed }
func fastest(w Worker) float64     { return -w.Speed }
func compLatency(w Worker) float64 { return w.CompLatency }
