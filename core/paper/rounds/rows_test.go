package rounds_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"parley/core/paper/rounds"
	"parley/core/system/rounds/plan"
)

const load = 1e6

// planned plans on a platform of table 1.
func planned(t *testing.T, p plan.Platform, algorithm string, o plan.Options) plan.Result {
	t.Helper()
	r, err := plan.Plan(p, load, algorithm, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// means collects values of which the mean is wanted.
type means map[string][]float64

func (m means) add(x float64, format string, args ...any) {
	name := fmt.Sprintf(format, args...)
	m[name] = append(m[name], x)
}

// check compares the means with rows.
func (m means) check(t *testing.T, rows map[string]row) {
	t.Helper()
	for name, xs := range m {
		sum := 0.0
		for _, x := range xs {
			sum += x
		}
		want := sum / float64(len(xs))
		if r, has := rows[name]; !has || math.Abs(r.Measured-want) > 1e-9*max(1, math.Abs(want)) {
			t.Errorf("%s: %v (there: %v), want %v", name, r.Measured, has, want)
		}
	}
}

// workers are the sizes of table 3.
func workers() (ns []int) {
	for n := 10; n <= 50; n += 2 {
		ns = append(ns, n)
	}
	return ns
}

// TestDraw: platforms are those of table 1.
func TestDraw(t *testing.T) {
	for _, n := range []int{10, 50} {
		low, high := [2]float64{math.Inf(1), math.Inf(1)}, [2]float64{}
		for seed := range uint64(40) {
			p := rounds.Draw(seed, n, 0.3)
			if len(p.Workers) != n {
				t.Fatal(len(p.Workers))
			}
			for _, w := range p.Workers {
				for k, x := range [2]float64{w.Speed, w.Bandwidth / float64(n)} {
					low[k], high[k] = min(low[k], x), max(high[k], x)
				}
				if w.CompLatency != 0.3 || w.CommLatency != 0.3 {
					t.Fatalf("%+v", w)
				}
			}
		}
		for k, c := range [2][2]float64{{50, 75}, {25, 75}} {
			if low[k] < c[0] || high[k] > c[1] || low[k] > c[0]+1 || high[k] < c[1]-1 {
				t.Errorf("%d workers: from %v to %v, want %v", n, low[k], high[k], c)
			}
		}
	}
	if got := fmt.Sprint(rounds.Outage(11, 100)); got != "[{0 50 60} {5 50 60} {10 50 60}]" {
		t.Error(got)
	}
}

// TestCompareAnew measures the rows of one seed anew, by what their names say.
func TestCompareAnew(t *testing.T) {
	rows, m := sheet(t, "compare", 1), means{}
	for _, c := range []struct {
		latency      float64
		reading, umr string
	}{{1, "strict, B/S > n (2.7)", "umr-strict"}, {0.001, "loose, sum S/B < 1", "umr"}} {
		for _, n := range workers() {
			p := rounds.Draw(1, n, c.latency)
			at := map[string]float64{}
			for label, algorithm := range map[string]string{"umr2": "umr2", "umr": c.umr, "lp": "lp"} {
				at[label] = planned(t, p, algorithm, plan.Options{}).Makespan
			}
			order := []string{"umr2", "umr", "lp"}
			slices.SortFunc(order, func(a, b string) int { return int(math.Copysign(1, at[a]-at[b])) })
			minimum := at[order[0]]
			for rank, label := range order {
				m.add(at[label]/minimum, "%s, latency %v: %s normalised makespan", c.reading, c.latency, label)
				m.add(float64(rank), "%s, latency %v: %s rank", c.reading, c.latency, label)
				m.add(100*(at[label]-minimum)/minimum, "%s, latency %v: %s degradation", c.reading, c.latency, label)
			}
			best := planned(t, p, "best", plan.Options{}).Makespan
			m.add(100*(minimum-best)/minimum, "%s, latency %v: best saves over the best of the three", c.reading, c.latency)
		}
		for _, other := range []string{"umr", "lp"} {
			name := fmt.Sprintf("%s, latency %v: ", c.reading, c.latency)
			by := at(t, rows, "%sumr2 ranks before %s by", name, other)
			near(t, by, at(t, rows, "%s%s rank", name, other).Measured-at(t, rows, "%sumr2 rank", name).Measured, 1e-9)
			points(t, by, by.Measured > 0)
		}
	}
	m.check(t, rows)
}

// TestLemmasAnew does so for the lemmas.
func TestLemmasAnew(t *testing.T) {
	rows, m := sheet(t, "lemmas", 1), means{}
	largest := 0.0
	for _, n := range workers() {
		const latency = 0.1
		p := rounds.Draw(1, n, latency)
		umr2, umr := planned(t, p, "umr2", plan.Options{}), planned(t, p, "umr", plan.Options{})
		last := slices.MaxFunc(umr2.Order, func(a, b int) int {
			room := func(i int) float64 { return p.Workers[i].Bandwidth / (p.Workers[i].Bandwidth + p.Workers[i].Speed) }
			return int(math.Copysign(1, room(a)-room(b)))
		})
		order := append(slices.DeleteFunc(slices.Clone(umr2.Order), func(i int) bool { return i == last }), last)
		for name, pair := range map[string][2]plan.Result{
			"umr":                               {umr2, umr},
			"umr-strict":                        {umr2, planned(t, p, "umr-strict", plan.Options{})},
			"umr on the same workers":           {planned(t, p, "umr2", plan.Options{Order: umr.Order}), umr},
			"umr, W_n with the largest B/(B+S)": {planned(t, p, "umr2", plan.Options{Order: order}), umr},
		} {
			a, b := pair[0].Makespan, pair[1].Makespan
			won := 0.0
			if a < b {
				won = 100
			}
			m.add(won, "lemma 2.3, latency %v: platforms where umr2 beats %s", latency, name)
			m.add(100*(a-b)/b, "latency %v: umr2 takes longer than %s by", latency, name)
			switch name {
			case "umr":
				m.add(100*(a-pair[0].Predicted)/pair[0].Predicted, "latency %v: umr2 with W_n of the smallest B/(B+S) takes longer than (2.12) by", latency)
			case "umr, W_n with the largest B/(B+S)":
				m.add(100*(a-pair[0].Predicted)/pair[0].Predicted, "latency %v: umr2 with W_n of the largest B/(B+S) takes longer than (2.12) by", latency)
			}
		}
		var line plan.Timeline
		if _, err := plan.Simulate(p, umr2.Order, umr2.Chunks, &line); err != nil {
			t.Fatal(err)
		}
		done, closes := 0.0, 0.0 // when all are, and when W_n is
		for k, i := range line.Worker {
			done = max(done, line.ComputeEnd[k])
			if int(i) == umr2.Order[len(umr2.Order)-1] {
				closes = max(closes, line.ComputeEnd[k])
			}
		}
		m.add(100*(1-closes/done), "latency %v: last finisher after W_n, mean", latency)
		largest = max(largest, 100*(1-closes/done))
	}
	m.add(largest, "latency 0.1: last finisher after W_n, most")
	m.check(t, rows)
}

// TestTable2Anew does so for table 2.
func TestTable2Anew(t *testing.T) {
	rows, m := sheet(t, "table2", 1), means{}
	d := map[string]float64{}
	for _, latency := range []float64{1, 0.1, 0.01, 0.001} {
		p := rounds.Draw(1, 50, latency)
		for _, f := range []struct {
			name, policy string
			of           func(plan.ClosedForms) float64
		}{
			{"D1, theta=1 (2.13)", plan.Equal, func(c plan.ClosedForms) float64 { return c.Equal }},
			{"D2, theta>1 (2.14)", plan.Above, func(c plan.ClosedForms) float64 { return c.Above }},
			{"D3, theta<1 (2.15)", plan.Below, func(c plan.ClosedForms) float64 { return c.Below }},
		} {
			r := planned(t, p, "umr2", plan.Options{Policy: f.policy})
			x := 100 * math.Abs(f.of(plan.UMR2ClosedForms(p, load, r.Order, r.Rounds))/r.Makespan-1)
			d[fmt.Sprint(f.name[:2], latency)] = x
			m.add(x, "latency %v: %s", latency, f.name)
			m.add(100*math.Abs(r.Predicted/r.Makespan-1), "latency %v: exact F (2.12)", latency)
			m.add(r.Makespan, "latency %v: makespan of umr2", latency)
			m.add(float64(r.Rounds), "latency %v: rounds of umr2", latency)
		}
		m.add(planned(t, p, "umr", plan.Options{}).Makespan, "latency %v: makespan of umr", latency)
	}
	m.check(t, rows)
	steps := []string{"1", "0.1", "0.01", "0.001"}
	for i, s := range steps {
		for _, form := range []string{"D1", "D2", "D3"} {
			if i > 0 {
				near(t, at(t, rows, "%s: falls from latency %s to %s", form, steps[i-1], s), d[form+steps[i-1]]-d[form+s], 1e-9)
			}
		}
		near(t, at(t, rows, "latency %s: D2 below D1", s), d["D1"+s]-d["D2"+s], 1e-9)
		near(t, at(t, rows, "latency %s: D1 below D3", s), d["D3"+s]-d["D1"+s], 1e-9)
	}
}

// TestAdaptAnew does so for plans that meet other speeds than they were made for.
func TestAdaptAnew(t *testing.T) {
	rows, m := sheet(t, "adapt", 1), means{}
	for _, n := range workers() {
		p := rounds.Draw(1, n, 0.1)
		speeds := 0.0
		for _, w := range p.Workers {
			speeds += w.Speed
		}
		umr := planned(t, p, "umr", plan.Options{})
		for subject, reality := range map[string]plan.Reality{
			"speeds wrong by up to 0.3": {Seed: 1, Speed: plan.Error{Worker: 0.3}},
			"speeds noisy by up to 0.1": {Seed: 1, Speed: plan.Error{Chunk: 0.1}},
			"a fifth of the workers fails at half time and returns after a tenth of it": {Seed: 1, Failures: rounds.Outage(n, umr.Makespan)},
		} {
			for name, method := range map[string]plan.Method{"umr": plan.Fixed(umr.Order, umr.Chunks), "factoring": plan.Factoring(), "guided": plan.Guided()} {
				played, err := plan.Play(p, load, method, reality)
				if err != nil {
					t.Fatal(err)
				}
				m.add(played.Makespan/(load/speeds), "latency 0.1, %s: %s", subject, name)
			}
		}
	}
	m.check(t, rows)
}
