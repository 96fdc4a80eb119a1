package solve

import "parley/core/rng"

// rounding draws a host for each task in order, with probability proportional to
// its weight in the vertex of the relaxed program among the hosts that have the
// memory (section 3.2). RRND fails when all of them weigh nothing; RRNZ gives
// every host of weight zero a small one instead.
func rounding(noZero bool) placer {
	return func(t tasks, opt Options) outcome {
		name, floor := "yield/rrnd", 0.0
		if noZero {
			name, floor = "yield/rrnz", opt.RoundingWeight
		}
		d := draw{random: rng.New(opt.Seed, name), floor: floor, used: make([]float64, t.hosts)}
		host := make([]int32, t.len())
		for i, shares := range t.vertex() {
			h := d.host(shares, t.mem[i])
			if h < 0 {
				return outcome{}
			}
			host[i] = int32(h)
			d.used[h] += t.mem[i]
		}
		return outcome{host: host, searched: t.yieldOf(host)}
	}
}

type draw struct {
	random *rng.Stream
	floor  float64
	used   []float64 // memory of each host
}

// host draws a host with memory for a task, with probability proportional to its weight; -1 if no host
// of positive weight has the memory. Rejecting a host and drawing again leaves exactly the weights of
// the others, so the full list is made only after many draws in vain.
func (d *draw) host(shares []Share, mem float64) int {
	fits := func(h int) bool { return d.used[h]+mem <= full }
	total := float64(d.floor * float64(len(d.used)-len(shares)))
	for _, s := range shares {
		total += s.E
	}
	for range 8 + len(d.used)/16 {
		if h := d.pick(shares, float64(d.random.Float64()*total)); fits(h) {
			return h
		}
	}
	left := d.fitting(shares, fits)
	if len(left) == 0 {
		return -1
	}
	total = 0
	for _, s := range left {
		total += s.E
	}
	at := float64(d.random.Float64() * total)
	for _, s := range left {
		if at -= s.E; at < 0 {
			return s.Host
		}
	}
	return left[len(left)-1].Host
}

// fitting lists the hosts of positive weight that fit.
func (d *draw) fitting(shares []Share, fits func(h int) bool) []Share {
	var left []Share
	if d.floor == 0 {
		for _, s := range shares {
			if fits(s.Host) {
				left = append(left, s)
			}
		}
		return left
	}
	for h := range d.used {
		e := d.floor
		if len(shares) > 0 && shares[0].Host == h {
			e, shares = shares[0].E, shares[1:]
		}
		if fits(h) {
			left = append(left, Share{Host: h, E: e})
		}
	}
	return left
}

// pick returns the host at a position of the weights laid end to end: first the shares, then every other
// host at the floor. Positions at or beyond the end, by rounding, return the last one. shares are sorted
// by host and not empty.
func (d *draw) pick(shares []Share, at float64) int {
	for _, s := range shares {
		if at -= s.E; at < 0 {
			return s.Host
		}
	}
	if d.floor == 0 {
		return shares[len(shares)-1].Host
	}
	h := min(int(at/d.floor), len(d.used)-len(shares)-1)
	for _, s := range shares { // skip the hosts already laid out
		if s.Host <= h {
			h++
		}
	}
	if h < 0 { // every host has a share
		h = shares[len(shares)-1].Host
	}
	return h
}
