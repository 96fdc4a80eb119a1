package plan

import "math"

// series is the recurrence of round sizes that UMR and UMR2 share. While the
// last worker computes round j the master sends round j+1 to everyone:
//
//	sendPerUnit·R(j+1) + sendFixed = waitPerUnit·R(j) + waitFixed
//
// which is R(j+1) = q·R(j) + r with q = waitPerUnit/sendPerUnit (φ of (2.4), θ
// of (2.11)) and R(j) = q^j (R(0)-η) + η (2.3), (2.10). The predicted makespan
// is sendPerUnit·R(0) + sendFixed + waitPerUnit·load + m·waitFixed: (2.6),
// (2.12).
//
// The recurrence is always walked in the direction in which it contracts
// (backwards from the last round if q > 1), if neither q = 1 nor a large
// q^m loses digits.
type series struct {
	load        float64
	sendPerUnit float64 // P = Σ α_i/B_i
	sendFixed   float64 // D = Σ (nLat_i + β_i/B_i)
	waitPerUnit float64 // Q
	waitFixed   float64 // E
	lowest      float64 // smallest round without a negative chunk, max -β_i/α_i >= 0
}

// ratio is q: above one the rounds can grow.
func (s series) ratio() float64 { return s.waitPerUnit / s.sendPerUnit }

// contraction returns |a| <= 1 and c of u(k+1) = a·u(k) + c, and whether u
// runs backwards from the last round.
func (s series) contraction() (a, c float64, backwards bool) {
	if s.waitPerUnit > s.sendPerUnit {
		return s.sendPerUnit / s.waitPerUnit, (s.sendFixed - s.waitFixed) / s.waitPerUnit, true
	}
	return s.waitPerUnit / s.sendPerUnit, (s.waitFixed - s.sendFixed) / s.sendPerUnit, false
}

// predicted is F of (2.6), (2.12) for m rounds of which the first has size
// first.
func (s series) predicted(m int, first float64) float64 {
	return float64(s.sendPerUnit*first) + float64(float64(m)*s.waitFixed) + float64(s.waitPerUnit*s.load) + s.sendFixed
}

// ends walks m upward one round at a time; next returns the sizes of the
// first and last of m rounds that sum to the load.
type ends struct {
	s         series
	a, c      float64
	backwards bool
	m         int
	power     float64 // a^(m-1)
	sum       float64 // g(m) = Σ_{k<m} a^k
	sums      float64 // h(m) = Σ_{k<m} g(k)
}

func (s series) walk() ends {
	e := ends{s: s}
	e.a, e.c, e.backwards = s.contraction()
	return e
}

// next adds a round and returns the sizes of the first and the last of the m rounds that sum to the
// load. They may be negative or too small: the caller compares them with series.lowest.
func (e *ends) next() (first, last float64) {
	previous := e.sum // g(m-1)
	if e.m == 0 {
		e.power = 1
	} else {
		e.power *= e.a
		e.sums += e.sum
	}
	e.sum += e.power
	e.m++
	start := (e.s.load - float64(e.c*e.sums)) / e.sum
	end := float64(e.power*start) + float64(e.c*previous)
	if e.backwards {
		return end, start
	}
	return start, end
}

// chosen is one number of rounds with its first round and predicted makespan.
type chosen struct {
	rounds    int
	first     float64
	predicted float64
}

// scan tries every number of rounds up to limit and returns the one with the
// smallest predicted makespan among those without a negative chunk. ok is
// false if there is none, which is the case exactly if one round of the whole
// load already has a negative chunk.
func (s series) scan(limit int) (best chosen, ok bool) {
	if s.load < s.lowest {
		return chosen{}, false
	}
	walk := s.walk()
	bound := float64(s.sendPerUnit*s.lowest) + float64(s.waitPerUnit*s.load) + s.sendFixed
	for m := 1; m <= limit; m++ {
		if ok && bound+float64(float64(m)*s.waitFixed) > best.predicted {
			break
		}
		first, last := walk.next()
		if first < s.lowest || last < s.lowest {
			continue
		}
		if predicted := s.predicted(m, first); !ok || predicted < best.predicted {
			best, ok = chosen{m, first, predicted}, true
		}
	}
	return s.fewest(best), ok
}

// gain is the relative improvement below which a further round is not worth
// having. Without computing latencies the makespan falls for ever; and this
// makes the choice immune to the last bit.
const gain = 1e-12

// fewest returns the smallest number of rounds whose prediction is as good as
// best's.
func (s series) fewest(best chosen) chosen {
	walk := s.walk()
	enough := best.predicted + float64(gain*math.Abs(best.predicted))
	for m := 1; m < best.rounds; m++ {
		first, last := walk.next()
		if first < s.lowest || last < s.lowest {
			continue
		}
		if predicted := s.predicted(m, first); predicted <= enough {
			return chosen{m, first, predicted}
		}
	}
	return best
}

// sizes fills out with the m = len(out) round sizes.
func (s series) sizes(out []float64) {
	walk := s.walk()
	var first, last float64
	for range out {
		first, last = walk.next()
	}
	if !walk.backwards {
		for j := range out {
			out[j] = first
			first = float64(walk.a*first) + walk.c
		}
		return
	}
	for j := len(out) - 1; j >= 0; j-- {
		out[j] = last
		last = float64(walk.a*last) + walk.c
	}
}

// exactly returns the first round and the predicted makespan of exactly m
// rounds; ok is false if a chunk would be negative.
func (s series) exactly(m int) (c chosen, ok bool) {
	walk := s.walk()
	var first, last float64
	for range m {
		first, last = walk.next()
	}
	return chosen{m, first, s.predicted(m, first)}, first >= s.lowest && last >= s.lowest
}
