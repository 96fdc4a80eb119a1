package batch

import (
	"math"
	"slices"
	"sort"

	"parley/core/unit"
)

// waitingJob has the fields of a job that a scan of the queue reads.
type waitingJob struct {
	handle     Handle
	processors int32
	estimate   unit.Time
	arrival    uint64
}

// queue holds the waiting jobs in the order of their arrival. They lie in short
// chunks that know their smallest and their shortest job, so that a scan passes
// over most of those if nothing fits.
type queue struct {
	chunks []queueChunk // none is empty
	jobs   int
	spare  []waitingJob // memory of a chunk that was emptied
}

type queueChunk struct {
	jobs     []waitingJob
	smallest int32     // no job of the chunk has fewer processors
	shortest unit.Time // nor a shorter estimate
	stale    bool      // a job left since they were found
}

// maxPerQueueChunk is how long a chunk may be: 1.5 KB.
const maxPerQueueChunk = 64

func (q *queue) len() int { return q.jobs }

// head returns the job that came first.
func (q *queue) head() *waitingJob { return &q.chunks[0].jobs[0] }

// newest returns the job that came last.
func (q *queue) newest() *waitingJob {
	last := &q.chunks[len(q.chunks)-1]
	return &last.jobs[len(last.jobs)-1]
}

// each calls yield for every job in the order of arrival.
func (q *queue) each(yield func(*waitingJob)) {
	for c := range q.chunks {
		for i := range q.chunks[c].jobs {
			yield(&q.chunks[c].jobs[i])
		}
	}
}

// push adds a job that came after all others.
func (q *queue) push(w waitingJob) {
	n := len(q.chunks)
	if n == 0 || len(q.chunks[n-1].jobs) == maxPerQueueChunk {
		q.chunks = append(q.chunks, q.newChunk(nil))
		n++
	}
	c := &q.chunks[n-1]
	c.jobs = append(c.jobs, w)
	c.smallest, c.shortest = min(c.smallest, w.processors), min(c.shortest, w.estimate)
	q.jobs++
}

// insert puts a job that lost its processors back at the place of its arrival. A full chunk is halved
// first.
func (q *queue) insert(w waitingJob) {
	c := q.find(w.arrival)
	if c == len(q.chunks) {
		q.push(w)
		return
	}
	if jobs := q.chunks[c].jobs; len(jobs) == maxPerQueueChunk {
		later := q.newChunk(jobs[len(jobs)/2:])
		q.chunks[c] = q.newChunk(jobs[:len(jobs)/2])
		q.chunks = slices.Insert(q.chunks, c+1, later)
		c = q.find(w.arrival)
	}
	q.chunks[c].insert(w)
	q.jobs++
}

// remove takes out the waiting job with an arrival number; there must be one. A chunk that becomes empty
// is removed, and its memory is kept for the next one.
func (q *queue) remove(arrival uint64) {
	c := q.find(arrival)
	chunk := &q.chunks[c]
	i := chunk.find(arrival)
	chunk.jobs, chunk.stale = chunk.jobs[:i+copy(chunk.jobs[i:], chunk.jobs[i+1:])], true
	q.jobs--
	if len(chunk.jobs) == 0 {
		q.spare = chunk.jobs
		q.chunks = slices.Delete(q.chunks, c, c+1)
	}
}

// take calls leave for the waiting jobs behind the head, in the order of arrival, and removes those for
// which it returns true. It skips a chunk if may returns false for the chunk's smallest processors and
// shortest estimate. leave must not change the queue.
func (q *queue) take(may func(smallest int32, shortest unit.Time) bool, leave func(*waitingJob) bool) {
	emptied := false
	for c := range q.chunks {
		chunk := &q.chunks[c]
		if may(chunk.smallest, chunk.shortest) && chunk.stale {
			chunk.measure()
		}
		if !may(chunk.smallest, chunk.shortest) {
			continue
		}
		kept := 0
		for i := range chunk.jobs {
			if w := &chunk.jobs[i]; c == 0 && i == 0 || !leave(w) {
				if kept != i {
					chunk.jobs[kept] = *w
				}
				kept++
			}
		}
		if kept < len(chunk.jobs) {
			q.jobs -= len(chunk.jobs) - kept
			chunk.jobs, chunk.stale = chunk.jobs[:kept], true
			emptied = emptied || kept == 0
		}
	}
	if emptied {
		q.chunks = slices.DeleteFunc(q.chunks, func(c queueChunk) bool { return len(c.jobs) == 0 })
	}
}

// find returns the index of the chunk that holds an arrival number or into which it belongs: the first
// whose last job arrived then or later; len(q.chunks) if there is none.
func (q *queue) find(arrival uint64) int {
	if len(q.chunks) > 0 && q.chunks[0].jobs[0].arrival >= arrival {
		return 0 // most leave at the front
	}
	return sort.Search(len(q.chunks), func(c int) bool {
		jobs := q.chunks[c].jobs
		return jobs[len(jobs)-1].arrival >= arrival
	})
}

// newChunk returns a chunk with copies of jobs.
func (q *queue) newChunk(jobs []waitingJob) queueChunk {
	room := q.spare
	if q.spare = nil; room == nil {
		room = make([]waitingJob, 0, maxPerQueueChunk)
	}
	c := queueChunk{jobs: append(room, jobs...)}
	c.measure()
	return c
}

// measure computes smallest and shortest from the jobs. Until then they may be too low, because remove
// and take leave them as they are: that is safe, and only makes a scan look at more jobs.
func (c *queueChunk) measure() {
	c.smallest, c.shortest, c.stale = math.MaxInt32, unit.Forever, false
	for i := range c.jobs {
		c.smallest, c.shortest = min(c.smallest, c.jobs[i].processors), min(c.shortest, c.jobs[i].estimate)
	}
}

func (c *queueChunk) insert(w waitingJob) {
	c.jobs = slices.Insert(c.jobs, c.find(w.arrival), w)
	c.smallest, c.shortest = min(c.smallest, w.processors), min(c.shortest, w.estimate)
}

// find returns the first place whose job came as the arrival-th or later.
func (c *queueChunk) find(arrival uint64) int {
	if c.jobs[0].arrival >= arrival {
		return 0
	}
	return sort.Search(len(c.jobs), func(i int) bool { return c.jobs[i].arrival >= arrival })
}
