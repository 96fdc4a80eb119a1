package rounds

import (
	"fmt"

	"parley/core/system/rounds/plan"
)

// Draw returns a platform of table 1.
func Draw(seed uint64, n int, latency float64) plan.Platform { return draw(seed, n, latency) }

// Outage takes every fifth worker away.
func Outage(workers int, makespan float64) []plan.Failure { return outage(workers, makespan) }

// JudgedTable2 judges a table 2 with two seeds, whose cells have the values that of returns.
func JudgedTable2(of func(latency float64, name string) float64) []Row {
	s := newSheet()
	cell := func(latency float64, name string) string { return fmt.Sprintf("latency %v: %s", latency, name) }
	for range 2 {
		for _, line := range table2 {
			for _, f := range forms {
				s.row(cell(line.latency, f.name), "%", of(line.latency, f.name), "")
			}
			s.row(cell(line.latency, "rounds of umr2"), "rounds", of(line.latency, "rounds of umr2"), "few")
		}
	}
	judgeTable2(s, cell)
	return s.all()
}

// JudgedRanking judges three ranks, the same with two seeds.
func JudgedRanking(umr2, umr, lp float64) []Row {
	s := newSheet()
	for algorithm, rank := range map[string]float64{"umr2": umr2, "umr": umr, "lp": lp} {
		for range 2 {
			s.row(metricOf("so", 1, algorithm, "rank"), "0 to 2", rank, "")
		}
	}
	judgeRanking(s, 1, "so")
	return s.all()
}

// Lemma21 is on how many of its platforms lemma 2.1 holds, in per cent.
func Lemma21(seed uint64) float64 {
	s := newSheet()
	lemma21(s, seed)
	return s.all()[0].Measured
}
