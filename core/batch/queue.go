package batch

import (
	"sort"

	"parley/core/unit"
)

// waitingJob is what a scan of the queue reads of a job.
type waitingJob struct {
	handle     Handle
	processors int32
	estimate   unit.Time
}

// queue holds the waiting jobs in the order of their arrival. Most leave at its
// front or near it.
type queue struct {
	jobs  []waitingJob
	first int // jobs[:first] have left
}

func (q *queue) len() int             { return len(q.jobs) - q.first }
func (q *queue) at(i int) *waitingJob { return &q.jobs[q.first+i] }
func (q *queue) all() []waitingJob    { return q.jobs[q.first:] }

func (q *queue) push(w waitingJob) {
	if q.first > 32 && q.first > len(q.jobs)/2 {
		q.jobs = q.jobs[:copy(q.jobs, q.jobs[q.first:])]
		q.first = 0
	}
	q.jobs = append(q.jobs, w)
}

// insert puts a job before the i-th.
func (q *queue) insert(i int, w waitingJob) {
	q.jobs = append(q.jobs, waitingJob{})
	all := q.all()
	copy(all[i+1:], all[i:])
	all[i] = w
}

// remove takes the i-th job out.
func (q *queue) remove(i int) {
	all := q.all()
	if i < len(all)/2 {
		copy(all[1:], all[:i])
		q.first++
		return
	}
	copy(all[i:], all[i+1:])
	q.jobs = q.jobs[:len(q.jobs)-1]
}

// removeAll takes out the jobs whose places are listed, in rising order.
func (q *queue) removeAll(places []int32) {
	if len(places) < 2 {
		for _, i := range places {
			q.remove(int(i))
		}
		return
	}
	all := q.all()
	kept, next := 0, 0
	for i := range all {
		if next < len(places) && int(places[next]) == i {
			next++
			continue
		}
		all[kept] = all[i]
		kept++
	}
	q.jobs = q.jobs[:q.first+kept]
}

// search returns the first place whose job satisfies is, which must hold for all
// after it.
func (q *queue) search(is func(waitingJob) bool) int {
	all := q.all()
	return sort.Search(len(all), func(i int) bool { return is(all[i]) })
}
