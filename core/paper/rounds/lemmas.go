package rounds

import (
	"fmt"

	"parley/core/system/rounds/plan"
)

// lemmas asks on the platforms of compare whether UMR2 takes less time than UMR (lemmas 2.2
// and 2.3), under both readings of UMR's selection and on the same workers, and shows where
// the proof goes wrong: its makespan follows W_n, who is not the last to finish.
func lemmas(c *call) error {
	c.figures["lemma 2.1"] = lemma21(c.seed)
	for _, step := range []func(*call) error{lemma22, contests, lastFinisher} {
		if err := step(c); err != nil {
			return err
		}
	}
	return nil
}

// lemma21 tries all subsets of small platforms without latency: on how many, in per cent,
// none has a smaller m2 than {W_0}.
func lemma21(seed uint64) float64 {
	var holds average
	for n := 2; n <= 8; n++ {
		p := draw(seed, n, 0)
		widest := 0.0
		for _, w := range p.Workers {
			widest = max(widest, w.Bandwidth)
		}
		value := 100.0
		for set := 1; set < 1<<n; set++ {
			weights, rates := 0.0, 0.0
			for i, w := range p.Workers {
				if set>>i&1 == 1 {
					weights += w.Speed / (w.Bandwidth + w.Speed)
					rates += float64(w.Speed / (w.Bandwidth + w.Speed) * w.Bandwidth)
				}
			}
			if weights/rates < (1-1e-12)/widest { // m2({W_0}) = 1/B_0
				value = 0
			}
		}
		holds.add(value)
	}
	return holds.value()
}

// lemma22 evaluates the two leading terms that lemma 2.2 compares, on the
// strict selection it supposes, without latency: load/ΣS is the time of all these workers
// computing without a pause, and no schedule is faster.
func lemma22(c *call) error {
	var impossible average
	for _, n := range sizes() {
		p := planned{p: draw(c.seed, n, 0), load: c.Load}
		order := p.by("umr-strict", plan.Options{}).Order
		if p.err != nil {
			return p.err
		}
		speeds := 0.0
		for _, i := range order {
			speeds += p.p.Workers[i].Speed
		}
		below := 0.0
		if plan.UMR2ClosedForms(p.p, c.Load, order, 1).Above < c.Load/speeds {
			below = 100
		}
		impossible.add(below)
	}
	c.figures["lemma 2.2"] = impossible.value()
	return nil
}

// contests lets UMR2 meet UMR on one platform of each size: the strict selection; UMR's own;
// both on the workers of UMR; and UMR2 with another worker as W_n.
func contests(c *call) error {
	own := func(*planned) plan.Options { return plan.Options{} }
	for _, x := range []struct {
		name, umr string
		umr2      func(*planned) plan.Options
	}{
		{"strict", "umr-strict", own},
		{"umr", "umr", own},
		{
			"same workers", "umr",
			func(p *planned) plan.Options { return plan.Options{Order: p.by("umr", plan.Options{}).Order} },
		},
		{"roomiest last", "umr", func(p *planned) plan.Options { return plan.Options{Order: p.roomiestLast()} }},
	} {
		var wins, excess, beyond average
		for _, n := range sizes() {
			p := planned{p: draw(c.seed, n, c.Latency), load: c.Load}
			umr, umr2 := p.by(x.umr, plan.Options{}), p.by("umr2", x.umr2(&p))
			if p.err != nil {
				return p.err
			}
			win := 0.0
			if umr2.Makespan < umr.Makespan {
				win = 100
			}
			wins.add(win)
			excess.add(percentAbove(umr2.Makespan, umr.Makespan))
			beyond.add(percentAbove(umr2.Makespan, umr2.Predicted))
		}
		c.figures[x.name+": wins"], c.figures[x.name+": longer"], c.figures[x.name+": beyond (2.12)"] = wins.value(),
			excess.value(), beyond.value()
	}
	return nil
}

// roomiestLast is UMR2's own selection with the worker of the largest B/(B+S)
// sent to last.
func (p *planned) roomiestLast() []int {
	order := p.by("umr2", plan.Options{}).Order
	if len(order) == 0 {
		return order
	}
	best := 0
	for k, i := range order {
		if room(p.p.Workers[i]) > room(p.p.Workers[order[best]]) {
			best = k
		}
	}
	last := order[best]
	return append(append(append([]int(nil), order[:best]...), order[best+1:]...), last)
}

func room(w plan.Worker) float64 { return w.Bandwidth / (w.Bandwidth + w.Speed) }

// lastFinisher measures how long after W_n the last worker of UMR2 is done, in per cent of
// the makespan.
func lastFinisher(c *call) error {
	var mean average
	largest := 0.0
	var timeline plan.Timeline
	for _, n := range sizes() {
		p := planned{p: draw(c.seed, n, c.Latency), load: c.Load}
		r := p.by("umr2", plan.Options{})
		if p.err != nil {
			return p.err
		}
		if _, err := plan.Simulate(p.p, r.Order, r.Chunks, &timeline); err != nil {
			return fmt.Errorf("a plan that cannot be simulated: %w", err)
		}
		end := 0.0
		for k, i := range timeline.Worker {
			if int(i) == r.Order[len(r.Order)-1] {
				end = timeline.ComputeEnd[k]
			}
		}
		after := 100 * (r.Makespan - end) / r.Makespan
		mean.add(after)
		largest = max(largest, after)
	}
	c.figures["last finisher after W_n, mean"], c.figures["last finisher after W_n, most"] = mean.value(), largest
	return nil
}
