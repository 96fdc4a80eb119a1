package rounds

import (
	"fmt"

	"parley/core/system/rounds/plan"
)

// Lemmas asks on the platforms of compare whether UMR2 takes less time than
// UMR (lemmas 2.2 and 2.3), under both readings of UMR's selection and on the
// same workers, and shows where the proof goes wrong: its makespan follows
// W_n, who is not the last to finish.
func Lemmas(e Effort) []Row {
	s := newSheet()
	for seed := range uint64(max(1, e.Seeds)) {
		lemma21(s, seed+1)
		lemma22(s, seed+1)
		for _, latency := range latencies {
			contest(s, seed+1, latency)
			lastFinisher(s, seed+1, latency)
		}
	}
	const smallest, impossible = "lemma 2.1: platforms where no set has a smaller m2 than {W_0}", "lemma 2.2: platforms where its makespan is below load/ΣS"
	s.claim(smallest, func(r *Row) { always(r, 100) })
	s.claim(impossible, func(r *Row) { always(r, 0) })
	for _, latency := range latencies {
		for _, c := range contests {
			s.claim(won(c.name, latency), func(r *Row) { always(r, 100) })
		}
	}
	return s.all()
}

// lemma21 tries all subsets of small platforms.
func lemma21(s *sheet, seed uint64) {
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
	s.row("lemma 2.1: platforms where no set has a smaller m2 than {W_0}", "%", holds.value(), "a smaller one exists")
}

// lemma22 evaluates the two leading terms that lemma 2.2 compares, on the
// strict selection it supposes.
func lemma22(s *sheet, seed uint64) {
	var impossible average
	for _, n := range sizes() {
		p := draw(seed, n, 0)
		order := must(p, "umr-strict", plan.Options{}).Order
		speeds := 0.0
		for _, i := range order {
			speeds += p.Workers[i].Speed
		}
		below := 0.0
		if plan.UMR2ClosedForms(p, load, order, 1).Above < load/speeds {
			below = 100
		}
		impossible.add(below)
	}
	s.row("lemma 2.2: platforms where its makespan is below load/ΣS", "%", impossible.value(),
		"load/ΣS is the time of all these workers computing without a pause: no schedule is faster, so (2.14) is not a makespan")
}

// contests are what UMR2 is compared with.
var contests = []struct {
	name, why string
	last      string // who W_n is, where its prediction is worth a row
	umr       func(p plan.Platform) plan.Result
	umr2      func(p plan.Platform) plan.Result
}{
	{
		"umr-strict", "UMR's strict selection leaves a third of the workers out", "",
		func(p plan.Platform) plan.Result { return must(p, "umr-strict", plan.Options{}) },
		func(p plan.Platform) plan.Result { return must(p, "umr2", plan.Options{}) },
	},
	{
		"umr", "UMR ends earlier the smaller the latency is: its workers finish nearer to each other", "the smallest B/(B+S)",
		func(p plan.Platform) plan.Result { return must(p, "umr", plan.Options{}) },
		func(p plan.Platform) plan.Result { return must(p, "umr2", plan.Options{}) },
	},
	{
		"umr on the same workers", "with the same workers UMR's division is the better one at small latencies", "",
		func(p plan.Platform) plan.Result { return must(p, "umr", plan.Options{}) },
		func(p plan.Platform) plan.Result {
			return must(p, "umr2", plan.Options{Order: must(p, "umr", plan.Options{}).Order})
		},
	},
	{
		"umr, W_n with the largest B/(B+S)", "then the prediction is exact, and UMR is ahead at every latency", "the largest B/(B+S)",
		func(p plan.Platform) plan.Result { return must(p, "umr", plan.Options{}) },
		func(p plan.Platform) plan.Result { return must(p, "umr2", plan.Options{Order: roomiestLast(p)}) },
	},
}

// roomiestLast is UMR2's own selection with the worker of the largest B/(B+S)
// sent to last.
func roomiestLast(p plan.Platform) []int {
	order := must(p, "umr2", plan.Options{}).Order
	best := 0
	for k, i := range order {
		if room(p.Workers[i]) > room(p.Workers[order[best]]) {
			best = k
		}
	}
	last := order[best]
	return append(append(append([]int(nil), order[:best]...), order[best+1:]...), last)
}

func room(w plan.Worker) float64 { return w.Bandwidth / (w.Bandwidth + w.Speed) }

func won(contest string, latency float64) string {
	return fmt.Sprintf("lemma 2.3, latency %v: platforms where umr2 beats %s", latency, contest)
}

// contest lets UMR2 meet UMR on one platform of each size.
func contest(s *sheet, seed uint64, latency float64) {
	for _, c := range contests {
		var wins, excess, beyond average
		for _, n := range sizes() {
			p := draw(seed, n, latency)
			umr, umr2 := c.umr(p), c.umr2(p)
			win := 0.0
			if umr2.Makespan < umr.Makespan {
				win = 100
			}
			wins.add(win)
			excess.add(percentAbove(umr2.Makespan, umr.Makespan))
			beyond.add(percentAbove(umr2.Makespan, umr2.Predicted))
		}
		s.row(won(c.name, latency), "%", wins.value(), c.why)
		s.row(longer(c.name, latency), "%", excess.value(), "negative: UMR2 is faster")
		if c.last != "" {
			s.row(fmt.Sprintf("latency %v: umr2 with W_n of %s takes longer than (2.12) by", latency, c.last), "%", beyond.value(),
				"the prediction follows W_n")
		}
	}
}

func longer(contest string, latency float64) string {
	return fmt.Sprintf("latency %v: umr2 takes longer than %s by", latency, contest)
}

// lastFinisher measures how long after W_n the last worker of UMR2 is done.
func lastFinisher(s *sheet, seed uint64, latency float64) {
	var mean average
	most := 0.0
	var timeline plan.Timeline
	for _, n := range sizes() {
		p := draw(seed, n, latency)
		r := must(p, "umr2", plan.Options{})
		if _, err := plan.Simulate(p, r.Order, r.Chunks, &timeline); err != nil {
			panic("experiment: a plan that cannot be simulated: " + err.Error())
		}
		end := 0.0
		for k, i := range timeline.Worker {
			if int(i) == r.Order[len(r.Order)-1] {
				end = timeline.ComputeEnd[k]
			}
		}
		after := 100 * (r.Makespan - end) / r.Makespan
		mean.add(after)
		most = max(most, after)
	}
	const why = "W_n has the smallest share of computing in its chunk's time, so everybody else falls behind it round by round"
	s.row(fmt.Sprintf("latency %v: last finisher after W_n, mean", latency), "% of makespan", mean.value(), why)
	s.row(fmt.Sprintf("latency %v: last finisher after W_n, most", latency), "% of makespan", most, why)
}

// always judges a claim about every platform: one that breaks it refutes it.
func always(r *Row, percent float64) {
	r.Says(percent)
	r.Judge(r.Measured == percent, "on every platform that is played: one would refute it")
}
