package selection_test

import (
	"testing"

	"parley/core/rng"
	"parley/core/system/negotiation/score"
	"parley/core/system/negotiation/selection"
)

// round draws a node whose loads, limits and costs are small whole numbers, so that
// sums meet limits exactly and selections tie.
func round(random *rng.Stream, most int) *selection.Problem {
	draw := func(most int) float64 { return float64(random.Intn(most + 1)) }
	p := &selection.Problem{Top: 100, Load: load(5*draw(3), 5*draw(3))}
	for range 1 + random.Intn(most) {
		use, promise := load(5*draw(6), 5*draw(6)), load(0, 0)
		if random.Intn(2) == 0 {
			promise = load(5*draw(6), 5*draw(6))
		}
		p.Use, p.Promise, p.Cost = append(p.Use, use), append(p.Promise, promise), append(p.Cost, 1e6*draw(3))
		for r := range p.Load {
			p.Load[r] += use[r]
			p.Production[r] += promise[r]
		}
	}
	return p
}

// TestLimitsAreMet: a node just at a limit keeps it.
func TestLimitsAreMet(t *testing.T) {
	s := sras()
	p := func(left, byProduction float64) *selection.Problem {
		return &selection.Problem{
			Top: 100, Load: node(left+10, 50), Production: load(byProduction+10, 50),
			Use: []score.Percent{load(10, 0)}, Promise: []score.Percent{load(10, 0)}, Cost: []float64{4},
		}
	}
	full := s.Score(node(80, 50)) / 4
	for _, c := range []struct{ left, byProduction, want float64 }{
		{80, 80, full},
		{80, 90, full},
		{80, 91, 1e-6 / 4},
		{80, 100, 1e-6 / 4},
		{80, 101, 0},
		{90, 80, s.Score(node(90, 50)) / 4},
		{91, 80, 1e-6 / 4},
		{100, 80, 1e-6 / 4},
		{101, 80, 0},
	} {
		if got := p(c.left, c.byProduction).Fitness(1, s); got != c.want {
			t.Errorf("used %v, promised %v afterwards: fitness %v, want %v", c.left, c.byProduction, got, c.want)
		}
	}
}

// TestExactTakesTheFirst: of the fittest sets it takes the one with the smallest
// number, and none if none relieves the node.
func TestExactTakesTheFirst(t *testing.T) {
	random, s := rng.New(1, "exact"), sras()
	for range 200 {
		p := round(random, 8)
		want, best := uint64(0), 0.0
		for set := range uint64(1) << len(p.Use) {
			if f := p.Fitness(set, s); set != 0 && f > best {
				want, best = set, f
			}
		}
		if got := p.Exact(s); got != want {
			t.Fatalf("%b, want %b", got, want)
		}
	}
	stuck := &selection.Problem{Top: 100, Load: load(150, 50), Use: []score.Percent{load(10, 10)}, Promise: []score.Percent{load(0, 0)}, Cost: []float64{1}}
	if got := stuck.Exact(sras()); got != 0 {
		t.Errorf("%b is selected where nothing helps", got)
	}
}

// TestGreedyByTheText: the greedy selection, written down once more without bits.
func TestGreedyByTheText(t *testing.T) {
	s, random := sras(), rng.New(2, "greedy")
	for range 3000 {
		p := round(random, 9)
		var in []int
		number := func(in []int) (set uint64) {
			for _, i := range in {
				set |= 1 << i
			}
			return set
		}
		for {
			now := p.Fitness(number(in), s)
			if len(in) == 0 {
				now = 0
			}
			left, byProduction := p.Load, p.Production
			chosen := map[int]bool{}
			for _, i := range in {
				chosen[i] = true
				for r := range left {
					left[r] -= p.Use[i][r]
					byProduction[r] -= p.Promise[i][r]
				}
			}
			fittest, fitness, shedding, shed := -1, now, -1, 0.0
			for i := range p.Use {
				if chosen[i] {
					continue
				}
				if f := p.Fitness(number(append(in[:len(in):len(in)], i)), s); f > fitness {
					fittest, fitness = i, f
				}
				less := 0.0
				for r := range left {
					if left[r] > p.Top {
						less += min(left[r]-p.Top, p.Use[i][r])
					}
					if byProduction[r] > 100 {
						less += min(byProduction[r]-100, p.Promise[i][r])
					}
				}
				if less /= max(1, p.Cost[i]); less > shed {
					shedding, shed = i, less
				}
			}
			if fittest < 0 && now == 0 {
				fittest = shedding
			}
			if fittest < 0 {
				if now == 0 {
					in = nil
				}
				break
			}
			in = append(in, fittest)
		}
		if got := p.Greedy(s); got != number(in) {
			t.Fatalf("%b, by the text %b", got, number(in))
		}
	}
}

// TestTabuAtTheLimits: the bounds of tabu search lose no set that just meets a
// limit, ties with another, or is better by a part in ten thousand million.
func TestTabuAtTheLimits(t *testing.T) {
	s, random := sras(), rng.New(3, "limits")
	for seed := range uint64(1500) {
		p := round(random, 10)
		if seed%3 == 0 {
			p.Load, p.Production = load(20*float64(len(p.Use)), 15*float64(len(p.Use))), load(15*float64(len(p.Use)), 10*float64(len(p.Use)))
			for i := range p.Cost {
				p.Cost[i] = 1e8 * (1 - 1e-10*float64(i))
				p.Use[i], p.Promise[i] = load(20, 15), load(15, 10)
			}
		}
		l := selection.Limits{Restarts: 6, Depth: 6, Patience: 20}
		want, _ := tabu(p, s, l, rng.New(seed, "tabu"))
		if got := p.Select("tabu", s, l, rng.New(seed, "tabu")); got != want {
			t.Fatalf("selected %b, by the text %b", got, want)
		}
	}
}

// TestTabuMeetsThePeak: the best set leaves the node just at the peak of the score,
// which is its limit, and is the last neighbour that is looked at.
func TestTabuMeetsThePeak(t *testing.T) {
	p := &selection.Problem{
		Top: 100, Load: load(120, 90), Production: load(10, 10),
		Use: []score.Percent{load(35, 5), load(30, 0)}, Promise: make([]score.Percent, 2), Cost: []float64{1, 1},
	}
	for seed := range uint64(20) {
		l := selection.Limits{Restarts: 1, Depth: 1, Patience: 9}
		want, _ := tabu(p, sras(), l, rng.New(seed, "tabu"))
		if got := p.Select("tabu", sras(), l, rng.New(seed, "tabu")); got != want {
			t.Errorf("seed %d: selected %b, by the text %b", seed, got, want)
		}
	}
}

// TestTabuRemembersAll: a search that visits tens of thousands of sets visits none
// of them twice, however often its memory grows.
func TestTabuRemembersAll(t *testing.T) {
	s, l := sras(), selection.Limits{Restarts: 60, Depth: 40, Patience: 10_000}
	for _, tasks := range []int{11, 40} {
		p := crowded(tasks, rng.New(8, "crowded"))
		want, looked := tabu(p, s, l, rng.New(2, "tabu"))
		if got := p.Select("tabu", s, l, rng.New(2, "tabu")); got != want {
			t.Errorf("%d tasks, %d sets: selected %b, by the text %b", tasks, looked, got, want)
		}
		if got := p.Visited(); got != looked {
			t.Errorf("%d tasks: %d sets visited, by the text %d", tasks, got, looked)
		}
	}
}
