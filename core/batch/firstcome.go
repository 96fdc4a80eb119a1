package batch

import (
	"parley/core/fifo"
	"parley/core/heap"
	"parley/core/unit"
)

// FirstCome computes when a log ends under FCFS, job by job, at a fraction of a Site's cost:
// jobs start in the order of their arrival, so one queue and one heap of ends are enough. It
// holds the jobs that wait or run. Use NewFirstCome.
type FirstCome struct {
	free    int
	waiting fifo.Queue[lasting]
	running *heap.Heap[lasting]
	last    unit.Time
}

// lasting is a job with its run time while it waits, and with its end while it runs.
type lasting struct {
	time       unit.Time
	processors int
}

// NewFirstCome returns an empty machine without processors.
func NewFirstCome() *FirstCome {
	return &FirstCome{running: heap.New(func(a, b lasting) bool { return a.time < b.time })}
}

// Grow adds processors. Waiting jobs learn of them at the next submission or end.
func (f *FirstCome) Grow(processors int) { f.free += processors }

// Add plays until a job's submission and submits it. Jobs are added in the order of their
// submission. A run beyond the estimate is cut there.
func (f *FirstCome) Add(l Logged) {
	f.until(l.Submit)
	f.waiting.Push(lasting{min(l.Run, l.Estimate), l.Processors})
	f.start(l.Submit)
}

// End plays to the end and returns when the last job that started ends; 0 if none did. A job
// that needs more processors than there are waits for ever, and so do all that follow it.
func (f *FirstCome) End() unit.Time {
	f.until(unit.Forever)
	return f.last
}

// until ends the jobs that end before a time, or ever.
func (f *FirstCome) until(now unit.Time) {
	for f.running.Len() > 0 && (f.running.Values()[0].time < now || now == unit.Forever) {
		ended := f.running.Pop()
		f.free += ended.processors
		f.start(ended.time)
	}
}

// start lets the jobs at the head of the queue run that fit.
func (f *FirstCome) start(now unit.Time) {
	for f.waiting.Len() > 0 && f.waiting.Values()[0].processors <= f.free {
		j := f.waiting.Pop()
		f.free -= j.processors
		j.time = after(now, j.time)
		f.last = max(f.last, j.time)
		f.running.Push(j)
	}
}
