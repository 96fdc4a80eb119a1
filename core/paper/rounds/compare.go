package rounds

import (
	"fmt"

	"parley/core/estimate"
	"parley/core/system/rounds/plan"
)

// latencies are swept by compare and lemmas.
var latencies = []float64{1, 0.3, 0.1, 0.03, 0.01, 0.001, 0}

// readings are the two ways to understand UMR's selection.
var readings = []struct{ name, algorithm string }{
	{"strict, B/S > n (2.7)", "umr-strict"},
	{"loose, sum S/B < 1", "umr"},
}

// score sums up one algorithm over platforms: table 4's metrics.
type score struct{ normalised, rank, degradation average }

// Compare is table 4, whose numbers are lost: UMR2, UMR and LP on platforms of
// N = 10, 12 … 50 workers, one of each size a seed, by makespan over the best
// of the three, rank from 0 to 2 and degradation from the best, under both
// readings of UMR's selection. What `best` saves over the best of the three is
// shown beside it.
func Compare(e Effort) []Row {
	s := newSheet()
	for _, latency := range latencies {
		for _, reading := range readings {
			for seed := range uint64(max(1, e.Seeds)) {
				compareOne(s, seed+1, latency, reading.name, reading.algorithm)
			}
			judgeRanking(s, latency, reading.name)
		}
	}
	return s.all()
}

func compareOne(s *sheet, seed uint64, latency float64, reading, umr string) {
	names := []string{"umr2", umr, "lp"}
	scores := make([]score, len(names))
	var saved average
	for _, n := range sizes() {
		p := draw(seed, n, latency)
		makespans := make([]float64, len(names))
		for k, name := range names {
			makespans[k] = must(p, name, plan.Options{}).Makespan
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
		saved.add(-percentAbove(must(p, "best", plan.Options{}).Makespan, fastest))
	}
	for k, label := range []string{"umr2", "umr", "lp"} {
		row := func(metric string) string { return metricOf(reading, latency, label, metric) }
		s.row(row("normalised makespan"), "× best", scores[k].normalised.value(), "lost in the text we have")
		s.row(row("rank"), "0 to 2", scores[k].rank.value(), "lost in the text we have")
		s.row(row("degradation"), "%", scores[k].degradation.value(), "lost in the text we have")
	}
	s.row(metricOf(reading, latency, "best", "saves over the best of the three"), "%", saved.value(), "ours, not in the paper")
}

func metricOf(reading string, latency float64, algorithm, metric string) string {
	return fmt.Sprintf("%s, latency %v: %s %s", reading, latency, algorithm, metric)
}

// judgeRanking judges the paper's claims, seed by seed: UMR2 before UMR, and before LP.
func judgeRanking(s *sheet, latency float64, reading string) {
	rank := func(algorithm string) []float64 { return s.values[metricOf(reading, latency, algorithm, "rank")] }
	for _, other := range []struct{ name, why string }{
		{"umr", "UMR with all the workers that fit does the same work in less time: lemmas 2.2 and 2.3 are false, see lemmas"},
		{"lp", "with small latencies LP, which keeps every worker busy from the second period on, is the better one"},
	} {
		name := fmt.Sprintf("%s, latency %v: umr2 ranks before %s by", reading, latency, other.name)
		for _, before := range estimate.Differences(rank(other.name), rank("umr2")) {
			s.row(name, "ranks", before, other.why)
		}
		s.claim(name, func(r *Row) { r.AtLeast(0) })
	}
}
