package broker

import (
	"parley/core/system/negotiation/score"
	"parley/core/unit"
)

// Scored is a node and its score for a task.
type Scored struct {
	Node  unit.NodeID
	Score float64
}

// shortlist keeps the highest of the scores that it is given, or all of them.
// They come in batches: where one belongs can hardly be foretold, and a branch
// for each would cost more than its score.
type shortlist struct {
	fits   []Scored // kept, the highest first and among equals the first; all of them in order if most is 0
	limit  int      // to keep; 0: all
	lowest float64  // only a higher score is kept

	batch   [batchSize]Scored
	levelOf [batchSize]uint8 // of the batch's scores
	length  int              // of the batch
	top     [batchSize]uint8 // scratch of highest: indices of the batch
}

const (
	batchSize = 240 // a search for a new task needs no second one
	levels    = 127 // the steps of score by which a batch is sorted
)

// clear empties the list; it will keep the limit highest scores, or all if limit
// is 0.
func (l *shortlist) clear(limit int) { l.fits, l.limit, l.lowest, l.length = l.fits[:0], limit, 0, 0 }

// level returns the level of a score between 0 and a perfect score.
func level(value float64) uint8 { return uint8(int32(value * (levels / score.Perfect))) }

// offer puts a score above 0 into the batch.
func (l *shortlist) offer(n unit.NodeID, value float64) {
	if l.length == batchSize {
		l.settle(l.length)
	}
	l.batch[l.length], l.levelOf[l.length] = Scored{n, value}, level(value)
	l.length++
}

// settle takes in a batch of a given number of scores.
func (l *shortlist) settle(n int) {
	l.length = 0
	if l.limit == 0 || n <= 2*l.limit {
		for i := range l.batch[:n] {
			l.add(l.batch[i])
		}
		return
	}
	for _, i := range l.highest(n) {
		l.add(l.batch[i])
	}
}

// highest returns the indices of the n scores of a batch that may be kept: the l.most with the highest levels, and
// all others of the lowest of these levels. They are sorted by level, the highest first, and those of one level by
// index.
func (l *shortlist) highest(n int) []uint8 {
	var place [levels + 1]uint8
	all := l.levelOf[:n]
	for len(all) >= 4 { // four a turn: as WebAssembly a turn costs more than a count
		place[all[0]&levels]++
		place[all[1]&levels]++
		place[all[2]&levels]++
		place[all[3]&levels]++
		all = all[4:]
	}
	for _, at := range all {
		place[at&levels]++
	}
	lowest, high := levels, 0
	for ; ; lowest-- {
		count := int(place[lowest])
		place[lowest] = uint8(high)
		if high += count; high >= l.limit || lowest == 0 {
			break
		}
	}
	var chosen [batchSize + 1]uint8
	k, i := 0, 0
	for ; i+4 <= n; i += 4 {
		four := l.levelOf[i : i+4 : i+4]
		chosen[k] = uint8(i)
		k += int(flag(int(four[0]) >= lowest))
		chosen[k] = uint8(i + 1)
		k += int(flag(int(four[1]) >= lowest))
		chosen[k] = uint8(i + 2)
		k += int(flag(int(four[2]) >= lowest))
		chosen[k] = uint8(i + 3)
		k += int(flag(int(four[3]) >= lowest))
	}
	for ; i < n; i++ {
		chosen[k] = uint8(i)
		k += int(flag(int(l.levelOf[i]) >= lowest))
	}
	for _, i := range chosen[:k] {
		at := l.levelOf[i] & levels
		l.top[place[at]] = i
		place[at]++
	}
	return l.top[:k]
}

// add adds a fit, if it is among the most with the highest scores; of equal scores the earlier one comes
// first. If most is 0, it keeps all in their order.
func (l *shortlist) add(x Scored) {
	if l.limit == 0 {
		l.fits = append(l.fits, x)
		return
	}
	if !(x.Score > l.lowest) {
		return
	}
	if len(l.fits) < l.limit {
		l.fits = append(l.fits, x)
	}
	fits := l.fits
	i := len(fits) - 1
	for i > 0 && fits[i-1].Score < x.Score {
		fits[i] = fits[i-1]
		i--
	}
	fits[i] = x
	if len(fits) == l.limit {
		l.lowest = fits[len(fits)-1].Score
	}
}
