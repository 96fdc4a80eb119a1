package plan

import "fmt"

// slow is how many times as long as another algorithm's a plan may take without a
// warning.
const slow = 2

// compared are the algorithms that a plan is compared with: quick ones.
var compared = [...]string{"one-round", "lp", "umr", "mi", "umr2"}

// warning returns a sentence if a plan takes more than twice as long as another algorithm's for the
// same load, with the reason if it is known; otherwise "". umr2 can be 10⁴ times slower than
// necessary on platforms whose workers differ much: all three of its policies take W_n, the worker
// of the smallest B/(B+S), and let it close each round (2.8), however slow it is.
func (pl planner) warning(r Result) string {
	if r.Makespan <= slow*pl.load/throughput(pl.p) {
		return "" // no plan can be twice as fast
	}
	best := r
	for _, algorithm := range compared {
		if algorithm == r.Algorithm {
			continue
		}
		if other, err := pl.make(algorithm); err == nil && other.Makespan < best.Makespan {
			best = other
		}
	}
	if r.Makespan <= slow*best.Makespan {
		return ""
	}
	text := fmt.Sprintf("%s takes %s s here, %s times as long as %s (%s s)",
		r.Algorithm, figure(r.Makespan), figure(r.Makespan/best.Makespan), best.Algorithm, figure(best.Makespan))
	if r.Algorithm == "umr2" {
		text += fmt.Sprintf(
			": its rule lets worker %d close every round, the one whose bandwidth is smallest beside its speed, however slow it is", r.Order[len(r.Order)-1],
		)
	}
	return text + "; choose " + best.Algorithm + " or best"
}

// throughput is the most work units a second that the port and the workers allow,
// latencies overlooked.
func throughput(p Platform) float64 {
	return period(p, everyone(p, linkSlowness), 1, false, make([]float64, len(p.Workers)))
}

// figure writes a number as a person would: whole from a hundred on.
func figure(x float64) string {
	if x >= 100 && x < 1e9 {
		return fmt.Sprintf("%.0f", x)
	}
	return fmt.Sprintf("%.3g", x)
}
