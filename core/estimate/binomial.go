package estimate

import "math"

// Tally is how many of a number of trials, each with the same outcome to be counted or not,
// had that outcome.
type Tally struct{ Hits, Trials int64 }

// bisections halve an interval until it is as narrow as doubles allow: 2⁻⁶⁰ of its first width.
const bisections = 60

// Share returns the exact interval of the probability of a hit (Clopper and Pearson, 1934),
// which holds it with 1 − risk or more. It has a width even if every trial hit, or none
// did. The tally has at least one trial.
func (t Tally) Share(risk float64) Interval {
	// solve returns the probability at which one of the tails, which falls or grows with it,
	// is as likely as half of the risk.
	solve := func(tail func(float64) float64, grows bool) float64 {
		low, high := 0.0, 1.0
		for range bisections {
			if mid := (low + high) / 2; tail(mid) > risk/2 == grows {
				high = mid
			} else {
				low = mid
			}
		}
		return (low + high) / 2
	}
	i, ways := Interval{Low: 0, High: 1}, t.ways()
	if t.Hits > 0 {
		i.Low = solve(func(p float64) float64 { return t.atLeast(p, ways) }, true)
	}
	if t.Hits < t.Trials {
		i.High = solve(func(p float64) float64 { return t.misses().atLeast(1-float64(p), ways) }, false)
	}
	return i
}

// AtMost returns the probability of t.Hits or fewer, if a trial hits with the probability p.
func (t Tally) AtMost(p float64) float64 { return t.misses().AtLeast(1 - p) }

// AtLeast returns the probability of t.Hits or more, if a trial hits with the probability p.
// It multiplies and divides only, so that every platform computes the same bits.
func (t Tally) AtLeast(p float64) float64 { return t.atLeast(p, t.ways()) }

func (t Tally) misses() Tally { return Tally{t.Trials - t.Hits, t.Trials} }

// ways returns the binomial coefficient: in how many ways t.Hits trials can hit.
func (t Tally) ways() scaled {
	ways, few := scaled{1, 0}, min(t.Hits, t.Trials-t.Hits)
	for i := int64(1); i <= few; i++ {
		ways = ways.times(scaled{float64(t.Trials-few+i) / float64(i), 0})
	}
	return ways
}

func (t Tally) atLeast(p float64, ways scaled) float64 {
	switch {
	case t.Hits <= 0 || p >= 1:
		return 1
	case p <= 0:
		return 0
	case float64(t.Hits) < float64(p*float64(t.Trials)): // the other tail is shorter
		ways = ways.times(scaled{float64(t.Hits) / float64(t.Trials-t.Hits+1), 0})
		return 1 - Tally{t.Hits - 1, t.Trials}.from(p, ways, -1)
	}
	return t.from(p, ways, 1)
}

// from returns the probability of t.Hits and of all counts beyond, upwards or downwards: away from
// the mean.
func (t Tally) from(p float64, ways scaled, step int64) float64 {
	k, n, odds := t.Hits, t.Trials, p/(1-p)
	sum, part := 1.0, 1.0 // in units of the probability of k hits
	for k += step; k >= 0 && k <= n && part > 1e-17*sum; k += step {
		if step > 0 {
			part = float64(part*float64(n-k+1)) / float64(k) * odds
		} else {
			part = float64(part*float64(k+1)) / float64(n-k) / odds
		}
		sum += part
	}
	hits := ways.times(scaled{p, 0}.power(t.Hits)).times(scaled{1 - p, 0}.power(n - t.Hits))
	return min(1, hits.times(scaled{sum, 0}).value())
}

// scaled is a positive number, fraction times two to the exponent, that neither overflows nor
// underflows.
type scaled struct {
	fraction float64
	exponent int
}

func (s scaled) times(o scaled) scaled {
	fraction, exponent := math.Frexp(float64(s.fraction * o.fraction))
	return scaled{fraction, s.exponent + o.exponent + exponent}
}

func (s scaled) power(n int64) scaled {
	out := scaled{1, 0}
	for ; n > 0; n /= 2 {
		if n%2 == 1 {
			out = out.times(s)
		}
		s = s.times(s)
	}
	return out
}

func (s scaled) value() float64 { return math.Ldexp(s.fraction, s.exponent) }
