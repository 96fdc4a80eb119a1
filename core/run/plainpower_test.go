package run_test

import "slices"

// plainPower is a node's power, in watts and seconds.
type plainPower struct {
	idle, busy, off, boots, shuts int
	boot, shutdown                int
	state                         string // "", it is on; boots, shuts, off
	until                         int    // when it has booted or shut down
	wanted                        bool   // while it shuts down: it boots then
	since                         int    // it has no job; -1: it has one or is not on
}

func (p *plainPower) sleeps() bool { return p.state == "shuts" || p.state == "off" }

// switches brings nodes into the states that they are in from now on.
func (p *plainSite) switches(now int) {
	for n := range p.power {
		w := &p.power[n]
		if w.state == "shuts" && w.until == now {
			if w.state = "off"; w.wanted {
				w.state, w.until, w.wanted = "boots", now+w.boot, false
			}
		}
		if w.state == "boots" && w.until == now {
			w.state = ""
		}
	}
}

// boot boots the nodes of jobs that were just given nodes, which start when all of these are on.
func (p *plainSite) boot(now int) {
	for i := range p.jobs {
		j := &p.jobs[i]
		if j.start != now || j.end >= 0 {
			continue
		}
		for _, h := range j.on {
			w := &p.power[h.node]
			switch w.state {
			case "off":
				w.state, w.until = "boots", now+w.boot
			case "shuts":
				w.wanted = true
				j.start = max(j.start, w.until+w.boot)
			}
			if w.state == "boots" {
				j.start = max(j.start, w.until)
			}
		}
	}
	p.switches(now)
}

// switchOff switches nodes off, the one that is idle for the longest time first, of equals the last
// one, and adds what all nodes draw in the second that begins.
func (p *plainSite) switchOff(now int) {
	busy := make([]int, len(p.nodes))
	holds := make([]bool, len(p.nodes))
	for _, j := range p.jobs {
		if j.start >= 0 && j.end < 0 {
			for _, h := range j.on {
				holds[h.node] = true
				if j.start <= now {
					busy[h.node] += h.processors
				}
			}
		}
	}
	var idle []int
	for n := range p.power {
		w := &p.power[n]
		if holds[n] || w.state != "" {
			w.since = -1
			continue
		}
		if w.since < 0 {
			w.since = now
		}
		idle = append(idle, n)
	}
	slices.SortStableFunc(idle, func(a, b int) int {
		if p.power[a].since != p.power[b].since {
			return p.power[a].since - p.power[b].since
		}
		return b - a
	})
	for left := len(idle); p.offAfter > 0 && left > p.keep; left-- {
		w := &p.power[idle[len(idle)-left]]
		if now < w.since+p.offAfter {
			break
		}
		w.state, w.until, w.since = "shuts", now+w.shutdown, -1
	}
	p.switches(now)
	sum := 0.0
	for n, w := range p.power {
		switch w.state {
		case "boots":
			sum += float64(w.boots)
		case "shuts":
			sum += float64(w.shuts)
		case "off":
			sum += float64(w.off)
		default:
			sum += float64(w.idle) + float64((w.busy-w.idle)*busy[n])/float64(p.nodes[n][0])
		}
	}
	p.joules = append(p.joules, sum)
}

// energy returns the joules from the first submission to the last end.
func (p *plainSite) energy() (joules float64) {
	first, last := len(p.joules), 0
	for _, j := range p.jobs {
		if j.came >= 0 {
			first = min(first, j.came)
		}
		last = max(last, j.end)
	}
	for now := first; now < last; now++ {
		joules += p.joules[now]
	}
	return joules
}
