package batch

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"parley/core/formula"
	"parley/core/unit"
)

// Order defines which waiting job comes first: the one with the smallest key, and of equal
// keys the one that arrived first. n are a job's processors, e its estimate, s its
// submission and w its wait so far, all in seconds. Keys are doubles, as in the published
// code: where two keys are equal in exact arithmetic and not as doubles, rounding decides.
type Order uint8

// The orders. README.md has their keys and sources.
const (
	Arrival     Order = iota // s
	Shortest                 // e: SJF
	Longest                  // -e: LJF
	Narrowest                // n: SQF
	Widest                   // -n: LQF
	Smallest                 // e·n: SAF
	Largest                  // -e·n: LAF
	Expanding                // -(w+e)/e: LXF
	WFP3                     // -(w/e)³·n
	UNICEF                   // -w/(log2(n)·e)
	F1                       // log10(e)·n + 870·log10(s)
	F2                       // √e·n + 25600·log10(s)
	F3                       // e·n + 6860000·log10(s)
	F4                       // e·√n + 530000·log10(s)
	ByFormula                // -f of the Formula that Rank set
	Multifactor              // the key that the Ranker of Prioritise computes
	orders
)

var orderNames = [orders]string{"fcfs", "sjf", "ljf", "sqf", "lqf", "saf", "laf", "lxf", "wfp3", "unicef", "f1", "f2", "f3", "f4", "formula", "multifactor"}

// String returns the order as settings and reports spell it.
func (o Order) String() string { return orderNames[o] }

// Columns are the names that a formula for the order ByFormula may use.
func Columns() []formula.Column {
	seconds := formula.Kind{Seconds: 1}
	return []formula.Column{
		{Name: "job.processors", About: "processors that the job needs"},
		{Name: "job.estimate", Kind: seconds, About: "how long the policy believes that the job runs"},
		{Name: "job.wait", Kind: seconds, About: "how long the job has waited"},
		{Name: "job.submitted", Kind: seconds, About: "when the job was submitted, since the log's zero"},
	}
}

// OrderNames lists the orders as settings spell them.
func OrderNames() []string { return slices.Clone(orderNames[:]) }

// ParseOrder returns the order of a name.
func ParseOrder(name string) (Order, error) {
	if i := slices.Index(orderNames[:], name); i >= 0 {
		return Order(i), nil
	}
	return 0, fmt.Errorf("the order is %q: choose one of %v", name, orderNames)
}

// serialLog replaces log2(n) of UNICEF for a serial job, whose logarithm is 0: the published code
// (RLScheduler, SC 2020) adds 10⁻¹⁵ to n. Serial jobs that wait go first.
const serialLog = 1.6017132519074588e-15

// Key returns the sort key of a job that was submitted at one moment and waits at another; the least
// comes first. ByFormula and Multifactor have keys of their own, and Key returns that of Arrival for
// them.
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
		return -(w / (max(serialLog, formula.Log2(n)) * e))
	case F1:
		return float64(formula.Log10(e)*n) + since(submitted, 870)
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
	return float64(weight * formula.Log10(max(1, submitted.Seconds())))
}

// sortBy sorts jobs in place: the highest tier of their queues first, then the least key of the order,
// then by arrival. It overwrites s.keys.
func (s *Site) sortBy(o Order, now unit.Time, jobs []waitingJob) {
	if o == Arrival && s.queues == nil {
		slices.SortFunc(jobs, func(a, b waitingJob) int { return cmp.Compare(a.arrival, b.arrival) })
		return
	}
	s.keys = s.keys[:0]
	switch o {
	case ByFormula:
		s.evaluate(now, jobs)
	case Multifactor:
		s.rank(now, jobs)
	default:
		for _, w := range jobs {
			e := &s.jobs[w.handle]
			s.keys = append(s.keys, keyed{o.Key(e.Job, e.submitted, now), s.tier(e), w})
		}
	}
	slices.SortFunc(s.keys, func(a, b keyed) int {
		return cmp.Or(cmp.Compare(b.tier, a.tier), cmp.Compare(a.key, b.key), cmp.Compare(a.arrival, b.arrival))
	})
	for i, k := range s.keys {
		jobs[i] = k.waitingJob
	}
}

// ranking is the formula of a site and the memory to evaluate it.
type ranking struct {
	formula   *formula.Formula
	evaluator formula.Evaluator
	columns   [][]float64
	values    []float64
}

// Rank sets the formula of the order ByFormula, compiled for Columns: the job with the
// highest value comes first. A job whose value is not finite comes after all others.
func (s *Site) Rank(f *formula.Formula) { s.ranking.formula = f }

// evaluate appends a key for each job to s.keys: the negative value of the formula, or +Inf if it is not
// finite, so that such jobs come last.
func (s *Site) evaluate(now unit.Time, jobs []waitingJob) {
	r := &s.ranking
	if r.columns == nil {
		r.columns = make([][]float64, len(Columns()))
	}
	for i := range r.columns {
		r.columns[i] = r.columns[i][:0]
	}
	for _, w := range jobs {
		e := &s.jobs[w.handle]
		for i, x := range [...]float64{
			float64(e.Processors), e.Estimate.Seconds(), (now - e.submitted).Seconds(),
			e.submitted.Seconds(),
		} {
			r.columns[i] = append(r.columns[i], x)
		}
	}
	r.values = slices.Grow(r.values[:0], len(jobs))[:len(jobs)]
	r.evaluator.Eval(r.formula, r.columns, r.values)
	for i, w := range jobs {
		key := -r.values[i]
		if !formula.Finite(key) {
			key = math.Inf(1)
		}
		s.keys = append(s.keys, keyed{key, s.tier(&s.jobs[w.handle]), w})
	}
}

// Ranker computes the keys of the order Multifactor: the job with the smallest key comes first. It
// is notified of running jobs, since a key may depend on the usage of users.
type Ranker interface {
	// Keys sets the keys of waiting jobs.
	Keys(now unit.Time, jobs []Candidate, keys []float64)
	// Began and Ended receive that a job runs, and that it ended or was stopped.
	Began(now unit.Time, h Handle, j *Job)
	Ended(now unit.Time, h Handle)
}

// Candidate is a waiting job as a Ranker sees it.
type Candidate struct {
	Job
	Submitted unit.Time
}

// Prioritise sets the ranker of the order Multifactor. Call it before the first Submit.
func (s *Site) Prioritise(r Ranker) { s.ranker = r }

// rank sets the keys of jobs by the ranker.
func (s *Site) rank(now unit.Time, jobs []waitingJob) {
	s.candidate = s.candidate[:0]
	for _, w := range jobs {
		e := &s.jobs[w.handle]
		s.candidate = append(s.candidate, Candidate{e.Job, e.submitted})
	}
	r := &s.ranking
	r.values = slices.Grow(r.values[:0], len(jobs))[:len(jobs)]
	s.ranker.Keys(now, s.candidate, r.values)
	for i, w := range jobs {
		s.keys = append(s.keys, keyed{r.values[i], s.tier(&s.jobs[w.handle]), w})
	}
}

// keyed is a waiting job with its key.
type keyed struct {
	key  float64
	tier int32
	waitingJob
}

// ordered returns the waiting jobs in the site's order.
func (s *Site) ordered(now unit.Time) []waitingJob {
	s.order = s.order[:0]
	s.queue.each(func(w *waitingJob) { s.order = append(s.order, *w) })
	s.sortBy(s.queueBy, now, s.order)
	return s.order
}

// fillOrdered is fill if the queue has another order than that of arrival: the jobs
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
