package plan

// minMin repeats: of all ready vertices, it takes the one whose earliest finish is first (min-min)
// or last (max-min), and places it on that processor, behind the vertices there (Ibarra and Kim
// 1977, over the ready vertices of a graph). Without insertion.
//
// A vertex that is ready keeps where it would be done; only those whose processor
// was given more look again. Of equal ones the lowest vertex and processor win.
func (s *state) minMin(last bool) {
	var ready []choice
	var fresh []int32
	for v, n := range s.missing {
		if n == 0 {
			fresh = append(fresh, int32(v))
		}
	}
	for len(ready)+len(fresh) > 0 {
		for _, v := range fresh {
			ready = append(ready, s.choose(v))
		}
		next := 0
		for i, c := range ready {
			if c.before(ready[next], last) {
				next = i
			}
		}
		c := ready[next]
		ready[next] = ready[len(ready)-1]
		ready = ready[:len(ready)-1]
		fresh = s.place(int(c.vertex), int(c.processor), c.start, fresh[:0])
		for i := range ready {
			if ready[i].processor == c.processor {
				ready[i] = s.choose(ready[i].vertex)
			}
		}
	}
}

// choice is where a vertex that is ready would be done first.
type choice struct {
	vertex, processor int32
	start, finish     float64
}

// before reports whether c is taken before d: by the earlier finish or, with last, by the later one; of
// equal ones the lower vertex.
func (c choice) before(d choice, last bool) bool {
	switch {
	case below(c.finish, d.finish):
		return !last
	case below(d.finish, c.finish):
		return last
	}
	return c.vertex < d.vertex
}

// choose returns where a vertex that is ready would be done first, without insertion: behind all that
// its processor has. The lowest processor wins a tie.
func (s *state) choose(v int32) choice {
	s.sums.of(s, int(v))
	best := choice{vertex: v}
	for q := range s.timelines {
		start := max(s.timelines[q].end(), s.sums.at(q))
		finish := start + s.p.Time(int(v), q)
		if q == 0 || below(finish, best.finish) {
			best = choice{v, int32(q), start, finish}
		}
	}
	return best
}
