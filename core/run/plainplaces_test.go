package run_test

func (p *plainSite) hold(on []plainHold, from, to, sign int) {
	for _, h := range on {
		for s := from; s < min(to, plainEnd); s++ {
			for r := range h.has {
				p.free[h.node][s][r] += sign * h.has[r]
			}
		}
	}
}

// least returns what is free of a node in all seconds from one until another.
func (p *plainSite) least(n, from, to int) amounts {
	minimum := p.free[n][from]
	for _, f := range p.free[n][from:min(to, plainEnd)] {
		for r := range f {
			minimum[r] = min(minimum[r], f[r])
		}
	}
	return minimum
}

// where returns where a job is if it begins at a time; nil if it does not fit. Nodes that are on or
// boot come first; parts that do not fit so are tried on the nodes as they are numbered.
func (p *plainSite) where(j *plainJob, at int) (on []plainHold) {
	if on = p.whereOn(j, at, p.order(true)); on == nil && len(j.parts) > 0 {
		on = p.whereOn(j, at, p.order(false))
	}
	return on
}

// order returns the nodes in the order in which a job takes them.
func (p *plainSite) order(awakeFirst bool) (order []int) {
	for _, sleeps := range []bool{false, true} {
		for n := range p.nodes {
			if (awakeFirst && p.power[n].sleeps()) == sleeps {
				order = append(order, n)
			}
		}
	}
	return order
}

func (p *plainSite) whereOn(j *plainJob, at int, order []int) (on []plainHold) {
	if len(j.parts) > 0 {
		var all []plainHold
		fits := true
		for _, part := range j.parts {
			part.limit, part.looked = j.limit, j.looked
			on := p.whereOn(&part, at, order)
			if fits = fits && on != nil; !fits {
				break
			}
			p.hold(on, at, at+j.limit, -1)
			all = append(all, on...)
		}
		if p.hold(all, at, at+j.limit, 1); !fits {
			return nil
		}
		return all
	}
	nodes := j.nodes
	for k := 1; nodes == 0 && j.need[2] > 0 && k <= j.need[0]; k++ { // GPUs: on as few nodes as it fits on
		room := 0
		for _, has := range p.nodes {
			if has[0]*k >= j.need[0] && has[1]*k >= j.need[1] && has[2]*k >= j.need[2] {
				room++
			}
		}
		if room >= k {
			nodes = k
		}
	}
	if nodes == 0 && j.need[2] > 0 {
		return nil
	}
	if p.leafSize > 0 && j.switches > 0 && at < j.looked+j.patience {
		if order = p.underFew(j, at, nodes, order); order == nil {
			return nil
		}
	}
	left := j.need[0]
	for _, n := range order {
		has := p.partOn(j, n, at, nodes, len(on), left)
		if has[0] == 0 {
			continue
		}
		left -= has[0]
		of := has[0]
		if j.alone {
			has = p.nodes[n]
		}
		if on = append(on, plainHold{n, of, has}); left == 0 {
			return on
		}
	}
	return nil
}

// partOn returns the k-th part of a job on a node. left is how many processors remain to be placed, and nodes
// the number of parts, 0 for any number. The part is empty if the node has no room for it.
func (p *plainSite) partOn(j *plainJob, n, at, nodes, k, left int) (has amounts) {
	free := p.least(n, at, at+j.limit)
	if j.alone && free != p.nodes[n] {
		return has
	}
	if nodes > 0 {
		for r := range has {
			if free[r]*nodes < j.need[r] { // the largest part does not fit
				return amounts{}
			}
			has[r] = (j.need[r] + nodes - 1 - k) / nodes
		}
		has[1] = (j.need[1] + nodes - 1) / nodes
		return has
	}
	each := (j.need[1] + j.need[0] - 1) / j.need[0]
	for has[0] < left && has[0] < free[0] && has[1]+each <= free[1] {
		has[0]++
		has[1] += each
	}
	return has
}

// underFew returns those of the nodes that are under the leaf switches which a job gets; nil if it would
// need more than it wants.
func (p *plainSite) underFew(j *plainJob, at, nodes int, order []int) (under []int) {
	rest := nodes
	if nodes == 0 {
		rest = j.need[0]
	}
	taken := map[int]bool{}
	for range j.switches {
		best, largest := -1, 0
		for leaf := range len(p.nodes) {
			room := 0
			for n := leaf * p.leafSize; n < min((leaf+1)*p.leafSize, len(p.nodes)); n++ {
				if has := p.partOn(j, n, at, nodes, 0, plainEnd); nodes == 0 {
					room += has[0]
				} else {
					room += count(has[0] > 0)
				}
			}
			switch {
			case taken[leaf] || room == 0:
			case best < 0, largest < rest && room > largest, largest >= rest && room >= rest && room < largest:
				best, largest = leaf, room
			}
		}
		if best < 0 {
			return nil
		}
		taken[best] = true
		if rest -= largest; rest <= 0 {
			for _, n := range order {
				if taken[n/p.leafSize] {
					under = append(under, n)
				}
			}
			return under
		}
	}
	return nil
}

// patienceEnds reports whether a job that waits for few switches waits no longer.
func (j *plainJob) patienceEnds(now int) (ends bool) {
	for _, part := range append(j.parts, *j) {
		ends = ends || part.switches > 0 && j.looked+part.patience == now
	}
	return ends && j.looked >= 0 && j.start < 0 && j.end < 0
}

// look notes that a pass came to a job.
func (j *plainJob) look(now int) {
	if j.looked < 0 {
		j.looked = now
	}
}
