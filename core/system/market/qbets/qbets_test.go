package qbets_test

import (
	"math"
	"testing"

	"parley/core/rng"
	"parley/core/system/market/qbets"
	"parley/core/unit"
)

// TestRank holds the binomial ranks to values that were computed apart, by exact sums.
func TestRank(t *testing.T) {
	for _, c := range []struct {
		n, k int
		q    float64
	}{{59, 59, 0.95}, {58, 59, 0.95}, {100, 99, 0.95}, {200, 196, 0.95}, {1000, 962, 0.95}, {100, 59, 0.5}, {1000, 527, 0.5}, {100, 96, 0.9}, {1000, 916, 0.9}, {29, 29, 0.9}, {5, 5, 0.5}} {
		if k := qbets.Rank(c.n, c.q, 0.95); k != c.k {
			t.Errorf("of %d values the %d-th bounds the %v-quantile, and not the %d-th", c.n, k, c.q, c.k)
		}
	}
	if p := qbets.New(0.95, 0.95); p.MinWaits() != 59 {
		t.Errorf("the least history is %d, and not 59", p.MinWaits())
	}
}

// TestCoverage: of waits that are drawn alike at least 95 in 100 lie within the
// bound, and after a change to waits ten times as long too, for the past is
// forgotten.
func TestCoverage(t *testing.T) {
	noticed := 0
	for seed := range uint64(20) {
		p, r := qbets.New(0.95, 0.95), rng.New(seed, "waits")
		draw := func(scale float64) { p.Observe(unit.Time(r.Exponential() * scale * float64(unit.Minute))) }
		for range 3000 {
			draw(10)
		}
		judged, correct := p.Coverage()
		if part := float64(correct) / float64(judged); judged != 3000-59 || part < 0.945 {
			t.Errorf("seed %d: of %d waits %v lie within the bound", seed, judged, part)
		}
		changes := p.Changes()
		for range 3000 {
			draw(100)
		}
		again, still := p.Coverage()
		if part := float64(still-correct) / float64(again-judged); part < 0.93 {
			t.Errorf("seed %d: after a change %v lie within the bound", seed, part)
		}
		noticed += min(1, p.Changes()-changes)
	}
	if noticed < 15 {
		t.Errorf("the change was noticed in %d of 20 series", noticed)
	}
}

// TestCriticalRuns draws Gaussian series of each autocorrelation and counts how long
// runs above the 0.95-quantile get: of those that begin, no more than one in twenty is
// as long as the critical number, and more are one shorter.
func TestCriticalRuns(t *testing.T) {
	r := rng.New(3, "runs")
	normal := func() float64 { // twelve uniform draws
		sum := -6.0
		for range 12 {
			sum += r.Float64()
		}
		return sum
	}
	for i := range 10 {
		rho := float64(i) / 10
		runs := make([]int, 200)
		x, length, begun := normal(), 0, 0
		for range 400_000 {
			x = float64(rho*x) + float64(math.Sqrt(1-rho*rho)*normal())
			if x > 1.6449 {
				length++
				continue
			}
			if length > 0 {
				begun++
				for k := 1; k <= length && k < len(runs); k++ {
					runs[k]++
				}
			}
			length = 0
		}
		want := 1
		for want < len(runs)-1 && float64(runs[want]) > 0.05*float64(begun) {
			want++
		}
		if got := qbets.CriticalRun(rho + 0.001); got != max(3, want) {
			t.Errorf("at autocorrelation %v the critical run is %d; the series say %d", rho, got, max(3, want))
		}
	}
}

// TestRankByLogarithms holds ranks to sums of binomial probabilities by logarithms of
// factorials, also where the largest weight is far from the middle.
func TestRankByLogarithms(t *testing.T) {
	for _, q := range []float64{0.01, 0.3, 0.5, 0.95} {
		for _, n := range []int{10, 700, 2000} {
			all, _ := math.Lgamma(float64(n + 1))
			sum, want := 0.0, n+1
			for k := 0; k <= n; k++ {
				a, _ := math.Lgamma(float64(k + 1))
				b, _ := math.Lgamma(float64(n - k + 1))
				if sum += math.Exp(all - a - b + float64(k)*math.Log(q) + float64(n-k)*math.Log1p(-q)); sum >= 0.95 && k < n {
					want = k + 1
					break
				}
			}
			if got := qbets.Rank(n, q, 0.95); got != want {
				t.Errorf("of %d values the %d-th bounds the %v-quantile, and not the %d-th", n, want, q, got)
			}
		}
	}
	if k := qbets.Rank(1, 0.5, 0.5); k != 1 { // just as probable as asked for
		t.Errorf("one value bounds the median with confidence 0.5 as the %d-th", k)
	}
}

// TestEqualWaits: a wait of just the bound lies within it.
func TestEqualWaits(t *testing.T) {
	p := qbets.New(0.95, 0.95)
	for range 200 {
		p.Observe(unit.Minute)
	}
	if judged, correct := p.Coverage(); judged != 200-59 || correct != judged || p.Changes() != 0 {
		t.Errorf("of %d equal waits %d lie within the bound, the past was forgotten %d times", judged, correct, p.Changes())
	}
}

// TestThirdWaitAbove: where waits tell nothing of the next, the third in a row above
// the bound makes the predictor forget, and the second does not.
func TestThirdWaitAbove(t *testing.T) {
	p := qbets.New(0.95, 0.95)
	for i := range 1000 {
		p.Observe(unit.Time(i%2) * unit.Hour)
	}
	for i, want := range []int{0, 0, 1} {
		if p.Observe(2 * unit.Hour); p.Changes() != want {
			t.Errorf("after %d waits above the bound the past was forgotten %d times, want %d", i+1, p.Changes(), want)
		}
	}
}

// TestProbability: within a time a job starts with the largest probability in
// hundredths whose bound is not above it.
func TestProbability(t *testing.T) {
	p := qbets.New(0.95, 0.95)
	if got := p.Probability(unit.Day); got != 0 {
		t.Errorf("where nothing is known the probability is %v", got)
	}
	const n = 100
	for i := range n {
		p.Observe(unit.Time(i*37%n+1) * unit.Minute) // 1 to 100 minutes, mixed
	}
	for _, within := range []unit.Time{0, unit.Minute, 50 * unit.Minute, 77*unit.Minute + 1, 100 * unit.Minute} {
		want := 0.0
		for i := 1; i < 100; i++ {
			if k := qbets.Rank(n, float64(i)/100, 0.95); k <= n && unit.Time(k)*unit.Minute <= within {
				want = float64(i) / 100
			}
		}
		if got := p.Probability(within); got != want {
			t.Errorf("within %v the probability is %v, want %v", within, got, want)
		}
	}
}

// TestAutocorrelation by hand: of waits in seconds whose logarithms of one more are 0,
// 2, 1, 3, or 1.5 and 2.5 between powers of two.
func TestAutocorrelation(t *testing.T) {
	for _, c := range []struct {
		seconds []unit.Time
		want    float64
	}{
		{nil, 0},
		{[]unit.Time{5}, 0},
		{[]unit.Time{4, 4, 4}, 0},
		{[]unit.Time{1, 3}, -0.5},
		{[]unit.Time{0, 3, 1, 7}, (-0.75 - 0.25 - 0.75) / 5},
		{[]unit.Time{2, 5, 0, 0}, (0.5*1.5 - 1.5 + 1) / (0.25 + 2.25 + 1 + 1)},
	} {
		var waits []unit.Time
		for _, s := range c.seconds {
			waits = append(waits, s*unit.Second)
		}
		if got := qbets.Autocorrelation(waits); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("of waits of %v s it is %v, want %v", c.seconds, got, c.want)
		}
	}
}

// Predictors that share what they compute have pasts of their own.
func TestAnother(t *testing.T) {
	first := qbets.New(0.95, 0.95)
	shared := [...]*qbets.Predictor{first.Another(), first.Another()}
	alone := [...]*qbets.Predictor{qbets.New(0.95, 0.95), qbets.New(0.95, 0.95)}
	r := rng.New(1, "another")
	for range 300 {
		i := r.Intn(2)
		wait := unit.Time(r.Exponential() * float64(1+9*i) * float64(unit.Minute))
		shared[i].Observe(wait)
		alone[i].Observe(wait)
		got, known := shared[i].Bound()
		if want, is := alone[i].Bound(); got != want || known != is {
			t.Fatalf("the bound is %v, %v; of one that shares nothing %v, %v", got, known, want, is)
		}
	}
	if _, known := first.Bound(); known || shared[0].MinWaits() != alone[0].MinWaits() {
		t.Errorf("the first has learnt of others, or another needs %d waits", shared[0].MinWaits())
	}
}
