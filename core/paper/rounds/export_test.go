package rounds

import "parley/core/system/rounds/plan"

// Draw returns a platform of table 1.
func Draw(seed uint64, n int, latency float64) plan.Platform { return draw(seed, n, latency) }

// Outage takes every fifth worker away.
func Outage(workers int, makespan float64) []plan.Failure { return outage(workers, makespan) }

// Lemma21 is on how many of its platforms lemma 2.1 holds, in per cent.
func Lemma21(seed uint64) float64 { return lemma21(seed) }
