package plan_test

import (
	"math"
	"strings"
	"testing"

	"parley/core/rng"
	"parley/core/system/rounds/plan"
	"parley/core/workload"
)

// TestReach: the argument found is where a piecewise linear function, with jumps, comes to
// a size, to twelve digits, and it is found in few steps.
func TestReach(t *testing.T) {
	random := rng.New(1, "reach")
	calls := 0
	const times = 400
	for range times {
		corners, jump := make([]float64, 1+random.Intn(6)), -1.0
		slopes := make([]float64, len(corners))
		for i := range corners {
			corners[i], slopes[i] = random.Float64(), float64(random.Float64()*5)
		}
		if random.Intn(4) == 0 {
			jump = random.Float64()
		}
		f := func(x float64) (y float64) {
			calls++
			for i, c := range corners {
				y += float64(slopes[i] * max(0, x-c))
			}
			if jump >= 0 && x >= jump {
				y++
			}
			return y
		}
		high := 1 + random.Float64()
		size := f(high) * (0.01 + float64(0.98*random.Float64()))
		if !(f(0) < size && size > 0) {
			continue
		}
		calls -= 2
		at := plan.Reach(0, high, size, f)
		if at < 0 || at > high || f(at) < size*(1-1e-11) {
			t.Fatalf("f(%v) = %v, wanted %v", at, f(at), size)
		}
		if before := f(at * (1 - 1e-9)); before > size*(1+1e-9) {
			t.Fatalf("f reaches %v before %v: it is %v there", size, at, before)
		}
	}
	t.Logf("%.1f calls each", float64(calls)/times)
	if calls > 13*times {
		t.Errorf("%.1f calls each", float64(calls)/times)
	}
}

// TestFractionalBound compares the bound of the knapsack with items put in one by one.
func TestFractionalBound(t *testing.T) {
	random := rng.New(2, "bound")
	for range 2000 {
		n := 1 + random.Intn(8)
		value, weight := make([]float64, n), make([]float64, n)
		for i := range value {
			value[i], weight[i] = float64(1+random.Intn(9)), float64(1+random.Intn(4))/4
		}
		from, room := random.Intn(n+1), float64(random.Intn(16))/4
		want, left := 0.0, room
		for i := from; i < n && left > 0; i++ {
			part := min(1, left/weight[i])
			want, left = want+part*value[i], left-part*weight[i]
		}
		if got := plan.FractionalBound(value, weight, from, room); math.Abs(got-want) > 1e-9 {
			t.Fatalf("values %v, weights %v from %d in %v: %v, want %v", value, weight, from, room, got, want)
		}
	}
}

// TestPeriodOf: the loads of a period sum to what it is to take, and a load a little
// larger takes a longer one.
func TestPeriodOf(t *testing.T) {
	for seed := range uint64(60) {
		p, load := wild(seed)
		order := make([]int, len(p.Workers))
		for i := range order {
			order[i] = i
		}
		length := func(size float64) float64 {
			x := plan.PeriodOf(p, order, size)
			sum, computing, port := 0.0, 0.0, 0.0
			for i, w := range p.Workers {
				if x[i] < 0 {
					t.Fatalf("seed %d: loads %v", seed, x)
				}
				if x[i] > 0 {
					sum += x[i]
					computing = max(computing, w.CompLatency+x[i]/w.Speed)
					port += w.CommLatency + x[i]/w.Bandwidth
				}
			}
			if !near(sum, size, 1e-9) {
				t.Fatalf("seed %d: loads of %v for %v", seed, sum, size)
			}
			return max(computing, port)
		}
		if a, b := length(load/10), length(load/5); !(a < b) {
			t.Errorf("seed %d: a period of %v, of twice the load %v", seed, a, b)
		}
	}
}

// TestPlayedRates: what strays multiplies the rates that were stated: a chunk takes
// nLat + x/(B·b) of the port, then cLat + x/(S·s).
func TestPlayedRates(t *testing.T) {
	p := plan.Platform{Workers: []plan.Worker{{Speed: 5, Bandwidth: 20, CompLatency: 0.5, CommLatency: 0.25}}}
	for seed := range uint64(20) {
		reality := plan.Reality{Seed: seed, Speed: plan.Error{Worker: 0.3, Chunk: 0.2}, Bandwidth: plan.Error{Worker: 0.4, Chunk: 0.1}}
		rateErrors := workload.RateErrors{Seed: seed, Speed: reality.Speed, Bandwidth: reality.Bandwidth}
		played, err := plan.Play(p, 30, plan.Fixed([]int{0}, [][]float64{{10}, {20}}), reality)
		if err != nil {
			t.Fatal(err)
		}
		arrived, free := 0.0, 0.0
		for chunk, x := range []float64{10, 20} {
			arrived += 0.25 + x/(20*rateErrors.BandwidthFactor(0, chunk))
			free = max(free, arrived) + 0.5 + x/(5*rateErrors.SpeedFactor(0, chunk))
		}
		if !near(played.Makespan, free, 1e-12) || played.Chunks != 2 || !near(played.Done[0], 30, 1e-12) || played.Resent != 0 {
			t.Errorf("seed %d: %+v, want a makespan of %v", seed, played, free)
		}
	}
}

// TestRealities: errors are from 0 to below 1; failures of a worker follow one another.
func TestRealities(t *testing.T) {
	p := plan.Platform{Workers: []plan.Worker{{Speed: 5, Bandwidth: 20}, {Speed: 5, Bandwidth: 20}}}
	for _, c := range []struct {
		reality plan.Reality
		reason  string
	}{
		{plan.Reality{}, ""},
		{plan.Reality{Speed: plan.Error{Worker: 0.999}}, ""},
		{plan.Reality{Speed: plan.Error{Worker: 1}}, "the speed error of workers is 1"},
		{plan.Reality{Speed: plan.Error{Chunk: -0.1}}, "the speed error of chunks is -0.1"},
		{plan.Reality{Bandwidth: plan.Error{Worker: math.NaN()}}, "the bandwidth error of workers is NaN"},
		{plan.Reality{Bandwidth: plan.Error{Chunk: 2}}, "the bandwidth error of chunks is 2"},
		{plan.Reality{Failures: []plan.Failure{{Worker: 0, At: 0, Return: 1}}}, ""},
		{plan.Reality{Failures: []plan.Failure{{Worker: 1, At: 0, Return: 1}, {Worker: 1, At: 1, Return: 2}}}, ""},
		{plan.Reality{Failures: []plan.Failure{{Worker: 0, At: 0, Return: 5}, {Worker: 1, At: 1, Return: 2}}}, ""},
		{plan.Reality{Failures: []plan.Failure{{Worker: 1, At: 0, Return: 1}, {Worker: 1, At: 0.9, Return: 2}}}, "failure 1 of worker 1 is at 0.9 s"},
		{plan.Reality{Failures: []plan.Failure{{Worker: 1, At: 0}, {Worker: 1, At: 9, Return: 10}}}, "failure 1 of worker 1 is at 9 s"},
		{plan.Reality{Failures: []plan.Failure{{Worker: 0, At: -1, Return: 1}}}, "failure 0 of worker 0 is at -1 s"},
		{plan.Reality{Failures: []plan.Failure{{Worker: 0, At: math.Inf(1)}}}, "failure 0 of worker 0 is at +Inf s"},
		{plan.Reality{Failures: []plan.Failure{{Worker: 0, At: 1, Return: 1}}}, "failure 0 of worker 0 ends at 1 s"},
		{plan.Reality{Failures: []plan.Failure{{Worker: 2, At: 1, Return: 2}}}, "failure 0 names worker 2: there are workers 0 to 1"},
		{plan.Reality{Failures: []plan.Failure{{Worker: -1, At: 1, Return: 2}}}, "failure 0 names worker -1"},
	} {
		_, err := plan.Play(p, 10, plan.Fixed([]int{0, 1}, [][]float64{{5, 5}}), c.reality)
		if c.reason == "" && err != nil || c.reason != "" && (err == nil || !strings.HasPrefix(err.Error(), c.reason)) {
			t.Errorf("%+v: %v, want %s", c.reality, err, c.reason)
		}
	}
}

// TestClosedForms computes (2.13) to (2.15) term by term.
func TestClosedForms(t *testing.T) {
	for seed := range uint64(20) {
		p := table1(seed, 5, 0.25)
		order := []int{3, 0, 4, 1}
		const load, m = 1e5, 7
		rates, weights, constant := 0.0, 0.0, 0.0
		for _, i := range order {
			w := p.Workers[i]
			rates, weights, constant = rates+rate(w), weights+weight(w), constant+w.CommLatency
		}
		last := p.Workers[1]
		constant += m * last.CompLatency
		room := last.Bandwidth / (last.Bandwidth + last.Speed)
		got := plan.UMR2ClosedForms(p, load, order, m)
		if !near(got.Equal, load/rates*(weights/m+room)+constant, 1e-12) || !near(got.Above, load*room/rates+constant, 1e-12) || !near(got.Below, load*weights/rates+constant, 1e-12) {
			t.Errorf("seed %d: %+v", seed, got)
		}
	}
}

// TestEqualRatio: where the ratio of rounds is just 1 the paper's equation gives the
// number of rounds that the scan gives.
func TestEqualRatio(t *testing.T) {
	for _, latency := range []float64{0.02, 0.1, 0.7} {
		p := plan.Platform{}
		for range 4 {
			p.Workers = append(p.Workers, plan.Worker{Speed: 8, Bandwidth: 32, CompLatency: latency, CommLatency: latency / 3})
		}
		o := plan.Options{Order: []int{0, 1, 2, 3}}
		scan, err := plan.Plan(p, 5000, "umr", o)
		if err != nil {
			t.Fatal(err)
		}
		o.Lagrange = true
		if by, err := plan.Plan(p, 5000, "umr", o); err != nil || by.Rounds != scan.Rounds || scan.Rounds < 3 {
			t.Errorf("latency %v: %d rounds, by scan %d (%v)", latency, by.Rounds, scan.Rounds, err)
		}
	}
}

// TestFirstPolicy: of policies that select alike the first one is named.
func TestFirstPolicy(t *testing.T) {
	p := plan.Platform{Workers: []plan.Worker{{Speed: 1, Bandwidth: 4, CompLatency: 0.1}}}
	if r, err := plan.Plan(p, 100, "umr2", plan.Options{}); err != nil || r.Policy != plan.Above {
		t.Errorf("%q %v", r.Policy, err)
	}
}

// TestMostRounds: so many rounds are planned as fit a plan, and one more is refused.
func TestMostRounds(t *testing.T) {
	p := table1(1, 4, 0)
	for rounds, ok := range map[int]bool{1: true, 10: true, 11: false, -1: false} {
		if r, err := plan.Plan(p, 1e6, "mi", plan.Options{Rounds: rounds, MaxRounds: 10}); (err == nil) != ok || ok && r.Rounds != rounds {
			t.Errorf("%d rounds of at most 10: %d, %v", rounds, r.Rounds, err)
		}
	}
}

// TestBestIsBetter: best is never worse than any algorithm, on platforms at random a few
// percent better than the best of them, gives nobody nothing, and sends in the order that it says.
func TestBestIsBetter(t *testing.T) {
	gains, ordered, n := 0.0, 0, 0
	for seed := range uint64(40) {
		p, load := wild(seed)
		r, err := plan.Plan(p, load, "best", plan.Options{})
		if err != nil {
			t.Fatal(err)
		}
		lowest := math.Inf(1)
		for _, name := range plan.Algorithms()[:6] {
			if other, err := plan.Plan(p, load, name, plan.Options{}); err == nil {
				lowest = min(lowest, other.Makespan)
			}
		}
		if r.Makespan > lowest*(1+1e-12) {
			t.Errorf("seed %d: best takes %v, another %v", seed, r.Makespan, lowest)
		}
		if len(p.Workers) > 1 {
			gains, n = gains+r.Makespan/lowest, n+1
		}
		for k, i := range r.Order {
			sum := 0.0
			for _, row := range r.Chunks {
				sum += row[k]
			}
			if !(sum > 0) && r.Algorithm != "one-round" {
				t.Errorf("seed %d: worker %d gets nothing by %s, %s", seed, i, r.Algorithm, r.Policy)
			}
		}
		for says, key := range map[string]func(plan.Worker) float64{
			"sent fastest first": func(w plan.Worker) float64 { return -w.Speed },
			"sent slowest first": func(w plan.Worker) float64 { return w.Speed },
			"sent by bandwidth":  func(w plan.Worker) float64 { return -w.Bandwidth },
			"sent by S/B":        func(w plan.Worker) float64 { return w.Speed / w.Bandwidth },
			"sent by latency":    func(w plan.Worker) float64 { return w.CommLatency + w.CompLatency },
		} {
			if !strings.Contains(r.Policy, says) {
				continue
			}
			ordered++
			if !sortedBy(p, r.Order, key) {
				t.Errorf("seed %d: %s, but the order is %v", seed, r.Policy, r.Order)
			}
		}
	}
	t.Logf("best takes %.4f of what the best algorithm takes, ordered %d times", gains/float64(n), ordered)
	if gains/float64(n) > 0.97 || ordered == 0 {
		t.Errorf("best takes %.4f of what the best algorithm takes, ordered %d times", gains/float64(n), ordered)
	}
}

// sortedBy reports whether workers stand by a key that rises.
func sortedBy(p plan.Platform, order []int, key func(plan.Worker) float64) bool {
	for k := 1; k < len(order); k++ {
		if before, at := key(p.Workers[order[k-1]]), key(p.Workers[order[k]]); at < before-1e-12*math.Abs(before) {
			return false
		}
	}
	return true
}
