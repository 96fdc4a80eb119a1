package negotiation

import "parley/core/unit"

// scored is a node and its score for a task.
type scored struct {
	node  unit.NodeID
	score float64
}

// shortlist keeps the highest of the scores that it is given, or all of them.
// They come in batches, since where one belongs can hardly be foretold: a branch
// for each would cost more than its score.
type shortlist struct {
	fits  []scored // kept, the highest first and among equals the first; all of them in order if most is 0
	most  int      // to keep; 0: all
	least float64  // only a higher score is kept
	batch [240]scored
	top   [240]scored // scratch of settle
}

// levels are the steps of score by which settle sorts, below 256.
const levels = 255

// clear empties the list; it will keep the most highest scores, or all if most
// is 0.
func (l *shortlist) clear(most int) { l.fits, l.most, l.least = l.fits[:0], most, 0 }

// settle takes in the first n of l.batch.
func (l *shortlist) settle(n int) {
	batch := l.batch[:n]
	if l.most > 0 && n > 2*l.most {
		batch = l.sort(batch)
	}
	for i := range batch {
		l.add(batch[i])
	}
}

// sort returns the highest of a batch, as many as are kept and a few more, sorted
// by level, and those of one level in their order.
func (l *shortlist) sort(batch []scored) []scored {
	var place [levels + 1]uint8
	for i := range batch {
		place[level(&batch[i])]++
	}
	lowest, n := uint8(levels), 0
	for ; ; lowest-- {
		here := place[lowest]
		place[lowest] = uint8(n)
		if n += int(here); n >= l.most {
			break
		}
	}
	n = 0
	for i := range batch {
		batch[n] = batch[i]
		n += int(flag(level(&batch[i]) >= lowest))
	}
	for i := range batch[:n] {
		at := level(&batch[i])
		l.top[place[at]] = batch[i]
		place[at]++
	}
	return l.top[:n]
}

func level(x *scored) uint8 { return uint8(int32(x.score * (levels / scale))) }

// add takes in one more fit.
func (l *shortlist) add(x scored) {
	if l.most == 0 {
		l.fits = append(l.fits, x)
		return
	}
	if !(x.score > l.least) {
		return
	}
	if len(l.fits) < l.most {
		l.fits = append(l.fits, x)
	}
	i := len(l.fits) - 1
	for i > 0 && l.fits[i-1].score < x.score {
		l.fits[i] = l.fits[i-1]
		i--
	}
	l.fits[i] = x
	if len(l.fits) == l.most {
		l.least = l.fits[l.most-1].score
	}
}
