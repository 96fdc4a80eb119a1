// Package qbets predicts how long a job will wait in a queue: an upper bound that
// the next wait does not exceed with probability q, with confidence c.
//
// Method: Nurmi, Brevik and Wolski, "QBETS: Queue Bounds Estimation from Time
// Series", JSSPP 2007. The number of n past waits below their true q-quantile is
// binomial, so the k-th smallest is an upper bound on it, for the least k with
// P(Bin(n,q) < k) ≥ c. When more waits in a row lie above the bound than chance
// hardly explains, the past is forgotten but for the shortest history that gives a
// bound. The critical number is looked up by the first autocorrelation of the waits'
// logarithms.
//
// Differences from the paper: logarithms are to the base 2 and linear between powers of two, which
// keeps results the same on every platform; jobs are not clustered by size, which a caller can do
// with a Predictor a class.
package qbets

import (
	"slices"
	"sort"

	"parley/core/unit"
)

// Predictor learns waits and bounds the next one. Use New.
type Predictor struct {
	q, c    float64
	fewest  int         // observations without which there is no bound
	history []unit.Time // the latest, oldest first
	sorted  []unit.Time // the same by size
	above   int         // waits in a row above the bound of their time
	changes int
	ranks   map[int]int // k by n; shared with predictors of the same q and c
	bound   unit.Time
	known   bool

	judged, correct int // waits for which there was a bound; of these not above it
}

// maxKept limits the history: more values add nothing to a quantile of 0.95 and cost time.
const maxKept = 2000

// New returns a predictor of the quantile q with confidence c, both above 0 and
// below 1.
func New(q, c float64) *Predictor {
	p := &Predictor{q: q, c: c, ranks: map[int]int{}}
	for p.fewest = 1; Rank(p.fewest, q, c) > p.fewest; p.fewest++ {
	}
	return p
}

// Another returns a predictor with an empty past, of the same quantile and confidence. The two
// share the tables computed for these.
func (p *Predictor) Another() *Predictor {
	return &Predictor{q: p.q, c: p.c, fewest: p.fewest, ranks: p.ranks}
}

// MinWaits returns how many waits must be known for a bound.
func (p *Predictor) MinWaits() int { return p.fewest }

// Bound returns the bound on the next wait, and false if too little is known.
func (p *Predictor) Bound() (unit.Time, bool) { return p.bound, p.known }

// Changes returns how often the past was forgotten.
func (p *Predictor) Changes() int { return p.changes }

// Coverage returns for how many waits there was a bound when they ended, and how
// many of these did not exceed it.
func (p *Predictor) Coverage() (judged, correct int) { return p.judged, p.correct }

// Observe adds the wait of a job that started, in the order of starts, and computes the bound anew.
// After a run of waits above the bound that is rarer than chance it forgets all but the latest MinWaits
// waits: the queue behaves differently now.
func (p *Predictor) Observe(wait unit.Time) {
	if p.known {
		p.judged++
		if wait > p.bound {
			p.above++
		} else {
			p.above = 0
			p.correct++
		}
	}
	if len(p.history) == maxKept {
		p.forget(p.history[0])
		p.history = slices.Delete(p.history, 0, 1)
	}
	p.history = append(p.history, wait)
	i, _ := slices.BinarySearch(p.sorted, wait)
	p.sorted = slices.Insert(p.sorted, i, wait)
	if p.above >= 3 && p.above >= CriticalRun(Autocorrelation(p.history)) {
		p.above = 0
		p.changes++
		if from := len(p.history) - p.fewest; from > 0 {
			p.history = slices.Delete(p.history, 0, from)
			p.sorted = append(p.sorted[:0], p.history...)
			slices.Sort(p.sorted)
		}
	}
	n := len(p.history)
	k := p.rank(n)
	if p.known = k <= n; p.known {
		p.bound = p.sorted[k-1]
	}
}

func (p *Predictor) forget(wait unit.Time) {
	i, _ := slices.BinarySearch(p.sorted, wait)
	p.sorted = slices.Delete(p.sorted, i, i+1)
}

// rank returns Rank(n) for the predictor's quantile and confidence, from the shared table.
func (p *Predictor) rank(n int) int {
	k, known := p.ranks[n]
	if !known {
		k = Rank(n, p.q, p.c)
		p.ranks[n] = k
	}
	return k
}

// Rank returns the least k for which P(Bin(n,q) < k) ≥ c, so that the k-th smallest
// of n observations bounds their q-quantile from above with confidence c; n + 1 where
// there is none. Weights are taken relative to the largest, which neither vanishes
// nor overflows.
func Rank(n int, q, c float64) int {
	mode := min(n, int(float64(float64(n+1)*q)))
	odds := q / (1 - q)
	weights := make([]float64, n+1)
	weights[mode] = 1
	for j := mode; j < n; j++ {
		weights[j+1] = weights[j] * (float64(n-j) / float64(j+1)) * odds
	}
	for j := mode; j > 0; j-- {
		weights[j-1] = weights[j] * (float64(j) / float64(n-j+1)) / odds
	}
	total := 0.0
	for _, w := range weights {
		total += w
	}
	sum := 0.0
	for j, w := range weights {
		if sum >= float64(c*total) {
			return j
		}
		sum += w
	}
	return n + 1 // the largest observation is not enough
}

// Probability returns a lower bound of the probability that a job that arrives now starts within a time:
// the largest quantile, in hundredths, whose bound is at most that time; 0 if too few waits are known.
func (p *Predictor) Probability(within unit.Time) float64 {
	below := sort.Search(len(p.sorted), func(i int) bool { return p.sorted[i] > within })
	at := sort.Search(99, func(i int) bool { return Rank(len(p.sorted), float64(i+1)/100, p.c) > below })
	return float64(at) / 100
}

// Autocorrelation returns the first one of the waits' logarithms, 0 if all are
// the same.
func Autocorrelation(waits []unit.Time) float64 {
	n := len(waits)
	if n < 2 {
		return 0
	}
	mean := 0.0
	for _, w := range waits {
		mean += log2(w) / float64(n)
	}
	var own, next float64
	last := 0.0
	for i, w := range waits {
		d := log2(w) - mean
		own += float64(d * d)
		if i > 0 {
			next += float64(d * last)
		}
		last = d
	}
	if own == 0 {
		return 0
	}
	return next / own
}

// log2 is the logarithm to the base 2 of a wait in seconds and one more, linear
// between the powers of two.
func log2(w unit.Time) float64 {
	x, e := w.Seconds()+1, 0.0
	for x >= 2 {
		x /= 2
		e++
	}
	return e + x - 1
}

// CriticalRun returns how many waits in a row above a bound of 0.95 are rarer than
// one in twenty runs that begin, at least three, by the first autocorrelation of a Gaussian AR(1)
// series. TestCriticalRuns draws such series and finds these numbers.
func CriticalRun(autocorrelation float64) int {
	i := max(0, min(len(criticalRuns)-1, int(autocorrelation*10)))
	return criticalRuns[i]
}

// criticalRuns are for autocorrelations from 0, 0.1 … 0.9 on.
var criticalRuns = [10]int{3, 3, 3, 3, 3, 4, 4, 5, 6, 10}
