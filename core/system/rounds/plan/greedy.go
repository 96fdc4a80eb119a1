package plan

// greedyExact is the number of workers up to which the greedy path is exact;
// beyond it several workers are added for each look at all candidates, so
// that the time stays within bounds.
const greedyExact = 4096

// greedyPath is Algorithm 2: starting from {W_n, W_0}, W_0 of the largest
// bandwidth (lemma 2.1), it adds the worker that makes
// m2 = Σ S/(B+S) / Σ A (2.17) smallest until θ < 1. crosses reports whether θ
// got below one before the workers ran out. The condition is tested before
// each addition too; the paper's loop adds first.
func greedyPath(p Platform, last int) (path []int, crosses bool) {
	fastest := last
	for i, w := range p.Workers {
		if w.Bandwidth > p.Workers[fastest].Bandwidth {
			fastest = i
		}
	}
	g := candidates{}
	for i, w := range p.Workers {
		if i != last && i != fastest {
			g.left = append(g.left, candidate{w.weight(), w.rate(), i})
		}
	}
	first := []int{last, fastest}
	if fastest == last {
		first = first[:1]
	}
	room := p.Workers[last].room()
	take := func(i int) bool {
		path = append(path, i)
		g.weights += p.Workers[i].weight()
		g.rates += p.Workers[i].rate()
		return g.weights > room
	}
	for _, i := range first {
		if take(i) {
			return path, true
		}
	}
	batch := 1
	if len(p.Workers) > greedyExact {
		batch += len(p.Workers) / (greedyExact / 2)
	}
	for len(g.left) > 0 {
		for _, c := range g.smallest(batch) {
			if take(c.worker) {
				return path, true
			}
		}
	}
	return path, false
}

type candidate struct {
	weight, rate float64
	worker       int
}

// candidates are the workers not yet on the path, and the sums of those that
// are.
type candidates struct {
	left           []candidate
	weights, rates float64
}

// smallest removes the count candidates of smallest m2 and returns them,
// smallest first, ties by index.
func (g *candidates) smallest(count int) []candidate {
	type scored struct {
		m2 float64
		at int
	}
	found := make([]scored, 0, count+1)
	for at, c := range g.left {
		m2 := (g.weights + c.weight) / (g.rates + c.rate)
		if len(found) == count && m2 >= found[count-1].m2 {
			continue
		}
		place := len(found)
		for place > 0 && m2 < found[place-1].m2 {
			place--
		}
		found = append(found, scored{})
		copy(found[place+1:], found[place:])
		found[place] = scored{m2, at}
		found = found[:min(len(found), count)]
	}
	out := make([]candidate, len(found))
	for k, f := range found {
		out[k] = g.left[f.at]
		g.left[f.at].worker = -1 // to be removed below
	}
	kept := g.left[:0]
	for _, c := range g.left {
		if c.worker >= 0 {
			kept = append(kept, c)
		}
	}
	g.left = kept
	return out
}
