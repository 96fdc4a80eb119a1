// Package score rates the load of a node as the agents of negotiation see it:
// SIAS for where a new task goes, SRAS for where a running one moves, and the
// gains of both (MASB, sections 6.1 to 6.3). Plain functions on plain values.
//
//	sras := score.SRAS().Scorer(90)
//	sras.Score(score.Percent{60, 75}) // 8.05
package score

import (
	"math"

	"parley/core/unit"
)

// Percent is a node's load, or a task's need on a node, in percent of each of
// the node's resources; Absent if the node has none of one and none is asked.
type Percent [unit.Resources]float64

// Absent stands for a resource that a node does not have: it counts in no mean and
// no difference.
const Absent = -1

// Perfect is the score of a perfect fit. Only ratios of scores matter; 10 makes
// them look like the paper's log.
const Perfect = 10

// Form holds the parameters of a score function, in percent of a node:
// S = K·(1 − Level·|Peak − mean|/90) − (max − min)²/Width.
type Form struct {
	Peak  float64 `json:"peak"`
	Width float64 `json:"width"`
	Level float64 `json:"level"`
}

// SIAS is the form for new tasks: highest on an empty node.
func SIAS() Form { return Form{Peak: 0, Width: 1000, Level: 0.5} }

// SRAS is the form for running tasks: highest where 90 % of everything is used.
func SRAS() Form { return Form{Peak: 90, Width: 500, Level: 0.6} }

// Score rates the load of a node: 0 if some resource is above limit percent,
// else K·(1 − b·|P − mean|/90) − (max − min)²/s, and never below 0. The exact
// formula of the paper's sections 6.2 and 6.3 is lost: this reading has its
// stated properties (peaks at (0,0) and (90,90), the order of the classes, two
// of its three numbers).
func (f Form) Score(load Percent, limit float64) float64 {
	s := f.Scorer(limit)
	return s.Score(load)
}

// Scorer rates a placement: the load of a node before and after it. Its
// constants are those of a Form, ready to be multiplied.
type Scorer struct {
	Gain      bool    // the difference of scores counts, not the score after
	IdleFirst bool    // an idle node has the highest score, whatever its load will be
	Limit     float64 // a load above this percentage has no score
	peak      float64
	slope     float64 // K·b/90 for each percent that the mean is off the peak
	curve     float64 // 1/s
}

// Scorer returns the function of a form up to a limit in percent.
func (f Form) Scorer(limit float64) Scorer {
	return Scorer{Limit: limit, peak: f.Peak, slope: Perfect * f.Level / 90, curve: 1 / f.Width}
}

// Score returns the score of a load, 0 if it is none.
func (s *Scorer) Score(load Percent) float64 {
	if load.Max() > s.Limit {
		return 0
	}
	return max(0, s.Shape(load.Mean(), load.Max()-load.Min()))
}

// With returns the score of a node with a task that needs these amounts, in units of
// which per are a percent of the node; it is not above 0 if there is none.
func (s *Scorer) With(used, need *unit.Vec, per *Percent) float64 {
	if unit.Resources > 2 || per[0] >= Lacks || per[1] >= Lacks {
		return s.WithAny(used, need, per)
	}
	u, v := float64(float64(used[0]+need[0])*per[0]), float64(float64(used[1]+need[1])*per[1])
	if u > s.Limit || v > s.Limit {
		return 0
	}
	return s.Shape(float64((u+v)*0.5), u-v)
}

// WithAny is With for any number of resources.
func (s *Scorer) WithAny(used, need *unit.Vec, per *Percent) float64 {
	use := used.Add(*need)
	return s.Score(Load(&use, per))
}

// Shape returns the score of a load below the limit by its mean and by how far
// its resources are apart; a negative one counts as 0. It is part of the
// hottest loop: it is inlined and has no branch that depends on the load.
func (s *Scorer) Shape(mean, apart float64) float64 {
	return Perfect - float64(s.slope*math.Abs(s.peak-mean)) - float64(float64(apart*apart)*s.curve)
}

// Rate returns the score of a placement. An idle node's score before is 0, so
// that filling an idle node gains most, as the paper wants; see Deviations.
func (s *Scorer) Rate(before, after Percent, idle bool) float64 {
	score := s.Score(after)
	if s.Gain && !idle {
		return max(0, score-s.Score(before))
	}
	return score
}

// Lacks is the percent of a node that one Share is of a resource that it does not
// have: any of it is more than it holds.
const Lacks = 1e300

// Load returns a use in percent of a node of which per are the percent that one
// Share is.
func Load(use *unit.Vec, per *Percent) (p Percent) {
	for r := range use {
		if p[r] = float64(float64(use[r]) * per[r]); per[r] >= Lacks && use[r] == 0 {
			p[r] = Absent
		}
	}
	return p
}

// Of returns a load in percent of the whole.
func Of(part, whole unit.Vec) (p Percent) {
	for r := range part {
		switch {
		case whole[r] > 0:
			p[r] = 100 * float64(part[r]) / float64(whole[r])
		case part[r] == 0:
			p[r] = Absent
		default:
			p[r] = Lacks
		}
	}
	return p
}

// Need returns the need of a task in percent of the whole: the amount that it adds to a load or
// removes from it; 0 of a resource that the node does not have.
func Need(part, whole unit.Vec) (p Percent) {
	for r := range part {
		if whole[r] > 0 {
			p[r] = 100 * float64(part[r]) / float64(whole[r])
		}
	}
	return p
}

// Mean returns the mean of the resources that the node has.
func (p Percent) Mean() float64 {
	sum, n := 0.0, 0
	for _, u := range p {
		if u != Absent {
			sum += u
			n++
		}
	}
	return float64(sum * (1 / float64(n)))
}

// Max returns the use of the most used resource.
func (p Percent) Max() float64 {
	x := p[0]
	for _, u := range p[1:] {
		x = max(x, u)
	}
	return x
}

// Min returns the use of the least used resource among those that the node has.
func (p Percent) Min() float64 {
	x := p.Max()
	for _, u := range p {
		if u != Absent {
			x = min(x, u)
		}
	}
	return x
}
