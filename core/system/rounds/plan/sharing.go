package plan

import "slices"

// sharing is a selection of workers in sending order and how one round of
// size R is divided among them: x_i = alpha_i·R + beta_i.
type sharing struct {
	order       []int // worker indices in sending order
	alpha, beta []float64
	series      series
}

// rule makes the sharing of one algorithm for workers in a given order.
type rule func(p Platform, load float64, order []int) sharing

// umrSharing gives every worker the same computing time in a round: (2.1),
// (2.2), (2.4), (2.6).
func umrSharing(p Platform, load float64, order []int) sharing {
	var speeds, idle float64 // SS, Σ S_k cLat_k
	for _, i := range order {
		w := p.Workers[i]
		speeds += w.Speed
		idle += float64(w.Speed * w.CompLatency)
	}
	sh := newSharing(load, order)
	sh.series.waitPerUnit = 1 / speeds
	sh.series.waitFixed = idle / speeds
	for k, i := range order {
		w := p.Workers[i]
		sh.set(w, k, w.Speed/speeds, idle/speeds-w.CompLatency, w.Speed)
	}
	return sh
}

// umr2Sharing gives every worker the same time for receiving and computing in
// a round: (2.8), (2.9), with the recurrence tied to the last worker: (2.11),
// (2.12), and η as corrected in the README.
func umr2Sharing(p Platform, load float64, order []int) sharing {
	var rates, idle float64 // Σ A_k, Σ A_k Lat_k
	for _, i := range order {
		a := p.Workers[i].rate()
		rates += a
		idle += float64(a * p.Workers[i].latency())
	}
	sh := newSharing(load, order)
	for k, i := range order {
		w := p.Workers[i]
		sh.set(w, k, w.rate()/rates, idle/rates-w.latency(), w.rate())
	}
	last := len(order) - 1
	w := p.Workers[order[last]]
	sh.series.waitPerUnit = sh.alpha[last] / w.Speed
	sh.series.waitFixed = sh.beta[last]/w.Speed + w.CompLatency
	return sh
}

// newSharing returns a sharing with the shares still 0; the caller calls set for each worker. It refers
// to order.
func newSharing(load float64, order []int) sharing {
	return sharing{
		order:  order,
		alpha:  make([]float64, len(order)),
		beta:   make([]float64, len(order)),
		series: series{load: load},
	}
}

// set stores α_k and β_k = rate·spare, where spare is how many seconds less
// of latency worker k has than the rate-weighted mean, and adds the worker to
// the sums of the series.
func (sh *sharing) set(w Worker, k int, alpha, spare, rate float64) {
	sh.alpha[k], sh.beta[k] = alpha, rate*spare
	sh.series.sendPerUnit += alpha / w.Bandwidth
	sh.series.sendFixed += w.CommLatency + sh.beta[k]/w.Bandwidth
	sh.series.lowest = max(sh.series.lowest, -sh.beta[k]/alpha)
}

// chunks returns the chunks of m rounds, one row a round, one column a worker
// of order, in one block of memory.
func (sh sharing) chunks(m int) [][]float64 {
	rounds := make([]float64, m)
	sh.series.sizes(rounds)
	rows := matrix(m, len(sh.order))
	for j, row := range rows {
		sh.fill(row, rounds[j])
	}
	return rows
}

// fill divides one round of the given size; negative rounding errors become zero.
func (sh sharing) fill(row []float64, size float64) {
	for k := range row {
		row[k] = max(0, float64(sh.alpha[k]*size)+sh.beta[k])
	}
}

// matrix returns rows of zeros in one block of memory.
func matrix(rows, columns int) [][]float64 {
	block := make([]float64, rows*columns)
	out := make([][]float64, rows)
	for j := range out {
		out[j] = block[j*columns : (j+1)*columns : (j+1)*columns]
	}
	return out
}

// rate is A = B·S/(B+S), the work a second of receiving and computing in turn.
func (w Worker) rate() float64 { return 1 / (1/w.Bandwidth + 1/w.Speed) }

// latency is Lat = cLat + nLat.
func (w Worker) latency() float64 { return w.CompLatency + w.CommLatency }

// load is S/B, the share of the master's port that keeping the worker busy takes.
func (w Worker) load() float64 { return w.Speed / w.Bandwidth }

// weight is S/(B+S), the worker's part of UMR2's capacity (2.16).
func (w Worker) weight() float64 { return w.Speed / (w.Bandwidth + w.Speed) }

// room is B/(B+S), the capacity that worker offers when it is the last.
func (w Worker) room() float64 { return w.Bandwidth / (w.Bandwidth + w.Speed) }

// everyone lists all workers by key, smallest first, ties by index.
func everyone(p Platform, key func(Worker) float64) []int {
	order := make([]int, len(p.Workers))
	for i := range order {
		order[i] = i
	}
	sortBy(p, order, key)
	return order
}

// sortBy sorts order, indices of workers, in place by key, smallest first, equal ones by index. Keys are
// never NaN.
func sortBy(p Platform, order []int, key func(Worker) float64) {
	type keyed struct {
		key   float64
		index int
	}
	pairs := make([]keyed, len(order))
	for k, i := range order {
		pairs[k] = keyed{key(p.Workers[i]), i}
	}
	slices.SortFunc(pairs, func(a, b keyed) int {
		if a.key < b.key {
			return -1
		}
		if a.key > b.key {
			return 1
		}
		return a.index - b.index
	})
	for k := range order {
		order[k] = pairs[k].index
	}
}
