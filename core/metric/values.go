package metric

import "slices"

// exactly is how many values of one kind a run keeps one by one, in 8 MB. A run with
// more of them counts them by size instead.
const exactly = 1 << 20

// block is how many values lie together: a list that is moved as it grows would need up to
// twice its memory, and every snapshot a copy of all of it.
const block = 256

// values are those of one kind, from 0 on, of all jobs or graphs that ended. Up to
// exactly of them their distribution is exact. From then on its median and 95th
// percentile are right to a hundredth, and memory no longer grows.
type values struct {
	limit  int         // how many are listed
	list   [][]float64 // all of them, in the order in which they were added; nil if they are more than most
	counts spans       // all of them, in millionths, if they are more than most
	count  int
	sum    float64
	top    float64
}

// add adds a value. With the first one beyond f.most, all that are listed move to the counts.
func (f *values) add(x float64) {
	f.count++
	f.sum += x
	f.top = max(f.top, x)
	if f.count <= f.limit {
		if f.count%block == 1 {
			f.list = append(f.list, make([]float64, 0, block))
		}
		last := &f.list[len(f.list)-1]
		*last = append(*last, x)
		return
	}
	for _, x := range slices.Concat(f.list...) {
		f.counts.add(millionths(x))
	}
	f.list = nil
	f.counts.add(millionths(x))
}

// millionths returns a value in the unit of spans.
func millionths(x float64) int64 { return int64(min(x, 9e12) * 1e6) }

func (f *values) distribution() Distribution {
	if f.count <= f.limit {
		return distribution(slices.Concat(f.list...))
	}
	d := f.counts.distribution()
	d.Mean, d.Max = f.sum/float64(f.count), f.top
	return d
}

// times returns the distribution of values in seconds whose exact sum is known.
func (f *values) times(sum float64) Distribution {
	d := f.distribution()
	if f.count > 0 {
		d.Mean = sum / float64(f.count)
	}
	return d
}
