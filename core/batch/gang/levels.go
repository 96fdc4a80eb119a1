package gang

import (
	"slices"

	"parley/core/unit"
)

// Levels are the queues of 2D-LAS: a job goes from one to the next when the GPU time that it had
// reaches a limit.
type Levels struct {
	Limits []unit.Time // ascending, of GPU time; there is one more queue
	// Promote lets a job that waits go back to the first queue, with nothing had, once it waited
	// Promote times as long as it ran. 0: it never does.
	Promote float64
	// Exact moves a job when it reaches the limit. Otherwise the next check of the queues is at the
	// time at which the job would reach it on one GPU, and after that on all of its GPUs, as in the
	// simulator of Tiresias: jobs of several GPUs move late.
	Exact bool
}

// level is a job's state in the queues of its site.
type level struct {
	queue   int
	checked unit.Time // until when it is accounted for
	ran     unit.Time // since it came to the first queue
	waited  unit.Time // since it ran there for the first time
	rank    float64   // Gittins index
}

// levels are the queues of a site.
type levels struct {
	Levels
	gittins *index // nil: by arrival
	queues  [][]Handle
	all     []Handle // scratch
}

// newLevels returns empty queues, one more than there are limits. The Gittins index is computed only if
// the policy needs it.
func newLevels(s *Settings) levels {
	l := levels{Levels: s.Levels, queues: make([][]Handle, len(s.Levels.Limits)+1)}
	if s.Policy == Gittins {
		l.gittins = newIndex(s.Gittins)
	}
	return l
}

// add puts a new job into the first queue.
func (l *levels) add(h Handle) { l.queues[0] = append(l.queues[0], h) }

// drop takes a job off its queue.
func (l *levels) drop(queue int, h Handle) {
	l.queues[queue] = slices.DeleteFunc(l.queues[queue], func(x Handle) bool { return x == h })
}

// move puts a job at the end of another queue.
func (l *levels) move(e *entry, h Handle, to int) {
	l.drop(e.level.queue, h)
	l.queues[to] = append(l.queues[to], h)
	e.level.queue = to
}

// update accounts for the time since the last update of each job and moves jobs between queues: a
// running job down by one when it reached the limit of its queue, a waiting one up to the first when its
// patience is over. With a Gittins index it then sorts each queue by falling index and submission.
func (l *levels) update(now unit.Time, s *Site) {
	for _, h := range s.list {
		e := &s.jobs[h]
		v := &e.level
		since := now - v.checked
		v.checked = now
		switch {
		case e.running:
			v.ran += since
			if v.queue < len(l.Limits) && l.reached(e) {
				l.move(e, h, v.queue+1)
			}
		case v.ran > 0:
			v.waited += since
			if l.Promote > 0 && v.queue > 0 && v.waited >= l.patience(v) {
				v.ran, v.waited = 0, 0
				l.move(e, h, 0)
			}
		}
		if l.gittins != nil {
			v.rank = l.gittins.of(gpuTime(e))
		}
	}
	if l.gittins == nil {
		return
	}
	for _, q := range l.queues {
		slices.SortStableFunc(q, func(a, b Handle) int {
			x, y := &s.jobs[a], &s.jobs[b]
			switch {
			case x.level.rank != y.level.rank:
				return sign(y.level.rank > x.level.rank)
			case x.submitted != y.submitted:
				return sign(x.submitted > y.submitted)
			}
			return 0
		})
	}
}

// sign returns 1 if a is after b and -1 if not; it never returns 0. Comparisons use it only for values
// that differ, or in a search in which equal means before.
func sign(after bool) int {
	if after {
		return 1
	}
	return -1
}

// gpuTime returns the GPU time of a job since it came to the first queue.
func gpuTime(e *entry) unit.Time { return e.level.ran * unit.Time(e.Processors) }

// reached reports whether a job had as much as its queue allows.
func (l *levels) reached(e *entry) bool { return gpuTime(e) >= l.Limits[e.level.queue] }

// patience returns how long a job waits before it goes back to the first queue, in whole seconds.
func (l *levels) patience(v *level) unit.Time {
	return whole(unit.Time(float64(v.ran) * l.Promote))
}

// whole cuts a time to whole seconds.
func whole(t unit.Time) unit.Time { return t - t%unit.Second }

// order returns all jobs, queue by queue from the first. The slice is good until the next call.
func (l *levels) order() []Handle {
	l.all = l.all[:0]
	for _, q := range l.queues {
		l.all = append(l.all, q...)
	}
	return l.all
}

// runnersFirst moves the running jobs of each queue before the waiting ones. Otherwise the order within
// the queue stays.
func (l *levels) runnersFirst(s *Site) {
	for _, q := range l.queues {
		slices.SortStableFunc(q, func(a, b Handle) int {
			if x, y := s.jobs[a].running, s.jobs[b].running; x != y {
				return sign(y)
			}
			return 0
		})
	}
}

// wake returns when the queues have to be looked at again although nothing happens: the next time at
// which a running job may reach its limit or a waiting one loses its patience; unit.Forever if there is
// none.
func (l *levels) wake(now unit.Time, s *Site) unit.Time {
	next := unit.Forever
	for _, h := range s.list {
		e := &s.jobs[h]
		v := &e.level
		switch {
		case e.running && v.queue < len(l.Limits):
			next = min(next, now+l.jump(e))
		case !e.running && v.ran > 0 && v.queue > 0 && l.Promote > 0:
			if more := l.patience(v) - v.waited; more > 0 {
				next = min(next, now+more)
			}
		}
	}
	return next
}

// jump returns the time until a running job's queue is checked next, at least 1 µs. If Exact is set, the
// job reaches its limit then. Otherwise see Levels.Exact: the rest to the limit is computed as if the
// job had run on one GPU so far, in whole seconds.
func (l *levels) jump(e *entry) unit.Time {
	limit, n := l.Limits[e.level.queue], unit.Time(e.Processors)
	exact := max(1, (limit+n-1)/n-e.level.ran)
	if l.Exact {
		return exact
	}
	if late := whole((limit - e.level.ran) / n); late > 0 {
		return late
	}
	return exact
}
