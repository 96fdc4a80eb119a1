package plan

import (
	"slices"
	"sort"
)

// timeline is the schedule of a processor: busy intervals that do not touch each other,
// by time.
type timeline struct{ busy []interval }

type interval struct{ start, finish float64 }

// earliest returns the first time from ready on at which the processor is free
// for so long: a gap between two intervals counts (insertion). The search begins
// behind the last interval that ends by ready. A gap that is too short by rounding
// alone is long enough. A subtask without length delays no other.
func (t *timeline) earliest(ready, long float64) float64 {
	if long == 0 {
		return ready
	}
	at := ready
	from := sort.Search(len(t.busy), func(i int) bool { return t.busy[i].finish > ready })
	for _, b := range t.busy[from:] {
		if at <= b.start && !below(b.start, at+long) {
			return at
		}
		at = max(at, b.finish)
	}
	return at
}

// end returns when the processor has done all that it was given.
func (t *timeline) end() float64 {
	if len(t.busy) == 0 {
		return 0
	}
	return t.busy[len(t.busy)-1].finish
}

// take makes the processor busy from start to finish; it must have been free in that interval, up
// to rounding errors. Intervals that touch are merged, so that the list stays short.
func (t *timeline) take(start, finish float64) {
	if start >= finish {
		return
	}
	first := sort.Search(len(t.busy), func(i int) bool { return t.busy[i].finish >= start })
	end := first
	for ; end < len(t.busy) && t.busy[end].start <= finish; end++ {
		start, finish = min(start, t.busy[end].start), max(finish, t.busy[end].finish)
	}
	t.busy = slices.Replace(t.busy, first, end, interval{start, finish})
}
