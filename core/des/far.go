package des

import "parley/core/unit"

// Most events of a long run lie far ahead: the ends of all running tasks. They
// wait in buckets by time, unsorted, and enter the heap a bucket at a time, so
// that the heap stays small enough for the nearest cache. Events beyond the ring
// of buckets wait in one list until the ring has been through.
const (
	bucketSpan = 1 << 22 // µs, 4 s
	buckets    = 1 << 12
	ringSpan   = buckets * bucketSpan // 4.8 h
)

// far holds the events from horizon on.
type far struct {
	horizon unit.Time // a multiple of bucketSpan
	end     unit.Time // of the ring: horizon ≤ end
	ring    [][]entry // by at / bucketSpan, from horizon up to end; nil until it is needed
	inRing  int
	beyond  []entry  // from end on
	touched uint32   // so that early reads have a use
	args    []uint64 // scratch of foresee
}

// keep takes in an event at or after the horizon.
func (f *far) keep(e entry) {
	if e.at >= f.end {
		f.beyond = append(f.beyond, e)
		return
	}
	b := &f.ring[e.at/bucketSpan%buckets]
	*b = append(*b, e)
	f.inRing++
}

// advance moves events into the empty heap, if there are any before limit.
func (k *Kernel) advance(limit unit.Time) {
	f := &k.far
	for len(k.heap) == 0 && f.horizon < limit {
		if f.inRing == 0 && !f.turn() {
			return
		}
		b := &f.ring[f.horizon/bucketSpan%buckets]
		k.foresee(*b)
		for _, e := range *b {
			k.push(e)
		}
		f.inRing -= len(*b)
		*b = (*b)[:0]
		if f.horizon < unit.Forever-bucketSpan {
			f.horizon += bucketSpan
		} else {
			f.horizon = unit.Forever
		}
	}
}

// turn lets the empty ring begin at the first event beyond it, and reports
// whether there is one that is ever due.
func (f *far) turn() bool {
	first := unit.Forever
	for _, e := range f.beyond {
		first = min(first, e.at)
	}
	if first == unit.Forever {
		return false
	}
	if f.ring == nil {
		f.ring = make([][]entry, buckets)
	}
	f.horizon = first - first%bucketSpan
	f.end = unit.Forever
	if f.horizon < unit.Forever-ringSpan {
		f.end = f.horizon + ringSpan
	}
	old := f.beyond
	f.beyond = f.beyond[:0]
	for _, e := range old {
		f.keep(e)
	}
	return true
}

// foresee reads what events need when they fire, and lets their handlers do so.
func (k *Kernel) foresee(events []entry) {
	f := &k.far
	for _, e := range events {
		f.touched ^= k.slots[e.slot].use
	}
	var who Foreseer
	f.args = f.args[:0]
	for _, e := range events {
		p := &k.slots[e.slot]
		one, foresees := p.handler.(Foreseer)
		if !foresees {
			continue
		}
		if one != who && who != nil {
			who.Foresee(f.args)
			f.args = f.args[:0]
		}
		who = one
		f.args = append(f.args, p.arg)
	}
	if who != nil {
		who.Foresee(f.args)
	}
}
