package plan_test

import (
	"math"

	"parley/core/rng"
	"parley/core/system/rounds/plan"
)

// table1 is a platform by the parameters of the paper's table 1.
func table1(seed uint64, n int, latency float64) plan.Platform {
	r := rng.New(seed, "rounds/table1")
	p := plan.Platform{Workers: make([]plan.Worker, n)}
	for i := range p.Workers {
		p.Workers[i] = plan.Worker{
			Speed:       50 * (1 + r.Float64()/2),
			Bandwidth:   50 * float64(n) * (0.5 + r.Float64()),
			CompLatency: latency,
			CommLatency: latency,
		}
	}
	return p
}

// wild is a platform of 1 to 40 workers whose rates spread over up to three
// decades and whose latencies are none, equal or each its own; its load takes
// from a second to a day.
func wild(seed uint64) (p plan.Platform, load float64) {
	r := rng.New(seed, "rounds/wild")
	spread := func(decades float64) float64 { return math.Pow(10, decades*r.Float64()) }
	n := 1 + r.Intn(40)
	decades, ratio := 3*r.Float64(), spread(3)
	latency := spread(4) / 1000
	comp, comm := r.Intn(3), r.Intn(3)
	pick := func(kind int) float64 {
		switch kind {
		case 0:
			return 0
		case 1:
			return latency
		}
		return latency * r.Float64()
	}
	speeds := 0.0
	for range n {
		w := plan.Worker{Speed: 10 * spread(decades), CompLatency: pick(comp), CommLatency: pick(comm)}
		w.Bandwidth = ratio * 10 * spread(decades)
		speeds += w.Speed
		p.Workers = append(p.Workers, w)
	}
	return p, speeds * spread(5)
}
