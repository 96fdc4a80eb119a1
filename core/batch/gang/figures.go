package gang

import (
	"slices"

	"parley/core/estimate"
	"parley/core/unit"
)

// Outcome describes a job that ended.
type Outcome struct {
	JCT       unit.Time // end − submission
	FirstWait unit.Time // first start − submission
	Wait      unit.Time // in all
	Stops     int32     // times that it was stopped, moved or lost its GPUs
	// Fairness is the finish-time fairness ρ: JCT / the time that the job had taken on an equal
	// share of the GPUs, one of as many parts as there were jobs at each moment.
	Fairness float64
}

// Figures are the field's of a site, over jobs that ran to their end.
type Figures struct {
	Starts, Preemptions, Moves, Lost int64
	JCT, FirstWait, Wait, Fairness   []float64 // seconds, and ρ; by end

	// GPU seconds that jobs held, and that there were, from the first submission to the latest end
	Held, There float64
	Blocked     [causes]float64 // GPU seconds that waiting jobs asked for, by cause
	Stranded    float64         // GPU seconds that were free while a job had no place although enough were
	now         sums
	blocked     [causes]int64 // GPUs at present
}

// sums are figures until now, which count with the next end.
type sums struct {
	held, available, stranded float64
	blocked                   [causes]float64
}

// Unfair is the fairness above which a job counts as treated unfairly.
const Unfair = 1.05

// Figures returns the totals so far. They belong to the site.
func (s *Site) Figures() *Figures { return &s.figures }

// account adds the time since the last call to the figures and to each job's waiting and isolated time.
// Call it before anything changes. Time before the first job does not count.
func (s *Site) account(now unit.Time) {
	since := (now - s.seen).Seconds()
	if now > s.seen && (len(s.list) > 0 || len(s.figures.JCT) > 0) {
		f := &s.figures
		f.now.held += float64(since * float64(s.total-s.free))
		f.now.available += float64(since * float64(s.total))
		for c := range f.blocked {
			f.now.blocked[c] += float64(since * float64(f.blocked[c]))
		}
		if f.blocked[NoPlace] > 0 {
			f.now.stranded += float64(since * float64(s.free))
		}
		for _, h := range s.list {
			if e := &s.jobs[h]; e.running {
				share := float64(len(s.list)) * float64(e.Processors) / float64(max(1, s.total))
				e.isolated += float64((e.progress(now) - e.progress(max(s.seen, e.since))).Seconds() * max(1, share))
			} else {
				e.waited += now - max(s.seen, e.submitted)
			}
		}
	}
	s.seen = now
}

// Fairness returns the fairness of a job that runs and ends now; 0 of one that waits.
func (s *Site) Fairness(now unit.Time, h Handle) float64 {
	e := &s.jobs[h]
	if !e.running {
		return 0
	}
	s.account(now)
	return s.outcome(now, e).Fairness
}

// outcome describes a job that ends now.
func (s *Site) outcome(now unit.Time, e *entry) Outcome {
	o := Outcome{
		JCT: now - e.submitted, FirstWait: max(0, e.started-e.submitted), Wait: e.waited, Stops: e.stops,
		Fairness: 1,
	}
	if e.isolated > 0 {
		o.Fairness = o.JCT.Seconds() / e.isolated
	}
	return o
}

// ended takes a job that ran to its end.
func (f *Figures) ended(o *Outcome) {
	f.JCT = append(f.JCT, o.JCT.Seconds())
	f.FirstWait = append(f.FirstWait, o.FirstWait.Seconds())
	f.Wait = append(f.Wait, o.Wait.Seconds())
	f.Fairness = append(f.Fairness, o.Fairness)
	f.Held, f.There, f.Stranded, f.Blocked = f.now.held, f.now.available, f.now.stranded, f.now.blocked
}

// Distribution is that of a figure over jobs. Its percentiles are the smallest value that a share of
// the jobs does not exceed; the median of an even number is the mean of the middle two.
type Distribution struct {
	Mean   float64 `json:"mean"`
	Median float64 `json:"median"`
	P95    float64 `json:"p95"`
	P99    float64 `json:"p99"`
	Max    float64 `json:"max"`
}

// Distribute returns the distribution of values.
func Distribute(values []float64) Distribution {
	n := len(values)
	if n == 0 {
		return Distribution{}
	}
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	sorted := slices.Clone(values)
	slices.Sort(sorted)
	at := func(percent int) float64 { return sorted[(n*percent+99)/100-1] }
	return Distribution{sum / float64(n), estimate.Median(sorted), at(95), at(99), sorted[n-1]}
}
