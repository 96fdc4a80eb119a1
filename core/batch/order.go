package batch

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"parley/core/unit"
)

// Order says which waiting job comes first: the one with the smallest key, and of equal
// keys the one that arrived first. n are a job's processors, e its estimate, s its
// submission and w its wait so far, all in seconds.
type Order uint8

// The orders. README.md has their keys and sources.
const (
	Arrival   Order = iota // s
	Shortest               // e: SJF
	Longest                // -e: LJF
	Narrowest              // n: SQF
	Widest                 // -n: LQF
	Smallest               // e·n: SAF
	Largest                // -e·n: LAF
	Expanding              // -(w+e)/e: LXF
	WFP3                   // -(w/e)³·n
	UNICEF                 // -w/(log2(n)·e)
	F1                     // log10(e)·n + 870·log10(s)
	F2                     // √e·n + 25600·log10(s)
	F3                     // e·n + 6860000·log10(s)
	F4                     // e·√n + 530000·log10(s)
	orders
)

var orderNames = [orders]string{"fcfs", "sjf", "ljf", "sqf", "lqf", "saf", "laf", "lxf", "wfp3", "unicef", "f1", "f2", "f3", "f4"}

// String returns the order as settings and reports spell it.
func (o Order) String() string { return orderNames[o] }

// OrderNames lists the orders as settings spell them.
func OrderNames() []string { return slices.Clone(orderNames[:]) }

// ParseOrder returns the order of a name.
func ParseOrder(name string) (Order, error) {
	if i := slices.Index(orderNames[:], name); i >= 0 {
		return Order(i), nil
	}
	return 0, fmt.Errorf("the order is %q: choose one of %v", name, orderNames)
}

// serialLog is what log2(n) of UNICEF is for a serial job, whose logarithm is 0: the
// published code (RLScheduler, SC 2020) adds 10⁻¹⁵ to n. Serial jobs that wait go first.
const serialLog = 1.6017132519074588e-15

// Key returns the key of a job that was submitted at one moment and waits at another.
func (o Order) Key(j Job, submitted, now unit.Time) float64 {
	n, e, w := float64(j.Processors), j.Estimate.Seconds(), (now - submitted).Seconds()
	switch o {
	case Shortest:
		return e
	case Longest:
		return -e
	case Narrowest:
		return n
	case Widest:
		return -n
	case Smallest:
		return e * n
	case Largest:
		return -(e * n)
	case Expanding:
		return -((w + e) / e)
	case WFP3:
		x := w / e
		return -(x * x * x * n)
	case UNICEF:
		return -(w / (max(serialLog, log2(n)) * e))
	case F1:
		return float64(log10(e)*n) + since(submitted, 870)
	case F2:
		return float64(math.Sqrt(e)*n) + since(submitted, 25_600)
	case F3:
		return float64(e*n) + since(submitted, 6_860_000)
	case F4:
		return float64(e*math.Sqrt(n)) + since(submitted, 530_000)
	}
	return submitted.Seconds()
}

// since returns the part of F1 to F4 that lets jobs age: their weight times the logarithm
// of the submission, in seconds since the log's zero and at least 1.
func since(submitted unit.Time, weight float64) float64 {
	return float64(weight * log10(max(1, submitted.Seconds())))
}

// log2 returns the logarithm of x > 0 to the base of 2, by the series of the inverse
// hyperbolic tangent: the library's has other bits on other platforms.
func log2(x float64) float64 {
	fraction, exponent := math.Frexp(x) // 0.5 to 1
	if fraction < math.Sqrt2/2 {
		fraction *= 2
		exponent--
	}
	z := (fraction - 1) / (fraction + 1) // at most 0.1716 from 0: 12 terms are exact
	square, sum := z*z, 0.0
	for k := 23; k >= 1; k -= 2 {
		sum = float64(sum*square) + 1/float64(k)
	}
	return float64(exponent) + float64(float64(2/math.Ln2*z)*sum)
}

func log10(x float64) float64 { return log2(x) * (math.Ln2 / math.Ln10) }

// sortBy sorts waiting jobs by an order.
func (s *Site) sortBy(o Order, now unit.Time, jobs []waitingJob) {
	if o == Arrival {
		slices.SortFunc(jobs, func(a, b waitingJob) int { return cmp.Compare(a.arrival, b.arrival) })
		return
	}
	s.keys = s.keys[:0]
	for _, w := range jobs {
		e := &s.jobs[w.handle]
		s.keys = append(s.keys, keyed{o.Key(e.Job, e.submitted, now), w})
	}
	slices.SortFunc(s.keys, func(a, b keyed) int { return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.arrival, b.arrival)) })
	for i, k := range s.keys {
		jobs[i] = k.waitingJob
	}
}

// keyed is a waiting job with its key.
type keyed struct {
	key float64
	waitingJob
}

// ordered returns the waiting jobs in the site's order.
func (s *Site) ordered(now unit.Time) []waitingJob {
	s.order = s.order[:0]
	s.queue.each(func(w *waitingJob) { s.order = append(s.order, *w) })
	s.sortBy(s.queueBy, now, s.order)
	return s.order
}

// fillOrdered is fill where the queue has another order than that of arrival: the jobs
// that fit start in it; the first that does not is the head, which FCFS waits for and EASY
// gives a reservation.
func (s *Site) fillOrdered(now unit.Time) {
	s.hole = hole{}
	free := s.available(now)
	rest := s.ordered(now)
	for len(rest) > 0 && int(rest[0].processors) <= free {
		free -= int(rest[0].processors)
		s.queue.remove(rest[0].arrival)
		s.start(now, rest[0].handle)
		rest = rest[1:]
	}
	if s.policy == FCFS || len(rest) < 2 {
		return
	}
	need := int(rest[0].processors)
	shadow, then := s.running.when(now, free, need)
	h := hole{free: free, shadow: shadow, extra: then - need}
	rest = rest[1:]
	if s.backfillBy != s.queueBy {
		s.sortBy(s.backfillBy, now, rest)
	}
	for _, w := range rest {
		if !h.fits(now, w.processors, w.estimate) {
			continue
		}
		h.free -= int(w.processors)
		if !h.endsBefore(now, w.estimate) {
			h.extra -= int(w.processors)
		}
		s.queue.remove(w.arrival)
		s.start(now, w.handle)
	}
}

// eachOrdered calls yield for every waiting job in the site's order.
func (s *Site) eachOrdered(now unit.Time, yield func(*waitingJob)) {
	if s.queueBy == Arrival {
		s.queue.each(yield)
		return
	}
	for _, w := range slices.Clone(s.ordered(now)) {
		yield(&w)
	}
}
