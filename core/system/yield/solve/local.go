package solve

// adaptLocally searches for a good allocation within the migration budget. It
// returns nil when it finds none.
//
// A binary search over the largest load L asks settle for an allocation in which no host is above
// L; a descent then relieves the most loaded hosts with the rest of the budget. If the budget
// allows, MCB8's fresh packing competes, its hosts renamed so that as much memory as possible stays
// on its host.
func adaptLocally(t tasks, from origin, opt Options) []int32 {
	best := adaptToBound(t, from)
	if packed := mcb(8)(t, opt); packed.host != nil {
		from.rename(t, packed.host)
		from.swapTwins(t, packed.host)
		if from.total(packed.host) <= from.budget {
			l := newLayout(t, from, packed.host)
			l.descend()
			best = better(t, from, best, l.host)
		}
	}
	return best
}

// better returns the placement with the larger smallest yield, of equal ones the one that migrates less,
// and a if both are equal. nil is a placement that was not found; any other is better.
func better(t tasks, from origin, a, b []int32) []int32 {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	ya, yb := t.yieldOf(a), t.yieldOf(b)
	if yb > ya || yb == ya && from.total(b) < from.total(a) {
		return b
	}
	return a
}

// searchSteps halve the interval of loads to a ten-thousandth.
const searchSteps = 13

// Up to this many tasks every step of the search ends in a descent, above only
// the best one.
const descendAlways = 200

// settleWork bounds the hosts looked at by tightest, which looks at all of them
// for each homeless task.
const settleWork = 200_000_000

// adaptToBound searches for the lowest limit on the load of hosts at which settle succeeds within the
// budget, by bisection, and for each of two preferences of hosts. It returns the best placement found,
// nil if none. The second preference is left out of large instances that already have one.
func adaptToBound(t tasks, from origin) []int32 {
	var best []int32
	start := newLayout(t, from, nil)
	for _, choose := range []preference{leastLoaded, tightest} {
		attempt := func(limit float64) bool {
			l := start.clone()
			if !l.settle(limit, choose) {
				return false
			}
			if t.len() <= descendAlways {
				l.descend()
			}
			best = better(t, from, best, l.host)
			return true
		}
		if best != nil && len(start.homeless())*t.hosts > settleWork/(2*searchSteps) {
			break
		}
		if !attempt(inf) {
			continue
		}
		low, high := t.loadFloor(), 1/t.yieldOf(best)
		limit := low
		for step := 0; step < searchSteps && low < high-improvement; step++ {
			if attempt(limit) {
				high = min(limit, 1/t.yieldOf(best))
			} else {
				low = limit
			}
			limit = (low + high) / 2
		}
	}
	if best != nil && t.len() > descendAlways {
		l := newLayout(t, from, best)
		l.descend()
		best = l.host
	}
	return best
}
