package batch

import (
	"parley/core/des"
	"parley/core/unit"
)

// Logged is a job of a log: when it came and how long it really ran, which its
// site learns at its end. A run beyond the estimate is cut there: the job is
// killed at its limit.
type Logged struct {
	Job
	Submit, Run unit.Time
}

// Play lets a log, sorted by submission, run through an empty site and returns
// when each job started for the last time; unit.Forever: never. The submissions of a moment come
// before its ends, and after each single event there is a pass: the rules of pyss,
// by which published figures are reproduced to their last digit. Nothing else is
// simulated, so this is the fastest answer to what a policy would have done.
func Play(p Policy, processors int, log []Logged) []unit.Time {
	return PlayOn(NewSite(p, processors), log)
}

// PlayOn is Play on an empty site, which may have an order of its own.
func PlayOn(s *Site, log []Logged) []unit.Time {
	w := &play{site: s, log: log, starts: make([]unit.Time, len(log)), clock: des.New()}
	for i := range w.starts {
		w.starts[i] = unit.Forever
	}
	for i := range log {
		for w.clock.Step(log[i].Submit) {
		}
		h := w.site.Submit(log[i].Submit, log[i].Job)
		for int(h) >= len(w.jobs) {
			w.jobs, w.ends = append(w.jobs, 0), append(w.ends, 0)
		}
		w.jobs[h] = int32(i)
		w.pass(log[i].Submit)
	}
	for w.clock.Step(unit.Forever) {
	}
	return w.starts
}

type play struct {
	site   *Site
	log    []Logged
	starts []unit.Time
	jobs   []int32 // by Handle: its place in the log
	ends   []des.Ticket
	clock  *des.Kernel
	wake   unit.Time // when the next pass is due anyway
}

// Args of events that end no job: a wake, and the same behind all ends of its moment.
// An end can make room for a job that came before the one that is woken for.
const (
	wake = 1<<40 + iota
	lastWake
)

// Fire ends the job whose handle is arg.
func (w *play) Fire(now unit.Time, arg uint64) {
	switch arg {
	case wake:
		w.clock.At(now, w, lastWake)
		return
	case lastWake:
	default:
		w.site.End(now, Handle(arg))
	}
	w.pass(now)
}

func (w *play) pass(now unit.Time) {
	started := w.site.Pass(now)
	for _, h := range w.site.Stopped() {
		w.clock.Cancel(w.ends[h])
		w.starts[w.jobs[h]] = unit.Forever
	}
	for _, h := range started {
		i := w.jobs[h]
		w.starts[i] = now
		w.ends[h] = w.clock.At(after(now, min(w.log[i].Run, w.log[i].Estimate)), w, uint64(h))
	}
	if at := w.site.Wake(now); at < unit.Forever && at != w.wake {
		w.clock.At(at, w, wake)
		w.wake = at
	}
}
