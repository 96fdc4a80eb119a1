package plan

// ClosedForms are the paper's approximations of UMR2's makespan, in seconds,
// for as many rounds that θ^m has left 1 far behind.
type ClosedForms struct {
	Equal float64 // (2.13), θ = 1
	Above float64 // (2.14), θ > 1
	Below float64 // (2.15), θ < 1
}

// UMR2ClosedForms evaluates all three for workers in sending order, the last
// being W_n, and m rounds. The constant is Σ nLat_i + m·cLat_n.
func UMR2ClosedForms(p Platform, load float64, order []int, m int) ClosedForms {
	var rates, weights, constant float64
	for _, i := range order {
		w := p.Workers[i]
		rates += w.rate()
		weights += w.weight()
		constant += w.CommLatency
	}
	last := p.Workers[order[len(order)-1]]
	constant += float64(float64(m) * last.CompLatency)
	return ClosedForms{
		Equal: float64(load/rates*(weights/float64(m)+last.room())) + constant,
		Above: load*last.room()/rates + constant,
		Below: load*weights/rates + constant,
	}
}
