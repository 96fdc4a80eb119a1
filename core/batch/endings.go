package batch

import (
	"slices"
	"sort"

	"parley/core/unit"
)

// ending is a running job by when it ends at the latest.
type ending struct {
	at         unit.Time
	processors int32
	handle     Handle
}

func (e ending) before(o ending) bool { return e.at < o.at || e.at == o.at && e.handle < o.handle }

// endings lists the running jobs by when they end at the latest. They lie in short
// chunks that know how many processors theirs have, so that thousands of running
// jobs cost little more than a few.
type endings struct{ chunks []chunk }

type chunk struct {
	jobs       []ending
	processors int
}

// maxPerChunk is how long a chunk may be: 2 KB.
const maxPerChunk = 128

// find returns the index of the chunk that holds e, or into which e is to be inserted: the first chunk
// whose last job is not before e, or else the last chunk. There must be a chunk.
func (l *endings) find(e ending) int {
	i := sort.Search(len(l.chunks), func(i int) bool {
		jobs := l.chunks[i].jobs
		return len(jobs) == 0 || !jobs[len(jobs)-1].before(e)
	})
	return min(i, len(l.chunks)-1)
}

// insert adds a running job. A full chunk is divided first, so no chunk exceeds maxPerChunk.
func (l *endings) insert(e ending) {
	if len(l.chunks) == 0 {
		l.chunks = append(l.chunks, chunk{jobs: make([]ending, 0, maxPerChunk)})
	}
	i := l.find(e)
	c := &l.chunks[i]
	if len(c.jobs) == maxPerChunk {
		l.divide(i)
		i = l.find(e)
		c = &l.chunks[i]
	}
	at := sort.Search(len(c.jobs), func(k int) bool { return e.before(c.jobs[k]) })
	c.jobs = slices.Insert(c.jobs, at, e)
	c.processors += int(e.processors)
}

// divide makes two chunks of one.
func (l *endings) divide(i int) {
	c := &l.chunks[i]
	half := len(c.jobs) / 2
	var later chunk
	later.jobs = append(make([]ending, 0, maxPerChunk), c.jobs[half:]...)
	for _, e := range later.jobs {
		later.processors += int(e.processors)
	}
	c.jobs = c.jobs[:half]
	c.processors -= later.processors
	l.chunks = slices.Insert(l.chunks, i+1, later)
}

// remove takes out a job that is listed; e must equal the inserted value. The last chunk stays even if
// it is empty.
func (l *endings) remove(e ending) {
	i := l.find(e)
	c := &l.chunks[i]
	at := sort.Search(len(c.jobs), func(k int) bool { return !c.jobs[k].before(e) })
	c.jobs = slices.Delete(c.jobs, at, at+1)
	c.processors -= int(e.processors)
	if len(c.jobs) == 0 && len(l.chunks) > 1 {
		l.chunks = slices.Delete(l.chunks, i, i+1)
	}
}

// endingAt returns how many processors those have that end at a moment exactly.
func (l *endings) endingAt(now unit.Time) (processors int) {
	for i := range l.chunks {
		for _, e := range l.chunks[i].jobs {
			if e.at > now {
				return processors
			}
			if e.at == now {
				processors += int(e.processors)
			}
		}
	}
	return processors
}

// when returns the first time from now on at which at least need processors are free, and the number
// that is free after all jobs that end at that time. available processors are free now, including those
// of jobs that end exactly now. If even the end of all jobs does not free enough, the time is
// unit.Forever. Jobs past their estimate are assumed to end now.
func (l *endings) when(now unit.Time, available, need int) (unit.Time, int) {
	free := available
	for i := range l.chunks {
		c := &l.chunks[i]
		if len(c.jobs) > 0 && c.jobs[0].at > now && free+c.processors < need {
			free += c.processors
			continue
		}
		for k, e := range c.jobs {
			if e.at != now { // a job that ends now is counted in available already
				free += int(e.processors)
			}
			if free >= need && l.lastOf(now, i, k) {
				return max(e.at, now), free
			}
		}
	}
	return unit.Forever, free
}

// lastOf reports whether the k-th job of chunk i is the last to end at its time: the job after it ends
// later, or there is none. Jobs past their estimate count as ending now.
func (l *endings) lastOf(now unit.Time, i, k int) bool {
	at := max(now, l.chunks[i].jobs[k].at)
	if k+1 < len(l.chunks[i].jobs) {
		return l.chunks[i].jobs[k+1].at > at
	}
	return i+1 == len(l.chunks) || l.chunks[i+1].jobs[0].at > at
}

// outlived reports whether a job runs longer than its estimate.
func (l *endings) outlived(now unit.Time) bool {
	return len(l.chunks) > 0 && len(l.chunks[0].jobs) > 0 && l.chunks[0].jobs[0].at < now
}

// each calls yield for every running job in the order of their ends.
func (l *endings) each(yield func(ending)) {
	for i := range l.chunks {
		for _, e := range l.chunks[i].jobs {
			yield(e)
		}
	}
}
