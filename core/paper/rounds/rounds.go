// Package rounds holds the functions of the UMR2 paper's experiments. It adds two questions
// of ours: where the paper's lemmas hold, and how plans perform when the platform differs
// from the planner's input. The documents beside it define the arguments, the rows and the
// paper's claims.
//
// Source: Phan Thanh Toan and Nguyen The Loc, Journal of Science of HNUE 56(7), 2011, section
// 2.5, tables 1 and 2. Tables 3 and 4 are lost in the text we have; their metrics and the
// range of N are not. Platforms are those of table 1: S uniform in [50, 75], B uniform in
// [25 N, 75 N], load 10^6, and equal latencies cLat = nLat, which are varied.
package rounds

import (
	"encoding/json"
	"fmt"
	"math"

	"parley/core/rng"
	"parley/core/strict"
	"parley/core/study"
	"parley/core/system/rounds/plan"
)

// Functions returns those that the documents name.
func Functions() study.Functions {
	return study.Functions{
		"rounds/forms": func(seed uint64, a json.RawMessage) (map[string]float64,
			error,
		) {
			return with(seed, a, forms)
		},
		"rounds/compare": func(seed uint64, a json.RawMessage) (map[string]float64,
			error,
		) {
			return with(seed, a, compare)
		},
		"rounds/lemmas": func(seed uint64, a json.RawMessage) (map[string]float64,
			error,
		) {
			return with(seed, a, lemmas)
		},
		"rounds/adapt": func(seed uint64, a json.RawMessage) (map[string]float64,
			error,
		) {
			return with(seed, a, adapt)
		},
	}
}

// call is one call of a function: the seed of its platforms and its arguments.
type call struct {
	seed    uint64
	Latency float64 `json:"latency"` // in seconds, of computing and of sending
	Load    float64 `json:"load"`    // in work units; 10^6 if left out
	UMR     string  `json:"umr"`     // the interpretation of UMR that compare plays
	Reality reality `json:"reality"` // the deviations that adapt applies
	figures map[string]float64
}

// with decodes the arguments and calls f.
func with(seed uint64, arguments json.RawMessage, f func(*call) error) (map[string]float64, error) {
	c := &call{seed: seed, Load: load, figures: map[string]float64{}}
	if err := strict.Part(arguments, c); err != nil {
		return nil, err
	}
	if !(c.Latency >= 0 && c.Latency <= 1e6 && c.Load > 0 && c.Load <= 1e12) {
		return nil, fmt.Errorf("latency is %v and load %v: choose 0 to 10^6 s and above 0 to 10^12 work units",
			c.Latency, c.Load)
	}
	return c.figures, f(c)
}

// The parameters of table 1.
const (
	load     = 1e6
	minSpeed = 50
)

// sizes are the numbers of workers of table 3: 10, 12, …, 50.
func sizes() (ns []int) {
	for n := 10; n <= 50; n += 2 {
		ns = append(ns, n)
	}
	return ns
}

// draw returns a platform of table 1 with n workers.
func draw(seed uint64, n int, latency float64) plan.Platform {
	r := rng.New(rng.Hash(seed, uint64(n), 0), "rounds/experiment")
	p := plan.Platform{Workers: make([]plan.Worker, n)}
	for i := range p.Workers {
		p.Workers[i] = plan.Worker{
			Speed:       minSpeed * (1 + float64(r.Float64()/2)),
			Bandwidth:   minSpeed * float64(n) * (0.5 + float64(r.Float64())),
			CompLatency: latency,
			CommLatency: latency,
		}
	}
	return p
}

// planned are plans of one platform. The first plan that cannot be made stays as the error.
type planned struct {
	p    plan.Platform
	load float64
	err  error
}

func (p *planned) by(algorithm string, o plan.Options) plan.Result {
	r, err := plan.Plan(p.p, p.load, algorithm, o)
	if err != nil && p.err == nil {
		p.err = fmt.Errorf("%s on a platform of table 1: %w", algorithm, err)
	}
	return r
}

// average is a mean that is filled value by value.
type average struct{ sum, count float64 }

func (a *average) add(x float64) { a.sum, a.count = a.sum+float64(x), a.count+1 }
func (a average) value() float64 { return a.sum / a.count }

// percentAbove is by how many per cent a exceeds b.
func percentAbove(a, b float64) float64 { return 100 * (a/b - 1) }

// forms measures how far the three closed forms, and the exact prediction (2.12), lie from
// the simulated makespan on 50 workers, in per cent.
func forms(c *call) error {
	p := planned{p: draw(c.seed, 50, c.Latency), load: c.Load}
	var exact, makespan, rounds average
	for _, f := range []struct {
		name, policy string
		value        func(plan.ClosedForms) float64
	}{
		{"D1", plan.Equal, func(f plan.ClosedForms) float64 { return f.Equal }},
		{"D2", plan.Above, func(f plan.ClosedForms) float64 { return f.Above }},
		{"D3", plan.Below, func(f plan.ClosedForms) float64 { return f.Below }},
	} {
		r := p.by("umr2", plan.Options{Policy: f.policy})
		if p.err != nil {
			return p.err
		}
		closed := f.value(plan.UMR2ClosedForms(p.p, c.Load, r.Order, r.Rounds))
		c.figures[f.name] = 100 * math.Abs(closed-r.Makespan) / r.Makespan
		exact.add(100 * math.Abs(r.Predicted-r.Makespan) / r.Makespan)
		makespan.add(r.Makespan)
		rounds.add(float64(r.Rounds))
	}
	c.figures["exact"], c.figures["rounds"] = exact.value(), rounds.value()
	c.figures["makespan of umr2"], c.figures["makespan of umr"] = makespan.value(), p.by("umr", plan.Options{}).Makespan
	return p.err
}

// compare sums up UMR2, UMR and LP over platforms of N = 10, 12 … 50 workers by table 4's
// metrics: makespan over the best of the three, rank from 0 to 2 and degradation from the
// best; and what `best` saves over the best of the three.
func compare(c *call) error {
	algorithms := []struct{ label, name string }{{"umr2", "umr2"}, {"umr", c.UMR}, {"lp", "lp"}}
	var scores [3]struct{ normalised, rank, degradation average }
	var saved average
	for _, n := range sizes() {
		p := planned{p: draw(c.seed, n, c.Latency), load: c.Load}
		var makespans [3]float64
		for k, a := range algorithms {
			makespans[k] = p.by(a.name, plan.Options{}).Makespan
		}
		best := p.by("best", plan.Options{}).Makespan
		if p.err != nil {
			return p.err
		}
		fastest := min(makespans[0], makespans[1], makespans[2])
		for k, own := range makespans {
			better := 0
			for _, other := range makespans {
				if other < own {
					better++
				}
			}
			scores[k].normalised.add(own / fastest)
			scores[k].rank.add(float64(better))
			scores[k].degradation.add(percentAbove(own, fastest))
		}
		saved.add(-percentAbove(best, fastest))
	}
	for k, a := range algorithms {
		c.figures[a.label+" normalised makespan"] = scores[k].normalised.value()
		c.figures[a.label+" rank"] = scores[k].rank.value()
		c.figures[a.label+" degradation"] = scores[k].degradation.value()
	}
	c.figures["best saves"] = saved.value()
	return nil
}

// reality is the deviation of workers from the planner's inputs.
type reality struct {
	Wrong  float64 `json:"wrong"`  // each speed, by up to this part of it
	Noisy  float64 `json:"noisy"`  // the speed at each chunk
	Outage bool    `json:"outage"` // a fifth of the workers fails at half time and returns
}

// adapt lets plans, and methods that look at nothing but who asks, meet another reality.
// The unit is the makespan over load/ΣS of the true speeds of all workers, which nothing can
// beat; the mean over N = 10, 12 … 50. The paper has no such experiment.
func adapt(c *call) error {
	names := []string{"umr", "umr2", "best", "factoring", "guided"}
	scores := make([]average, len(names))
	for _, n := range sizes() {
		p := planned{p: draw(c.seed, n, c.Latency), load: c.Load}
		met := plan.Reality{Seed: c.seed, Speed: plan.Error{Worker: c.Reality.Wrong, Chunk: c.Reality.Noisy}}
		if c.Reality.Outage {
			met.Failures = outage(n, p.by("umr", plan.Options{}).Makespan)
		}
		speeds := 0.0
		for _, w := range p.p.Workers {
			speeds += w.Speed
		}
		for k, name := range names {
			method := p.method(name)
			if p.err != nil {
				return p.err
			}
			played, err := plan.Play(p.p, c.Load, method, met)
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			scores[k].add(played.Makespan * speeds / c.Load)
		}
	}
	for k, name := range names {
		c.figures[name] = scores[k].value()
	}
	return nil
}

func (p *planned) method(name string) plan.Method {
	switch name {
	case "factoring":
		return plan.Factoring()
	case "guided":
		return plan.Guided()
	}
	r := p.by(name, plan.Options{})
	return plan.Fixed(r.Order, r.Chunks)
}

// outage takes every fifth worker away from half time for a tenth of the
// makespan.
func outage(workers int, makespan float64) (failures []plan.Failure) {
	for i := 0; i < workers; i += 5 {
		failures = append(failures, plan.Failure{Worker: i, At: makespan / 2, Return: float64(makespan * 0.6)})
	}
	return failures
}
