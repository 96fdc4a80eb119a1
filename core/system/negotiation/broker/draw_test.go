package broker_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"parley/core/cluster"
	"parley/core/des"
	"parley/core/rng"
	"parley/core/system/negotiation/broker"
	"parley/core/system/negotiation/score"
	_ "parley/core/testkit/scripttest/seed"
	"parley/core/unit"
)

// chiSquare compares counts with expected shares of n draws.
func chiSquare(counts, shares []float64, n float64) (sum float64) {
	for i, share := range shares {
		expected := n * share
		sum += (counts[i] - expected) * (counts[i] - expected) / expected
	}
	return sum
}

var scores = []float64{1, 2, 3, 4, 10}

// TestPick: an index comes up in proportion to its score. 18.47 is the 99.9 %
// quantile of chi-square at 4 degrees of freedom.
func TestPick(t *testing.T) {
	random := rng.New(1, "pick")
	counts, shares := make([]float64, len(scores)), []float64{0.05, 0.10, 0.15, 0.20, 0.50}
	const n = 50_000
	for range n {
		counts[broker.Picked(scores, random)]++
	}
	if chi := chiSquare(counts, shares, n); chi > 18.47 {
		t.Errorf("scores %v come up %v times: chi-square %.1f", scores, counts, chi)
	}
}

// TestDraw: the first two drawn without replacement come up as often as by
// hand: P(i, then j) = sᵢ/Σ · sⱼ/(Σ − sᵢ). 43.82 is the 99.9 % quantile at
// 19 degrees of freedom.
func TestDraw(t *testing.T) {
	random := rng.New(1, "draw")
	counts := map[[2]int]float64{}
	const n = 100_000
	for range n {
		drawn := broker.Drawn(scores, 2, random)
		counts[[2]int(drawn)]++
	}
	var seen, shares []float64
	for i := range scores {
		for j := range scores {
			if i != j {
				seen = append(seen, counts[[2]int{i, j}])
				shares = append(shares, scores[i]/20*scores[j]/(20-scores[i]))
			}
		}
	}
	if counts[[2]int{0, 0}] > 0 {
		t.Error("one candidate was drawn twice")
	}
	if chi := chiSquare(seen, shares, n); chi > 43.82 {
		t.Errorf("pairs of %v come up %v times: chi-square %.1f", scores, counts, chi)
	}
}

// TestRecommendsByScore: by weight each node that fits is recommended in proportion to
// its score, and only the one of the highest score else. 16.27 is the 99.9 % quantile at 3
// degrees of freedom.
func TestRecommendsByScore(t *testing.T) {
	var beliefs []broker.Belief
	for _, used := range []unit.Vec{{100_000, 400_000}, {300_000, 300_000}, {500_000, 550_000}, {650_000, 200_000}} {
		beliefs = append(beliefs, broker.Belief{Capacity: unit.Vec{unit.Whole, unit.Whole}, Used: used, Tasks: 1})
	}
	q := broker.Sought{Scorer: score.SIAS().Scorer(90), Need: unit.Vec{50_000, 100_000}, Limit: 100, Not: unit.NoNode, Task: unit.NoTask}
	found := broker.Search(beliefs, q, cluster.New(cluster.Default(), des.New()).View(), 1)
	shares, total, highest := make([]float64, len(beliefs)), 0.0, 0
	for i, n := range found.Nodes {
		shares[n] = found.Scores[i]
		total += found.Scores[i]
	}
	for n := range shares {
		shares[n] /= total
		if shares[n] > shares[highest] {
			highest = n
		}
	}
	const times = 20_000
	counts := broker.Recommended(beliefs, q, true, times)
	if chi := chiSquare(counts, shares, times); len(found.Nodes) != 4 || !(chi <= 16.27) {
		t.Errorf("nodes whose scores are as %v are recommended %v times: chi-square %.1f", shares, counts, chi)
	}
	if counts = broker.Recommended(beliefs, q, false, times); counts[highest] != times {
		t.Errorf("node %d has the highest score, and they are recommended %v times", highest, counts)
	}
}

// TestDrawTakesEachOnce: whatever the scores, k different candidates are drawn,
// or all if there are no more.
func TestDrawTakesEachOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		scores := rapid.SliceOfN(rapid.OneOf(rapid.Float64Range(1e-9, 10), rapid.Just(1e-300)), 0, 40).Draw(t, "scores")
		k := rapid.IntRange(0, 32).Draw(t, "k")
		drawn := broker.Drawn(scores, k, rng.New(rapid.Uint64().Draw(t, "seed"), "draw"))
		if len(drawn) != min(k, len(scores)) {
			t.Fatalf("%d of %d candidates drawn, want %d", len(drawn), len(scores), k)
		}
		slices.Sort(drawn)
		if len(slices.Compact(drawn)) != min(k, len(scores)) {
			t.Fatalf("drawn twice: %v", drawn)
		}
	})
}

// TestBestAndKeep: both give the k highest scores, the highest first and among
// equals the first, as sorting all of them does.
func TestBestAndKeep(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		scores := rapid.SliceOfN(rapid.Map(rapid.IntRange(1, 20), func(i int) float64 { return float64(i) / 2 }), 0, 60).Draw(t, "scores")
		k := rapid.IntRange(1, 32).Draw(t, "k")
		want := make([]int, len(scores))
		for i := range want {
			want[i] = i
		}
		slices.SortStableFunc(want, func(a, b int) int {
			switch {
			case scores[a] > scores[b]:
				return -1
			case scores[a] < scores[b]:
				return 1
			}
			return 0
		})
		want = want[:min(k, len(want))]
		if got := broker.Best(scores, k); !slices.Equal(got, want) {
			t.Fatalf("best of %v are %v, want %v", scores, got, want)
		}
		if got := broker.Keep(scores, k); !slices.Equal(got, want) {
			t.Fatalf("kept of %v are %v, want %v", scores, got, want)
		}
	})
}

// TestShuffle: a node that reports lies anywhere in its group's part of the pool
// afterwards, with equal probability and wherever it lay before.
func TestShuffle(t *testing.T) {
	const size, times = 20, 40_000
	places := broker.Shuffled(1170, 1, times, 5) // group 1 has 19 whole rows and a place after them
	after := map[[2]int]float64{}
	for i := 1; i < times; i++ {
		after[[2]int{places[i-1], places[i]}]++
	}
	if len(after) != size*size {
		t.Fatalf("%d of %d pairs of places follow each other", len(after), size*size)
	}
	var seen, shares []float64
	for _, count := range after {
		seen, shares = append(seen, count), append(shares, 1.0/(size*size))
	}
	if chi := chiSquare(seen, shares, times-1); chi > 492 {
		t.Errorf("places follow each other with a chi-square of %.0f", chi)
	}
}

// TestPool: whatever nodes join and report, every node has one place and every
// place one node, with the card that is its own, and once a group has reported,
// the groups lie a row apart.
func TestPool(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		joins := rapid.SliceOfN(rapid.IntRange(0, 200), 1, 6).Draw(t, "joins")
		nodes, group := broker.Pooled(joins, rapid.Uint64().Draw(t, "seed"))
		all := 0
		for _, n := range joins {
			all += n
		}
		if len(nodes) != all {
			t.Fatalf("%d places for %d nodes", len(nodes), all)
		}
		sorted := slices.Clone(nodes)
		slices.Sort(sorted)
		for i, n := range sorted {
			if int(n) != i {
				t.Fatalf("nodes %v have places", sorted)
			}
		}
		for at, n := range nodes {
			if whole := all / 60 * 60; at < whole && group(n) != at%60 {
				t.Fatalf("node %d of group %d of %d nodes lies at %d", n, group(n), all, at)
			}
		}
	})
}
