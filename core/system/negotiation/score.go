package negotiation

import (
	"math"

	"parley/core/unit"
)

// Percent is a node's load, or a task's need on a node, in percent of each of
// the node's resources.
type Percent [unit.Resources]float64

// scale is the score of a perfect fit. Only ratios of scores matter; 10 makes
// them look like the paper's log.
const scale = 10

// Score rates the load of a node: 0 if some resource is above limit percent,
// else K·(1 − b·|P − mean|/90) − (max − min)²/s, and never below 0. The exact
// formula of the paper's sections 6.2 and 6.3 is lost: this reading has its
// stated properties (peaks at (0,0) and (90,90), the order of the classes, two
// of its three numbers).
func (f Form) Score(load Percent, limit float64) float64 {
	s := f.scorer(limit)
	return s.score(load)
}

// scorer rates a placement: the load of a node before and after it. Its
// constants are those of a Form, ready to be multiplied.
type scorer struct {
	gain      bool // the difference of scores counts, not the score after
	idleFirst bool // an idle node has the highest score, whatever its load will be
	limit     float64
	peak      float64
	slope     float64 // K·b/90 for each percent that the mean is off the peak
	curve     float64 // 1/s
}

func (f Form) scorer(limit float64) scorer {
	return scorer{limit: limit, peak: f.Peak, slope: scale * f.Level / 90, curve: 1 / f.Width}
}

// score returns the score of a load, 0 where it is none.
func (s *scorer) score(load Percent) float64 {
	if load.most() > s.limit {
		return 0
	}
	return max(0, s.shape(load.mean(), load.most()-load.least()))
}

// with returns the score of a node with a task that needs so much, in units of
// which per are a percent of the node; it is not above 0 where there is none.
func (s *scorer) with(used, need *unit.Vec, per *Percent) float64 {
	if unit.Resources > 2 {
		return s.withAny(used, need, per)
	}
	u, v := float64(float64(used[0]+need[0])*per[0]), float64(float64(used[1]+need[1])*per[1])
	if u > s.limit || v > s.limit {
		return 0
	}
	return s.shape(float64((u+v)*0.5), u-v)
}

// withAny is with for any number of resources.
func (s *scorer) withAny(used, need *unit.Vec, per *Percent) float64 {
	use := used.Add(*need)
	return s.score(load(&use, per))
}

// shape returns the score of a load below the limit by its mean and by how far
// its resources are apart; a negative one counts as 0. Like the functions
// below it is part of the hottest loop: it is inlined and has no branch that
// depends on the load.
func (s *scorer) shape(mean, apart float64) float64 {
	return scale - float64(s.slope*math.Abs(s.peak-mean)) - float64(float64(apart*apart)*s.curve)
}

func (p Percent) mean() float64 {
	sum := 0.0
	for _, u := range p {
		sum += u
	}
	return float64(sum * (1 / float64(unit.Resources)))
}

func (p Percent) most() float64 {
	x := p[0]
	for _, u := range p[1:] {
		x = max(x, u)
	}
	return x
}

func (p Percent) least() float64 {
	x := p[0]
	for _, u := range p[1:] {
		x = min(x, u)
	}
	return x
}

// rate returns the score of a placement. An idle node's score before is 0, so
// that filling an idle node gains most, as the paper wants; see Deviations.
func (s *scorer) rate(before, after Percent, idle bool) float64 {
	score := s.score(after)
	if s.gain && !idle {
		return max(0, score-s.score(before))
	}
	return score
}

// newScorer returns the scorer that a name of Scores stands for.
func (s *Settings) newScorer(name string) scorer {
	form := s.Move
	if name == "sias" || name == "sias_gain" {
		form = s.Initial
	}
	out := form.scorer(100 * (1 - s.Headroom))
	out.gain = name == "sias_gain" || name == "sras_gain"
	return out
}
